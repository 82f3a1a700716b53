//! One file per subcommand: the sequence of a use case, no arithmetic.

mod outcome;
mod progress;
mod surroundings;

pub use outcome::{CommandError, Finish};
pub use surroundings::{Progress, Show, Surroundings};
