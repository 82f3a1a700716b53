//! The rank-sum test of two independent samples (Wilcoxon 1945; Mann and Whitney 1947), exact also with ties.
//!
//! Values tie where they are equal, and ties share their average rank. Average ranks are whole once doubled, so the null
//! distribution, all choices of one sample's ranks out of the pooled ones being equally likely, is counted by dynamic
//! programming over doubled ranks. Past [`EXACT`] values the normal approximation stands in, with the variance that ties
//! leave and a correction for continuity.
//!
//! Known limit: the samples are taken for independent. Rounds that were raced as pairs are not, and lose power here.

use statrs::function::erf::erfc;

/// The most values of both samples together whose distribution is counted: two sides of 40 rounds.
const EXACT: usize = 80;

/// Two-sided p of the rank-sum test: twice the smaller tail, at most 1.
///
/// NaN is no value. 1 where a sample has no values, or where all values are equal.
pub fn rank_sum(a: &[f64], b: &[f64]) -> f64 {
    let pooled = Pooled::new(a, b);
    let first = pooled.in_first();
    let second = pooled.ranks.len() - first;
    if first == 0 || second == 0 {
        return 1.0;
    }
    if pooled.ranks.len() > EXACT { pooled.approximate(first, second) } else { pooled.exact(first) }
}

/// P(U <= `u`) for samples of `m` and `n` values that are all different, where U counts the pairs in which the first
/// sample's value is the larger.
pub(crate) fn untied_tail(m: usize, n: usize, u: usize) -> f64 {
    let doubled: Vec<usize> = (1..=m + n).map(|rank| 2 * rank).collect();
    let smallest = m * (m + 1);
    sums(&doubled, m).iter().take(smallest + 2 * u + 1).sum::<f64>().min(1.0)
}

/// Both samples in one ascending row: each value's doubled rank, and whether it is of the first sample.
struct Pooled {
    ranks: Vec<(usize, bool)>,
    /// The sum of t^3 - t over groups of t equal values.
    ties: f64,
}

impl Pooled {
    fn new(a: &[f64], b: &[f64]) -> Self {
        let of = |values: &[f64], first: bool| -> Vec<(f64, bool)> {
            // Adding 0 makes -0 and 0 one value in the total order.
            values.iter().filter(|value| !value.is_nan()).map(|value| (value + 0.0, first)).collect()
        };
        let mut values = of(a, true);
        values.extend(of(b, false));
        values.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut ranks = Vec::with_capacity(values.len());
        let mut ties = 0.0;
        for group in values.chunk_by(|x, y| x.0.total_cmp(&y.0).is_eq()) {
            // Ranks first+1 ..= first+len: twice their average is the sum of the first and the last of them.
            let rank = 2 * ranks.len() + 1 + group.len();
            ranks.extend(group.iter().map(|(_, first)| (rank, *first)));
            let size = group.len() as f64;
            ties += size * size * size - size;
        }
        Self { ranks, ties }
    }

    fn in_first(&self) -> usize {
        self.ranks.iter().filter(|(_, first)| *first).count()
    }

    /// The doubled rank sum of one sample.
    fn sum(&self, first: bool) -> usize {
        self.ranks.iter().filter(|(_, of_first)| *of_first == first).map(|(rank, _)| rank).sum()
    }

    fn exact(&self, first: usize) -> f64 {
        let doubled: Vec<usize> = self.ranks.iter().map(|(rank, _)| *rank).collect();
        // Either sample's sum says it all: the smaller one's takes less counting.
        let chosen = first.min(doubled.len() - first);
        let seen = self.sum(chosen == first);
        let sums = sums(&doubled, chosen);
        let below: f64 = sums.iter().take(seen + 1).sum();
        let above: f64 = sums.iter().skip(seen).sum();
        (2.0 * below.min(above)).min(1.0)
    }

    fn approximate(&self, first: usize, second: usize) -> f64 {
        let all = self.ranks.len() as f64;
        let (m, n) = (first as f64, second as f64);
        let variance = m * n / 12.0 * (all + 1.0 - self.ties / (all * (all - 1.0)));
        let distance = (self.sum(true) as f64 / 2.0 - m * (all + 1.0) / 2.0).abs() - 0.5;
        if variance <= 0.0 || distance <= 0.0 {
            return 1.0;
        }
        erfc(distance / (2.0 * variance).sqrt())
    }
}

/// The probability of each sum of `chosen` of the `doubled` ranks, all choices being equally likely.
fn sums(doubled: &[usize], chosen: usize) -> Vec<f64> {
    let largest: usize = doubled.iter().rev().take(chosen).sum();
    // Counts of choices, one row per number of ranks chosen so far. They pass 2^53 from 57 values on and are rounded
    // then, each to its last digits: they are only ever added.
    let mut counts = vec![vec![0.0_f64; largest + 1]; chosen + 1];
    counts[0][0] = 1.0;
    for (index, &rank) in doubled.iter().enumerate() {
        for size in (1..=chosen.min(index + 1)).rev() {
            let (smaller, larger) = counts.split_at_mut(size);
            let (from, to) = (&smaller[size - 1], &mut larger[0]);
            for (sum, count) in from.iter().enumerate().take((largest + 1).saturating_sub(rank)) {
                to[sum + rank] += count;
            }
        }
    }
    let mut row = counts.swap_remove(chosen);
    let all: f64 = row.iter().sum();
    for count in &mut row {
        *count /= all;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected}");
    }

    /// Every choice of places for the first sample, one by one, with U counted over all pairs and half for a tie.
    fn brute_force(a: &[f64], b: &[f64]) -> f64 {
        let pooled = [a, b].concat();
        let doubled_u = |of_first: &dyn Fn(usize) -> bool| -> usize {
            let mut doubled = 0;
            for i in (0..pooled.len()).filter(|i| of_first(*i)) {
                for j in (0..pooled.len()).filter(|j| !of_first(*j)) {
                    doubled += 2 * usize::from(pooled[i] > pooled[j]);
                    doubled += usize::from(pooled[i].to_bits() == pooled[j].to_bits());
                }
            }
            doubled
        };
        let seen = doubled_u(&|index| index < a.len());
        let (mut all, mut below, mut above) = (0.0, 0.0, 0.0);
        for choice in 0..1_u32 << pooled.len() {
            if choice.count_ones() as usize == a.len() {
                let u = doubled_u(&|index| choice >> index & 1 == 1);
                all += 1.0;
                below += f64::from(u8::from(u <= seen));
                above += f64::from(u8::from(u >= seen));
            }
        }
        (2.0 * f64::min(below, above) / all).min(1.0)
    }

    #[test]
    fn the_smallest_p() {
        let low = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let high = low.map(|value| value + 10.0);
        // One of 924 choices, on either side.
        close(rank_sum(&low, &high), 2.0 / 924.0, 1e-15);
        close(rank_sum(&high, &low), 2.0 / 924.0, 1e-15);
        close(rank_sum(&low[..3], &high[..3]), 2.0 / 20.0, 1e-15);
        close(rank_sum(&low[..1], &high[..1]), 1.0, 0.0);
    }

    #[test]
    fn agrees_with_brute_force() {
        for (a, b) in [
            (&[1.0, 4.0, 2.5][..], &[2.0, 3.0, 7.0, 8.0][..]),
            (&[1.0, 1.0, 2.0, 3.0], &[1.0, 2.0, 2.0, 5.0]),
            (&[5.0, 5.0], &[5.0, 5.0, 5.0, 1.0, 5.0, 9.0]),
            (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2.0, 3.5, 5.5, 6.0, 7.0]),
            (&[3.0], &[1.0, 1.0, 2.0, 3.0]),
        ] {
            close(rank_sum(a, b), brute_force(a, b), 1e-12);
            close(rank_sum(b, a), brute_force(a, b), 1e-12);
        }
    }

    #[test]
    fn no_values_and_equal_values_differ_in_nothing() {
        for (a, b) in [
            (&[][..], &[][..]),
            (&[1.0], &[]),
            (&[f64::NAN], &[1.0, 2.0]),
            (&[3.0, 3.0], &[3.0, 3.0, 3.0]),
            (&[0.0, -0.0], &[-0.0, 0.0]),
            (&[7.0; 60], &[7.0; 60]),
        ] {
            close(rank_sum(a, b), 1.0, 0.0);
        }
        let infinite = rank_sum(&[f64::NEG_INFINITY, 0.0, 1.0], &[2.0, 3.0, f64::INFINITY]);
        close(infinite, 0.1, 1e-15);
    }

    #[test]
    fn untied_tails_are_those_of_u() {
        // Two against two: U is 0 1 2 2 3 4.
        for (u, tail) in [(0, 1.0 / 6.0), (1, 2.0 / 6.0), (2, 4.0 / 6.0), (3, 5.0 / 6.0), (4, 1.0), (9, 1.0)] {
            close(untied_tail(2, 2, u), tail, 1e-15);
        }
        close(untied_tail(0, 3, 0), 1.0, 0.0);
    }

    #[test]
    fn the_approximation_takes_over_without_a_step() {
        let value = |index: usize, shift: f64| ((index * 37) % 101) as f64 + shift;
        let a: Vec<f64> = (0..40).map(|index| value(index, 14.0)).collect();
        let b: Vec<f64> = (0..40).map(|index| value(index + 40, 0.0)).collect();
        let pooled = Pooled::new(&a, &b);
        let (exact, approximate) = (pooled.exact(40), pooled.approximate(40, 40));
        assert!(exact > 0.001 && exact < 0.2, "{exact}");
        close(approximate, exact, 0.002);
    }

    proptest! {
        #[test]
        fn any_values_give_a_probability(
            a in prop::collection::vec(prop_oneof![any::<f64>(), (0_u8..4).prop_map(f64::from)], 0..7),
            b in prop::collection::vec(prop_oneof![any::<f64>(), (0_u8..4).prop_map(f64::from)], 0..7),
        ) {
            let p = rank_sum(&a, &b);
            prop_assert!(p > 0.0 && p <= 1.0, "{p}");
            prop_assert!((p - rank_sum(&b, &a)).abs() < 1e-12);
        }
    }
}
