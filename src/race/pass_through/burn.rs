//! Burning CPU time.

use crate::process::now_ns;
use rustix::time::{ClockId, clock_gettime};

/// Burns that are timed together to find what one costs besides, and how often that is tried.
const TIMED: (u32, u32) = (50, 8);
/// The most that counts of the time between two looks at the clock: more passed while another process had the CPU.
const LONGEST_LOOK_NS: i64 = 1_000;

/// Delays from here on are burnt as they are.
const LONG_NS: i64 = 1_000_000;

/// The CPU time of this thread in nanoseconds.
fn thread_cpu_ns() -> i64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec)
}

/// Burns the same time again and again.
#[derive(Debug)]
pub(super) struct Burner {
    delay: i64,
    /// What is left to burn; below zero where the last look at the clock came too late. Carried over, so that the mean
    /// is right though a delay may be only some looks long.
    owed: i64,
}

impl Burner {
    /// Burns `delay` nanoseconds at a time, what it costs to look at the clock included.
    pub(super) fn new(delay: u64) -> Self {
        let delay = i64::try_from(delay).unwrap_or(i64::MAX);
        let mut burner = Self { delay, owed: 0 };
        // A long delay needs no correction, and would take long to be timed.
        if (1..LONG_NS).contains(&delay) {
            let besides = (0..TIMED.1).map(|_| burner.cost() - delay).min().unwrap_or(0);
            burner = Self { delay: delay - besides.clamp(0, delay / 2), owed: 0 };
        }
        burner
    }

    /// What one burn costs in CPU time, in the mean.
    fn cost(&mut self) -> i64 {
        let before = thread_cpu_ns();
        for _ in 0..TIMED.0 {
            self.burn();
        }
        (thread_cpu_ns() - before) / i64::from(TIMED.0)
    }

    /// Burns once.
    pub(super) fn burn(&mut self) {
        if self.delay == 0 {
            return;
        }
        self.owed = self.owed.saturating_add(self.delay);
        let mut last = now_ns();
        while self.owed > 0 {
            // No hint that this spins: a virtual machine that is told so may be taken its CPU away for a while.
            let now = now_ns();
            let passed = i64::try_from(now.saturating_sub(last)).unwrap_or(LONGEST_LOOK_NS);
            self.owed -= passed.min(LONGEST_LOOK_NS);
            last = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_burnt_is_at_least_what_was_asked_and_overshoot_is_given_back() {
        let mut burner = Burner::new(3_000);
        assert!((1_500..=3_000).contains(&burner.delay), "{}", burner.delay);
        let begun = now_ns();
        for _ in 0..1_000 {
            burner.burn();
            assert!((-LONGEST_LOOK_NS..=0).contains(&burner.owed), "{}", burner.owed);
        }
        let passed = i64::try_from(now_ns() - begun).unwrap();
        assert!(passed >= 1_000 * burner.delay - LONGEST_LOOK_NS, "{passed}");
    }

    #[test]
    fn nothing_is_burnt_without_a_delay() {
        let mut burner = Burner::new(0);
        burner.burn();
        assert_eq!(burner.owed, 0);
    }
}
