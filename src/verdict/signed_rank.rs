//! Wilcoxon's signed-rank test, exact also with ties.
//!
//! |d| is rounded to 1e-9 before it is ranked, so that equal measurements tie although their logarithms differ in the
//! last digits. Ties share their average rank and zeros are dropped. Average ranks are whole once doubled, so the null
//! distribution is counted by dynamic programming over doubled ranks.

use super::looks::MAX_PAIRS;
use std::sync::LazyLock;

/// The outcome of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Number of values that are not zero.
    pub nonzero: usize,
    /// Sum of the ranks of the positive values.
    pub positive: f64,
    /// Exact two-sided p: twice the smaller tail, at most 1.
    pub p: f64,
}

/// `NULL[n][w]` is P(W <= w) for `n` untied ranks.
static NULL: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| (0..=MAX_PAIRS).map(untied_null).collect());

fn untied_null(n: usize) -> Vec<f64> {
    let ranks: Vec<usize> = (1..=n).collect();
    cumulative(&ranks, n * (n + 1) / 2)
}

/// P(W <= w) for `w` up to `end`, where W is the sum of a random subset of `ranks`.
fn cumulative(ranks: &[usize], end: usize) -> Vec<f64> {
    // Counts of subsets stay exact in an f64 up to 52 ranks.
    let mut counts = vec![0.0_f64; end + 1];
    counts[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached = (reached + rank).min(end);
        for sum in (rank..=reached).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    let all = ranks.iter().fold(1.0, |product: f64, _| product * 2.0);
    let mut below = 0.0;
    for count in &mut counts {
        below += *count;
        *count = below / all;
    }
    counts
}

/// P(W <= `w`) for `n` untied ranks; 1 past the largest sum.
pub(crate) fn untied_tail(n: usize, w: usize) -> f64 {
    let lookup = |table: &[f64]| table.get(w).copied().unwrap_or(1.0);
    NULL.get(n).map_or_else(|| lookup(&untied_null(n)), |table| lookup(table))
}

/// The test over `values`; p is 1 where none differs from zero.
pub fn signed_rank(values: &[f64]) -> SignedRank {
    let mut signed: Vec<(f64, bool)> = values
        .iter()
        .map(|&value| ((value.abs() * 1e9).round(), value > 0.0))
        .filter(|(magnitude, _)| *magnitude > 0.0)
        .collect();
    signed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));

    let mut doubled = Vec::with_capacity(signed.len());
    let mut positive = 0;
    for group in signed.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        // Ranks first+1 ..= first+len: twice their average is the sum of the first and the last of them.
        let rank = 2 * doubled.len() + 1 + group.len();
        positive += rank * group.iter().filter(|(_, rises)| *rises).count();
        doubled.resize(doubled.len() + group.len(), rank);
    }
    let n = doubled.len();
    let total: usize = doubled.iter().sum();
    let smaller = positive.min(total - positive);
    let untied = doubled.iter().enumerate().all(|(index, &rank)| rank == 2 * (index + 1));
    let tail = if untied { untied_tail(n, smaller / 2) } else { cumulative(&doubled, smaller)[smaller] };
    SignedRank { nonzero: n, positive: positive as f64 / 2.0, p: (2.0 * tail).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12};
    use super::*;

    /// All 2^n signs, one by one.
    fn brute_force(values: &[f64]) -> (f64, f64, f64) {
        let kept: Vec<f64> = values.iter().copied().filter(|value| *value != 0.0).collect();
        let rank = |value: f64| {
            let below = kept.iter().filter(|other| other.abs() < value.abs() - 1e-9).count() as f64;
            let equal = kept.iter().filter(|other| (other.abs() - value.abs()).abs() <= 1e-9).count() as f64;
            below + f64::midpoint(equal, 1.0)
        };
        let ranks: Vec<f64> = kept.iter().map(|value| rank(*value)).collect();
        let sum = |chosen: &dyn Fn(usize) -> bool| {
            ranks.iter().enumerate().filter(|(index, _)| chosen(*index)).map(|(_, rank)| rank).sum::<f64>()
        };
        let seen = sum(&|index| kept[index] > 0.0);
        let all = 1_u32 << kept.len();
        let (mut up, mut down) = (0.0, 0.0);
        for signs in 0..all {
            let other = sum(&|index| signs >> index & 1 == 1);
            up += f64::from(u8::from(other >= seen));
            down += f64::from(u8::from(other <= seen));
        }
        (seen, up / f64::from(all), down / f64::from(all))
    }

    #[test]
    fn reference_values() {
        assert!((signed_rank(&A12).p - 0.000_976_562_5).abs() < 1e-15);
        assert!((signed_rank(&B12).p - 0.987_304_687_5).abs() < 1e-15);
        assert!((signed_rank(&A12[..8]).p - 0.007_812_5).abs() < 1e-15);
    }

    #[test]
    fn ties_and_zeros() {
        let ties = [0.01, -0.01, 0.02, 0.02, 0.0, 0.03, -0.005, 0.01];
        let found = signed_rank(&ties);
        assert_eq!((found.nonzero, found.positive), (7, 24.0));
        assert!((found.p - 0.125).abs() < 1e-15);
        let (positive, up, down) = brute_force(&ties);
        assert_eq!((positive, up, down), (24.0, 0.0625, 0.960_937_5));

        let zeros = [0.0, 0.0, 0.01, 0.0, -0.01, 0.0, 0.01, 0.0, 0.0, 0.0];
        assert!((signed_rank(&zeros).p - 1.0).abs() < 1e-15);
        assert!((signed_rank(&[]).p - 1.0).abs() < 1e-15);
    }

    #[test]
    fn agrees_with_brute_force() {
        let points = [0.03, -0.03, 0.03, 0.03, 0.03, -0.03, 0.03, 0.03, 0.03];
        for values in
            [&points[..], &A12[..9], &B12[..10], &[0.3, 0.3, -0.3, 0.1, 0.2, 0.2][..], &[-0.1, -0.2, 0.05][..]]
        {
            let (positive, up, down) = brute_force(values);
            let found = signed_rank(values);
            assert!((found.positive - positive).abs() < 1e-12);
            assert!((found.p - (2.0 * f64::min(up, down)).min(1.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_smallest_p() {
        for n in [1, 5, 12, 40] {
            let values: Vec<f64> = (1..=n).map(|value| f64::from(value) / 100.0).collect();
            assert!((signed_rank(&values).p - (2.0 / 2_f64.powi(n)).min(1.0)).abs() < 1e-18);
        }
    }

    #[test]
    fn values_that_tie_within_a_billionth() {
        let a = signed_rank(&[0.01, -0.010_000_000_000_1, 0.02]);
        assert!((a.positive - 4.5).abs() < 1e-12);
        assert_eq!(signed_rank(&[1e-10, 0.01]).nonzero, 1);
    }
}
