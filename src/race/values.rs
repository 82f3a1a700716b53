//! From slices to a round's values.
//!
//! What is measured twice within one process is averaged, never counted twice: however many slices a scenario is split
//! into, it gives one value and one log-ratio per round. The ratio is the median over pairs of neighbouring slices, since
//! drift of the machine is the same for both of a pair.

use super::derived::log_ratio;
use super::turn::Measured;
use crate::model::{Case, Metric, PerSide, RoundValue, ScenarioName, Side, Suite};
use hdrhistogram::Histogram;
use std::time::Duration;

/// A percentile is read from single slices only where at least this many answers lie above it; from fewer it is the
/// luck of one answer, and the ratio is taken from all slices together.
const ANSWERS_ABOVE: f64 = 5.0;

/// One measured slice of one side.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    /// Good answers inside the window.
    pub(super) answers: u64,
    /// Length of the window.
    pub(super) window: Duration,
    /// Bytes received inside the window.
    pub(super) bytes: u64,
    /// CPU microseconds of the server's tree per answer, drained ones included.
    pub(super) cpu: Option<f64>,
    /// Latency in microseconds.
    pub(super) latency: Histogram<u64>,
    /// Requests that left late.
    pub(super) late: u64,
}

impl Slice {
    fn per_second(&self, count: u64) -> Option<f64> {
        let seconds = self.window.as_secs_f64();
        (seconds > 0.0).then(|| count as f64 / seconds)
    }

    pub(super) fn rps(&self) -> Option<f64> {
        self.per_second(self.answers)
    }

    pub(super) fn percentile(&self, quantile: f64) -> Option<f64> {
        percentile(&self.latency, quantile)
    }
}

fn percentile(latency: &Histogram<u64>, quantile: f64) -> Option<f64> {
    (!latency.is_empty()).then(|| latency.value_at_quantile(quantile) as f64)
}

/// The median; the mean of the middle two where their number is even.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => values.get(middle).copied(),
        _ => Some(f64::midpoint(*values.get(middle - 1)?, *values.get(middle)?)),
    }
}

fn merged(slices: &[Slice]) -> Option<Histogram<u64>> {
    let mut slices = slices.iter();
    let mut all = slices.next()?.latency.clone();
    for slice in slices {
        // Histograms of one generator share their bounds, so that nothing can fall out.
        all.add(&slice.latency).ok()?;
    }
    Some(all)
}

/// The values of a scenario's slices for every metric of its suite. A side that was not measured has no slices.
pub(super) fn scenario_values(
    round: u32,
    suite: Suite,
    scenario: &ScenarioName,
    slices: &PerSide<Vec<Slice>>,
) -> Vec<Measured> {
    let together = PerSide::from_fn(|side| merged(slices.get(side)));
    let side_value =
        |per_slice: &dyn Fn(&Slice) -> Option<f64>, side: Side| median(slices.get(side).iter().filter_map(per_slice));
    let pair_ratio = |per_slice: &dyn Fn(&Slice) -> Option<f64>| {
        let pairs = slices.base.iter().zip(&slices.head);
        median(pairs.filter_map(|(base, head)| log_ratio(per_slice(base), per_slice(head))))
    };
    let by_slice = |per_slice: &dyn Fn(&Slice) -> Option<f64>| RoundValue {
        round,
        base: side_value(per_slice, Side::Base),
        head: side_value(per_slice, Side::Head),
        log_ratio: pair_ratio(per_slice),
    };
    let of_all = |value: &dyn Fn(&Histogram<u64>) -> f64| {
        let side = |side: Side| together.get(side).as_ref().filter(|all| !all.is_empty()).map(value);
        let (base, head) = (side(Side::Base), side(Side::Head));
        RoundValue { round, base, head, log_ratio: log_ratio(base, head) }
    };
    let quantile = |quantile: f64| {
        let mut value = of_all(&|all| all.value_at_quantile(quantile) as f64);
        let enough = |slice: &Slice| slice.answers as f64 * (1.0 - quantile) >= ANSWERS_ABOVE;
        if slices.base.iter().chain(&slices.head).all(enough)
            && let Some(ratio) = pair_ratio(&|slice| slice.percentile(quantile))
        {
            value.log_ratio = Some(ratio);
        }
        value
    };
    let sum = |count: &dyn Fn(&Slice) -> u64| {
        let side = |side: Side| {
            let slices = slices.get(side);
            (!slices.is_empty()).then(|| slices.iter().map(count).sum::<u64>() as f64)
        };
        let (base, head) = (side(Side::Base), side(Side::Head));
        RoundValue { round, base, head, log_ratio: log_ratio(base, head) }
    };
    let mut values = vec![
        (Metric::P50, quantile(0.5)),
        (Metric::P90, quantile(0.9)),
        (Metric::P99, quantile(0.99)),
        (Metric::P999, quantile(0.999)),
        (Metric::Max, of_all(&|all| all.max() as f64)),
    ];
    if suite == Suite::OpenLoop {
        values.push((Metric::LateSends, sum(&|slice| slice.late)));
    } else {
        values.extend([
            (Metric::Rps, by_slice(&Slice::rps)),
            (Metric::CpuPerRequest, by_slice(&|slice| slice.cpu)),
            (Metric::BytesPerSecond, by_slice(&|slice| slice.per_second(slice.bytes))),
            (Metric::Mean, of_all(&Histogram::mean)),
            (Metric::Deviation, of_all(&Histogram::stdev)),
            (Metric::Requests, sum(&|slice| slice.answers)),
            (Metric::Bytes, sum(&|slice| slice.bytes)),
        ]);
    }
    let case = Case::Scenario(scenario.clone());
    let filled = values.into_iter().filter(|(_, value)| value.base.is_some() || value.head.is_some());
    filled.map(|(metric, value)| Measured { suite, case: case.clone(), metric, value }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(answers: u64, latencies: &[u64]) -> Slice {
        let mut latency = Histogram::new_with_bounds(1, 60_000_000, 3).unwrap();
        for value in latencies {
            latency.record(*value).unwrap();
        }
        let window = Duration::from_millis(100);
        Slice { answers, window, bytes: 10 * answers, cpu: Some(5.0), latency, late: 1 }
    }

    fn get(values: &[Measured], metric: Metric) -> RoundValue {
        values.iter().find(|measured| measured.metric == metric).unwrap().value
    }

    #[test]
    fn a_ratio_is_the_median_of_neighbouring_slices() {
        // The machine slows down by half between the pairs; within each pair head answers 10 % more.
        let base = vec![slice(1000, &[100]), slice(500, &[200]), slice(250, &[400])];
        let head = vec![slice(1100, &[90]), slice(550, &[180]), slice(275, &[360])];
        let values = scenario_values(3, Suite::Http, &ScenarioName::new("a").unwrap(), &PerSide { base, head });
        let rps = get(&values, Metric::Rps);
        assert_eq!((rps.round, rps.base, rps.head), (3, Some(5000.0), Some(5500.0)));
        assert!((rps.log_ratio.unwrap() - 1.1_f64.ln()).abs() < 1e-12);
        assert!((get(&values, Metric::P50).log_ratio.unwrap() - 0.9_f64.ln()).abs() < 5e-3, "HDR keeps three digits");
        assert_eq!(get(&values, Metric::Requests).head, Some(1925.0));
        assert_eq!(get(&values, Metric::Max).base, Some(400.0));
        assert_eq!(get(&values, Metric::BytesPerSecond).base, Some(50_000.0));
    }

    #[test]
    fn a_percentile_with_few_answers_above_it_is_taken_from_all_slices() {
        let few = |tail: u64| slice(100, &[vec![10; 99], vec![tail]].concat());
        let base = vec![few(1000), few(2000)];
        let head = vec![few(2000), few(1000)];
        let values = scenario_values(0, Suite::Http, &ScenarioName::new("a").unwrap(), &PerSide { base, head });
        assert_eq!(get(&values, Metric::P999).log_ratio, Some(0.0));
        // Half of 100 answers lie above the median: enough for each slice by itself.
        assert_eq!(get(&values, Metric::P50).log_ratio, Some(0.0));
    }

    #[test]
    fn one_side_alone_gives_values_and_no_ratio() {
        let slices = PerSide { base: Vec::new(), head: vec![slice(100, &[10])] };
        let values = scenario_values(0, Suite::OpenLoop, &ScenarioName::new("a").unwrap(), &slices);
        assert!(values.iter().all(|measured| measured.value.base.is_none() && measured.value.log_ratio.is_none()));
        assert_eq!(get(&values, Metric::LateSends).head, Some(1.0));
        assert!(values.iter().all(|measured| measured.metric != Metric::Rps));
    }

    #[test]
    fn medians() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, f64::NAN, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0]), Some(2.5));
    }
}
