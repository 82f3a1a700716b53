//! What a run of the workflow was for: found from the run and verified by the API, never read from the results.

use crate::github::{ApiError, Client, Pull, WorkflowRun};

/// What a run was for.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// An open pull request whose head still is the run's commit.
    Pull {
        /// The pull request.
        pull: Box<Pull>,
        /// Whether its head lies in another repository.
        from_fork: bool,
    },
    /// A push to the default branch.
    Push,
    /// A merge queue.
    Queue,
    /// Nothing that is commented on, with the reason. The run's check is completed all the same.
    Nobody {
        /// Why, as a sentence.
        reason: String,
        /// Whether the run's code came from another repository, as far as is known.
        from_fork: bool,
    },
}

impl Subject {
    /// Whether the figures were measured by code of another repository.
    pub(super) fn is_from_fork(&self) -> bool {
        match self {
            Self::Pull { from_fork, .. } | Self::Nobody { from_fork, .. } => *from_fork,
            Self::Push | Self::Queue => false,
        }
    }
}

/// Finds what `run` was for. `repository` is the id of the repository that the workflow belongs to.
pub(super) async fn subject_of(
    client: &Client,
    run: &WorkflowRun,
    repository: u64,
    default_branch: &str,
) -> Result<Subject, ApiError> {
    let foreign = run.head_repository.as_ref().is_none_or(|head| head.id != repository);
    let nobody = |reason: &str| Subject::Nobody { reason: reason.to_owned(), from_fork: foreign };
    match run.event.as_str() {
        "push" if foreign => Ok(nobody("the push was to another repository")),
        "push" if run.head_branch.as_deref() == Some(default_branch) => Ok(Subject::Push),
        "push" => Ok(nobody("the push was not to the default branch")),
        "merge_group" => Ok(Subject::Queue),
        "pull_request" => pull_of(client, run, repository, foreign).await,
        _ => Ok(nobody("the run was started by no event that is published")),
    }
}

/// The open pull request of a run: by the head's branch, then by commit and by both repositories.
async fn pull_of(client: &Client, run: &WorkflowRun, repository: u64, foreign: bool) -> Result<Subject, ApiError> {
    let nobody = |reason: &str| Subject::Nobody { reason: reason.to_owned(), from_fork: foreign };
    let Some(head) = &run.head_repository else {
        return Ok(nobody("the fork that the pull request came from is gone"));
    };
    let Some(branch) = &run.head_branch else {
        return Ok(nobody("the run names no branch"));
    };
    let mut pulls = client.open_pulls_of(&head.owner, branch).await?;
    pulls.retain(|pull| {
        pull.head.sha == run.head_sha
            && pull.head.repository.as_ref().is_some_and(|repository| repository.id == head.id)
            && pull.base.repository.id == repository
    });
    // One head can be proposed to several branches; the run does not say for which, and the oldest is the likeliest.
    pulls.sort_by_key(|pull| pull.number);
    match pulls.into_iter().next() {
        Some(pull) => Ok(Subject::Pull { pull: Box::new(pull), from_fork: foreign }),
        None => Ok(nobody(
            "no open pull request has this commit as its head any more: it was pushed over, closed or merged",
        )),
    }
}
