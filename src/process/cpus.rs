//! Which CPUs the servers get and which the load generator, and pinning to them.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// The CPUs that this thread may run on, ascending.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

/// Pins the calling thread, and what it starts from then on. An error is no reason to stop: it is to be reported.
pub fn pin_this_thread(cpus: &[usize]) -> io::Result<()> {
    set_this_threads_cpus(cpus)
}

pub(super) fn set_this_threads_cpus(cpus: &[usize]) -> io::Result<()> {
    Ok(sched_setaffinity(None, &cpu_set(cpus)?)?)
}

pub(super) fn cpu_set(cpus: &[usize]) -> io::Result<CpuSet> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu >= CpuSet::MAX_CPU {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("there is no CPU {cpu}")));
        }
        set.set(cpu);
    }
    Ok(set)
}

/// The allowed CPUs and which of them share a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Allowed CPU -> the lowest number of its siblings, which names the core.
    core_of: BTreeMap<usize, usize>,
}

/// Who runs where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSplit {
    /// CPUs of the servers, ascending; never empty where any CPU is allowed.
    pub server: Vec<usize>,
    /// CPUs of the load generator, ascending; never empty where any CPU is allowed.
    pub load: Vec<usize>,
    /// Whether the two have a CPU in common: then the generator must sleep while it waits.
    pub shared: bool,
    /// What a reader of the figures must know, as whole clauses.
    pub warnings: Vec<String>,
}

impl Topology {
    /// Reads who shares a core from `sys` (`/sys`, or a copy in tests). Where it can't be read, every CPU is a core.
    pub fn read(sys: &Path, allowed: &[usize]) -> Self {
        let core = |cpu: usize| {
            let file = sys.join(format!("devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
            let siblings = parse_list(std::fs::read_to_string(file).ok()?.trim())?;
            siblings.contains(&cpu).then(|| siblings.first().copied())?
        };
        Self { core_of: allowed.iter().map(|&cpu| (cpu, core(cpu).unwrap_or(cpu))).collect() }
    }

    /// Divides the machine. `None` is `auto`: what the other side leaves, or half of the cores; siblings stay together
    /// wherever more than one core is there.
    pub fn divide(&self, server: Option<&[usize]>, load: Option<&[usize]>) -> CpuSplit {
        let mut warnings = Vec::new();
        let server = server.and_then(|cpus| self.available("server_cpus", cpus, &mut warnings));
        let load = load.and_then(|cpus| self.available("load_cpus", cpus, &mut warnings));
        let (server, load) = match (server, load) {
            (Some(server), Some(load)) => (server, load),
            (Some(server), None) => {
                let load = self.rest(&server);
                (server, load)
            }
            (None, Some(load)) => (self.rest(&load), load),
            (None, None) => self.halves(),
        };
        let shared = !server.is_disjoint(&load);
        if self.core_of.len() == 1 {
            warnings.push("server and load generator share the only CPU".to_owned());
        } else if shared {
            let both: Vec<usize> = server.intersection(&load).copied().collect();
            warnings.push(format!("server and load generator share CPU {}", list(&both)));
        } else if !self.cores(&server).is_disjoint(&self.cores(&load)) {
            let (server, load) = (list(&Vec::from_iter(server.clone())), list(&Vec::from_iter(load.clone())));
            warnings.push(format!("CPU {server} of the server and CPU {load} of the load generator share a core"));
        }
        CpuSplit { server: server.into_iter().collect(), load: load.into_iter().collect(), shared, warnings }
    }

    /// Those of an explicit list that are allowed; `None`, which is `auto`, where none is.
    fn available(&self, key: &str, cpus: &[usize], warnings: &mut Vec<String>) -> Option<BTreeSet<usize>> {
        let (there, missing): (Vec<usize>, Vec<usize>) = cpus.iter().partition(|cpu| self.core_of.contains_key(cpu));
        if !missing.is_empty() {
            let instead = if there.is_empty() { ", auto is used instead" } else { "" };
            warnings.push(format!("CPU {} of {key} is not available here{instead}", list(&missing)));
        }
        (!there.is_empty()).then(|| there.into_iter().collect())
    }

    fn cores(&self, cpus: &BTreeSet<usize>) -> BTreeSet<usize> {
        cpus.iter().filter_map(|cpu| self.core_of.get(cpu)).copied().collect()
    }

    /// What `taken` leaves: whole cores if possible, siblings of its cores if not, and its own CPUs as a last resort.
    fn rest(&self, taken: &BTreeSet<usize>) -> BTreeSet<usize> {
        let cores = self.cores(taken);
        let free: BTreeSet<usize> =
            self.core_of.iter().filter(|(_, core)| !cores.contains(core)).map(|(&cpu, _)| cpu).collect();
        if !free.is_empty() {
            return free;
        }
        let siblings: BTreeSet<usize> = self.core_of.keys().copied().filter(|cpu| !taken.contains(cpu)).collect();
        if siblings.is_empty() { taken.clone() } else { siblings }
    }

    /// The first half of the cores (the larger, where they are odd) for the server.
    fn halves(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let all: BTreeSet<usize> = self.core_of.keys().copied().collect();
        let cores = Vec::from_iter(self.cores(&all));
        let by_core = cores.len() > 1;
        let units = if by_core { cores } else { Vec::from_iter(all) };
        let firsts: BTreeSet<usize> = units.iter().take(units.len().div_ceil(2)).copied().collect();
        let server: BTreeSet<usize> = self
            .core_of
            .iter()
            .filter(|&(cpu, core)| firsts.contains(if by_core { core } else { cpu }))
            .map(|(&cpu, _)| cpu)
            .collect();
        let load = self.rest(&server);
        (server, load)
    }
}

/// The kernel's form of a list: `0,2-3`.
fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= CpuSet::MAX_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus.into_iter().collect())
}

fn list(cpus: &[usize]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn machine(cores: &[&[usize]]) -> Topology {
        let core_of = cores.iter().flat_map(|core| core.iter().map(|&cpu| (cpu, core[0]))).collect();
        Topology { core_of }
    }

    fn split(cores: &[&[usize]], server: Option<&[usize]>, load: Option<&[usize]>) -> (Vec<usize>, Vec<usize>, String) {
        let split = machine(cores).divide(server, load);
        (split.server, split.load, split.warnings.join("; "))
    }

    #[test]
    fn auto_halves_the_machine_by_cores() {
        for (cores, server, load) in [
            (vec![&[0_usize][..], &[1]], vec![0], vec![1]),
            (vec![&[0], &[1], &[2], &[3]], vec![0, 1], vec![2, 3]),
            (vec![&[0], &[1], &[2]], vec![0, 1], vec![2]),
            (vec![&[0, 1], &[2, 3]], vec![0, 1], vec![2, 3]),
            (vec![&[0, 2], &[1, 3]], vec![0, 2], vec![1, 3]),
            (vec![&[4, 5], &[6]], vec![4, 5], vec![6]),
        ] {
            assert_eq!(split(&cores, None, None), (server, load, String::new()));
        }
    }

    #[test]
    fn what_can_not_be_kept_apart_is_said() {
        assert_eq!(
            split(&[&[3]], None, None),
            (vec![3], vec![3], "server and load generator share the only CPU".to_owned())
        );
        let core = "CPU 0 of the server and CPU 1 of the load generator share a core".to_owned();
        assert_eq!(split(&[&[0, 1]], None, None), (vec![0], vec![1], core));
        assert!(machine(&[&[3]]).divide(None, None).shared && !machine(&[&[0, 1]]).divide(None, None).shared);
    }

    #[test]
    fn an_explicit_list_is_taken_and_auto_gets_the_rest() {
        let cores: &[&[usize]] = &[&[0], &[1], &[2], &[3]];
        assert_eq!(split(cores, Some(&[0]), None), (vec![0], vec![1, 2, 3], String::new()));
        assert_eq!(split(cores, None, Some(&[0, 2])), (vec![1, 3], vec![0, 2], String::new()));
        let shared = "server and load generator share CPU 1".to_owned();
        assert_eq!(split(cores, Some(&[1, 0]), Some(&[1, 2])), (vec![0, 1], vec![1, 2], shared));
        let all = "server and load generator share CPU 0,1".to_owned();
        assert_eq!(split(&[&[0], &[1]], Some(&[0, 1]), None), (vec![0, 1], vec![0, 1], all));
    }

    #[test]
    fn auto_spares_the_siblings_of_an_explicit_cpu() {
        assert_eq!(split(&[&[0, 1], &[2, 3]], Some(&[0]), None), (vec![0], vec![2, 3], String::new()));
    }

    #[test]
    fn a_cpu_that_is_not_there_is_said() {
        let (server, load, warnings) = split(&[&[0], &[1]], Some(&[0, 7]), None);
        assert_eq!((server, load), (vec![0], vec![1]));
        assert_eq!(warnings, "CPU 7 of server_cpus is not available here");
        let (server, load, warnings) = split(&[&[0], &[1]], Some(&[7]), None);
        assert_eq!((server, load), (vec![0], vec![1]));
        assert_eq!(warnings, "CPU 7 of server_cpus is not available here, auto is used instead");
    }

    #[test]
    fn siblings_are_read_from_the_kernels_files() {
        let sys = tempfile::tempdir().unwrap();
        for (cpu, siblings) in [(0, "0,2\n"), (1, "1,3\n"), (2, "0,2\n"), (3, "nonsense\n")] {
            let folder = sys.path().join(format!("devices/system/cpu/cpu{cpu}/topology"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("thread_siblings_list"), siblings).unwrap();
        }
        let topology = Topology::read(sys.path(), &[0, 1, 2, 3, 9]);
        assert_eq!(topology.core_of, BTreeMap::from([(0, 0), (1, 1), (2, 0), (3, 3), (9, 9)]));
        assert_eq!(parse_list("0,2-3"), Some(vec![0, 2, 3]));
        assert_eq!(parse_list("0-99999999999"), None);
    }

    #[test]
    fn this_thread_can_be_pinned_and_a_cpu_that_is_not_there_is_refused() {
        let allowed = allowed_cpus().unwrap();
        std::thread::spawn(move || {
            pin_this_thread(&allowed[..1]).unwrap();
            assert_eq!(allowed_cpus().unwrap(), &allowed[..1]);
            assert!(pin_this_thread(&[CpuSet::MAX_CPU]).is_err());
            assert!(pin_this_thread(&[]).is_err());
        })
        .join()
        .unwrap();
    }

    proptest! {
        #[test]
        fn both_sides_always_have_a_cpu_and_sharing_is_always_said(
            core_of in proptest::collection::btree_map(0_usize..16, 0_usize..4, 1..16),
            server in proptest::option::of(proptest::collection::vec(0_usize..20, 0..4)),
            load in proptest::option::of(proptest::collection::vec(0_usize..20, 0..4)),
        ) {
            let topology = Topology { core_of };
            let split = topology.divide(server.as_deref(), load.as_deref());
            prop_assert!(!split.server.is_empty() && !split.load.is_empty());
            let cores = |cpus: &[usize]| cpus.iter().map(|cpu| topology.core_of[cpu]).collect::<BTreeSet<_>>();
            let apart = cores(&split.server).is_disjoint(&cores(&split.load));
            prop_assert!(apart || !split.warnings.is_empty());
            prop_assert!(!split.shared || !apart);
        }

        #[test]
        fn reading_any_list_never_panics(text in "[0-9,-]{0,30}", wild in "\\PC*") {
            let _ = parse_list(&text);
            let _ = parse_list(&wild);
        }
    }
}
