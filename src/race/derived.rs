//! Cells that are computed from other cells of the same round: mixes, categories, layers' costs.
//!
//! Each is taken per round, so that each has an interval of its own.

use super::turn::Measured;
use crate::model::{Case, CellKey, EntryName, Metric, Results, RoundValue, ScenarioName, Side, Suite};
use std::collections::BTreeMap;

/// The weighted harmonic mean: total weight over the sum of weight / value. `None` where a value is missing or not
/// positive, since the mean would be of something else then.
pub fn weighted_harmonic_mean(parts: impl IntoIterator<Item = (f64, Option<f64>)>) -> Option<f64> {
    let mut weights = 0.0;
    let mut time = 0.0;
    for (weight, value) in parts {
        let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
        weights += weight;
        time += weight / value;
    }
    (time > 0.0).then(|| weights / time)
}

/// ln(head / base), where both are finite and positive.
pub fn log_ratio(base: Option<f64>, head: Option<f64>) -> Option<f64> {
    let usable = |value: Option<f64>| value.filter(|value| value.is_finite() && *value > 0.0);
    let ratio = (usable(head)? / usable(base)?).ln();
    ratio.is_finite().then_some(ratio)
}

fn round_value(round: u32, side: impl Fn(Side) -> Option<f64>) -> RoundValue {
    let (base, head) = (side(Side::Base), side(Side::Head));
    RoundValue { round, base, head, log_ratio: log_ratio(base, head) }
}

/// The values of `round` that follow from what `results` holds of it, each with the cell that it belongs to.
pub fn derive_round(results: &Results, round: u32) -> Vec<(CellKey, Measured)> {
    let measured: BTreeMap<&CellKey, &RoundValue> = results
        .cells
        .iter()
        .filter(|cell| cell.key.suite == Suite::Http && cell.key.metric == Metric::Rps)
        .filter_map(|cell| Some((&cell.key, cell.rounds.iter().rev().find(|value| value.round == round)?)))
        .collect();
    let rps = |like: &CellKey, entry: &EntryName, scenario: &ScenarioName, side: Side| {
        let key = CellKey {
            entry: entry.clone(),
            case: Case::Scenario(scenario.clone()),
            metric: Metric::Rps,
            ..like.clone()
        };
        let value = measured.get(&key)?;
        if side == Side::Base { value.base } else { value.head }
    };
    let speed = |like: &CellKey, entry: &EntryName, side: Side| match &like.case {
        Case::Scenario(name) => rps(like, entry, name, side),
        Case::Mix(name) => {
            let mix = results.mixes.iter().find(|mix| mix.name == *name)?;
            let parts = mix.scenarios.iter();
            weighted_harmonic_mean(parts.map(|(name, weight)| (*weight, rps(like, entry, name, side))))
        }
        Case::Category(name) => {
            let members = results.scenarios.iter().filter(|scenario| scenario.category.as_ref() == Some(name));
            let expected = members.filter(|scenario| has_cell(results, like, &scenario.name));
            weighted_harmonic_mean(expected.map(|scenario| (1.0, rps(like, entry, &scenario.name, side))))
        }
        Case::Start | Case::Process(_) | Case::Build(_) => None,
    };
    let mut derived = Vec::new();
    for cell in &results.cells {
        let key = &cell.key;
        let value = match (&key.case, key.metric) {
            (Case::Mix(_) | Case::Category(_), Metric::Rps) => {
                Some(round_value(round, |side| speed(key, &key.entry, side)))
            }
            (_, Metric::LayerCost) => {
                let floor = results.entries.iter().find(|entry| entry.name == key.entry).and_then(|e| e.floor.as_ref());
                floor.map(|floor| {
                    let kept = |side| {
                        // A reference has one build: its one value stands under both sides.
                        let below = speed(key, floor, side).or_else(|| speed(key, floor, Side::Head));
                        share_kept(speed(key, &key.entry, side), below)
                    };
                    let cost = |side| Some(1.0 - kept(side)?);
                    let (base, head) = (cost(Side::Base), cost(Side::Head));
                    RoundValue { round, base, head, log_ratio: log_ratio(kept(Side::Base), kept(Side::Head)) }
                })
            }
            _ => None,
        };
        if let Some(value) = value.filter(|value| value.base.is_some() || value.head.is_some()) {
            let measured = Measured { suite: key.suite, case: key.case.clone(), metric: key.metric, value };
            derived.push((key.clone(), measured));
        }
    }
    derived
}

/// What of the floor's rps an entry keeps: a layer's cost is one minus that.
fn share_kept(with: Option<f64>, without: Option<f64>) -> Option<f64> {
    let share = with? / without?;
    share.is_finite().then_some(share)
}

fn has_cell(results: &Results, like: &CellKey, scenario: &ScenarioName) -> bool {
    results.cells.iter().any(|cell| {
        cell.key.entry == like.entry
            && cell.key.regime == like.regime
            && cell.key.metric == Metric::Rps
            && cell.key.case == Case::Scenario(scenario.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_time_per_request() {
        let half_each = weighted_harmonic_mean([(50.0, Some(100.0)), (50.0, Some(50.0))]).unwrap();
        // Two requests take 1/100 + 1/50 s = 0.03 s: 66.67 a second.
        assert!((half_each - 66.666_666_7).abs() < 1e-6);
        assert_eq!(weighted_harmonic_mean([(1.0, Some(100.0)), (1.0, None)]), None);
        assert_eq!(weighted_harmonic_mean([(1.0, Some(0.0))]), None);
        assert_eq!(weighted_harmonic_mean([]), None);
    }

    #[test]
    fn a_layers_cost_is_what_the_floor_loses() {
        // Figures that benchmark pages publish, with the percentages that they state beside them.
        for (with, without, percent) in
            [(102_250.0, 115_670.0, 11.6), (73_569.0, 115_810.0, 36.5), (48_369.0, 62_901.0, 23.1)]
        {
            let cost = 100.0 * (1.0 - share_kept(Some(with), Some(without)).unwrap());
            assert!((cost - percent).abs() < 0.05, "{cost}");
        }
        for (with, without) in [(None, Some(1.0)), (Some(1.0), None), (Some(1.0), Some(0.0)), (Some(0.0), Some(0.0))] {
            assert_eq!(share_kept(with, without), None);
        }
    }

    #[test]
    fn a_ratio_needs_two_positive_values() {
        assert!((log_ratio(Some(2.0), Some(4.0)).unwrap() - std::f64::consts::LN_2).abs() < 1e-15);
        for (base, head) in
            [(None, Some(1.0)), (Some(0.0), Some(1.0)), (Some(1.0), Some(-1.0)), (Some(f64::NAN), Some(1.0))]
        {
            assert_eq!(log_ratio(base, head), None);
        }
        assert_eq!(log_ratio(Some(f64::MIN_POSITIVE), Some(f64::INFINITY)), None);
    }
}
