//! When a cell is failing, from the attempts at it; and why others are unmeasured.

use super::looks::LOOKS;
use super::sign_test::sign_test;
use crate::model::{Attempt, Outcome, PerSide, Side};
use std::collections::BTreeMap;

/// Rounds in which one side alone failed prove a failing side below this p.
const SIGN_TEST_P: f64 = 0.01;
/// A larger share of failed attempts is failing by itself.
const FAILED_SHARE: f64 = 0.2;
/// The share is not taken of fewer attempts.
const FEWEST_ATTEMPTS: u32 = 5;

/// Why there is nothing to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnmeasuredReason {
    /// A quick run judges nothing.
    Quick,
    /// Head ran alone.
    NoBase,
    /// Base has no such entry, or does not answer the scenario by head's contract.
    New,
    /// Head no longer has the entry.
    Gone,
    /// Neither side passes the gate.
    NotPassing,
    /// Only one side was raced, for the standings.
    OneSided,
    /// No round gave a valid pair.
    NoRounds,
    /// The load generator was the limit, so that speed and latency say nothing about the servers.
    GeneratorLimited,
}

/// What makes a cell failing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FailingCause {
    /// Head's answer is not the contract's where base's is.
    Gate,
    /// Head did not build or start where base did.
    NotRunning,
    /// One side failed alone too often for chance.
    OneSide {
        /// Rounds in which base alone failed, at the look that proved it.
        base_alone: u32,
        /// Rounds in which head alone failed.
        head_alone: u32,
        /// p of the sign test.
        p: f64,
    },
    /// Over a fifth of a side's attempts failed.
    Often {
        /// Failed attempts of each side.
        failed: PerSide<u32>,
        /// All attempts of each side.
        attempts: PerSide<u32>,
    },
}

/// A failing cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failing {
    /// Which sides fail.
    pub sides: PerSide<bool>,
    /// By which rule.
    pub cause: FailingCause,
}

impl Failing {
    /// Head fails and base does not, for a reason that the gate found.
    pub(crate) fn at_gate(cause: FailingCause) -> Self {
        Self { sides: PerSide { base: false, head: true }, cause }
    }

    /// Whether the pull request brought it: head fails and base does not.
    pub fn is_regression(&self) -> bool {
        self.sides.head && !self.sides.base
    }
}

/// The attempts at one case of an entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts {
    failed: PerSide<u32>,
    tried: PerSide<u32>,
    /// By round: which sides failed at least once.
    rounds: BTreeMap<u32, PerSide<bool>>,
    /// By round that was measured on every side that was asked: whether the load generator was the limit.
    limited: BTreeMap<u32, bool>,
}

impl Attempts {
    /// Counts one attempt in.
    pub(crate) fn add(&mut self, attempt: &Attempt) {
        let outcomes = PerSide { base: attempt.base, head: attempt.head };
        if Side::BOTH.iter().all(|side| *outcomes.get(*side) == Outcome::Skipped) {
            return;
        }
        if Side::BOTH.iter().all(|side| *outcomes.get(*side) != Outcome::Failed) {
            // The first attempt that was measured is the one that gives the round its values.
            self.limited.entry(attempt.round).or_insert(attempt.generator_limited);
        }
        // Of what only one side was asked nobody can say that it failed alone.
        let both = Side::BOTH.iter().all(|side| *outcomes.get(*side) != Outcome::Skipped);
        for side in Side::BOTH {
            let outcome = *outcomes.get(side);
            let failed = outcome == Outcome::Failed;
            if both {
                *self.rounds.entry(attempt.round).or_default().get_mut(side) |= failed;
            }
            *self.failed.get_mut(side) += u32::from(failed);
            *self.tried.get_mut(side) += u32::from(outcome != Outcome::Skipped);
        }
    }

    /// Whether and by which rule the case is failing. The sign test is taken at looks, counted in rounds that tried it.
    pub(crate) fn failing(&self) -> Option<Failing> {
        self.failing_alone().or_else(|| self.failing_often())
    }

    /// Whether the load generator was the limit in more than half of the rounds that were measured.
    pub(crate) fn generator_limited(&self) -> bool {
        let limited = self.limited.values().filter(|limited| **limited).count();
        limited * 2 > self.limited.len()
    }

    fn failing_alone(&self) -> Option<Failing> {
        let (mut base_alone, mut head_alone) = (0, 0);
        for (index, failed) in self.rounds.values().enumerate() {
            base_alone += u32::from(failed.base && !failed.head);
            head_alone += u32::from(failed.head && !failed.base);
            if !LOOKS.iter().any(|look| look.pairs == index + 1) {
                continue;
            }
            let p = sign_test(base_alone, head_alone);
            if p < SIGN_TEST_P {
                let head = head_alone > base_alone;
                let cause = FailingCause::OneSide { base_alone, head_alone, p };
                return Some(Failing { sides: PerSide { base: !head, head }, cause });
            }
        }
        None
    }

    fn failing_often(&self) -> Option<Failing> {
        let sides = PerSide::from_fn(|side| {
            let (failed, tried) = (*self.failed.get(side), *self.tried.get(side));
            tried >= FEWEST_ATTEMPTS && f64::from(failed) > FAILED_SHARE * f64::from(tried)
        });
        let cause = FailingCause::Often { failed: self.failed, attempts: self.tried };
        (sides.base || sides.head).then_some(Failing { sides, cause })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::attempt;
    use super::*;
    use Outcome::{Failed, Measured, Skipped};

    fn failing(outcomes: &[(u32, Outcome, Outcome)]) -> Option<Failing> {
        let mut attempts = Attempts::default();
        for &(round, base, head) in outcomes {
            attempts.add(&attempt(round, base, head));
        }
        attempts.failing()
    }

    fn rounds(count: u32, base: Outcome, head: Outcome) -> Vec<(u32, Outcome, Outcome)> {
        (0..count).map(|round| (round, base, head)).collect()
    }

    #[test]
    fn eight_rounds_of_head_failing_alone_are_proof() {
        let found = failing(&rounds(8, Measured, Failed)).unwrap();
        assert!(found.is_regression());
        assert!(matches!(found.cause, FailingCause::OneSide { base_alone: 0, head_alone: 8, .. }));
        let found = failing(&rounds(8, Failed, Measured)).unwrap();
        assert!(!found.is_regression() && found.sides.base);
    }

    #[test]
    fn who_is_raced_without_a_base_fails_by_its_own_count_and_never_alone() {
        let mut outcomes = rounds(30, Skipped, Measured);
        outcomes.iter_mut().take(6).for_each(|outcome| outcome.2 = Failed);
        assert_eq!(failing(&outcomes), None, "a fifth is not over a fifth");
        outcomes.iter_mut().take(7).for_each(|outcome| outcome.2 = Failed);
        assert!(matches!(failing(&outcomes).unwrap().cause, FailingCause::Often { .. }));

        let limited = |rounds: u32| {
            let mut attempts = Attempts::default();
            for round in 0..8 {
                let of = attempt(round, Skipped, Measured);
                attempts.add(&Attempt { generator_limited: round < rounds, ..of });
            }
            attempts.generator_limited()
        };
        assert!(limited(5) && !limited(4));
    }

    #[test]
    fn the_sign_test_is_taken_at_looks_and_its_finding_stays() {
        // Failures of one attempt in five are no "often"; 8 of 40 rounds alone are proof at the look of 40 only.
        let mut outcomes = rounds(40, Measured, Measured);
        outcomes.iter_mut().rev().take(8).for_each(|outcome| outcome.2 = Failed);
        assert!(matches!(failing(&outcomes).unwrap().cause, FailingCause::OneSide { head_alone: 8, .. }));
        assert_eq!(failing(&outcomes[..39]), None);
    }

    #[test]
    fn over_a_fifth_of_at_least_five_attempts() {
        let mut outcomes = rounds(5, Measured, Measured);
        outcomes[0].2 = Failed;
        assert_eq!(failing(&outcomes), None);
        outcomes[3].2 = Failed;
        let found = failing(&outcomes).unwrap();
        assert!(found.is_regression() && matches!(found.cause, FailingCause::Often { .. }));
        assert_eq!(failing(&outcomes[..4]), None);
        for outcome in &mut outcomes {
            outcome.1 = Failed;
        }
        assert!(!failing(&outcomes).unwrap().is_regression());
    }

    #[test]
    fn skipped_attempts_do_not_count() {
        assert_eq!(failing(&rounds(20, Skipped, Skipped)), None);
        assert_eq!(failing(&rounds(20, Measured, Skipped)), None);
    }
}
