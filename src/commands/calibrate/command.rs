//! Which of the two calibrations is asked for.

use super::real::real;
use super::synthetic::synthetic;
use crate::cli::CalibrateArgs;
use crate::commands::{CommandError, Finish, Surroundings};

/// Measures what this machine can prove, or judges simulated pull requests.
///
/// # Errors
/// [`CommandError`].
pub fn calibrate(around: &mut Surroundings, arguments: &CalibrateArgs) -> Result<Finish, CommandError> {
    match arguments.synthetic {
        Some(sd_percent) => synthetic(around, arguments, sd_percent),
        None => real(around, arguments),
    }
}
