//! The valid pairs of a cell.

use super::looks::MAX_PAIRS;
use crate::model::{CellRecord, Metric, RoundValue};

/// ln(x / y) of two positive doubles is never larger.
const LARGEST_LOG: f64 = 1500.0;

/// One valid round of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The round, counted from 0.
    pub round: u32,
    /// d = ln(head / base), finite.
    pub ratio: f64,
    /// Base's value in the metric's unit.
    pub base: Option<f64>,
    /// Head's value in the metric's unit.
    pub head: Option<f64>,
}

/// The valid pairs in the order in which they were raced, at most [`MAX_PAIRS`].
///
/// A round without a finite log-ratio is none, nor is one whose measurement was not positive; only a layer's cost may be
/// zero or less, because its log-ratio is that of what is kept.
pub fn pairs(cell: &CellRecord) -> Vec<Pair> {
    let metric = cell.key.metric;
    cell.rounds.iter().filter_map(|value| pair(metric, value)).take(MAX_PAIRS).collect()
}

fn pair(metric: Metric, value: &RoundValue) -> Option<Pair> {
    let ratio = value.log_ratio.filter(|ratio| ratio.abs() <= LARGEST_LOG)?;
    let spoilt = |side: f64| !side.is_finite() || (side <= 0.0 && metric != Metric::LayerCost);
    if value.base.is_some_and(spoilt) || value.head.is_some_and(spoilt) {
        return None;
    }
    Some(Pair { round: value.round, ratio, base: value.base, head: value.head })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_measurement_is_no_pair() {
        let value = |log_ratio, base, head| RoundValue { round: 0, base, head, log_ratio };
        let good = value(Some(0.1), Some(1.0), Some(2.0));
        assert!(pair(Metric::Rps, &good).is_some());
        assert!(pair(Metric::Rps, &value(Some(0.1), None, None)).is_some());
        assert!(pair(Metric::LayerCost, &value(Some(0.1), Some(-0.2), Some(0.0))).is_some());
        for bad in [
            value(None, Some(1.0), Some(2.0)),
            value(Some(f64::NAN), Some(1.0), Some(2.0)),
            value(Some(f64::NEG_INFINITY), Some(1.0), Some(2.0)),
            value(Some(1e300), Some(1.0), Some(2.0)),
            value(Some(0.1), Some(0.0), Some(2.0)),
            value(Some(0.1), Some(1.0), Some(-2.0)),
            value(Some(0.1), Some(1.0), Some(f64::NAN)),
        ] {
            assert_eq!(pair(Metric::Rps, &bad), None, "{bad:?}");
        }
    }
}
