//! What is measured, in which unit, and which direction is good.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A way of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// Closed loop: a fixed number of connections, each asking again as soon as it is answered.
    Http,
    /// Open loop: requests leave at a fixed rate, latency counts from the intended time.
    OpenLoop,
    /// From spawn to the first good answer, then idle.
    Boot,
}

impl Suite {
    /// The name in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::OpenLoop => "open-loop",
            Self::Boot => "boot",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Answers per second.
    Rps,
    /// Median latency.
    P50,
    /// 99th percentile of latency.
    P99,
    /// Server CPU time per request.
    CpuPerRequest,
    /// Memory of the server's process group under load.
    LoadedMemory,
    /// 90th percentile of latency.
    P90,
    /// 99.9th percentile of latency.
    #[serde(rename = "p99.9")]
    P999,
    /// Highest latency.
    Max,
    /// Mean latency.
    Mean,
    /// Standard deviation of latency.
    Deviation,
    /// Bytes received per second.
    BytesPerSecond,
    /// Answers counted in measured slices.
    Requests,
    /// Bytes received in measured slices.
    Bytes,
    /// Open loop: requests that left later than intended because no connection was free or the generator was busy.
    LateSends,
    /// From spawn to the first good answer.
    ColdStart,
    /// CPU time used up to the first good answer.
    BootCpu,
    /// Memory of the process group after an idle pause following the first good answer.
    IdleMemory,
    /// The share of the floor's rps that the entry costs: 1 - rps(entry) / rps(floor).
    LayerCost,
}

/// Which direction of a metric is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Polarity {
    /// More is better.
    Up,
    /// Less is better.
    Down,
    /// Shown and never judged.
    Info,
}

/// The unit that a metric's values are stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytesPerSecond,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Bytes.
    #[serde(rename = "B")]
    Bytes,
    /// A plain count.
    #[serde(rename = "1")]
    Count,
    /// A share of one.
    #[serde(rename = "share")]
    Share,
}

impl Unit {
    /// The unit as files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PerSecond => "1/s",
            Self::BytesPerSecond => "B/s",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Bytes => "B",
            Self::Count => "1",
            Self::Share => "share",
        }
    }
}

impl Metric {
    /// All metrics, in the order in which reports show them.
    pub const ALL: [Self; 18] = [
        Self::Rps,
        Self::P50,
        Self::P90,
        Self::P99,
        Self::P999,
        Self::Max,
        Self::Mean,
        Self::Deviation,
        Self::CpuPerRequest,
        Self::LoadedMemory,
        Self::BytesPerSecond,
        Self::Requests,
        Self::Bytes,
        Self::LateSends,
        Self::ColdStart,
        Self::BootCpu,
        Self::IdleMemory,
        Self::LayerCost,
    ];

    /// The name in files: `rps`, `p99.9`, `cold-start`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rps => "rps",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Deviation => "deviation",
            Self::CpuPerRequest => "cpu-per-request",
            Self::LoadedMemory => "loaded-memory",
            Self::BytesPerSecond => "bytes-per-second",
            Self::Requests => "requests",
            Self::Bytes => "bytes",
            Self::LateSends => "late-sends",
            Self::ColdStart => "cold-start",
            Self::BootCpu => "boot-cpu",
            Self::IdleMemory => "idle-memory",
            Self::LayerCost => "layer-cost",
        }
    }

    /// The unit of stored values.
    pub fn unit(self) -> Unit {
        match self {
            Self::Rps => Unit::PerSecond,
            Self::BytesPerSecond => Unit::BytesPerSecond,
            Self::P50
            | Self::P90
            | Self::P99
            | Self::P999
            | Self::Max
            | Self::Mean
            | Self::Deviation
            | Self::CpuPerRequest => Unit::Microseconds,
            Self::ColdStart | Self::BootCpu => Unit::Milliseconds,
            Self::LoadedMemory | Self::IdleMemory | Self::Bytes => Unit::Bytes,
            Self::Requests | Self::LateSends => Unit::Count,
            Self::LayerCost => Unit::Share,
        }
    }

    /// Which direction is good, or that the metric is only shown. The open loop judges p99.9 as well.
    pub fn polarity(self, suite: Suite) -> Polarity {
        match self {
            Self::Rps if suite == Suite::Http => Polarity::Up,
            Self::P999 if suite == Suite::OpenLoop => Polarity::Down,
            Self::CpuPerRequest | Self::LoadedMemory if suite == Suite::Http => Polarity::Down,
            Self::P50 | Self::P99 | Self::ColdStart | Self::BootCpu | Self::IdleMemory => Polarity::Down,
            _ => Polarity::Info,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_files_and_in_reports_agree() {
        for metric in Metric::ALL {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.as_str());
            assert_eq!(serde_json::to_value(metric.unit()).unwrap(), metric.unit().as_str());
        }
        for suite in [Suite::Http, Suite::OpenLoop, Suite::Boot] {
            assert_eq!(serde_json::to_value(suite).unwrap(), suite.as_str());
        }
    }
}
