//! Stopping a tree: SIGTERM, grace, SIGKILL, until nothing is left. Decides; sends signals only.

use super::super::tree::{Process, Root, signal};
use super::{KILL_INTERVAL_NS, KILL_PATIENCE_NS, signal_group};
use rustix::process::Signal;
use std::collections::BTreeSet;

/// A stop that is under way.
pub(super) struct Stopping {
    phase: Phase,
    killed: bool,
    /// By number and start time.
    left_behind: BTreeSet<(u32, u64)>,
}

#[derive(Clone, Copy)]
enum Phase {
    /// SIGTERM is out; SIGKILL follows at this time.
    Terminating { until: u64 },
    /// SIGKILL is out; what is alive at this time is given up.
    Killing { until: u64 },
}

pub(super) enum Verdict {
    GoOn,
    Done(Report),
}

pub(super) struct Report {
    pub(super) killed: bool,
    pub(super) left_behind: u32,
    pub(super) survivors: u32,
}

impl Stopping {
    /// Sends SIGTERM to the tree, unless there is no grace: then the next step kills.
    pub(super) fn begin(root: &Root, tree: &[Process], grace_until: Option<u64>) -> Self {
        let left_group = |process: &&Process| process.group != root.pid;
        if grace_until.is_some() {
            // One signal each: some servers take a second SIGTERM for "at once".
            if tree.iter().any(|process| process.group == root.pid) {
                signal_group(root.pid, Signal::TERM);
            }
            tree.iter().filter(left_group).for_each(|&process| signal(process, Signal::TERM));
        }
        Self {
            phase: Phase::Terminating { until: grace_until.unwrap_or(0) },
            killed: false,
            left_behind: tree.iter().filter(left_group).filter_map(living).collect(),
        }
    }

    /// Nanoseconds from `now` to the moment at which [`Self::step`] has something to do without any child's end.
    pub(super) fn next_step(&self, now: u64) -> u64 {
        match self.phase {
            Phase::Terminating { until } => until.saturating_sub(now),
            Phase::Killing { .. } => KILL_INTERVAL_NS,
        }
    }

    /// Looks at what is alive, and kills it once the grace is over.
    pub(super) fn step(&mut self, root: &Root, tree: &[Process], root_reaped: bool, now: u64) -> Verdict {
        if tree.is_empty() && root_reaped {
            return self.done(0);
        }
        match self.phase {
            Phase::Terminating { until } if now < until => return Verdict::GoOn,
            Phase::Terminating { .. } => {
                self.phase = Phase::Killing { until: now.saturating_add(KILL_PATIENCE_NS) };
                self.killed = !root_reaped;
            }
            Phase::Killing { until } if now > until => {
                return self.done(u32::try_from(tree.len()).unwrap_or(u32::MAX));
            }
            Phase::Killing { .. } => {}
        }
        if tree.iter().any(|process| process.group == root.pid) {
            signal_group(root.pid, Signal::KILL);
        }
        for &process in tree {
            signal(process, Signal::KILL);
        }
        if !self.killed {
            self.left_behind.extend(tree.iter().filter_map(living));
        }
        Verdict::GoOn
    }

    fn done(&self, survivors: u32) -> Verdict {
        let left_behind = u32::try_from(self.left_behind.len()).unwrap_or(u32::MAX);
        Verdict::Done(Report { killed: self.killed, left_behind, survivors })
    }
}

fn living(process: &Process) -> Option<(u32, u64)> {
    (!process.zombie).then_some((process.pid, process.started))
}
