//! How the race was run, as the results file records it.

use super::{CategoryName, EntryName, Metric, MixName, RegimeName, ScenarioName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether both servers of a pair are alive together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// Side by side, measured in alternating slices.
    #[default]
    Together,
    /// One after the other.
    Apart,
}

/// How the load generator waits for answers. Figures of different modes are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GeneratorMode {
    /// It polls busily on a CPU of its own.
    Spin,
    /// It sleeps until an answer arrives, because it shares its CPU.
    Sleep,
}

/// A regime as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegimeRecord {
    /// Its name; absent where the configuration names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<RegimeName>,
    /// Connections per server.
    pub connections: u32,
    /// Requests in flight per connection.
    pub pipelining: u32,
    /// CPUs of the servers.
    pub server_cpus: Vec<usize>,
    /// CPUs of the load generator.
    pub load_cpus: Vec<usize>,
    /// How the generator waited.
    pub mode: GeneratorMode,
    /// Whether pairs ran together.
    pub pairing: Pairing,
}

/// The protocol of the race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolRecord {
    /// Seconds of measuring that were allowed.
    pub budget_s: f64,
    /// Nobody leaves before this many rounds.
    pub rounds_min: u32,
    /// The race ends after this many.
    pub rounds_max: u32,
    /// Milliseconds of load that are discarded per fresh process and scenario.
    pub warmup_ms: f64,
    /// Milliseconds measured per side, scenario and round.
    pub measure_ms: f64,
    /// Number of slices that these are split into.
    pub slices: u32,
    /// The regimes; at least one.
    pub regimes: Vec<RegimeRecord>,
}

/// What the decision rule was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgingRecord {
    /// The chance that a pull request that changes nothing gets any flag at all, such as 0.01.
    pub false_alarms: f64,
    /// By metric, as a share (0.01 for 1 %): below it a proved difference is not worth a word. Absent: the rule's own.
    #[serde(default)]
    pub relevant: BTreeMap<Metric, f64>,
    /// Whether a proved regression makes the run fail.
    pub fail_on_regression: bool,
}

/// A mix, by scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MixRecord {
    /// Its name.
    pub name: MixName,
    /// The weights as written, by category.
    pub categories: BTreeMap<CategoryName, f64>,
    /// The weight of each scenario; they sum to 1.
    pub scenarios: BTreeMap<ScenarioName, f64>,
    /// The entries it is taken for: those that answer every scenario of it.
    #[serde(default)]
    pub entries: Vec<EntryName>,
}
