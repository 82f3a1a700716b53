//! Memory and CPU time of a tree, looked at every few milliseconds while it runs.

use super::accounting::{TreeClock, cpu_time};
use super::memory::{Memory, ProcessMemory, process_memory};
use super::tree::{Snapshot, children_of, runs_a_program};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Between two looks, where one takes no longer than a twentieth of it.
const INTERVAL: Duration = Duration::from_millis(2);
/// The time between two looks is at least so many times what the last one took.
const SHARE: u32 = 19;
/// A fork shares its parent's memory until it runs a program, which takes it less CPU time than this. A clock on the wall
/// would not do: on a busy machine a fork may have to wait.
const FORK: Duration = Duration::from_millis(10);
/// With fewer looks than this nothing is known of a peak.
const ENOUGH: u32 = 3;

/// Looks at all that descends from a guard that has one child only.
pub(super) struct Sampler {
    guard: u32,
    clock: TreeClock,
    /// Living processes whose memory counts.
    counted: BTreeSet<u32>,
    looks: u32,
    largest_sum: u64,
    largest_of_one: u64,
}

impl Sampler {
    pub(super) fn new(guard: u32) -> Self {
        Self {
            guard,
            clock: TreeClock::default(),
            counted: BTreeSet::new(),
            looks: 0,
            largest_sum: 0,
            largest_of_one: 0,
        }
    }

    /// Looks once, and says how long to wait until the next time.
    pub(super) fn look(&mut self) -> Duration {
        let begun = Instant::now();
        let pids = descendants(self.guard);
        self.clock.watch(&pids);
        self.clock.read_and_retire();
        let counts = |pid: &u32| self.counted.contains(pid) || runs_a_program(*pid) || cpu_time(&[*pid]) > FORK;
        self.counted = pids.into_iter().filter(counts).collect();
        let memories: Vec<ProcessMemory> = self.counted.iter().filter_map(|&pid| process_memory(pid)).collect();
        let sum = memories.iter().map(|memory| memory.resident).fold(Memory::default(), Memory::with);
        let largest = memories.iter().map(|memory| memory.peak).max().unwrap_or(0);
        self.looks = self.looks.saturating_add(u32::from(largest > 0));
        self.largest_of_one = self.largest_of_one.max(largest);
        self.largest_sum = self.largest_sum.max(sum.total());
        INTERVAL.max(begun.elapsed() * SHARE)
    }

    /// The largest memory that was seen, in bytes; nothing where there was no time to see it.
    pub(super) fn peak(&self) -> Option<u64> {
        (self.looks >= ENOUGH).then_some(self.largest_sum.max(self.largest_of_one))
    }

    /// CPU time of each process as it was last seen: at most what they have really used.
    pub(super) fn cpu(&mut self) -> Duration {
        Duration::from_nanos(self.clock.read())
    }
}

/// All that descends from `pid`. The kernel's own lists cost some microseconds a thread, all of `/proc` milliseconds.
fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let Some(mut open) = children_of(pid) else {
        let snapshot = Snapshot::take();
        return snapshot.descendants(pid).iter().filter(|process| !process.zombie).map(|process| process.pid).collect();
    };
    while let Some(pid) = open.pop() {
        found.push(pid);
        open.extend(children_of(pid).unwrap_or_default());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_kernels_lists_and_all_of_proc_tell_the_same_tree() {
        let mut shell = Command::new("sh").args(["-c", "sleep 600 & sleep 600"]).stdin(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        let found = loop {
            let found = descendants(shell.id());
            if found.len() == 2 {
                break found;
            }
            assert!(Instant::now() < until);
        };
        let snapshot: Vec<u32> = Snapshot::take().descendants(shell.id()).iter().map(|process| process.pid).collect();
        assert_eq!(BTreeSet::from_iter(found), BTreeSet::from_iter(snapshot.clone()));
        // From where this process stands, one level more.
        let below: Vec<u32> = descendants(std::process::id());
        assert!(snapshot.iter().chain([&shell.id()]).all(|pid| below.contains(pid)));
        let mut sampler = Sampler::new(shell.id());
        assert_eq!(sampler.peak(), None);
        for _ in 0..ENOUGH {
            assert!(sampler.look() >= INTERVAL);
        }
        assert!(sampler.peak().is_some_and(|peak| peak > 0));
        for pid in snapshot {
            Command::new("kill").arg(pid.to_string()).status().unwrap();
        }
        shell.wait().unwrap();
        assert!(descendants(shell.id()).is_empty());
    }
}
