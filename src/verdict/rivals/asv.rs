//! asv: a factor of 1.1, and samples that differ.
//!
//! Source: the Python packages asv 0.6.6 and `asv_runner` 0.3.2: `asv/commands/compare.py` (`_is_result_better`, which
//! `asv continuous` and `asv compare` share; `--factor` is 1.1 by default), `asv/_stats.py` (`is_different`,
//! `mann_whitney_u`) and `asv_runner/statistics.py` (`compute_stats`, `quantile_ci`). One side is better where its median
//! is less than the other's by the factor and the samples differ. They differ by the rank-sum test below .002, or, where
//! so few values could never reach that, where the 99 % intervals of both medians don't overlap. With a single value on
//! a side the factor alone decides.
//!
//! Six values against six have 924 orders, which asv takes for enough; the smallest two-sided p is 2/924 = .00216, so
//! that nothing is ever flagged there, while five against five are judged by their intervals.
//!
//! asv takes less for better, so a rate is turned into the time of one answer. A round stands in for a sample.

use super::super::rank_sum::untied_tail;
use super::super::robust::median;
use super::asv_interval::median_interval;
use super::samples::{Finding, Samples};
use statrs::function::erf::erfc;

/// How much less a median has to be.
const FACTOR: f64 = 1.1;
/// The rank-sum test's level.
const LEVEL: f64 = 0.002;
/// With more values than this in a sample, p is that of the normal distribution.
const LARGEST_EXACT: usize = 20;

/// Flagged where asv would call head's or base's values better.
pub fn asv_compare(samples: &Samples<'_>) -> Finding {
    let of = |values: &[f64]| -> Vec<f64> {
        let time = |value: &f64| if samples.more_is_better() { 1.0 / value } else { *value };
        values.iter().map(time).collect()
    };
    let (base, head) = (of(samples.base()), of(samples.head()));
    if is_better(&head, &base) {
        Finding::Better
    } else if is_better(&base, &head) {
        Finding::Worse
    } else {
        Finding::NotFlagged
    }
}

fn is_better(a: &[f64], b: &[f64]) -> bool {
    let single = a.len() == 1 || b.len() == 1;
    // asv interpolates a median as everybody does.
    let middle = |values: &[f64]| median(&mut values.to_vec()).unwrap_or(f64::NAN);
    middle(a) < middle(b) / FACTOR && (single || is_different(a, b))
}

fn is_different(a: &[f64], b: &[f64]) -> bool {
    let smaller = a.len().min(b.len());
    if 1.0 / orders(a.len() + b.len(), smaller) < LEVEL {
        return conservative_rank_sum(a, b) < LEVEL;
    }
    let (a, b) = (median_interval(a), median_interval(b));
    !(a.high >= b.low && a.low <= b.high)
}

/// The number of ways to choose `k` of `n`.
fn orders(n: usize, k: usize) -> f64 {
    (1..=k).fold(1.0, |product, step| product * (n + 1 - step) as f64 / step as f64)
}

/// Two-sided p of the rank-sum test, every tie broken in the way that is least significant. Whole numbers throughout, as
/// asv has them: half the number of pairs is rounded down.
fn conservative_rank_sum(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.len() * b.len();
    let half = pairs / 2;
    let pairwise = || a.iter().flat_map(|x| b.iter().map(move |y| x.total_cmp(y)));
    let above = pairwise().filter(|order| order.is_gt()).count();
    let mut ties = pairwise().filter(|order| order.is_eq()).count();
    if above <= half && above + ties >= half {
        ties = half - above;
    }
    let extreme = |count: usize| count.min(pairs - count);
    let statistic = extreme(above).max(extreme(above + ties));
    if a.len().max(b.len()) > LARGEST_EXACT {
        let variance = pairs as f64 * (a.len() + b.len() + 1) as f64 / 12.0;
        let z = (statistic as f64 - pairs as f64 / 2.0) / variance.sqrt();
        return erfc(-z / 2.0_f64.sqrt());
    }
    let tail = |statistic| untied_tail(a.len(), b.len(), statistic);
    tail(statistic) + 1.0 - tail(half.max((pairs - statistic).saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Polarity;

    fn judge(base: &[f64], head: &[f64], polarity: Polarity) -> Finding {
        asv_compare(&Samples::new(base, head, polarity).unwrap())
    }

    fn rising(count: u32, from: f64) -> Vec<f64> {
        (0..count).map(|step| from + f64::from(step)).collect()
    }

    #[test]
    fn six_against_six_is_never_flagged() {
        assert_eq!(judge(&rising(6, 100.0), &rising(6, 1000.0), Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&rising(6, 100.0), &rising(6, 1000.0), Polarity::Up), Finding::NotFlagged);
        // One round more, and even one fewer, is enough.
        assert_eq!(judge(&rising(7, 100.0), &rising(7, 1000.0), Polarity::Down), Finding::Worse);
        assert_eq!(judge(&rising(5, 100.0), &rising(5, 1000.0), Polarity::Down), Finding::Worse);
    }

    #[test]
    fn the_smallest_p() {
        let p = |count| conservative_rank_sum(&rising(count, 0.0), &rising(count, 100.0));
        assert!((p(6) - 2.0 / 924.0).abs() < 1e-15);
        assert!((p(7) - 2.0 / 3432.0).abs() < 1e-15);
    }

    #[test]
    fn the_factor_is_of_the_medians() {
        let base = rising(9, 100.0);
        let by = |factor: f64| -> Vec<f64> { base.iter().map(|value| value * factor).collect() };
        assert_eq!(judge(&base, &by(1.11), Polarity::Down), Finding::Worse);
        assert_eq!(judge(&base, &by(1.11), Polarity::Up), Finding::Better);
        assert_eq!(judge(&base, &by(1.09), Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&base, &by(0.9), Polarity::Down), Finding::Better);
        assert_eq!(judge(&base, &by(0.9), Polarity::Up), Finding::Worse);
    }

    #[test]
    fn a_single_value_is_judged_by_the_factor_alone() {
        assert_eq!(judge(&[100.0], &[111.0], Polarity::Down), Finding::Worse);
        assert_eq!(judge(&[100.0], &[109.0], Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&[100.0], &[10.0, 1000.0, 10.0], Polarity::Down), Finding::Better);
    }

    #[test]
    fn values_that_do_not_scatter() {
        assert_eq!(judge(&[100.0; 4], &[100.0; 4], Polarity::Down), Finding::NotFlagged);
        assert_eq!(judge(&[100.0; 4], &[120.0; 4], Polarity::Down), Finding::Worse);
        assert_eq!(judge(&[100.0; 30], &[120.0; 30], Polarity::Down), Finding::Worse);
    }
}
