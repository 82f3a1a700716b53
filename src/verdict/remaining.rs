//! How many rounds an undecided cell would need.

use super::limits::Limits;
use super::looks::{Critical, LOOKS, MIN_PAIRS, same_quantile};

/// The first look that can prove a change.
const FIRST_CHANGE: usize = 12;
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
    let present = Present { mean, centre, spread };
    let mut coming = MIN_PAIRS.max(pairs.saturating_add(1))..=HORIZON;
    let found = coming.find(|&n| present.proves_change(n, limits, critical) || present.proves_same(n, limits));
    found.map_or(Needed::Over, Needed::Pairs)
}

/// How a cell stands, from which a forecast is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present {
    /// m.
    pub(crate) mean: f64,
    /// The Hodges-Lehmann estimate.
    pub(crate) centre: f64,
    /// s.
    pub(crate) spread: f64,
}

impl Present {
    /// Whether `n` such pairs would prove a change.
    pub(crate) fn proves_change(&self, n: usize, limits: &Limits, critical: &Critical) -> bool {
        let mean = self.mean.abs();
        let relevant = mean >= limits.relevant && self.centre.abs() >= limits.relevant;
        relevant && n >= FIRST_CHANGE && mean * (n as f64).sqrt() >= critical.changed(n) * self.spread
    }

    /// Whether they would prove sameness.
    pub(crate) fn proves_same(&self, n: usize, limits: &Limits) -> bool {
        let room = limits.band - self.mean.abs();
        room > 0.0 && room * (n as f64).sqrt() >= same_quantile(n) * self.spread
    }
}

/// The count of pairs at which a cell is judged that needs `pairs`; none where no look is left.
pub fn look_for(pairs: usize) -> Option<usize> {
    LOOKS.iter().map(|look| look.pairs).find(|look| *look >= pairs)
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
    fn the_first_look_for_a_change_is_the_rules() {
        let first = LOOKS.iter().find(|look| look.increment.is_some()).map(|look| look.pairs);
        assert_eq!(first, Some(FIRST_CHANGE));
        assert_eq!([1, 8, 9, 25, 40, 41].map(look_for), [Some(8), Some(8), Some(12), Some(30), Some(40), None]);
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
