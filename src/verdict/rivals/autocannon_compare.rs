//! autocannon-compare: a significant difference of more than 5 %.
//!
//! Source: the npm package autocannon-compare 0.4.0, `compare.js` (`compare`, `calculate`), over ttest 2.1.1
//! (`hypothesis/welch.js`, `hypothesis/abstact.js`). Run A wins where Welch's test at 10 % does not hold the means for
//! equal and A's mean, in percent of B's and rounded to two decimals, is more than 5 above it; B wins below -5.
//!
//! It reads the mean, the standard deviation and the count of seconds of a run's bytes per second, and judges nothing
//! else. Here A is head and B is base, a round stands in for a second and the metric for bytes per second; for a metric
//! where less is better the winner is turned around. The standard deviation is that of a whole population, because
//! autocannon takes it from a histogram. Two things are as they are: where no value scatters, p is no number and the 5 %
//! alone decide; and autocannon itself rounds means and deviations to two decimals, which is left out.

use super::samples::{Finding, Samples};
use super::welch::{Moments, Welch};

/// The level of the test.
const ALPHA: f64 = 0.1;
/// The difference, in percent, that is still called equal.
const EQUAL: f64 = 5.0;

/// Flagged where one side wins.
pub fn autocannon_compare(samples: &Samples<'_>) -> Finding {
    let (base, head) = (Moments::population(samples.base()), Moments::population(samples.head()));
    let holds = Welch::new(head, base).p() >= ALPHA;
    let difference = rounded((head.mean - base.mean) / base.mean * 100.0 * 100.0) / 100.0;
    if !holds && difference > EQUAL {
        samples.flag(true)
    } else if !holds && difference < -EQUAL {
        samples.flag(false)
    } else {
        Finding::NotFlagged
    }
}

/// Half goes up, as JavaScript rounds, also below zero.
fn rounded(value: f64) -> f64 {
    (value + 0.5).floor()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    fn judge(base: &[f64], head: &[f64], polarity: Polarity) -> Finding {
        autocannon_compare(&Samples::new(base, head, polarity).unwrap())
    }

    #[test]
    fn more_than_five_percent_and_significant() {
        let base = [100.0, 101.0, 99.0, 100.0];
        assert_eq!(judge(&base, &base.map(|value| value * 1.06), Polarity::Up), Finding::Better);
        assert_eq!(judge(&base, &base.map(|value| value * 1.06), Polarity::Down), Finding::Worse);
        assert_eq!(judge(&base, &base.map(|value| value * 0.94), Polarity::Up), Finding::Worse);
        assert_eq!(judge(&base, &base.map(|value| value * 1.04), Polarity::Up), Finding::NotFlagged);
        // 5.004 % is 5 % once it is rounded.
        assert_eq!(judge(&base, &base.map(|value| value * 1.050_04), Polarity::Up), Finding::NotFlagged);
        // 10 % with so much scatter is none.
        assert_eq!(judge(&[60.0, 140.0, 100.0], &[70.0, 150.0, 110.0], Polarity::Up), Finding::NotFlagged);
    }

    #[test]
    fn without_scatter_the_difference_alone_decides() {
        assert_eq!(judge(&[100.0], &[106.0], Polarity::Up), Finding::Better);
        assert_eq!(judge(&[100.0; 5], &[94.0; 5], Polarity::Up), Finding::Worse);
        assert_eq!(judge(&[100.0; 5], &[105.0; 5], Polarity::Up), Finding::NotFlagged);
    }
}
