//! The null distribution of the rank-sum statistic (Wilcoxon 1945; Mann and Whitney 1947) of values that are all
//! different: every choice of one sample's ranks out of the pooled ones is equally likely, and they are counted by dynamic
//! programming.

/// P(U <= `u`) for samples of `m` and `n` values that are all different, where U counts the pairs in which the first
/// sample's value is the larger.
pub(super) fn untied_tail(m: usize, n: usize, u: usize) -> f64 {
    let smallest = m * (m + 1) / 2;
    sums(m + n, m).iter().take(smallest + u + 1).sum::<f64>().min(1.0)
}

/// The probability of each sum of `chosen` of the ranks up to `all`, all choices being equally likely.
fn sums(all: usize, chosen: usize) -> Vec<f64> {
    let largest: usize = (1..=all).rev().take(chosen).sum();
    // Counts of choices, one row per number of ranks chosen so far. They pass 2^53 from 57 values on and are rounded
    // then, each to its last digits: they are only ever added.
    let mut counts = vec![vec![0.0_f64; largest + 1]; chosen + 1];
    counts[0][0] = 1.0;
    for rank in 1..=all {
        for size in (1..=chosen.min(rank)).rev() {
            let (smaller, larger) = counts.split_at_mut(size);
            let (from, to) = (&smaller[size - 1], &mut larger[0]);
            for (sum, count) in from.iter().enumerate().take((largest + 1).saturating_sub(rank)) {
                to[sum + rank] += count;
            }
        }
    }
    let mut row = counts.swap_remove(chosen);
    let choices: f64 = row.iter().sum();
    for count in &mut row {
        *count /= choices;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected}");
    }

    /// Every choice of places for the first sample, one by one.
    fn brute_force(m: usize, n: usize, u: usize) -> f64 {
        let (mut all, mut below) = (0.0, 0.0);
        for choice in (0..1_u32 << (m + n)).filter(|choice| choice.count_ones() as usize == m) {
            let chosen = |place: &usize| choice >> place & 1 == 1;
            let larger = |place: usize| (0..place).filter(|other| !chosen(other)).count();
            all += 1.0;
            below += f64::from(u8::from((0..m + n).filter(chosen).map(larger).sum::<usize>() <= u));
        }
        below / all
    }

    #[test]
    fn agrees_with_brute_force() {
        for (m, n) in [(1, 1), (1, 5), (3, 4), (6, 6), (7, 5)] {
            for u in 0..=m * n {
                close(untied_tail(m, n, u), brute_force(m, n, u), 1e-12);
            }
        }
        // One of 924 choices.
        close(untied_tail(6, 6, 0), 1.0 / 924.0, 1e-15);
    }

    #[test]
    fn untied_tails_are_those_of_u() {
        // Two against two: U is 0 1 2 2 3 4.
        for (u, tail) in [(0, 1.0 / 6.0), (1, 2.0 / 6.0), (2, 4.0 / 6.0), (3, 5.0 / 6.0), (4, 1.0), (9, 1.0)] {
            close(untied_tail(2, 2, u), tail, 1e-15);
        }
        close(untied_tail(0, 3, 0), 1.0, 0.0);
    }
}
