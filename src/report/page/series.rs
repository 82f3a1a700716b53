//! What a cell's rounds say of it: the middle, the spread, and how it stands to another's, round by round.

use crate::model::CellRecord;
use crate::verdict::{hodges_lehmann, median, walsh_interval};
use std::collections::BTreeMap;

/// From one figure to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// The lower end.
    pub(super) low: f64,
    /// The upper end.
    pub(super) high: f64,
}

impl Span {
    /// Whether the two have a point in common.
    fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// How one series stands to another, as a multiple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    /// The Hodges-Lehmann estimate over the rounds that measured both.
    pub(super) centre: f64,
    /// Its interval at 95 %; absent where fewer than six rounds measured both.
    pub(super) interval: Option<Span>,
}

/// Head's values of a cell by round.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    rounds: BTreeMap<u32, f64>,
}

impl Series {
    /// Head's finite values of `cell`.
    pub(super) fn of(cell: &CellRecord) -> Self {
        let values = cell.rounds.iter().filter_map(|value| Some((value.round, value.head.filter(|v| v.is_finite())?)));
        Self { rounds: values.collect() }
    }

    /// How many rounds gave a value.
    pub(super) fn len(&self) -> usize {
        self.rounds.len()
    }

    fn sorted(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.rounds.values().copied().collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The median; absent where there is no value.
    pub(super) fn median(&self) -> Option<f64> {
        median(&mut self.sorted())
    }

    /// From the lowest to the highest value; absent below two values.
    pub(super) fn range(&self) -> Option<Span> {
        let values = self.sorted();
        (values.len() > 1).then(|| Some(Span { low: *values.first()?, high: *values.last()? })).flatten()
    }

    /// From the first quartile to the third, interpolated between neighbours; absent below two values.
    pub(super) fn quartiles(&self) -> Option<Span> {
        let values = self.sorted();
        (values.len() > 1)
            .then(|| Some(Span { low: quantile(&values, 0.25)?, high: quantile(&values, 0.75)? }))
            .flatten()
    }

    /// The interval of the middle at 95 %, of this series alone; absent below six values or where one is not positive.
    pub(super) fn interval(&self) -> Option<Span> {
        let logs: Vec<f64> = self.sorted().into_iter().map(f64::ln).collect();
        exponentials(&logs)
    }

    /// How this series stands to `other`, from the rounds that measured both. Absent where no round did.
    pub(super) fn ratio_to(&self, other: &Self) -> Option<Ratio> {
        let pairs = self.rounds.iter().filter_map(|(round, value)| Some((*value / other.rounds.get(round)?).ln()));
        let mut logs: Vec<f64> = pairs.filter(|log| log.is_finite()).collect();
        logs.sort_by(f64::total_cmp);
        let centre = hodges_lehmann(&logs)?.exp();
        centre.is_finite().then(|| Ratio { centre, interval: exponentials(&logs) })
    }

    /// Whether the two differ for certain enough to say so: neither do their own intervals meet, nor does that of their
    /// ratio hold 1. The first guards what is picked out of several, the second what rounds have in common.
    pub(super) fn is_apart_from(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.interval(), other.interval()) else { return false };
        let ratio = self.ratio_to(other).and_then(|ratio| ratio.interval);
        !own.meets(others) && ratio.is_some_and(|ratio| ratio.low > 1.0 || ratio.high < 1.0)
    }
}

fn exponentials(sorted_logs: &[f64]) -> Option<Span> {
    if !sorted_logs.iter().all(|log| log.is_finite()) {
        return None;
    }
    let interval = walsh_interval(sorted_logs)?;
    Some(Span { low: interval.low.exp(), high: interval.high.exp() })
}

/// The value below which `share` of ascending `values` lie.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = share * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the last place")]
    let below = place.floor() as usize;
    let (low, high) = (values.get(below)?, values.get((below + 1).min(last))?);
    Some(low + (high - low) * (place - below as f64))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{self, A12, B12};
    use super::*;
    use crate::model::{Metric, RoundValue, Standing, Suite};
    use proptest::prelude::*;

    pub(super) fn series(values: &[f64]) -> Series {
        Series { rounds: (0..).zip(values.iter().copied()).collect() }
    }

    #[test]
    fn the_spread_of_known_values() {
        let one_to_five = series(&[3.0, 1.0, 5.0, 2.0, 4.0]);
        assert_eq!(one_to_five.median(), Some(3.0));
        assert_eq!(one_to_five.range(), Some(Span { low: 1.0, high: 5.0 }));
        assert_eq!(one_to_five.quartiles(), Some(Span { low: 2.0, high: 4.0 }));
        // Type 7 of the usual nine: 1 + 3 x 0.25 = 1.75.
        assert_eq!(series(&[1.0, 2.0, 3.0, 4.0]).quartiles(), Some(Span { low: 1.75, high: 3.25 }));
        assert_eq!(one_to_five.interval(), None);
        let alone = series(&[7.0]);
        assert_eq!((alone.median(), alone.range(), alone.quartiles()), (Some(7.0), None, None));
        assert_eq!(Series::default().median(), None);
    }

    #[test]
    fn a_ratio_is_taken_round_by_round() {
        // The machine halves its speed from round to round, and yet the second is twice as fast in each.
        let slow: Vec<f64> = (0..8).map(|round| 1_000.0 / f64::from(1 << round)).collect();
        let fast: Vec<f64> = slow.iter().map(|value| value * 2.0).collect();
        let ratio = series(&fast).ratio_to(&series(&slow)).unwrap();
        assert!((ratio.centre - 2.0).abs() < 1e-12);
        let interval = ratio.interval.unwrap();
        assert!((interval.low - 2.0).abs() < 1e-12 && (interval.high - 2.0).abs() < 1e-12);
        // But the intervals of the two overlap, so nothing is claimed.
        assert!(!series(&fast).is_apart_from(&series(&slow)));
        // The decision rule's reference values: HL -0.03125, from -0.038 to -0.026.
        let ratio = series(&A12.map(f64::exp)).ratio_to(&series(&[1.0; 12])).unwrap();
        assert!((ratio.centre.ln() + 0.031_25).abs() < 1e-12);
        assert!((ratio.interval.unwrap().low.ln() + 0.038).abs() < 1e-12);
        // Rounds that only one of them has are none.
        assert_eq!(series(&[1.0]).ratio_to(&Series::default()), None);
        assert_eq!(series(&[1.0; 5]).ratio_to(&series(&[1.0; 9])).unwrap().interval, None);
    }

    #[test]
    fn apart_is_more_than_different_medians() {
        let values = |by: f64| series(&B12.map(|log| (log + by).exp()));
        assert!(values(0.1).is_apart_from(&values(0.0)));
        assert!(!values(0.002).is_apart_from(&values(0.0)));
        assert!(!values(0.0).is_apart_from(&values(0.0)));
        // Five rounds prove nothing, however far apart.
        assert!(!series(&[9.0; 5]).is_apart_from(&series(&[1.0; 5])));
        assert!(series(&[9.0; 6]).is_apart_from(&series(&[1.0; 6])));
        // What is not positive has no logarithm.
        assert!(!series(&[0.0; 6]).is_apart_from(&series(&[1.0; 6])));
    }

    #[test]
    fn heads_finite_values_count() {
        let key = sample::key("fastify", Suite::Http, sample::scenario("a"), Metric::Rps);
        let value = |round, base, head| RoundValue { round, base, head, log_ratio: None };
        let rounds = vec![value(0, Some(1.0), Some(5.0)), value(1, Some(1.0), None), value(2, None, Some(f64::NAN))];
        let cell = CellRecord { key, standing: Standing::Outside, rounds };
        assert_eq!(Series::of(&cell), series(&[5.0]));
    }

    proptest! {
        #[test]
        fn whatever_is_measured_the_spread_is_in_order(values in proptest::collection::vec(1e-3..1e9f64, 2..60)) {
            let series = series(&values);
            let (range, quartiles) = (series.range().unwrap(), series.quartiles().unwrap());
            let median = series.median().unwrap();
            prop_assert!(range.low <= quartiles.low && quartiles.low <= median);
            prop_assert!(median <= quartiles.high && quartiles.high <= range.high);
        }

        #[test]
        fn no_series_is_apart_from_itself(bits in proptest::collection::vec(any::<u64>(), 0..50)) {
            let series = series(&bits.into_iter().map(f64::from_bits).collect::<Vec<_>>());
            prop_assert!(!series.is_apart_from(&series));
        }
    }
}
