//! How many rounds an undecided cell would need.

use super::limits::Limits;
use super::looks::{Critical, LOOKS, MIN_PAIRS, same_quantile};

/// No forecast goes further.
pub const HORIZON: usize = 400;

/// The number of valid pairs that would decide a cell, should its mean and spread stay what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// This many in all.
    Pairs(usize),
    /// More than [`HORIZON`].
    Over,
}

/// The smallest n above `pairs` and up to [`HORIZON`] at which either test would pass at the present mean `mean`,
/// Hodges-Lehmann estimate `centre` and spread `spread`. Between looks and past them the level of the coming or last
/// look stands in; the signed-rank test is not forecast.
pub fn needed(pairs: usize, mean: f64, centre: f64, spread: f64, limits: &Limits, critical: &Critical) -> Needed {
    let first_change = LOOKS.iter().find(|look| look.increment.is_some()).map_or(HORIZON, |look| look.pairs);
    let relevant = mean.abs() >= limits.relevant && centre.abs() >= limits.relevant;
    let passes = |n: usize| {
        let root = (n as f64).sqrt();
        let changed = relevant && n >= first_change && mean.abs() * root >= critical.changed(n) * spread;
        changed || (limits.band - mean.abs()) * root >= same_quantile(n) * spread
    };
    let possible = relevant || mean.abs() < limits.band;
    let found = possible.then(|| (MIN_PAIRS.max(pairs + 1)..=HORIZON).find(|&n| passes(n))).flatten();
    found.map_or(Needed::Over, Needed::Pairs)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{PLAIN, reference_critical};
    use super::*;

    /// t(.995, 11) = 3.1058 for 13 to 16 pairs' worth of levels: by hand, (.03 - 0) sqrt(n) / .04 >= t needs
    /// n = 17 at t(.995, 12) = 3.0545: .75 sqrt(17) = 3.092; at n = 16 .75 x 4 = 3 < 3.1058.
    #[test]
    fn the_smallest_count_that_would_prove_sameness() {
        assert_eq!(needed(12, 0.0, 0.0, 0.04, &PLAIN, &reference_critical()), Needed::Pairs(17));
    }

    /// At n = 20 .0324 sqrt(20) / .0267 = 5.427 >= 5.3906, at n = 19 (df 14, t 5.5135 or more) 5.289 is short.
    #[test]
    fn the_smallest_count_that_would_prove_a_change() {
        assert_eq!(needed(16, 0.0324, 0.0324, 0.0267, &PLAIN, &reference_critical()), Needed::Pairs(20));
        assert_eq!(needed(8, 1.0, 1.0, 0.01, &PLAIN, &reference_critical()), Needed::Pairs(12));
    }

    #[test]
    fn some_are_out_of_reach() {
        let critical = reference_critical();
        assert_eq!(needed(40, 0.0, 0.0, 10.0, &PLAIN, &critical), Needed::Over);
        assert_eq!(needed(40, 0.04, 0.001, 0.01, &PLAIN, &critical), Needed::Over);
        assert_eq!(needed(400, 0.0, 0.0, 0.01, &PLAIN, &critical), Needed::Over);
        assert_eq!(needed(usize::MAX - 1, 0.0, 0.0, 0.01, &PLAIN, &critical), Needed::Over);
        assert_eq!(needed(12, f64::NAN, f64::NAN, f64::NAN, &PLAIN, &critical), Needed::Over);
    }
}
