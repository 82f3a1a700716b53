//! Signs of a machine that is pressed, hot or held: read now and then, not for every slice.

use super::Roots;
use std::fs;
use std::path::Path;

/// Counts since some beginning; absent where the machine does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Microseconds in which some process of the machine waited for a CPU.
    pub pressure_us: Option<u64>,
    /// How often the given CPUs' cores were slowed because of heat.
    pub thermal_throttles: Option<u64>,
    /// Microseconds in which a quota held this process's group, or a group around it.
    pub quota_throttled_us: Option<u64>,
}

/// Reads the signs.
#[derive(Clone, Debug)]
pub struct SignReader {
    roots: Roots,
    cpus: Vec<usize>,
}

impl SignReader {
    /// A reader for a machine on whose `cpus` something is measured.
    pub fn new(roots: &Roots, cpus: &[usize]) -> Self {
        Self { roots: roots.clone(), cpus: cpus.to_vec() }
    }

    /// The signs so far.
    pub fn read(&self) -> Signs {
        Signs { pressure_us: self.pressure(), thermal_throttles: self.throttles(), quota_throttled_us: self.quota() }
    }

    fn pressure(&self) -> Option<u64> {
        let text = fs::read_to_string(self.roots.proc.join("pressure/cpu")).ok()?;
        let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
        some.split_ascii_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
    }

    fn throttles(&self) -> Option<u64> {
        let of = |cpu: &usize| {
            let path = format!("devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
            fs::read_to_string(self.roots.sys.join(path)).ok()?.trim().parse::<u64>().ok()
        };
        self.cpus.iter().filter_map(of).reduce(u64::saturating_add)
    }

    /// The largest count of the group and the groups around it: each is held by the tightest of them.
    fn quota(&self) -> Option<u64> {
        let text = fs::read_to_string(self.roots.proc.join("self/cgroup")).ok()?;
        let group = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let top = self.roots.sys.join("fs/cgroup");
        // A group outside of this namespace is shown as a path upwards, which leads nowhere here.
        let group = Path::new(if group.split('/').any(|part| part == "..") { "" } else { group.trim_end() });
        group.ancestors().filter_map(|group| throttled(&top.join(group).join("cpu.stat"))).max()
    }
}

fn throttled(path: &Path) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix("throttled_usec "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::testing::copy;
    use super::*;

    fn read(files: &[(&str, &str)]) -> Signs {
        let (_folder, roots) = copy(files);
        SignReader::new(&roots, &[0, 2]).read()
    }

    #[test]
    fn what_is_there_is_read() {
        let found = read(&[
            ("proc/pressure/cpu", "some avg10=11.79 avg60=13.94 avg300=12.29 total=10429\nfull avg10=0.00 total=7\n"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
            ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "100\n"),
            ("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "4\n"),
            ("proc/self/cgroup", "9:name=systemd:/\n0::/ci/job\n"),
            ("sys/fs/cgroup/cpu.stat", "usage_usec 5\nuser_usec 3\n"),
            ("sys/fs/cgroup/ci/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 800\n"),
            ("sys/fs/cgroup/ci/job/cpu.stat", "throttled_usec 20\n"),
        ]);
        let all = Signs { pressure_us: Some(10_429), thermal_throttles: Some(7), quota_throttled_us: Some(800) };
        assert_eq!(found, all);
    }

    #[test]
    fn what_is_missing_or_nonsense_stays_absent() {
        assert_eq!(read(&[]), Signs::default());
        let nonsense = read(&[
            ("proc/pressure/cpu", "some avg10=x\n"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "hot\n"),
            ("proc/self/cgroup", "0::/../../elsewhere\n"),
            ("sys/fs/cgroup/cpu.stat", "throttled_usec -1\n"),
        ]);
        assert_eq!(nonsense, Signs::default());
        // Only version 1 of control groups.
        assert_eq!(
            read(&[("proc/self/cgroup", "1:cpu:/\n"), ("sys/fs/cgroup/cpu.stat", "throttled_usec 1\n")]),
            Signs::default()
        );
    }

    #[test]
    fn this_machine_can_be_read() {
        let reader = SignReader::new(&Roots::default(), &[0]);
        assert!(reader.read().pressure_us <= reader.read().pressure_us);
    }
}
