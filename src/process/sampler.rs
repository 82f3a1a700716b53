//! Memory and CPU time of a tree, looked at every few milliseconds while it runs.

use super::accounting::TreeClock;
use super::memory::{Memory, process_memory};
use super::tree::{Snapshot, children_of, runs_a_program};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Between two looks, where one takes no longer than a twentieth of it.
const INTERVAL: Duration = Duration::from_millis(2);
/// The time between two looks is at least so many times what the last one took.
const SHARE: u32 = 19;
/// A fork shares its parent's memory until it runs a program; one that has not done so by now never will.
const FORK: Duration = Duration::from_millis(50);

/// Looks at all that descends from a guard that has one child only.
pub(super) struct Sampler {
    guard: u32,
    clock: TreeClock,
    /// When each living process was first seen; absent once it counts.
    seen: BTreeMap<u32, Option<Instant>>,
    largest_sum: u64,
    largest_of_one: u64,
}

impl Sampler {
    pub(super) fn new(guard: u32) -> Self {
        Self { guard, clock: TreeClock::default(), seen: BTreeMap::new(), largest_sum: 0, largest_of_one: 0 }
    }

    /// Looks once, and says how long to wait until the next time.
    pub(super) fn look(&mut self) -> Duration {
        let begun = Instant::now();
        let pids = descendants(self.guard);
        self.clock.watch(&pids);
        self.clock.read_and_retire();
        let mut seen = std::mem::take(&mut self.seen);
        let mut sum = Memory::default();
        for pid in pids {
            let first = seen.remove(&pid).unwrap_or(Some(begun));
            let young = first.is_some_and(|first| begun.duration_since(first) < FORK && !runs_a_program(pid));
            self.seen.insert(pid, first.filter(|_| young));
            if !young && let Some(memory) = process_memory(pid) {
                sum = sum.with(memory.resident);
                self.largest_of_one = self.largest_of_one.max(memory.peak);
            }
        }
        self.largest_sum = self.largest_sum.max(sum.total());
        INTERVAL.max(begun.elapsed() * SHARE)
    }

    /// The largest memory that was seen, in bytes; nothing where nothing was seen.
    pub(super) fn peak(&self) -> Option<u64> {
        Some(self.largest_sum.max(self.largest_of_one)).filter(|&peak| peak > 0)
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
