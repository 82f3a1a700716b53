//! The rounds: servers, the gate, the suites, the load generator, the boot probe, the journal.

mod apply;
mod budget;
mod commands;
mod contender;
mod contract;
mod course;
mod derived;
mod gate;
mod journal;
mod laps;
pub mod load;
mod lookout;
mod open;
pub mod pass_through;
mod priority;
mod relay;
mod rounds;
mod server;
mod service;
mod turn;
mod values;

pub use apply::apply_round;
pub use budget::{LaneCost, RunTimes};
pub use commands::{CleanBuildJob, CleanBuilder, CleanlyBuilt, CommandFailure};
pub use contender::{Contender, Question, Startable, Track as TrackSetup};
pub use contract::{Difference, difference, fixed_length};
pub use course::{Course, Setup};
pub use derived::{derive_round, log_ratio, weighted_harmonic_mean};
pub use gate::{Gated, GatedCommand, Stable};
pub use journal::{JournalError, JournalFile};
pub use open::Open;
pub use rounds::{Ending, Journal, Race, Referee, Stop, Track, Watch};
pub use turn::{BootTurn, CaseOutcome, Measured, RoundRecord, SliceRecord, Turn, TurnOutcome, TurnRecord};

#[cfg(test)]
mod rounds_tests;
#[cfg(test)]
mod testing;
