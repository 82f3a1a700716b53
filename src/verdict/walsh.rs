//! The Hodges-Lehmann estimate and the interval between two Walsh averages.
//!
//! The interval runs from the k-th Walsh average to the k-th from the other end; k is the largest whose coverage under
//! the exact signed-rank null is at least 95 %. It holds for one cell alone.

use super::looks::MAX_PAIRS;
use super::signed_rank::untied_tail;
use std::sync::LazyLock;

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

/// How many candidates are listed rather than halved further.
const FEW: usize = 64;

/// The Walsh averages of ascending values (the means of all pairs, each value with itself among them), ordered without
/// being listed. They are handled as
/// sums, which halve exactly.
///
/// Along each row and each column of the triangle they ascend, so those up to a bound are counted in one walk along the
/// border. An order statistic is bracketed by such counts until few candidates are left.
struct Walsh<'a> {
    sorted: &'a [f64],
}

impl Walsh<'_> {
    fn len(&self) -> usize {
        self.sorted.len() * (self.sorted.len() + 1) / 2
    }

    /// Calls `visit` with each row and the end of its columns whose sums are at most `bound`.
    fn walk(&self, bound: f64, mut visit: impl FnMut(usize, usize)) {
        let mut end = self.sorted.len();
        for (row, &first) in self.sorted.iter().enumerate() {
            while end > row && first + self.sorted[end - 1] > bound {
                end -= 1;
            }
            visit(row, end.max(row));
        }
    }

    fn count_up_to(&self, bound: f64) -> usize {
        let mut count = 0;
        self.walk(bound, |row, end| count += end - row);
        count
    }

    /// The sum with `index` others before it; `index` is less than their number.
    fn nth(&self, index: usize) -> f64 {
        let (mut low, mut high) = (2.0 * self.sorted[0], 2.0 * self.sorted[self.sorted.len() - 1]);
        let (mut below, mut up_to) = (self.count_up_to(low), self.len());
        if below > index {
            return low;
        }
        while up_to - below > FEW {
            let middle = f64::midpoint(low, high);
            if middle.is_nan() || middle <= low || middle >= high {
                // Ties: nothing lies between the bounds, so all candidates equal the upper one.
                return high;
            }
            let count = self.count_up_to(middle);
            if count > index {
                (high, up_to) = (middle, count);
            } else {
                (low, below) = (middle, count);
            }
        }
        let mut candidates = Vec::with_capacity(FEW);
        self.walk(high, |row, end| {
            let sums = self.sorted[row..end].iter().rev().map(|second| self.sorted[row] + second);
            candidates.extend(sums.take_while(|&sum| sum > low));
        });
        let wanted = index - below;
        if wanted >= candidates.len() {
            return high;
        }
        *candidates.select_nth_unstable_by(wanted, f64::total_cmp).1
    }

    /// The sum that follows `sum`, the one at `index`.
    fn after(&self, index: usize, sum: f64) -> f64 {
        let (mut count, mut next) = (0, f64::INFINITY);
        self.walk(sum, |row, end| {
            count += end - row;
            next = self.sorted.get(end).map_or(next, |second| next.min(self.sorted[row] + second));
        });
        if count > index + 1 { sum } else { next }
    }

    fn median(&self) -> Option<f64> {
        let count = self.len();
        let lower_index = count.checked_sub(1)? / 2;
        let lower = self.nth(lower_index);
        let upper = if count.is_multiple_of(2) { self.after(lower_index, lower) } else { lower };
        Some(average(f64::midpoint(lower, upper)))
    }
}

/// Half a sum; zero is never negative.
fn average(sum: f64) -> f64 {
    0.5 * sum + 0.0
}

/// `RANKS[n]` is the largest k with 2 P(W <= k - 1) <= 5 %, and its coverage; absent below 6 values, where no interval
/// covers 95 %.
static RANKS: LazyLock<Vec<Option<(usize, f64)>>> = LazyLock::new(|| (0..=MAX_PAIRS).map(rank_of).collect());

fn rank_of(n: usize) -> Option<(usize, f64)> {
    let rank = (0..n * (n + 1) / 2).take_while(|&w| 2.0 * untied_tail(n, w) <= MISS).count();
    let below = rank.checked_sub(1)?;
    Some((rank, 1.0 - 2.0 * untied_tail(n, below)))
}

fn rank_and_coverage(n: usize) -> Option<(usize, f64)> {
    RANKS.get(n).copied().flatten()
}

/// The median of the Walsh averages of ascending values. Absent where there are none.
pub fn hodges_lehmann(sorted: &[f64]) -> Option<f64> {
    Walsh { sorted }.median()
}

/// The interval between the k-th Walsh averages from each end, of ascending values; absent below 6 of them and above
/// [`MAX_PAIRS`].
pub fn walsh_interval(sorted: &[f64]) -> Option<Interval> {
    let averages = Walsh { sorted };
    let (rank, coverage) = rank_and_coverage(sorted.len())?;
    let (low, high) = (averages.nth(rank - 1), averages.nth(averages.len() - rank));
    Some(Interval { low: average(low), high: average(high), rank, coverage })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, sorted};
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
            let values = sorted(&values);
            assert!((hodges_lehmann(&values).unwrap() - centre).abs() < 1e-12);
            let interval = walsh_interval(&values).unwrap();
            assert!((interval.low - low).abs() < 1e-12 && (interval.high - high).abs() < 1e-12, "{interval:?}");
        }
        let zeros = [0.0, 0.0, 0.01, 0.0, -0.01, 0.0, 0.01, 0.0, 0.0, 0.0];
        assert_eq!(hodges_lehmann(&sorted(&zeros)).unwrap().to_bits(), 0);
        assert_eq!(hodges_lehmann(&[-0.0]).unwrap().to_bits(), 0);
    }

    #[test]
    fn order_statistics_are_where_sorting_finds_them() {
        for n in 1..=40_u32 {
            // Distinct values, many ties, and values of very different size.
            let distinct = |index: u32| f64::from(index * 7919 % 101).sin();
            let tied = |index: u32| f64::from(index % 3) / 100.0;
            let wild = |index: u32| distinct(index).powi(15);
            for value in [&distinct as &dyn Fn(u32) -> f64, &tied, &wild, &|_| 0.01] {
                let values = sorted(&(0..n).map(value).collect::<Vec<_>>());
                let mut averages = Vec::new();
                for (index, &first) in values.iter().enumerate() {
                    averages.extend(values[index..].iter().map(|&second| f64::midpoint(first, second)));
                }
                averages.sort_by(f64::total_cmp);
                let walsh = Walsh { sorted: &values };
                assert_eq!(walsh.len(), averages.len());
                assert!(
                    (0..averages.len()).all(|index| (walsh.nth(index) / 2.0).total_cmp(&averages[index]).is_eq()),
                    "{values:?}"
                );
                let middle = averages.len() / 2;
                let lower = averages[(averages.len() - 1) / 2];
                let expected = f64::midpoint(lower, averages[middle]);
                assert!((hodges_lehmann(&values).unwrap() - expected).abs() < 1e-15);
            }
        }
        assert_eq!(hodges_lehmann(&[]), None);
    }
}
