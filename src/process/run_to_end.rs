//! Running a command to its end: build steps and version queries. What costs are taken of is [`super::Measured`].

use super::child::{Child, ChildSpec, DEFAULT_GRACE, ExitStatus, StopReport};
use super::clock::now_ns;
use super::error::SpawnError;
use super::log::tail_from;
use super::supervisor::Supervisor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A child whose log grows past this is stopped.
pub const LOG_LIMIT: u64 = 64 * 1024 * 1024;

/// How much of the output is handed back.
const TAIL: u64 = 16 * 1024;
/// How often cancellation and the log's length are looked at; the end of the child wakes at once.
const LOOK: Duration = Duration::from_millis(50);

/// Set once, from a signal handler or another thread, to end what is under way.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it; it stays set.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Why a command is no longer running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself.
    Exited(ExitStatus),
    /// It passed its limit and was stopped.
    TimedOut,
    /// It was stopped because the run was cancelled.
    Cancelled,
    /// It was stopped because it printed more than [`LOG_LIMIT`].
    PrintedTooMuch,
}

impl Ending {
    /// Whether it ended by itself with code 0.
    pub fn success(self) -> bool {
        matches!(self, Self::Exited(status) if status.success())
    }
}

/// A command that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Why it is no longer running.
    pub ending: Ending,
    /// From just before it was spawned to its end.
    pub duration: Duration,
    /// CPU time of it and of the descendants it waited for; absent where it never ended.
    pub cpu: Option<Duration>,
    /// The end of what it printed, as plain text.
    pub output: String,
    /// How what it left was cleaned up.
    pub stop: StopReport,
}

impl Supervisor {
    /// Runs a command until it ends, passes `limit`, or `cancel` is set; then nothing of it is left.
    pub fn run_to_end(&self, spec: &ChildSpec, limit: Duration, cancel: &CancelFlag) -> Result<Finished, SpawnError> {
        self.follow(spec, limit, cancel, DEFAULT_GRACE, |_| LOOK)
    }

    /// Runs a command to its end and hands it to `look` again and again, which says how long to wait until the next
    /// time. What the command leaves behind when it ends by itself is given `grace`.
    pub(super) fn follow(
        &self,
        spec: &ChildSpec,
        limit: Duration,
        cancel: &CancelFlag,
        grace: Duration,
        mut look: impl FnMut(&Child) -> Duration,
    ) -> Result<Finished, SpawnError> {
        let offset = spec.log.metadata().map_or(0, |metadata| metadata.len());
        let child = self.spawn(spec)?;
        let spawned_at = child.spawned_at();
        let deadline = Instant::now().checked_add(limit);
        let ending = loop {
            let next_look = Instant::now() + look(&child);
            let until = deadline.map_or(next_look, |deadline| deadline.min(next_look));
            if let Some(exit) = child.wait(until)? {
                break Ending::Exited(exit.status);
            }
            if cancel.is_set() {
                break Ending::Cancelled;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Ending::TimedOut;
            }
            if child.log_length().saturating_sub(offset) > LOG_LIMIT {
                break Ending::PrintedTooMuch;
            }
        };
        let stop = child.stop(if matches!(ending, Ending::Exited(_)) { grace } else { DEFAULT_GRACE })?;
        let ended_at = stop.exit.map_or_else(now_ns, |exit| exit.at);
        // A log that can't be read is no reason to lose how the command ended.
        let output = tail_from(&spec.log, offset, TAIL).unwrap_or_default();
        let duration = Duration::from_nanos(ended_at.saturating_sub(spawned_at));
        Ok(Finished { ending, duration, cpu: stop.exit.map(|exit| exit.cpu), output, stop })
    }
}
