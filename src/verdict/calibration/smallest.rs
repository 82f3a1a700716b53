//! The smallest slowdown that a machine's rounds would have proved.

use super::resampled::{Place, Resampling};
use crate::model::{Results, Seed};
use crate::verdict::limits::log_of_share;

/// How a slowdown is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// At most so many rounds, as a budget holds them; up to 40.
    pub rounds: u32,
    /// The share of pull requests in which it is to be found, such as .95.
    pub power: f64,
    /// How many pull requests are drawn for each slowdown that is tried.
    pub pulls: u32,
    /// What they are drawn from.
    pub seed: Seed,
}

/// Slowdowns up to 10 % are tried in tenths of a percent, from there to 50 % in whole percents.
const FINE_STEPS: u32 = 100;
const STEPS: u32 = FINE_STEPS + 40;

fn share(step: u32) -> f64 {
    if step <= FINE_STEPS { f64::from(step) / 1000.0 } else { f64::from(step - FINE_STEPS + 10) / 100.0 }
}

/// The smallest slowdown of `place` that is found in the wanted share of pull requests drawn from `real`, as a share: .023
/// for 2.3 %. Absent where none up to 50 % is, and where there is nothing to draw from.
///
/// It is looked for by halving, on .1 % steps up to 10 % and on 1 % steps from there: every slowdown is tried on the same
/// draws, on which a larger one is found more often. Only the cells of `place` are raced, judged in the family of all of
/// them, and no control is asked; this changes nothing else for them. The share that is found has an error of its own: at
/// a power of .95, 1.1 % (one standard deviation) at 400 pull requests.
pub fn smallest_provable(real: &Results, place: &Place, trial: &Trial) -> Option<f64> {
    let mut resampling = Resampling::new(real, Some(place), trial.rounds, true);
    // The last figure guards against a product such as 190.00000000000003.
    let wanted = trial.power * f64::from(trial.pulls) - 1e-9;
    let mut is_found = |step: u32| {
        let slowdown = log_of_share(share(step));
        let mut found = 0;
        for pull in 0..trial.pulls {
            found += resampling.pull(trial.seed, pull, slowdown).found;
            if f64::from(found) >= wanted {
                return true;
            }
            if f64::from(found + (trial.pulls - pull - 1)) < wanted {
                return false;
            }
        }
        false
    };
    let (mut missed, mut found) = (0, STEPS);
    if !is_found(found) {
        return None;
    }
    while found - missed > 1 {
        let middle = u32::midpoint(missed, found);
        *if is_found(middle) { &mut found } else { &mut missed } = middle;
    }
    Some(share(found))
}
