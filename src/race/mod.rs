//! The rounds: servers, the gate, the suites, the load generator, the boot probe, the journal.

mod budget;
mod contract;
mod derived;
mod journal;
mod rounds;
mod turn;
mod values;

pub use budget::LaneCost;
pub use contract::{Difference, difference, fixed_length};
pub use derived::{derive_round, log_ratio, weighted_harmonic_mean};
pub use journal::{JournalError, JournalFile};
pub use rounds::{Ending, Journal, Open, Race, Referee, Stop, Track, Watch, apply_round};
pub use turn::{BootTurn, CaseOutcome, Measured, RoundRecord, SliceRecord, Turn, TurnOutcome, TurnRecord};

#[cfg(test)]
mod rounds_tests;
#[cfg(test)]
mod testing;
