//! The document for scripts.

use crate::model::{
    CommitSha, EntryName, Fingerprint, MachineRecord, Metric, ProtocolRecord, RegimeName, ScenarioName, Seed, Suite,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A calibration. Percentages are of the value without the change: 5 for 5 %.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Calibration {
    /// Version of this form; raised when a field changes its meaning.
    pub schema: u32,
    /// Version of deadheat.
    pub deadheat: String,
    /// When the race of identical builds started, in UTC, as RFC 3339.
    pub started: String,
    /// The commit that was built.
    pub commit: CommitSha,
    /// Whether uncommitted changes were built on top of it.
    pub dirty: bool,
    /// What everything random was derived from.
    pub seed: Seed,
    /// Where it ran.
    pub fingerprint: Fingerprint,
    /// How identical builds were raced.
    pub protocol: ProtocolRecord,
    /// Who was raced.
    pub entries: Vec<EntryName>,
    /// Who was chosen and does not build, start or answer.
    pub left_out: Vec<EntryName>,
    /// How long it was raced.
    pub rounds: RoundsFigures,
    /// How pairs of identical builds scatter.
    pub noise: Vec<NoiseRow>,
    /// Cells of identical builds that could be judged.
    pub judged: usize,
    /// Those of them in which a difference was proved.
    pub flagged: Vec<FlaggedCell>,
    /// Those of them that failed too often to be measured.
    pub failing: usize,
    /// Whether the whole race of identical builds was called shifted.
    pub shifted: bool,
    /// By how much whoever goes second in a pair is worse, where that was proved: an order effect, which cancels.
    pub slot_effect_pct: Option<f64>,
    /// The level of false flags that the rule is told to keep, in percent.
    pub false_alarms_pct: f64,
    /// Pull requests drawn from the rounds of identical builds; null where these were too few.
    pub resampled: Option<Resampled>,
    /// The known slowdown; null where there was none.
    pub slowdown: Option<KnownSlowdown>,
    /// Why there was none.
    pub no_slowdown: Option<String>,
    /// What budgets can prove, by entry and scenario.
    pub provable: Vec<ProvableRow>,
    /// What the machine did meanwhile; null where it was not watched.
    pub machine: Option<MachineFigures>,
    /// Sentences about the whole.
    pub warnings: Vec<String>,
}

/// How long identical builds were raced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoundsFigures {
    /// Rounds that were asked for.
    pub asked: u32,
    /// Rounds that were raced.
    pub raced: u32,
    /// Seconds of a round of everybody.
    pub seconds: f64,
}

/// The robust standard deviation of the log-ratios of an entry's pairs, over its cells of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NoiseRow {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// The suite.
    pub suite: Suite,
    /// The metric.
    pub metric: Metric,
    /// Its cells.
    pub cells: usize,
    /// The quietest cell's.
    pub lowest_pct: f64,
    /// The median cell's.
    pub median_pct: f64,
    /// The noisiest cell's.
    pub highest_pct: f64,
}

/// A difference that was proved between identical builds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlaggedCell {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// The suite.
    pub suite: Suite,
    /// The scenario; null for a start.
    pub scenario: Option<ScenarioName>,
    /// The metric.
    pub metric: Metric,
    /// The difference.
    pub change_pct: Option<f64>,
    /// Its interval, as of this cell alone.
    pub interval_pct: Option<[f64; 2]>,
}

/// Pull requests that change nothing, drawn from the rounds of identical builds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Resampled {
    /// How many.
    pub pulls: u32,
    /// Those with any flag.
    pub flagged: u32,
    /// Their share.
    pub flagged_pct: f64,
    /// The 95 % interval of that share, of the draws alone: it knows nothing of other hours and machines.
    pub interval_pct: [f64; 2],
}

/// A slowdown that was made, and what was found of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KnownSlowdown {
    /// The entry.
    pub entry: EntryName,
    /// The scenario.
    pub scenario: ScenarioName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// By how much more a request of head's cost: the delay over what base's cost in the same race.
    pub slower_pct: f64,
    /// Nanoseconds of CPU time that did it.
    pub delay_ns: u64,
    /// CPU microseconds that server and pass-through used for a request without, when the delay was chosen.
    pub request_us: f64,
    /// The share of their CPU's time that they used without, in percent; null where it could not be read. As far as the CPU
    /// was idle for the rest, and not taken by others, the known effect on speed is an upper limit.
    pub busy_pct: Option<f64>,
    /// Whether it was proved in requests per second or p50.
    pub found: bool,
    /// The rounds after which it was.
    pub found_after: Option<usize>,
    /// The rounds that were raced.
    pub rounds: u32,
    /// Requests per second, p50 and CPU per request.
    pub metrics: Vec<KnownMetric>,
}

/// One metric of the known slowdown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KnownMetric {
    /// The metric.
    pub metric: Metric,
    /// The known difference.
    pub known_pct: f64,
    /// The measured one.
    pub measured_pct: Option<f64>,
    /// Its interval, as of this cell alone.
    pub interval_pct: Option<[f64; 2]>,
    /// The valid pairs.
    pub rounds: usize,
    /// The verdict's word.
    pub verdict: String,
}

/// What budgets can prove about a scenario of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProvableRow {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// The scenario.
    pub scenario: ScenarioName,
    /// Its part of a round, in seconds.
    pub seconds: f64,
    /// Budgets, the smallest first.
    pub budgets: Vec<BudgetRow>,
}

/// What one budget can prove.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BudgetRow {
    /// The budget.
    pub minutes: u32,
    /// Rounds of everybody that it holds, at most 40.
    pub rounds: u32,
    /// The smallest slowdown that is proved with 95 % power; null where none is, or it is not known.
    pub smallest_pct: Option<f64>,
}

/// What the machine did while both races measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MachineFigures {
    /// While identical builds were raced.
    pub identical: Option<MachineRecord>,
    /// While the known slowdown was.
    pub slowed: Option<MachineRecord>,
}
