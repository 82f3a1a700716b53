//! What counts as a difference for each kind of cell. All limits are log units: a share p is ln(1 + p).

use super::pairs::Pair;
use super::robust::median;
use crate::model::{JudgingRecord, Metric, Suite};

/// The limits of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// f: the least spread that a pair is credited with, in log units.
    pub floor: f64,
    /// r: below it a proved difference is not worth a word, in log units.
    pub relevant: f64,
    /// b: two sides within it of each other are the same, in log units.
    pub band: f64,
    /// The step in which the instrument reads, in the metric's unit; 0 where it is lost in what is summed over a slice.
    pub resolution: f64,
}

/// ln(1 + share): a percentage of a file or a text in log units.
pub fn log_of_share(share: f64) -> f64 {
    share.ln_1p()
}

/// e^log - 1: a log-ratio as the share that people read.
pub fn share_of_log(log: f64) -> f64 {
    log.exp_m1()
}

/// Histograms of latency count whole microseconds.
const MICROSECOND: f64 = 1.0;
/// Cold starts are told apart by tenths of a millisecond.
const TENTH_OF_MILLISECOND: f64 = 0.1;
/// The clock of a process's end counts microseconds.
const THOUSANDTH_OF_MILLISECOND: f64 = 0.001;
/// Memory is counted in pages.
const PAGE: f64 = 4096.0;

impl Limits {
    /// The rule's own limits for a kind of cell; `native` code's layout noise is not worth a word below 2 %.
    ///
    /// The design gives the whole speed row a resolution of a microsecond. It bounds a reading of time: a percentile is
    /// such a reading itself, while rps and CPU per request are quotients of a slice's sums, in which it vanishes.
    pub fn of_kind(suite: Suite, metric: Metric, native: bool) -> Self {
        let (floor, relevant, band, resolution) = match (suite, metric) {
            (Suite::OpenLoop, _)
            | (_, Metric::P90 | Metric::P99 | Metric::P999 | Metric::Max | Metric::Mean | Metric::Deviation) => {
                (0.02, 0.05, 0.15, MICROSECOND)
            }
            (_, Metric::P50) => (0.005, if native { 0.02 } else { 0.01 }, 0.03, MICROSECOND),
            (Suite::Build, Metric::Wall) => (0.02, 0.05, 0.15, 1.0),
            (_, Metric::Wall | Metric::Cpu) => (0.01, 0.02, 0.05, THOUSANDTH_OF_MILLISECOND),
            (_, Metric::Figure(_)) => (0.01, 0.02, 0.05, 0.0),
            (_, Metric::LoadedMemory | Metric::IdleMemory | Metric::PeakMemory) => (0.005, 0.01, 0.03, PAGE),
            (_, Metric::ColdStart | Metric::BootCpu) => (0.01, 0.02, 0.10, TENTH_OF_MILLISECOND),
            (
                _,
                Metric::Rps
                | Metric::CpuPerRequest
                | Metric::LayerCost
                | Metric::BytesPerSecond
                | Metric::Requests
                | Metric::Bytes
                | Metric::LateSends
                | Metric::OutputSize,
            ) => (0.005, if native { 0.02 } else { 0.01 }, 0.03, 0.0),
        };
        Self { floor, relevant: log_of_share(relevant), band: log_of_share(band), resolution }
    }

    /// The limits of a kind with what the configuration says is relevant; a figure that is no share is passed over.
    pub fn configured(suite: Suite, metric: Metric, native: bool, judging: &JudgingRecord) -> Self {
        let own = Self::of_kind(suite, metric, native);
        match judging.relevant.get(&metric) {
            Some(&share) if share.is_finite() && share >= 0.0 => Self { relevant: log_of_share(share), ..own },
            _ => own,
        }
    }

    /// f for these pairs: the kind's floor, or the instrument's step where that is the larger share of what was read.
    pub fn floor_of(&self, pairs: &[Pair]) -> f64 {
        if self.resolution <= 0.0 {
            return self.floor;
        }
        let mut values: Vec<f64> = pairs
            .iter()
            .flat_map(|pair| [pair.base, pair.head])
            .flatten()
            .filter(|value| value.is_finite() && *value > 0.0)
            .collect();
        median(&mut values).map_or(self.floor, |middle| self.floor.max(self.resolution / middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_table_of_kinds() {
        let row = |suite, metric, native| {
            let limits = Limits::of_kind(suite, metric, native);
            let percent = |log: f64| (share_of_log(log) * 1e6).round() / 1e4;
            (limits.floor, percent(limits.relevant), percent(limits.band), limits.resolution)
        };
        assert_eq!(row(Suite::Http, Metric::Rps, false), (0.005, 1.0, 3.0, 0.0));
        assert_eq!(row(Suite::Http, Metric::P50, false), (0.005, 1.0, 3.0, 1.0));
        assert_eq!(row(Suite::Http, Metric::P50, true), (0.005, 2.0, 3.0, 1.0));
        assert_eq!(row(Suite::Http, Metric::CpuPerRequest, true), (0.005, 2.0, 3.0, 0.0));
        assert_eq!(row(Suite::Http, Metric::LayerCost, false), (0.005, 1.0, 3.0, 0.0));
        assert_eq!(row(Suite::Http, Metric::LoadedMemory, true), (0.005, 1.0, 3.0, 4096.0));
        assert_eq!(row(Suite::Boot, Metric::IdleMemory, false), (0.005, 1.0, 3.0, 4096.0));
        assert_eq!(row(Suite::Http, Metric::P99, true), (0.02, 5.0, 15.0, 1.0));
        assert_eq!(row(Suite::OpenLoop, Metric::P50, true), (0.02, 5.0, 15.0, 1.0));
        assert_eq!(row(Suite::OpenLoop, Metric::P999, false), (0.02, 5.0, 15.0, 1.0));
        assert_eq!(row(Suite::Boot, Metric::ColdStart, true), (0.01, 2.0, 10.0, 0.1));
        assert_eq!(row(Suite::Boot, Metric::BootCpu, false), (0.01, 2.0, 10.0, 0.1));
    }

    #[test]
    fn the_configuration_overrides_what_is_relevant() {
        let judging = |share| JudgingRecord {
            false_alarms: 0.01,
            relevant: BTreeMap::from([(Metric::Rps, share)]),
            fail_on_regression: false,
        };
        let relevant = |share| Limits::configured(Suite::Http, Metric::Rps, true, &judging(share)).relevant;
        assert!((relevant(0.04) - 1.04_f64.ln()).abs() < 1e-15);
        for odd in [f64::NAN, f64::INFINITY, -0.5] {
            assert!((relevant(odd) - 1.02_f64.ln()).abs() < 1e-15);
        }
    }

    #[test]
    fn a_coarse_instrument_raises_the_floor() {
        let limits = Limits::of_kind(Suite::Http, Metric::P50, false);
        let pair = |base, head| Pair { round: 0, ratio: 0.0, base, head };
        assert!((limits.floor_of(&[pair(Some(19.0), Some(21.0))]) - 0.05).abs() < 1e-15);
        assert!((limits.floor_of(&[pair(Some(900.0), Some(1100.0))]) - 0.005).abs() < 1e-15);
        assert!((limits.floor_of(&[pair(None, Some(f64::NAN))]) - 0.005).abs() < 1e-15);
    }
}
