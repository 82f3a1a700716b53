//! What is measured, in which unit, and which direction is good.

use super::FigureName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
    /// A command run to its end.
    Process,
    /// A variant's build from clean.
    Build,
}

impl Suite {
    /// All suites.
    pub const ALL: [Self; 5] = [Self::Http, Self::OpenLoop, Self::Boot, Self::Process, Self::Build];

    /// The name in files and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::OpenLoop => "open-loop",
            Self::Boot => "boot",
            Self::Process => "process",
            Self::Build => "build",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One measured quantity. Files call it by [`Metric::as_str`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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
    /// From just before a command is spawned to the end of its first process; of a build, the sum over its steps.
    Wall,
    /// CPU time of a command's whole process tree.
    Cpu,
    /// The most memory that a command's whole process tree had at a time.
    PeakMemory,
    /// The bytes of the files that a build leaves.
    OutputSize,
    /// A figure that a command prints.
    Figure(FigureName),
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
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
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
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::Count => "1",
            Self::Share => "share",
        }
    }
}

impl Metric {
    /// All metrics but figures that commands print, in the order in which reports show them.
    pub const ALL: [Self; 22] = [
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
        Self::Wall,
        Self::Cpu,
        Self::PeakMemory,
        Self::OutputSize,
    ];

    /// The name in files: `rps`, `p99.9`, `cold-start`, `figure:create_ms`.
    pub fn as_str(&self) -> &str {
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
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::PeakMemory => "peak-memory",
            Self::OutputSize => "output-size",
            Self::Figure(name) => name.in_files(),
        }
    }

    /// The metric that files call so.
    pub fn named(text: &str) -> Option<Self> {
        match text.strip_prefix(FigureName::PREFIX) {
            Some(name) => FigureName::new(name).ok().map(Self::Figure),
            None => Self::ALL.into_iter().find(|metric| metric.as_str() == text),
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
            Self::ColdStart | Self::BootCpu | Self::Wall | Self::Cpu => Unit::Milliseconds,
            Self::LoadedMemory | Self::IdleMemory | Self::Bytes | Self::PeakMemory | Self::OutputSize => Unit::Bytes,
            Self::Requests | Self::LateSends => Unit::Count,
            Self::LayerCost => Unit::Share,
            Self::Figure(name) => name.unit(),
        }
    }

    /// Which direction is good, or that the metric is only shown. The open loop judges p99.9 as well; of a
    /// build, the time and the size are judged, and what its tools need besides is not.
    pub fn polarity(self, suite: Suite) -> Polarity {
        match self {
            Self::Rps if suite == Suite::Http => Polarity::Up,
            Self::P999 if suite == Suite::OpenLoop => Polarity::Down,
            Self::CpuPerRequest | Self::LoadedMemory if suite == Suite::Http => Polarity::Down,
            Self::Cpu if suite == Suite::Process => Polarity::Down,
            Self::PeakMemory if suite == Suite::Build => Polarity::Info,
            Self::Figure(name) if name.unit() == Unit::PerSecond => Polarity::Up,
            Self::P50
            | Self::P99
            | Self::ColdStart
            | Self::BootCpu
            | Self::IdleMemory
            | Self::Wall
            | Self::PeakMemory
            | Self::OutputSize
            | Self::Figure(_) => Polarity::Down,
            _ => Polarity::Info,
        }
    }
}

/// A text that names no metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric `{0}`")]
pub struct UnknownMetric(String);

impl TryFrom<String> for Metric {
    type Error = UnknownMetric;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::named(&text).ok_or(UnknownMetric(text))
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.as_str().to_owned()
    }
}

impl JsonSchema for Metric {
    fn schema_name() -> Cow<'static, str> {
        "Metric".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let known: Vec<String> = Self::ALL.map(String::from).to_vec();
        schemars::json_schema!({
            "description": "A measured quantity; `figure:` and a name for one that a command prints.",
            "anyOf": [{ "enum": known }, { "type": "string", "pattern": "^figure:[a-z][a-z0-9_]{0,31}$" }]
        })
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
        for suite in Suite::ALL {
            assert_eq!(serde_json::to_value(suite).unwrap(), suite.as_str());
        }
    }

    #[test]
    fn a_metric_is_read_by_the_name_that_it_is_written_by() {
        let figure = Metric::Figure(FigureName::new("create_ms").unwrap());
        for metric in Metric::ALL.into_iter().chain([figure]) {
            assert_eq!(Metric::named(metric.as_str()), Some(metric));
        }
        assert_eq!(figure.as_str(), "figure:create_ms");
        for odd in ["", "RPS", "figure", "figure:", "figure:A", "figure:figure:a", "create_ms"] {
            assert_eq!(Metric::named(odd), None, "{odd}");
        }
    }
}
