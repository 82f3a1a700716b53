//! One build step: a command run to its end, its log kept, and the note that it was done.

use super::workshop::{BuildError, disk};
use crate::model::{CommitSha, FailureKind};
use crate::plan::CommandLine;
use crate::process::{CancelFlag, ChildSpec, Ending, Environment, Measured, SpawnError, Supervisor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A step that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFailure {
    /// Failed, or out of time.
    pub kind: FailureKind,
    /// One sentence, as a lowercase fragment.
    pub message: String,
    /// The tail of what it printed.
    pub output: Option<String>,
}

/// Which steps were done in a tree, kept beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StepsDone {
    /// The commit that the tree holds.
    pub(super) sha: Option<CommitSha>,
    /// By step, a hash of everything that it depends on besides the tree.
    pub(super) steps: BTreeMap<String, String>,
}

impl StepsDone {
    /// What is noted at `path`; nothing where there is no readable note.
    pub(super) fn read(path: &Path) -> Self {
        fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), BuildError> {
        let text = serde_json::to_vec(self).map_err(|error| disk("write", path, error.into()))?;
        fs::write(path, text).map_err(|source| disk("write", path, source))
    }
}

/// Where and as whom commands run.
pub(super) struct Job<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) cancel: &'a CancelFlag,
    pub(super) log: &'a Path,
    pub(super) directory: &'a Path,
    pub(super) environment: &'a Environment,
    /// Empty for all that there are.
    pub(super) cpus: &'a [usize],
    /// What a step that takes too long has passed, such as `its time limit`.
    pub(super) limit: &'static str,
}

impl Job<'_> {
    /// Runs `command` for at most `limit`: the time it took, or how it failed.
    pub(super) fn run(
        &self,
        command: &CommandLine,
        limit: Duration,
    ) -> Result<Result<Duration, StepFailure>, BuildError> {
        let run = self.supervisor.run_to_end(&self.spec(command), limit, self.cancel);
        let judged = self.judge(command, limit, run, |finished| (finished.ending, &finished.output))?;
        Ok(judged.map(|finished| finished.duration))
    }

    /// As [`Self::run`], with all that it cost.
    pub(super) fn measure(
        &self,
        command: &CommandLine,
        limit: Duration,
    ) -> Result<Result<Measured, StepFailure>, BuildError> {
        let run = self.supervisor.run_measured(&self.spec(command), limit, self.cancel);
        self.judge(command, limit, run, |measured| (measured.ending, &measured.output))
    }

    fn spec(&self, command: &CommandLine) -> ChildSpec {
        ChildSpec {
            argv: command.0.clone(),
            cwd: self.directory.to_owned(),
            env: self.environment.clone(),
            cpus: self.cpus.to_vec(),
            log: self.log.to_owned(),
        }
    }

    fn judge<T>(
        &self,
        command: &CommandLine,
        limit: Duration,
        run: Result<T, SpawnError>,
        told: impl Fn(&T) -> (Ending, &str),
    ) -> Result<Result<T, StepFailure>, BuildError> {
        let line = command.0.join(" ");
        let done = match run {
            Ok(done) => done,
            Err(SpawnError::Guard(error)) => return Err(BuildError::Guard(error.to_string())),
            Err(error) => {
                let message = format!("build step `{line}` could not be run: {error}");
                return Ok(Err(StepFailure { kind: FailureKind::BuildFailed, message, output: None }));
            }
        };
        let (ending, output) = told(&done);
        let (kind, what) = match ending {
            Ending::Exited(status) if status.success() => return Ok(Ok(done)),
            Ending::Exited(status) => (FailureKind::BuildFailed, format!("ended with {status}")),
            Ending::TimedOut => (FailureKind::BuildTimeout, format!("passed {} ({} s)", self.limit, limit.as_secs())),
            Ending::PrintedTooMuch => (FailureKind::BuildFailed, "printed more than a log may hold".to_owned()),
            Ending::Cancelled => return Err(BuildError::Interrupted),
        };
        let output = Some(output.to_owned()).filter(|text| !text.trim().is_empty());
        Ok(Err(StepFailure { kind, message: format!("build step `{line}` {what}"), output }))
    }
}
