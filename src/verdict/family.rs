//! Multiplicity: how the chance of a false flag is shared over the cells that may raise one.

use super::looks::Critical;
use crate::model::{CellKey, Metric, Suite};

/// The share of the level that the speed cells have between them.
const SPEED_SHARE: f64 = 0.6;

/// Whether a cell belongs to the speed class: rps and p50 of the closed loop.
pub(crate) fn is_speed(key: &CellKey) -> bool {
    key.suite == Suite::Http && matches!(key.metric, Metric::Rps | Metric::P50)
}

/// The cells that share one level, with the quantiles of both classes.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    speed: Critical,
    rest: Critical,
}

impl Family {
    /// The family of `members` at `level`. A level that is no probability is taken for the nearest one, and NaN for 0.
    pub(crate) fn of<'a>(members: impl Iterator<Item = &'a CellKey>, level: f64) -> Self {
        let (mut speed, mut rest) = (0_usize, 0_usize);
        for key in members {
            *if is_speed(key) { &mut speed } else { &mut rest } += 1;
        }
        let level = if level.is_nan() { 0.0 } else { level.clamp(0.0, 1.0) };
        let (speed_weight, rest_weight) = weights(speed, rest);
        Self { speed: Critical::new(speed_weight * level), rest: Critical::new(rest_weight * level) }
    }

    /// The quantiles of a member.
    pub(crate) fn critical(&self, key: &CellKey) -> &Critical {
        if is_speed(key) { &self.speed } else { &self.rest }
    }
}

/// The weight of each speed cell and of each other cell; an empty class gives its share to the other.
fn weights(speed: usize, rest: usize) -> (f64, f64) {
    let share = match (speed, rest) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        _ => SPEED_SHARE,
    };
    (share / speed.max(1) as f64, (1.0 - share) / rest.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_sum_to_one() {
        for (speed, rest) in [(8, 0), (0, 3), (8, 32), (1, 1), (2000, 9000)] {
            let (a, b) = weights(speed, rest);
            assert!((a * speed as f64 + b * rest as f64 - 1.0).abs() < 1e-9, "{speed} {rest}");
        }
        assert!((weights(8, 24).0 - 0.075).abs() < 1e-15);
        assert!((weights(8, 0).0 - 0.125).abs() < 1e-15);
    }

    #[test]
    fn a_level_that_is_no_probability_proves_nothing_by_chance() {
        for level in [f64::NAN, -1.0, 0.0] {
            let family = Family::of(std::iter::empty(), level);
            assert!(family.speed.changed(12).is_infinite());
        }
    }
}
