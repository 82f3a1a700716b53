//! Memory of a tree: the sum of anonymous memory plus the largest file-backed and shared parts.
//!
//! For one process that is its resident set. Of several it counts what they map alike (the program, libraries) once.
//! The proportional set is never used: it halves what the twin servers of a pair share.

use std::fs;

/// Resident memory of a set of processes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Sum of `RssAnon`.
    pub anonymous: u64,
    /// The largest `RssFile`.
    pub largest_file: u64,
    /// The largest `RssShmem`.
    pub largest_shared: u64,
}

impl Memory {
    /// The figure that the results hold.
    pub fn total(self) -> u64 {
        self.anonymous.saturating_add(self.largest_file).saturating_add(self.largest_shared)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            anonymous: self.anonymous.saturating_add(other.anonymous),
            largest_file: self.largest_file.max(other.largest_file),
            largest_shared: self.largest_shared.max(other.largest_shared),
        }
    }
}

/// What `/proc/PID/status` says of one process's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessMemory {
    /// Now.
    pub(super) resident: Memory,
    /// Its largest resident set since it began to run its program, in bytes.
    pub(super) peak: u64,
}

/// Kernel threads and zombies have no such lines and count nothing.
fn parse_status(text: &str) -> ProcessMemory {
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kibibytes: u64 = line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0);
        kibibytes.saturating_mul(1024)
    };
    let resident =
        Memory { anonymous: bytes("RssAnon"), largest_file: bytes("RssFile"), largest_shared: bytes("RssShmem") };
    ProcessMemory { resident, peak: bytes("VmHWM") }
}

/// Memory of one process; nothing where it has ended.
pub(super) fn process_memory(pid: u32) -> Option<ProcessMemory> {
    let text = fs::read(format!("/proc/{pid}/status")).ok()?;
    Some(parse_status(&String::from_utf8_lossy(&text)))
}

/// Memory of these processes now; ended ones count nothing.
pub fn memory(pids: &[u32]) -> Memory {
    let resident = pids.iter().filter_map(|&pid| process_memory(pid)).map(|process| process.resident);
    resident.fold(Memory::default(), Memory::with)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "Name:\tnode\nVmHWM:\t   50000 kB\nVmRSS:\t   43600 kB\nRssAnon:\t   20000 kB\nRssFile:\t   23000 kB\nRssShmem:\t     600 kB\n";
    const SHELL: &str = "Name:\tsh\nVmRSS:\t 1700 kB\nRssAnon:\t 100 kB\nRssFile:\t 1600 kB\nRssShmem:\t 0 kB\n";

    #[test]
    fn of_one_process_it_is_the_resident_set() {
        assert_eq!(parse_status(NODE).resident.total(), 43_600 * 1024);
        assert_eq!(parse_status(NODE).peak, 50_000 * 1024);
    }

    #[test]
    fn anonymous_memory_is_summed_and_the_rest_is_the_largest() {
        let both = parse_status(NODE).resident.with(parse_status(SHELL).resident);
        assert_eq!(both.total(), (20_000 + 100 + 23_000 + 600) * 1024);
    }

    #[test]
    fn a_zombie_and_a_vanished_process_count_nothing() {
        assert_eq!(parse_status("Name:\tsh\nState:\tZ (zombie)\n"), ProcessMemory::default());
        assert_eq!(memory(&[u32::MAX]), Memory::default());
    }

    #[test]
    fn this_process_has_some() {
        assert!(memory(&[std::process::id()]).anonymous > 0);
    }

    proptest::proptest! {
        #[test]
        fn reading_any_text_never_panics(text in "[A-Za-z0-9():\t -]{0,120}", wild in "\\PC*") {
            let _ = parse_status(&text);
            let _ = parse_status(&wild);
        }
    }
}
