//! Running a command to its end and taking its costs: the process suite, and builds from clean.
//!
//! The command gets a guard of its own, which reaps nothing but what came from it. So what that guard has reaped is the
//! whole tree's usage, whoever waited for whom: a launcher that ended before its worker, a daemon, a child that nobody
//! waited for. That guard is started before the clock runs and costs some milliseconds.

use super::child::{ChildSpec, StopReport};
use super::error::SpawnError;
use super::memory::process_memory;
use super::run_to_end::{CancelFlag, Ending, Finished};
use super::sampler::Sampler;
use super::supervisor::Supervisor;
use std::time::Duration;

/// How far the guard's own peak may be off: the kernel keeps it to some pages a CPU.
const GUARD_TOLERANCE: u64 = 1024 * 1024;

/// A command that was run to its end, with what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Why it is no longer running.
    pub ending: Ending,
    /// From just before it was spawned to the end of its first process.
    pub wall: Duration,
    /// CPU time of the whole tree, to the microsecond, from the kernel's books and not from samples. What is alive when
    /// the first process ends is killed at once, and its time until then is in it.
    ///
    /// Known limit: a process whose parent ignores the ends of its children is in nobody's books. Of such the time that
    /// was last seen of it counts, so that some milliseconds may be missing.
    pub cpu: Duration,
    /// The largest memory in bytes: of one process exactly its largest resident set; of several the largest
    /// [`super::Memory`] of all together that a sample has seen (every 2 ms, more seldom where there are many), and at
    /// least the largest resident set of any. A peak of several that comes and goes between two samples may be missed.
    ///
    /// A process that was forked and runs no program of its own counts once it has used 10 ms of CPU time: until then it
    /// has little of its own. What it then still shares with its parent counts for both. Absent where the command ended
    /// within some milliseconds and was smaller than the guard (some MiB).
    pub peak_memory: Option<u64>,
    /// The end of what it printed, as plain text: see [`super::figures()`].
    pub output: String,
    /// What it left behind, and how that was cleaned up.
    pub stop: StopReport,
}

impl Supervisor {
    /// Runs a command until it ends, passes `limit`, or `cancel` is set; then nothing of it is left, and what it left
    /// behind got no time to end by itself.
    ///
    /// The calling thread looks at the tree's memory meanwhile, for at most a twentieth of its time: let it run where the
    /// command does not. The command's own guard runs where this one does: one that is not pinned away ([`Self::pin_guard`])
    /// may find the command's CPU taken by others when it is to see the end, and then takes the time for longer.
    pub fn run_measured(&self, spec: &ChildSpec, limit: Duration, cancel: &CancelFlag) -> Result<Measured, SpawnError> {
        let own = self.another()?;
        let mut sampler = Sampler::new(own.guard_pid());
        let finished = own.follow(spec, limit, cancel, Duration::ZERO, |_| sampler.look())?;
        let guard = process_memory(own.guard_pid()).map_or(0, |memory| memory.peak);
        let Finished { ending, duration, output, stop, .. } = finished;
        // A child's largest resident set is never told as smaller than the guard's, from which it was started.
        let reaped = Some(stop.largest_rss).filter(|&largest| largest > guard.saturating_add(GUARD_TOLERANCE));
        Ok(Measured {
            ending,
            wall: duration,
            cpu: stop.reaped_cpu.max(sampler.cpu()),
            peak_memory: sampler.peak().max(reaped),
            output,
            stop,
        })
    }
}
