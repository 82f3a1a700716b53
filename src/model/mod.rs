//! The vocabulary: names, sides, metrics, cells, and the results file. Pure, and imports nobody.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod calibration;
mod cell;
mod configuration_path;
mod entry;
mod figure;
mod fingerprint;
mod machine;
mod metric;
mod names;
mod not_raced;
mod observed;
mod pinned_action;
mod protocol;
mod results;
mod run;
mod selection;
mod side;

pub use calibration::CalibrationRecord;
pub use cell::{Case, CellKey, CellRecord, RoundValue, Standing};
pub use configuration_path::ConfigurationPath;
pub use entry::{EntryRecord, Lineup, Presence, Role, ScenarioRecord};
pub use figure::{CaseName, FigureName};
pub use fingerprint::Fingerprint;
pub use machine::MachineRecord;
pub use metric::{Metric, Polarity, Suite, Unit, UnknownMetric};
pub use names::{
    CategoryName, CommitSha, EntryName, InvalidName, MixName, RegimeName, RuntimeName, ScenarioName, Seed, ServiceName,
    VariantName,
};
pub use not_raced::{NotRaced, NotRacedReason};
pub use observed::{
    Attempt, Failure, FailureKind, GateOutcome, GateRecord, Observation, ObservationKind, Outcome, Phase,
};
pub use pinned_action::PinnedAction;
pub use protocol::{GeneratorMode, JudgingRecord, MixRecord, Pairing, ProtocolRecord, RegimeRecord};
pub use results::{Results, SCHEMA_VERSION, SideRecord, TimeSpent};
pub use run::{PullNumber, RunAttempt, RunId};
pub use selection::SelectionRecord;
pub use side::{PerSide, Side};
