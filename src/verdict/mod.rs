//! Statistics and decisions. Pure: knows only the model.
//!
//! Every verdict is recomputed from [`crate::model::Results`]; none is ever read. [`judge`] judges a run,
//! [`still_racing`] says between two rounds who goes on.
//!
//! Known limits. The rule controls false flags for rounds whose noise is symmetric: a pure two-point distribution of
//! +-3 % raises them to about 5 %, and an order that is never counterbalanced is taken for an effect. A difference that
//! lasts a whole run on one machine (code layout, CPU model) is proved and still not the pull request's doing.
//! [`calibration`] measures the first two on simulated and on resampled rounds.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod beside_control;
mod binomial;
pub mod calibration;
mod cell;
mod conclusion;
mod context;
mod decide;
mod failing;
mod family;
mod forecast;
mod gate;
mod leaving;
mod limits;
mod looks;
mod outcome;
mod pairs;
mod rank_sum;
mod remaining;
pub mod rivals;
mod robust;
mod run;
mod shift;
mod sign_test;
mod signed_rank;
mod slot;
mod student;
mod walsh;
mod words;

#[cfg(test)]
mod outcome_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub use binomial::{BinomialInterval, binomial_interval};
pub use cell::{CellVerdict, NoiseThreshold};
pub use conclusion::{CheckConclusion, Conclusion, conclusion};
pub use decide::{Decision, Direction, decide, theta};
pub use failing::{Failing, FailingCause, UnmeasuredReason};
pub use forecast::rounds_left;
pub use leaving::{EntryInRace, StillRacing, still_racing};
pub use limits::{Limits, log_of_share, share_of_log};
pub use looks::{Critical, LOOKS, Look, MAX_PAIRS, MIN_PAIRS};
pub use outcome::{RunOutcome, outcome};
pub use pairs::{Pair, pairs};
pub use remaining::{HORIZON, Needed, look_for, needed};
pub use robust::{Robust, median, robust, robust_deviation};
pub use run::{Counts, RunVerdict, judge};
pub use shift::{Shift, ShiftDirection};
pub use sign_test::sign_test;
pub use signed_rank::{SignedRank, signed_rank};
pub use slot::SlotEffect;
pub use walsh::{Interval, hodges_lehmann, walsh_interval};
pub use words::Word;
