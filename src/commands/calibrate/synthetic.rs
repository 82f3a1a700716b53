//! The rule alone, on simulated rounds.

use crate::cli::CalibrateArgs;
use crate::commands::{CommandError, Finish, Surroundings};

/// Judges simulated pull requests.
///
/// # Errors
/// [`CommandError`].
pub(super) fn synthetic(_: &mut Surroundings, _: &CalibrateArgs, _: f64) -> Result<Finish, CommandError> {
    Err(CommandError::usage("failed to calibrate: this build simulates nothing yet"))
}
