//! One build step: a command run to its end, its log kept, and the note that it was done.

use super::workshop::{BuildError, disk};
use crate::model::{CommitSha, FailureKind};
use crate::plan::CommandLine;
use crate::process::{CancelFlag, ChildSpec, Ending, Environment, SpawnError, Supervisor};
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
}

impl Job<'_> {
    /// Runs `command` for at most `limit`: the time it took, or how it failed.
    pub(super) fn run(
        &self,
        command: &CommandLine,
        limit: Duration,
    ) -> Result<Result<Duration, StepFailure>, BuildError> {
        let spec = ChildSpec {
            argv: command.0.clone(),
            cwd: self.directory.to_owned(),
            env: self.environment.clone(),
            cpus: Vec::new(),
            log: self.log.to_owned(),
        };
        let line = command.0.join(" ");
        let failed = |kind, message: String, output: Option<String>| {
            Ok(Err(StepFailure { kind, message, output: output.filter(|text| !text.trim().is_empty()) }))
        };
        let finished = match self.supervisor.run_to_end(&spec, limit, self.cancel) {
            Ok(finished) => finished,
            Err(SpawnError::Guard(error)) => return Err(BuildError::Guard(error.to_string())),
            Err(error) => {
                return failed(
                    FailureKind::BuildFailed,
                    format!("build step `{line}` could not be run: {error}"),
                    None,
                );
            }
        };
        match finished.ending {
            Ending::Exited(status) if status.success() => Ok(Ok(finished.duration)),
            Ending::Exited(status) => failed(
                FailureKind::BuildFailed,
                format!("build step `{line}` ended with {status}"),
                Some(finished.output),
            ),
            Ending::TimedOut => failed(
                FailureKind::BuildTimeout,
                format!("build step `{line}` passed what was left of [build] time_limit ({} s)", limit.as_secs()),
                Some(finished.output),
            ),
            Ending::PrintedTooMuch => failed(
                FailureKind::BuildFailed,
                format!("build step `{line}` printed more than a log may hold"),
                Some(finished.output),
            ),
            Ending::Cancelled => Err(BuildError::Interrupted),
        }
    }
}
