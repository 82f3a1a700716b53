//! What a rule is shown of a cell, and what it says.

use crate::model::Polarity;
use serde::Serialize;

/// Why a rule says nothing about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A side has no values.
    NoRounds,
    /// A value is no positive number.
    NotPositive,
    /// The metric is only shown: neither more nor less of it is better.
    NoDirection,
    /// The rule needs more rounds.
    TooFewRounds,
    /// The values don't scatter at all, and the rule's own code gives up.
    NoScatter,
}

/// What a rule says about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Flagged: head is worse (slower, more memory).
    Worse,
    /// Flagged: head is better.
    Better,
    /// Nothing is flagged.
    NotFlagged,
    /// The rule can't judge it.
    CannotJudge(Reason),
}

impl Finding {
    /// Whether anything is flagged.
    pub fn is_flag(self) -> bool {
        matches!(self, Self::Worse | Self::Better)
    }
}

/// The values of both sides in the order in which they were raced. Each side has at least one, all are finite and
/// positive; the sides need not be equally long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Samples<'a> {
    base: &'a [f64],
    head: &'a [f64],
    more_is_better: bool,
}

impl<'a> Samples<'a> {
    /// Takes both sides' values.
    ///
    /// # Errors
    /// The [`Reason`] for which no rule can judge them.
    pub fn new(base: &'a [f64], head: &'a [f64], polarity: Polarity) -> Result<Self, Reason> {
        let more_is_better = match polarity {
            Polarity::Up => true,
            Polarity::Down => false,
            Polarity::Info => return Err(Reason::NoDirection),
        };
        if base.is_empty() || head.is_empty() {
            return Err(Reason::NoRounds);
        }
        if !base.iter().chain(head).all(|value| value.is_finite() && *value > 0.0) {
            return Err(Reason::NotPositive);
        }
        Ok(Self { base, head, more_is_better })
    }

    /// Base's values.
    pub fn base(&self) -> &'a [f64] {
        self.base
    }

    /// Head's values.
    pub fn head(&self) -> &'a [f64] {
        self.head
    }

    /// Whether more of the metric is better.
    pub fn more_is_better(&self) -> bool {
        self.more_is_better
    }

    /// The flag for a head whose values lie above base's, or below.
    pub(super) fn flag(&self, head_is_above: bool) -> Finding {
        if head_is_above == self.more_is_better { Finding::Better } else { Finding::Worse }
    }

    /// The first `rounds` values of each side.
    pub(super) fn first(&self, rounds: usize) -> Self {
        let of = |values: &'a [f64]| &values[..rounds.min(values.len())];
        Self { base: of(self.base), head: of(self.head), more_is_better: self.more_is_better }
    }
}

/// The mean; of values that are there.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_rule_can_judge() {
        let values = [1.0, 2.0];
        assert_eq!(Samples::new(&[], &values, Polarity::Up).unwrap_err(), Reason::NoRounds);
        assert_eq!(Samples::new(&values, &[], Polarity::Down).unwrap_err(), Reason::NoRounds);
        assert_eq!(Samples::new(&values, &values, Polarity::Info).unwrap_err(), Reason::NoDirection);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Samples::new(&values, &[1.0, bad], Polarity::Up).unwrap_err(), Reason::NotPositive);
        }
    }

    #[test]
    fn the_direction_makes_the_flag() {
        let of = |polarity| Samples::new(&[1.0], &[2.0], polarity).unwrap();
        assert_eq!((of(Polarity::Up).flag(true), of(Polarity::Up).flag(false)), (Finding::Better, Finding::Worse));
        assert_eq!((of(Polarity::Down).flag(true), of(Polarity::Down).flag(false)), (Finding::Worse, Finding::Better));
    }
}
