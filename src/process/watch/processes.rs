//! Which processes were busy, to be named to whoever could end them.

use super::super::log::plain_text;
use super::Roots;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Milliseconds of a tick of `/proc/PID/stat`.
const TICK_MS: u64 = 10;
/// The longest name of a process that is shown; the kernel keeps 15 bytes.
const LONGEST_NAME: usize = 32;

/// All processes at about one moment.
#[derive(Clone, Debug, Default)]
pub struct ProcessSurvey {
    processes: BTreeMap<u32, Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    name: String,
    parent: u32,
    /// With the number it names a process for good.
    started: u64,
    ticks: u64,
    /// The CPU that it ran on last.
    cpu: usize,
}

/// A process, or all of one name, that used CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusyProcess {
    /// Its name, without anything that could steer a terminal.
    pub name: String,
    /// CPU time in milliseconds.
    pub used_ms: u64,
}

impl ProcessSurvey {
    /// Reads all of `/proc`: some milliseconds on a large machine.
    pub fn take(roots: &Roots) -> Self {
        let Ok(entries) = fs::read_dir(&roots.proc) else { return Self::default() };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let read = |pid: u32| {
            let text = fs::read(roots.proc.join(format!("{pid}/stat"))).ok()?;
            Some((pid, parse(&String::from_utf8_lossy(&text))?))
        };
        Self { processes: pids.filter_map(read).collect() }
    }

    /// The processes that used most CPU time since `earlier` and ran on one of `cpus` last, the busiest first; those of
    /// one name count as one. What descends from `ours`, and `ours` itself, is left out.
    pub fn busiest_since(&self, earlier: &Self, ours: u32, cpus: &[usize]) -> Vec<BusyProcess> {
        let ours = self.tree_of(ours);
        let mut used: BTreeMap<&str, u64> = BTreeMap::new();
        for (pid, now) in self.processes.iter().filter(|(pid, now)| !ours.contains(pid) && cpus.contains(&now.cpu)) {
            let before = earlier.processes.get(pid).filter(|before| before.started == now.started);
            let ticks = now.ticks.saturating_sub(before.map_or(0, |before| before.ticks));
            // One that began since has used all of its time since.
            *used.entry(&now.name).or_default() += ticks.saturating_mul(TICK_MS);
        }
        let mut busy: Vec<BusyProcess> = used
            .into_iter()
            .filter(|(_, used_ms)| *used_ms > 0)
            .map(|(name, used_ms)| BusyProcess { name: name.to_owned(), used_ms })
            .collect();
        busy.sort_by(|a, b| b.used_ms.cmp(&a.used_ms).then_with(|| a.name.cmp(&b.name)));
        busy
    }

    /// The kernel's threads that carry on with network packets where an interrupt had no time for all: they work for whoever
    /// sends, and that is the race. By CPU; empty in containers, which do not see them.
    pub fn network_threads(&self, cpus: &[usize]) -> Vec<u32> {
        let of = |cpu: &usize| {
            let name = format!("ksoftirqd/{cpu}");
            self.processes.iter().find(|(_, seen)| seen.name == name && seen.parent <= 2).map(|(pid, _)| *pid)
        };
        cpus.iter().filter_map(of).collect()
    }

    fn tree_of(&self, root: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::from([root]);
        loop {
            let before = found.len();
            for (pid, seen) in &self.processes {
                if found.contains(&seen.parent) {
                    found.insert(*pid);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

/// Reads a line of `/proc/PID/stat`; the name in parentheses may itself hold parentheses and spaces.
fn parse(text: &str) -> Option<Seen> {
    let (_, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(')')?;
    // Field 3 of the line is the state, hence offsets of 3 against the numbers in proc_pid_stat(5).
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
    let name: String = plain_text(name.as_bytes()).chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    Some(Seen {
        name,
        parent: u32::try_from(number(1)?).ok()?,
        started: number(19)?,
        ticks: number(11)?.saturating_add(number(12)?),
        cpu: usize::try_from(number(36)?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::copy;
    use super::*;

    fn line(pid: u32, name: &str, parent: u32, ticks: u64, started: u64, cpu: usize) -> String {
        let end = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17";
        format!("{pid} ({name}) S {parent} 1 1 0 -1 0 1 0 0 0 {ticks} 2 7 8 20 0 1 0 {started} {end} {cpu} 0 0\n")
    }

    fn survey(processes: &[(u32, &str, u32, u64, u64, usize)]) -> ProcessSurvey {
        let files: Vec<(String, String)> = processes
            .iter()
            .map(|&(pid, name, parent, ticks, started, cpu)| {
                (format!("proc/{pid}/stat"), line(pid, name, parent, ticks, started, cpu))
            })
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, roots) = copy(&files);
        ProcessSurvey::take(&roots)
    }

    #[test]
    fn the_busiest_come_first_and_ours_are_left_out() {
        let before = survey(&[
            (1, "init", 0, 5, 0, 0),
            (20, "cargo", 1, 100, 9, 1),
            (21, "rustc", 20, 0, 9, 0),
            (30, "deadheat", 1, 50, 9, 1),
            (40, "elsewhere", 1, 0, 9, 5),
            (50, "reused", 1, 90, 9, 0),
        ]);
        let after = survey(&[
            (1, "init", 0, 5, 0, 0),
            (20, "cargo", 1, 112, 9, 1),
            (21, "rustc", 20, 40, 9, 0),
            (22, "rustc", 20, 3, 30, 0),
            (30, "deadheat", 1, 90, 9, 1),
            (31, "node (a) b", 30, 700, 30, 0),
            (32, "worker", 31, 700, 30, 0),
            (40, "elsewhere", 1, 400, 9, 5),
            (50, "reused", 1, 6, 30, 0),
        ]);
        let busy = after.busiest_since(&before, 30, &[0, 1]);
        let found: Vec<(&str, u64)> = busy.iter().map(|one| (one.name.as_str(), one.used_ms)).collect();
        // 40 + 3 + 2 ticks of rustc, 12 of cargo, 6 + 2 of the later process of number 50.
        assert_eq!(found, [("rustc", 450), ("cargo", 120), ("reused", 80)]);
    }

    #[test]
    fn the_kernels_network_threads_are_found_by_cpu() {
        let found = survey(&[
            (13, "ksoftirqd/0", 2, 0, 0, 0),
            (24, "ksoftirqd/1", 2, 0, 0, 1),
            (99, "ksoftirqd/2", 70, 0, 0, 2),
        ]);
        assert_eq!(found.network_threads(&[1, 2, 0]), [24, 13]);
    }

    #[test]
    fn names_that_could_steer_a_terminal_are_plain() {
        let seen = parse(&line(7, "a\x1b[2J\nb\u{7}", 1, 0, 0, 0)).unwrap();
        assert!(seen.name.chars().all(|c| !c.is_control()), "{:?}", seen.name);
        for broken in ["", "7", "7 (x", "7 (x) S 1", "7 (x) S a 1 1 0 -1 0 1 0 0 0 1 2"] {
            assert!(parse(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn this_process_and_what_it_started_are_ours() {
        let survey = ProcessSurvey::take(&Roots::default());
        assert!(survey.processes.contains_key(&std::process::id()));
        let all: Vec<usize> = (0..1024).collect();
        let busy = survey.busiest_since(&ProcessSurvey::default(), 0, &all);
        assert!(busy.windows(2).all(|two| two[0].used_ms >= two[1].used_ms));
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_never_panics(text in "[A-Za-z0-9():\t -]{0,160}", wild in "\\PC*") {
            let _ = parse(&text);
            let _ = parse(&wild);
        }
    }
}
