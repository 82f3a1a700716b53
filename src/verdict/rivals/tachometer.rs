//! tachometer: samples until a 95 % interval leaves zero.
//!
//! Source: the npm package tachometer 0.7.2, `lib/runner.js` (`takeMinimumSamples`, `takeAdditionalSamples`),
//! `lib/stats.js` (`computeDifference`, `autoSampleConditionsResolved`) and `lib/defaults.js`: 50 samples, then ten more
//! at a time until the interval of the relative difference excludes 0 %, seen from either side, or three minutes are
//! over. The interval is that of the means' difference over the first mean, with quantiles of Student's t at the smaller
//! sample's n - 1. Its page load is the sample; here a round stands in for one.
//!
//! A run seldom has 50 rounds. So it is replayed as started with `--sample-size=8`, deadheat's own fewest rounds: looks
//! at 8, 18, 28 and so on, and at the last round, when its time is over. That is the tool's way of looking repeatedly at
//! one level, with fewer looks than it would have.

use super::super::looks::MIN_PAIRS;
use super::super::student::upper_quantile;
use super::samples::{Finding, Reason, Samples};
use super::welch::Moments;

/// How many samples it adds between two looks.
const BATCH: usize = 10;

/// Flagged where a look's interval excludes zero: the first such look ends it.
pub fn tachometer(samples: &Samples<'_>) -> Finding {
    let rounds = samples.base().len().min(samples.head().len());
    if rounds < MIN_PAIRS {
        return Finding::CannotJudge(Reason::TooFewRounds);
    }
    let looks = (MIN_PAIRS..rounds).step_by(BATCH).chain([rounds]);
    looks.map(|look| samples.first(look)).find_map(|seen| resolved(&seen)).unwrap_or(Finding::NotFlagged)
}

fn resolved(seen: &Samples<'_>) -> Option<Finding> {
    let (base, head) = (Moments::sample(seen.base()), Moments::sample(seen.head()));
    let rises = excluded_side(base, head)?;
    // It compares each with each, and goes on until both intervals exclude zero.
    excluded_side(head, base)?;
    Some(seen.flag(rises))
}

/// Whether the interval of (b - a) / a lies above zero, or below; none where it contains zero.
fn excluded_side(a: Moments, b: Moments) -> Option<bool> {
    let difference = (b.mean - a.mean) / a.mean;
    let variance = (a.of_mean() * b.mean.powi(2) + b.of_mean() * a.mean.powi(2)) / a.mean.powi(4);
    let df = a.size.min(b.size) - 1.0;
    // At most the rounds of a run: the cast loses nothing.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rounds less one")]
    let margin = upper_quantile(0.025, df as u32) * variance.sqrt();
    if difference - margin > 0.0 {
        Some(true)
    } else if difference + margin < 0.0 {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    fn judge(base: &[f64], head: &[f64]) -> Finding {
        tachometer(&Samples::new(base, head, Polarity::Up).unwrap())
    }

    #[test]
    fn the_first_look_that_excludes_zero_ends_it() {
        // Eight rounds with a clear difference, which the ten that follow take back.
        let base: Vec<f64> = (0..18).map(|round| 100.0 + f64::from(round % 2)).collect();
        let mut head = base.clone();
        for value in &mut head[..8] {
            *value *= 0.97;
        }
        for value in &mut head[8..] {
            *value *= 1.03;
        }
        assert_eq!(judge(&base[..8], &head[..8]), Finding::Worse);
        assert_eq!(judge(&base, &head), Finding::Worse);
        // Seen from the ninth round on alone it is the other way round, and equal sides are not flagged.
        assert_eq!(judge(&base[8..], &head[8..]), Finding::Better);
        assert_eq!(judge(&base, &base), Finding::NotFlagged);
    }

    #[test]
    fn the_interval_by_hand() {
        // Means 100.5 and 102, variances 2/7 and 2/7, t(.975, 7) = 2.3646: .0149 +- .0063.
        let base = [100.0, 101.0, 100.0, 101.0, 100.0, 101.0, 100.0, 101.0];
        assert_eq!(judge(&base, &base.map(|value| value + 1.5)), Finding::Better);
        // .5 / 100.5 = .0050 +- .0063 contains zero.
        assert_eq!(judge(&base, &base.map(|value| value + 0.5)), Finding::NotFlagged);
    }

    #[test]
    fn few_rounds_and_no_scatter() {
        assert_eq!(judge(&[1.0; 7], &[2.0; 7]), Finding::CannotJudge(Reason::TooFewRounds));
        assert_eq!(judge(&[1.0; 8], &[1.0; 8]), Finding::NotFlagged);
        assert_eq!(judge(&[1.0; 8], &[2.0; 8]), Finding::Better);
    }
}
