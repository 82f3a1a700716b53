//! The calibration of this machine.

use crate::cli::CalibrateArgs;
use crate::commands::{CommandError, Finish, Surroundings};

/// Measures what this machine can prove.
///
/// # Errors
/// [`CommandError`].
pub(super) fn real(_: &mut Surroundings, _: &CalibrateArgs) -> Result<Finish, CommandError> {
    Err(CommandError::usage("failed to calibrate: this build measures nothing yet; ask for --synthetic SD"))
}
