//! A subject's difference beside what the control did in the same rounds.
//!
//! The control's true difference is zero, so that what it shows in a round is the machine's and the harness's. It is not
//! subtracted in the verdict: the control's own noise would be added to every cell. It is shown, so that a reader sees
//! whether a difference stays when the machine's own movement is taken away.

use super::context::Context;
use super::looks::MIN_PAIRS;
use super::pairs::pairs;
use super::walsh::hodges_lehmann;
use crate::model::{CellKey, CellRecord, Metric, Results, Standing, Suite};
use std::collections::BTreeMap;

/// What the controls' cells did, by suite, metric and round.
pub(crate) struct ControlMovement(BTreeMap<(Suite, Metric), BTreeMap<u32, f64>>);

impl ControlMovement {
    /// The movement of the first control cell of each suite and metric.
    pub(crate) fn of(results: &Results, context: &Context<'_>) -> Self {
        let mut moved = BTreeMap::new();
        for cell in results.cells.iter().filter(|cell| context.standing(cell) == Standing::Control) {
            let CellKey { suite, metric, .. } = cell.key;
            moved
                .entry((suite, metric))
                .or_insert_with(|| pairs(cell).iter().map(|pair| (pair.round, pair.ratio)).collect());
        }
        Self(moved)
    }

    /// The Hodges-Lehmann estimate of the cell's log-ratios less the control's of the same rounds; absent where fewer than
    /// eight rounds are common, or no control has the metric.
    pub(crate) fn beside(&self, cell: &CellRecord) -> Option<f64> {
        let control = self.0.get(&(cell.key.suite, cell.key.metric))?;
        let mut differences: Vec<f64> = pairs(cell)
            .iter()
            .filter_map(|pair| Some(pair.ratio - control.get(&pair.round)?))
            .filter(|difference| difference.is_finite())
            .collect();
        if differences.len() < MIN_PAIRS {
            return None;
        }
        differences.sort_unstable_by(f64::total_cmp);
        hodges_lehmann(&differences)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{B12, cell, control_cell, results};
    use super::*;

    fn beside(subject: &[f64], control: &[f64], metric: Metric) -> Option<f64> {
        let run = results(vec![cell("get", metric, 1e3, subject), control_cell(Metric::Rps, control)]);
        ControlMovement::of(&run, &Context::new(&run)).beside(&run.cells[0])
    }

    #[test]
    fn what_both_did_is_taken_away_round_by_round() {
        let subject = B12.map(|d| d - 0.05);
        assert!((beside(&subject, &B12, Metric::Rps).unwrap() + 0.05).abs() < 1e-12);
        let moved = B12.map(|d| d - 0.03);
        assert!((beside(&subject, &moved, Metric::Rps).unwrap() + 0.02).abs() < 1e-12);
    }

    #[test]
    fn without_common_rounds_there_is_nothing_to_show() {
        assert_eq!(beside(&B12, &B12[..7], Metric::Rps), None);
        assert_eq!(beside(&B12, &B12, Metric::P50), None);
        assert_eq!(beside(&[f64::MAX; 12], &[-f64::MAX; 12], Metric::Rps), None);
    }
}
