//! An event, as deadheat sees it.

use super::dispatch::WorkflowDispatch;
use super::parts::{EventBase, EventHead};
use crate::github::{Account, WorkflowRun};
use crate::model::{CommitSha, PullNumber};

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something about a pull request.
    PullRequest(PullRequest),
    /// Commits were pushed, or a branch or tag was made or deleted.
    Push(Push),
    /// A workflow was dispatched.
    Dispatch(WorkflowDispatch),
    /// Something about a run of another workflow.
    WorkflowRun(WorkflowRunEvent),
    /// Something about a comment on an issue or a pull request.
    IssueComment(IssueComment),
    /// A merge queue asks for checks.
    MergeGroup(MergeGroup),
    /// Anything else, by its name.
    Other(String),
}

/// What was done to a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullAction {
    /// It was opened.
    Opened,
    /// Commits were pushed to it.
    Synchronize,
    /// It was opened again.
    Reopened,
    /// It is no draft any more.
    ReadyForReview,
    /// This label was added.
    Labeled(String),
    /// Something else.
    Other(String),
}

/// Something about a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// What.
    pub action: PullAction,
    /// Its number.
    pub number: PullNumber,
    /// Whether it is a draft.
    pub draft: bool,
    /// The labels that it bears.
    pub labels: Vec<String>,
    /// What is to be merged.
    pub head: EventHead,
    /// What it is to be merged into.
    pub base: EventBase,
}

impl PullRequest {
    /// Whether head is in another repository, or in one that is gone.
    pub fn is_from_fork(&self) -> bool {
        self.head.repository.as_ref().is_none_or(|head| head.id != self.base.repository.id)
    }
}

/// Commits were pushed, or a branch or tag was made or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// What it was before; none where it is new.
    pub before: Option<CommitSha>,
    /// What it is now; none where it was deleted.
    pub after: Option<CommitSha>,
    /// The whole name, such as `refs/heads/main`.
    pub reference: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// Whether commits were thrown away.
    pub forced: bool,
    /// The repository's default branch.
    pub default_branch: String,
}

impl Push {
    /// The branch, where it is one.
    pub fn branch(&self) -> Option<&str> {
        self.reference.strip_prefix("refs/heads/")
    }

    /// Whether it is the default branch.
    pub fn is_default_branch(&self) -> bool {
        self.branch() == Some(self.default_branch.as_str())
    }
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAction {
    /// It was asked for.
    Requested,
    /// It runs.
    InProgress,
    /// It ended.
    Completed,
}

/// Something about a run of another workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRunEvent {
    /// What.
    pub action: RunAction,
    /// The run.
    pub run: WorkflowRun,
}

/// What was done to a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentAction {
    /// It was written.
    Created,
    /// It was edited.
    Edited,
    /// It was deleted.
    Deleted,
}

/// Something about a comment on an issue or a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueComment {
    /// What.
    pub action: CommentAction,
    /// Whether the issue is a pull request.
    pub is_pull_request: bool,
    /// The number of the issue or pull request.
    pub number: PullNumber,
    /// The comment's own number.
    pub comment: u64,
    /// Its text.
    pub body: String,
    /// Who wrote it; none where the account is gone.
    pub author: Option<Account>,
}

/// A merge queue asks for checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeGroup {
    /// What, such as `checks_requested`.
    pub action: String,
    /// The commit that would be merged.
    pub head_sha: CommitSha,
    /// Its branch, `refs/heads/gh-readonly-queue/...`.
    pub head_reference: String,
    /// What it is to be merged into.
    pub base_sha: CommitSha,
    /// The branch of that.
    pub base_reference: String,
}
