//! A run of the workflow as a publisher sees it, from an event's payload or from the API.

use crate::github::{Conclusion, EventRun, WorkflowRun};
use crate::model::{CommitSha, RunAttempt, RunId};

/// Another repository, as far as a publisher needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeadRepository {
    pub(super) id: u64,
    pub(super) owner: String,
}

/// A run of the workflow.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) id: RunId,
    pub(super) attempt: RunAttempt,
    /// The event that started it.
    pub(super) event: String,
    pub(super) head_sha: CommitSha,
    pub(super) head_branch: Option<String>,
    /// None where the fork is gone.
    pub(super) head_repository: Option<HeadRepository>,
    /// None while it runs.
    pub(super) conclusion: Option<Conclusion>,
    pub(super) url: String,
}

impl Run {
    /// Whether a job of the run itself publishes it.
    pub(super) fn is_dispatched(&self) -> bool {
        self.event == "workflow_dispatch"
    }
}

impl From<EventRun> for Run {
    fn from(run: EventRun) -> Self {
        Self {
            id: run.id,
            attempt: run.attempt,
            event: run.event,
            head_sha: run.head_sha,
            head_branch: run.head_branch,
            head_repository: run.head_repository.map(|it| HeadRepository { id: it.id, owner: it.owner }),
            conclusion: run.conclusion,
            url: run.url,
        }
    }
}

impl From<WorkflowRun> for Run {
    fn from(run: WorkflowRun) -> Self {
        Self {
            id: run.id,
            attempt: run.attempt,
            event: run.event,
            head_sha: run.head_sha,
            head_branch: run.head_branch,
            head_repository: run.head_repository.map(|it| HeadRepository { id: it.id, owner: it.owner }),
            conclusion: run.conclusion,
            url: run.url,
        }
    }
}
