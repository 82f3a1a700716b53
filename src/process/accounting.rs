//! CPU time of a tree, from clocks that count nanoseconds; `/proc/PID/stat`'s ticks are too coarse for a slice.

use super::tree::to_pid;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;
use std::fs;
use std::time::Duration;

/// The CPU time of a set of processes, kept so that reading it again costs about a microsecond a process.
///
/// A process that has ended counts with the last value that was read of it. One that was started since the last
/// [`Self::watch`] is not counted.
#[derive(Clone, Debug, Default)]
pub struct TreeClock {
    clocks: Vec<ProcessClock>,
    /// Nanoseconds of those that are watched no more.
    retired: u64,
}

#[derive(Clone, Debug)]
struct ProcessClock {
    pid: u32,
    /// Absent where the kernel refuses the clock: then the scheduler's figures are read.
    clock: Option<ClockId>,
    last: u64,
}

impl TreeClock {
    /// A clock of these processes; their time before this moment is included.
    pub fn new(pids: &[u32]) -> Self {
        let mut clock = Self::default();
        clock.watch(pids);
        clock
    }

    /// Adds the processes that are not watched yet; those that ended keep their last value.
    pub fn watch(&mut self, pids: &[u32]) {
        for &pid in pids {
            if self.clocks.iter().all(|clock| clock.pid != pid) {
                let clock = to_pid(pid).and_then(|pid| clock_getcpuclockid(Pid::from_raw(pid.as_raw_pid())).ok());
                self.clocks.push(ProcessClock { pid, clock, last: 0 });
            }
        }
    }

    /// The sum in nanoseconds since each process began; it never goes back.
    pub fn read(&mut self) -> u64 {
        self.clocks.iter_mut().map(ProcessClock::read).sum::<u64>().saturating_add(self.retired)
    }

    /// As [`Self::read`], but stops watching those that have ended: their time stays in the sum. For a tree that goes
    /// through thousands of processes, such as a build.
    pub(super) fn read_and_retire(&mut self) -> u64 {
        let (living, ended) = self.clocks.drain(..).partition(|clock| clock.now().is_some());
        self.clocks = living;
        self.retired = ended.iter().map(|clock| clock.last).fold(self.retired, u64::saturating_add);
        self.read()
    }
}

impl ProcessClock {
    /// Nothing once it has been reaped.
    fn now(&self) -> Option<u64> {
        match self.clock {
            Some(clock) => clock.now().ok().and_then(|now| u64::try_from(now.num_nanoseconds()).ok()),
            None => scheduler_time(self.pid),
        }
    }

    fn read(&mut self) -> u64 {
        // A later process of the same number starts near 0, and can only be counted once it passes the ended one.
        if let Some(now) = self.now() {
            self.last = self.last.max(now);
        }
        self.last
    }
}

/// Nanoseconds on a CPU of all living threads; threads that have ended are missing from it.
fn scheduler_time(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let time = |text: String| text.split(' ').next()?.parse::<u64>().ok();
    Some(threads.flatten().filter_map(|thread| time(fs::read_to_string(thread.path().join("schedstat")).ok()?)).sum())
}

/// CPU time of these processes since each began; ended ones count nothing. [`TreeClock`] reads repeatedly.
pub fn cpu_time(pids: &[u32]) -> Duration {
    Duration::from_nanos(TreeClock::new(pids).read())
}

/// What all children that this process has reaped have used, their own reaped children included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReapedUsage {
    /// Nanoseconds, to the microsecond.
    pub(super) cpu: u64,
    /// The largest resident set of any of them, in bytes.
    pub(super) largest_rss: u64,
}

pub(super) fn reaped_usage() -> ReapedUsage {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return ReapedUsage::default() };
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    ReapedUsage {
        cpu: u64::try_from(microseconds).unwrap_or(0).saturating_mul(1000),
        largest_rss: u64::try_from(usage.max_rss()).unwrap_or(0).saturating_mul(1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burn() {
        let until = std::time::Instant::now() + Duration::from_millis(20);
        while std::time::Instant::now() < until {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn own_time_grows_with_work_and_agrees_with_the_scheduler() {
        let me = std::process::id();
        let mut clock = TreeClock::new(&[me]);
        let before = clock.read();
        burn();
        let after = clock.read();
        assert!(after > before);
        // Ticks of 10 ms would give multiples of 10^7 at every reading.
        assert!([before, after, clock.read()].iter().any(|value| value % 1_000_000 != 0));
        assert!(scheduler_time(me).is_some_and(|time| time > 0));
    }

    #[test]
    fn an_ended_process_keeps_its_last_value_and_a_twin_is_not_counted_twice() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        let mut clock = TreeClock::new(&[child.id(), child.id()]);
        assert_eq!(clock.clocks.len(), 1);
        clock.read();
        child.kill().unwrap();
        child.wait().unwrap();
        let last = clock.read();
        assert_eq!(clock.read(), last);
        clock.watch(&[child.id()]);
        assert_eq!(clock.read(), last);
        assert_eq!((clock.read_and_retire(), clock.clocks.len()), (last, 0));
        clock.watch(&[child.id(), std::process::id()]);
        assert!(clock.read_and_retire() > last && clock.clocks.len() == 1);
    }

    #[test]
    fn nobody_has_used_nothing() {
        assert_eq!(cpu_time(&[]), Duration::ZERO);
        assert_eq!(cpu_time(&[0, u32::MAX]), Duration::ZERO);
    }
}
