//! What went wrong or was noticed: failure is data, never the end of a run.

use super::{Case, EntryName, RegimeName, ScenarioName, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where in a run something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Fetching, checking out, or running the build steps.
    Build,
    /// Comparing every scenario's answer with the contract, once.
    Gate,
    /// Starting a server and waiting for its first good answer.
    Start,
    /// Warm-up or measured slices.
    Load,
    /// A command's run.
    Run,
    /// Stopping a server.
    Stop,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A build step ended with an error.
    BuildFailed,
    /// A build step passed its time limit.
    BuildTimeout,
    /// The program could not be started at all.
    SpawnFailed,
    /// The server ended before it answered.
    DiedAtStart,
    /// The server gave no good answer in time.
    NeverReady,
    /// The server listens on another port than the one it was given.
    AnotherPort,
    /// The port that was given is answered by a process that is not the server's.
    ForeignPort,
    /// An answer differs from the contract.
    WrongAnswer,
    /// The server ended while it was under load.
    DiedUnderLoad,
    /// A command's run ended with an error, or left nothing of what it was to leave.
    RunFailed,
    /// A command's run passed its time limit.
    RunTimeout,
    /// Connections failed under load: refused, reset, timed out, or not HTTP.
    ConnectionErrors,
    /// The server printed more than a log may hold.
    PrintedTooMuch,
    /// A service that the variant needs failed.
    ServiceFailed,
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The round, counted from 0; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The entry.
    pub entry: EntryName,
    /// The side; absent where both share what failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The scenario, where one was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioName>,
    /// Where it happened.
    pub phase: Phase,
    /// What it was.
    pub kind: FailureKind,
    /// One sentence: what happened, as a lowercase fragment.
    pub message: String,
    /// The tail of the child's output, where it printed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// How one side's attempt at a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It gave values.
    Measured,
    /// It failed.
    Failed,
    /// It was not tried, because the side does not exist or failed earlier in the round through no fault of the case.
    Skipped,
}

/// One attempt of one round at one case of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// The round, counted from 0.
    pub round: u32,
    /// 0 for the first try; a round is run again at most twice.
    pub attempt: u32,
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<RegimeName>,
    /// The scenario, or the start.
    pub case: Case,
    /// How base's part ended.
    pub base: Outcome,
    /// How head's part ended.
    pub head: Outcome,
    /// The side that went first: it was started first and opened the slices. Absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Side>,
    /// Whether the load generator was the limit on either side, so that the case says nothing about the servers' speed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generator_limited: bool,
}

/// How the gate judged one scenario of one side of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The answer is the contract's.
    Passed,
    /// It is not, or none came.
    Failed,
    /// Not asked, because the side has no such entry, or it did not build or start.
    NotAsked,
}

/// The gate's finding for one scenario, or for one run of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WireGateRecord", into = "WireGateRecord")]
pub struct GateRecord {
    /// The entry.
    pub entry: EntryName,
    /// The side.
    pub side: Side,
    /// The scenario or the run.
    pub case: Case,
    /// The finding.
    pub outcome: GateOutcome,
}

/// A finding as files have it: a scenario stands by its name, as it did before there were runs.
#[derive(Serialize, Deserialize, JsonSchema)]
struct WireGateRecord {
    /// The entry.
    entry: EntryName,
    /// The side.
    side: Side,
    /// The scenario; absent where `case` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scenario: Option<ScenarioName>,
    /// The run of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    case: Option<Case>,
    /// The finding.
    outcome: GateOutcome,
}

impl TryFrom<WireGateRecord> for GateRecord {
    type Error = &'static str;
    fn try_from(wire: WireGateRecord) -> Result<Self, Self::Error> {
        let WireGateRecord { entry, side, scenario, case, outcome } = wire;
        let case =
            scenario.map(Case::Scenario).or(case).ok_or("a finding of the gate is of a scenario or of a case")?;
        Ok(Self { entry, side, case, outcome })
    }
}

impl From<GateRecord> for WireGateRecord {
    fn from(record: GateRecord) -> Self {
        let GateRecord { entry, side, case, outcome } = record;
        let (scenario, case) = match case {
            Case::Scenario(name) => (Some(name), None),
            other => (None, Some(other)),
        };
        Self { entry, side, scenario, case, outcome }
    }
}

impl JsonSchema for GateRecord {
    fn schema_name() -> Cow<'static, str> {
        "GateRecord".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WireGateRecord::json_schema(generator)
    }
}

/// Something that a reader should know about an entry though it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObservationKind {
    /// It did not end within the grace after SIGTERM and was killed.
    IgnoredTermination,
    /// It left processes behind that had to be killed.
    LeftProcesses,
    /// It used CPU while only its partner was asked.
    WorkedWhileIdle,
    /// Its memory grew steeply under load.
    MemoryGrew,
    /// Its answers stood still for a while, again and again.
    Stalled,
    /// It closed connections, which were opened again.
    ClosedConnections,
    /// The load generator was busier than the server.
    GeneratorLimited,
    /// Slices failed the self-check by Little's law.
    SelfCheckFailed,
}

/// One observation; equal ones of later rounds are counted, not repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The entry.
    pub entry: EntryName,
    /// The side it was first seen on.
    pub side: Side,
    /// What was seen.
    pub kind: ObservationKind,
    /// One sentence with the first occurrence's figures.
    pub message: String,
    /// In how many measurements it was seen.
    pub times: u32,
}
