//! A child as the rest of deadheat sees it.

use super::environment::Environment;
use super::error::GuardError;
use super::link::{Link, Slot};
use super::tree::{Root, Snapshot, has_marker};
use super::wire::WireExit;
use rustix::process::Signal;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between SIGTERM and SIGKILL.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildSpec {
    /// Program and arguments; no shell is involved.
    pub argv: Vec<String>,
    /// The directory to start it in.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Environment,
    /// The CPUs it may use, and all that it starts; empty for all that deadheat had when the guard was started.
    pub cpus: Vec<usize>,
    /// Where its output and errors are appended.
    pub log: PathBuf,
}

/// How the CPUs that were asked for were granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pinning {
    /// None were asked for.
    NotAsked,
    /// The child runs on them.
    Pinned,
    /// The kernel refused, for this reason; the child runs unpinned.
    Refused(String),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl ExitStatus {
    /// Whether it ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "signal {signal} ({name})"),
                None => write!(f, "signal {signal}"),
            },
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    let known = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    known.iter().find(|(number, _)| number.as_raw() == signal).map(|&(_, name)| name)
}

/// The end of a child's first process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// How it ended.
    pub status: ExitStatus,
    /// When the guard reaped it: see [`super::now_ns`].
    pub at: u64,
    /// CPU time of it and of the descendants it waited for, to the microsecond.
    pub cpu: Duration,
    /// Largest resident set in bytes of any process that the supervisor's guard has reaped so far. It is this child's
    /// own only where the supervisor was started for it alone.
    pub largest_rss: u64,
}

impl From<WireExit> for Exit {
    fn from(exit: WireExit) -> Self {
        let status = match exit.signal {
            Some(signal) => ExitStatus::Signal(signal),
            None => ExitStatus::Code(exit.code.unwrap_or(-1)),
        };
        Self { status, at: exit.at, cpu: Duration::from_nanos(exit.cpu), largest_rss: exit.largest_rss }
    }
}

/// How a child was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReport {
    /// How its first process ended; absent where even SIGKILL did not end it.
    pub exit: Option<Exit>,
    /// It did not end within the grace and was killed.
    pub killed: bool,
    /// Other processes that had left the group, or that had to be killed though the first had ended.
    pub left_behind: u32,
    /// Processes that are still there, because the kernel does not let them go or they are another user's.
    pub survivors: u32,
    /// CPU time of all that the supervisor's guard has reaped so far, other children's included. It is this child's
    /// tree's own only where the supervisor was started for it alone.
    pub reaped_cpu: Duration,
    /// Largest resident set in bytes of any process that the guard has reaped so far, as [`Exit::largest_rss`].
    pub largest_rss: u64,
}

/// A running child. Dropping it stops it, with the usual grace.
#[derive(Debug)]
pub struct Child {
    pub(super) link: Arc<Link>,
    pub(super) slot: Arc<Slot>,
    pub(super) id: u64,
    pub(super) root: Root,
    pub(super) spawned_at: u64,
    pub(super) pinning: Pinning,
    pub(super) log: PathBuf,
    pub(super) stopped: bool,
}

impl Child {
    /// The number of its first process, which is also its group's.
    pub fn pid(&self) -> u32 {
        self.root.pid
    }

    /// The moment just before it was spawned: see [`super::now_ns`].
    pub fn spawned_at(&self) -> u64 {
        self.spawned_at
    }

    /// Whether it runs on the CPUs that were asked for.
    pub fn pinning(&self) -> &Pinning {
        &self.pinning
    }

    /// Where its output goes.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// How many bytes its log holds.
    pub fn log_length(&self) -> u64 {
        self.log.metadata().map_or(0, |metadata| metadata.len())
    }

    /// How its first process ended, if it has. Costs no system call: it can be asked every millisecond.
    pub fn try_exit(&self) -> Result<Option<Exit>, GuardError> {
        self.slot.exit()
    }

    /// Waits for the end of its first process; nothing if it is alive at `deadline`.
    pub fn wait(&self, deadline: Instant) -> Result<Option<Exit>, GuardError> {
        self.slot.wait_for_exit(deadline)
    }

    /// Its processes now: descendants, members of its group, and orphans that carry its marker. Reads all of `/proc`.
    pub fn pids(&self) -> Vec<u32> {
        let marker = self.root.marker.as_bytes();
        let tree = Snapshot::take()
            .tree_of(&self.root, self.link.guard_pid(), |orphan| has_marker(orphan, |found| found == marker));
        tree.iter().filter(|process| !process.zombie).map(|process| process.pid).collect()
    }

    /// SIGTERM to all of it, `grace`, SIGKILL, until nothing of it is left. No grace kills at once.
    pub fn stop(mut self, grace: Duration) -> Result<StopReport, GuardError> {
        self.stop_now(grace)
    }

    fn stop_now(&mut self, grace: Duration) -> Result<StopReport, GuardError> {
        self.stopped = true;
        self.link.stop(self.id, &self.slot, grace)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.stopped {
            // If the guard is gone, so is the child.
            let _ = self.stop_now(DEFAULT_GRACE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_what_happened() {
        assert_eq!(ExitStatus::Code(3).to_string(), "exit code 3");
        assert_eq!(ExitStatus::Signal(9).to_string(), "signal 9 (SIGKILL)");
        assert_eq!(ExitStatus::Signal(34).to_string(), "signal 34");
        assert!(ExitStatus::Code(0).success() && !ExitStatus::Signal(15).success());
    }
}
