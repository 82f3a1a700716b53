//! A turn: one lane's part of a round, and what came of it.

use crate::model::{
    Case, Failure, MachineRecord, Metric, Observation, Outcome, PerSide, RegimeName, RoundValue, ScenarioName, Side,
    Suite, TimeSpent,
};
use crate::plan::Lane;
use serde::{Deserialize, Serialize};

/// Whose starts are timed in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootTurn {
    /// Nobody's.
    No,
    /// Both sides'.
    Paired,
    /// Head's alone.
    HeadOnly,
}

/// What one lane is to do in one round, in fresh processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The round, counted from 0.
    pub round: u32,
    /// 0 for the first try.
    pub attempt: u32,
    /// Entry and regime.
    pub lane: Lane,
    /// Who goes first.
    pub first: Side,
    /// Scenarios measured on both sides, in order.
    pub paired: Vec<ScenarioName>,
    /// Scenarios measured on head alone, in order, after the paired ones.
    pub one_sided: Vec<ScenarioName>,
    /// Whose starts are timed.
    pub boot: BootTurn,
    /// Commands' runs that are measured on both sides, in order, when no server is up.
    pub paired_runs: Vec<Case>,
    /// Commands' runs that are measured on head alone, after these.
    pub one_sided_runs: Vec<Case>,
}

impl Turn {
    /// Whether any server is started.
    pub fn needs_server(&self) -> bool {
        self.needs_base() || !self.one_sided.is_empty() || self.boot != BootTurn::No
    }

    /// Whether base's server is started.
    pub fn needs_base(&self) -> bool {
        !self.paired.is_empty() || self.boot == BootTurn::Paired
    }

    /// Whether nothing is left to do.
    pub fn is_empty(&self) -> bool {
        !self.needs_server() && self.paired_runs.is_empty() && self.one_sided_runs.is_empty()
    }
}

/// A value of a turn, for one cell of its lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The suite.
    pub suite: Suite,
    /// Scenario, mix, category or start.
    pub case: Case,
    /// The metric.
    pub metric: Metric,
    /// Both sides' values and their log-ratio.
    #[serde(flatten)]
    pub value: RoundValue,
}

/// One slice, for the journal: enough to recompute a round's ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceRecord {
    /// The suite.
    pub suite: Suite,
    /// The scenario.
    pub scenario: ScenarioName,
    /// The side.
    pub side: Side,
    /// Answers per second.
    pub rps: f64,
    /// Median latency in microseconds.
    pub p50: f64,
    /// 99th percentile in microseconds.
    pub p99: f64,
    /// CPU microseconds per request.
    pub cpu: f64,
    /// The share of the slice's time that the idle partner used a CPU.
    pub partner: f64,
    /// The share of the slice's time that others kept the server or the load generator from running.
    #[serde(default)]
    pub delayed: f64,
}

/// How an attempt at a case ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// The scenario, or the start.
    pub case: Case,
    /// How each side's part ended.
    pub sides: PerSide<Outcome>,
    /// Whether the load generator was the limit on either side.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generator_limited: bool,
}

/// What came of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnOutcome {
    /// Values.
    pub values: Vec<Measured>,
    /// Attempts at its cases.
    pub cases: Vec<CaseOutcome>,
    /// Failures.
    pub failures: Vec<Failure>,
    /// Observations.
    pub observations: Vec<Observation>,
    /// Where its time went.
    pub spent: TimeSpent,
    /// Its slices that count.
    pub slices: Vec<SliceRecord>,
    /// What the machine did besides, while they ran; absent where no slice ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineRecord>,
}

/// A finished turn, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The entry.
    pub entry: crate::model::EntryName,
    /// The regime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<RegimeName>,
    /// 0 for the first try.
    pub attempt: u32,
    /// The side that went first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Side>,
    /// What came of it.
    pub outcome: TurnOutcome,
}

/// A finished round, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// The round, counted from 0.
    pub round: u32,
    /// Its turns, in the order in which they were taken.
    pub turns: Vec<TurnRecord>,
    /// Seconds of racing so far, this round included.
    pub elapsed_s: f64,
    /// What a reader should know of the whole run and that showed in this round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
