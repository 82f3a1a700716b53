//! Builds from clean for the race, done by the room that knows work trees.

use crate::build::{BuildError, CleanBuild};
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
        let build = CleanBuild {
            supervisor: self.supervisor,
            cancel: self.cancel,
            log: job.log,
            directory: job.directory,
            environment: job.environment,
            cpus: job.cpus,
        };
        match build.run(job.run, job.output, self.limit) {
            Ok(Ok(cost)) => Ok(Ok(CleanlyBuilt {
                wall: cost.wall,
                cpu: cost.cpu,
                peak_memory: cost.peak_memory,
                output_bytes: cost.output_bytes,
            })),
            Ok(Err(failed)) => {
                Ok(Err(CommandFailure { kind: failed.kind, message: failed.message, output: failed.output }))
            }
            Err(BuildError::Interrupted) => Err(Stop::Interrupted),
            Err(error) => Err(Stop::Broken(error.to_string())),
        }
    }
}
