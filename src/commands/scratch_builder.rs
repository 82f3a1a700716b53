//! Builds from clean for the race, done by the room that knows work trees.

use crate::model::FailureKind;
use crate::process::{CancelFlag, Supervisor};
use crate::race::{CleanBuildJob, CleanBuilder, CleanlyBuilt, CommandFailure, Stop};
use std::time::Duration;

/// Builds in a scratch copy of a variant's directory.
pub(super) struct ScratchBuilder<'a> {
    supervisor: &'a Supervisor,
    cancel: &'a CancelFlag,
    limit: Duration,
}

impl<'a> ScratchBuilder<'a> {
    /// One build may take `limit`.
    pub(super) fn new(supervisor: &'a Supervisor, cancel: &'a CancelFlag, limit: Duration) -> Self {
        Self { supervisor, cancel, limit }
    }
}

impl CleanBuilder for ScratchBuilder<'_> {
    fn build(&self, job: &CleanBuildJob<'_>) -> Result<Result<CleanlyBuilt, CommandFailure>, Stop> {
        let _ = (self.supervisor, self.cancel, self.limit, job);
        let message = "builds from clean are not there yet".to_owned();
        Ok(Err(CommandFailure { kind: FailureKind::BuildFailed, message, output: None }))
    }
}
