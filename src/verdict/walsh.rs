//! The Hodges-Lehmann estimate and the interval between two Walsh averages.
//!
//! The interval runs from the k-th Walsh average to the k-th from the other end; k is the largest whose coverage under
//! the exact signed-rank null is at least 95 %. It holds for one cell alone.

use super::robust::median;
use super::signed_rank::untied_tail;

/// One minus the coverage that intervals aim at.
const MISS: f64 = 0.05;

/// An interval of log-ratios, as of one cell alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end, in log units.
    pub low: f64,
    /// The upper end, in log units.
    pub high: f64,
    /// Which Walsh average from each end.
    pub rank: usize,
    /// The exact coverage, such as 0.961 at 8 pairs.
    pub coverage: f64,
}

/// The means of all pairs of values, each value with itself among them; unordered.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (index, &first) in values.iter().enumerate() {
        averages.extend(values[index..].iter().map(|&second| f64::midpoint(first, second)));
    }
    averages
}

/// The largest k with 2 P(W <= k - 1) <= 5 %, and its coverage; absent below 6 pairs, where no interval covers 95 %.
fn rank_and_coverage(n: usize) -> Option<(usize, f64)> {
    let end = n * (n + 1) / 2;
    // The bound is passed about 1.96 standard deviations below the mean; counting up from 0 is short enough.
    let rank = (0..end).take_while(|&w| 2.0 * untied_tail(n, w) <= MISS).count();
    let below = rank.checked_sub(1)?;
    Some((rank, 1.0 - 2.0 * untied_tail(n, below)))
}

/// The median of the Walsh averages; 0 is never negative. Absent where there are no values.
pub fn hodges_lehmann(values: &[f64]) -> Option<f64> {
    median(&mut walsh_averages(values)).map(|value| value + 0.0)
}

/// The Hodges-Lehmann estimate together with the interval, from one pass over the Walsh averages.
pub(crate) fn estimate(values: &[f64]) -> (Option<f64>, Option<Interval>) {
    let mut averages = walsh_averages(values);
    let centre = median(&mut averages).map(|value| value + 0.0);
    // The averages are partitioned around the middle now, so each end is looked for in its own half.
    let middle = averages.len() / 2;
    let interval = rank_and_coverage(values.len()).map(|(rank, coverage)| {
        let last = averages.len() - rank;
        let (_, &mut low, _) = averages[..middle].select_nth_unstable_by(rank - 1, f64::total_cmp);
        let (_, &mut high, _) = averages[middle..].select_nth_unstable_by(last - middle, f64::total_cmp);
        Interval { low: low + 0.0, high: high + 0.0, rank, coverage }
    });
    (centre, interval)
}

/// The interval between the k-th Walsh averages from each end; absent below 6 values.
pub fn walsh_interval(values: &[f64]) -> Option<Interval> {
    estimate(values).1
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12};
    use super::*;

    #[test]
    fn ranks_of_the_design() {
        for (n, rank) in [(8, 4), (12, 14), (16, 30), (20, 53), (24, 82), (30, 138), (40, 265)] {
            assert_eq!(rank_and_coverage(n).unwrap().0, rank, "{n}");
        }
    }

    /// One more than the critical value of the published table for a two-sided level of 5 %.
    #[test]
    fn ranks_between_the_looks() {
        let table =
            [(6, 1), (7, 3), (9, 6), (10, 9), (11, 11), (13, 18), (14, 22), (15, 26), (17, 35), (19, 47), (25, 90)];
        for (n, rank) in table {
            assert_eq!(rank_and_coverage(n).unwrap().0, rank, "{n}");
        }
        assert!((0..6).all(|n| rank_and_coverage(n).is_none()));
        assert!((rank_and_coverage(8).unwrap().1 - (1.0 - 10.0 / 256.0)).abs() < 1e-12);
    }

    #[test]
    fn reference_values() {
        for (values, centre, low, high) in [(A12, -0.031_25, -0.038, -0.026), (B12, 0.0, -0.004, 0.004)] {
            assert!((hodges_lehmann(&values).unwrap() - centre).abs() < 1e-12);
            let interval = walsh_interval(&values).unwrap();
            assert!((interval.low - low).abs() < 1e-12 && (interval.high - high).abs() < 1e-12, "{interval:?}");
        }
        let zeros = [0.0, 0.0, 0.01, 0.0, -0.01, 0.0, 0.01, 0.0, 0.0, 0.0];
        assert_eq!(hodges_lehmann(&zeros).unwrap().to_bits(), 0);
        assert_eq!(hodges_lehmann(&[-0.0]).unwrap().to_bits(), 0);
    }

    #[test]
    fn the_ends_are_where_sorting_finds_them() {
        for n in 6..=40_u32 {
            let values: Vec<f64> = (0..n).map(|index| f64::from(index * 7919 % 101).sin()).collect();
            let mut averages = walsh_averages(&values);
            averages.sort_by(f64::total_cmp);
            let found = walsh_interval(&values).unwrap();
            assert_eq!(found.low.to_bits(), averages[found.rank - 1].to_bits(), "{n}");
            assert_eq!(found.high.to_bits(), averages[averages.len() - found.rank].to_bits(), "{n}");
        }
    }
}
