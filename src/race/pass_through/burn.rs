//! Burning CPU time.

use crate::process::now_ns;

/// The most that counts of the time between two looks at the clock: more passed while another process had the CPU.
const LONGEST_LOOK_NS: i64 = 1_000;

/// Burns the same time again and again.
#[derive(Debug)]
pub(super) struct Burner {
    delay: i64,
    /// What is left to burn; below zero where the last look at the clock came too late. Carried over, so that the mean
    /// is right though a delay may be only some looks long.
    owed: i64,
}

impl Burner {
    /// Burns `delay` nanoseconds at a time.
    pub(super) fn new(delay: u64) -> Self {
        Self { delay: i64::try_from(delay).unwrap_or(i64::MAX), owed: 0 }
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
        let begun = now_ns();
        for _ in 0..1_000 {
            burner.burn();
            assert!((-LONGEST_LOOK_NS..=0).contains(&burner.owed), "{}", burner.owed);
        }
        let passed = now_ns() - begun;
        assert!(passed >= 1_000 * 3_000 - 1_000, "{passed}");
    }

    #[test]
    fn nothing_is_burnt_without_a_delay() {
        let mut burner = Burner::new(0);
        burner.burn();
        assert_eq!(burner.owed, 0);
    }
}
