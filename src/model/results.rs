//! The results file: everything that was measured, so that a verdict can be recomputed from it at any time.
//!
//! Nothing is stored rounded and no verdict is stored. Readers accept unknown fields, so that a file of a later minor
//! version is still read; a later `schema` number is refused by whoever reads the file.

use super::{
    Attempt, CalibrationRecord, CellRecord, CommitSha, ConfigurationPath, EntryRecord, Failure, Fingerprint,
    GateRecord, JudgingRecord, MachineRecord, MixRecord, NotRaced, Observation, ProtocolRecord, ScenarioRecord, Seed,
    SelectionRecord,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the file's shape; raised when an older reader would misread a newer file.
pub const SCHEMA_VERSION: u32 = 1;

/// One commit of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideRecord {
    /// The commit.
    pub sha: CommitSha,
    /// Whether uncommitted changes were raced on top of it.
    pub dirty: bool,
    /// The commit of the snapshot that was raced, where it is dirty; equal files give an equal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<CommitSha>,
    /// What the user called it: a branch, a tag, `HEAD`.
    pub rev: String,
}

/// Where the wall time of the race went, in seconds; builds and the gate are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeSpent {
    /// Building both sides and the references.
    pub build_s: f64,
    /// The gate.
    pub gate_s: f64,
    /// The whole race: all that follows are parts of it, and what they leave is starting, stopping and bookkeeping.
    pub race_s: f64,
    /// Warm-up.
    pub warmup_s: f64,
    /// Measured slices.
    pub slices_s: f64,
    /// Boots that were timed, with the idle pause that follows them.
    pub boot_s: f64,
    /// Commands that were run to their end, builds from clean among them.
    #[serde(default)]
    pub runs_s: f64,
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// Version of this shape: [`SCHEMA_VERSION`].
    pub schema: u32,
    /// Version of deadheat that wrote the file.
    pub deadheat: String,
    /// Whether this was the smallest run that exercises everything; it judges nothing.
    pub quick: bool,
    /// When the race started, in UTC, as RFC 3339.
    pub started: String,
    /// Base; absent where head ran alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<SideRecord>,
    /// Head.
    pub head: SideRecord,
    /// What the schedule was derived from.
    pub seed: Seed,
    /// What of the configuration was asked for.
    #[serde(default, skip_serializing_if = "SelectionRecord::is_everything")]
    pub selection: SelectionRecord,
    /// How the race was run.
    pub protocol: ProtocolRecord,
    /// What the decision rule was told.
    pub judging: JudgingRecord,
    /// Whose configuration it was; absent where it is `deadheat.toml` at the repository's root, or not plainly named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<ConfigurationPath>,
    /// Where it ran.
    pub fingerprint: Fingerprint,
    /// Who was raced, or should have been.
    pub entries: Vec<EntryRecord>,
    /// What was asked.
    pub scenarios: Vec<ScenarioRecord>,
    /// Mixes over scenarios.
    #[serde(default)]
    pub mixes: Vec<MixRecord>,
    /// Every expected cell, listed before the first round, with its values.
    pub cells: Vec<CellRecord>,
    /// What the gate found.
    pub gate: Vec<GateRecord>,
    /// Every attempt at every case.
    pub attempts: Vec<Attempt>,
    /// Every failure.
    pub failures: Vec<Failure>,
    /// What was noticed besides.
    #[serde(default)]
    pub observations: Vec<Observation>,
    /// What the machine did besides; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineRecord>,
    /// What a calibration made of it; absent of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationRecord>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Where the time went.
    pub time: TimeSpent,
    /// Why nothing was raced; then there are no entries and no cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_raced: Option<NotRaced>,
    /// Sentences about the run as a whole: shared CPUs, refused pinning, an interrupted race.
    #[serde(default)]
    pub warnings: Vec<String>,
}
