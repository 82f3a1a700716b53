//! An event, as deadheat sees it.

use super::dispatch::{DispatchInputs, WorkflowDispatch};
use super::parts::{EventAccount, EventBase, EventHead, EventRepository};
use super::{EventError, wire};
use crate::github::Conclusion;
use crate::model::{CommitSha, PullNumber, RunAttempt, RunId};
use serde::de::DeserializeOwned;

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
    /// The repository.
    pub repository: EventRepository,
    /// Its default branch.
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

/// A run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRun {
    /// The run.
    pub id: RunId,
    /// The attempt at it.
    pub attempt: RunAttempt,
    /// The workflow's name, where it has one.
    pub name: Option<String>,
    /// The event that started it.
    pub event: String,
    /// The commit.
    pub head_sha: CommitSha,
    /// The branch, chosen by whoever pushed it.
    pub head_branch: Option<String>,
    /// Where that branch is; none where the fork was deleted.
    pub head_repository: Option<EventRepository>,
    /// How it ended; none while it runs.
    pub conclusion: Option<Conclusion>,
    /// The workflow's file, such as `.github/workflows/deadheat.yml`; older servers don't say it.
    pub path: Option<String>,
    /// Its page.
    pub url: String,
}

/// Something about a run of another workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRunEvent {
    /// What.
    pub action: RunAction,
    /// The run.
    pub run: EventRun,
    /// The repository that the workflow belongs to.
    pub repository: EventRepository,
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
    pub author: Option<EventAccount>,
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

impl Event {
    /// Reads the payload of the event `name`. An event that deadheat has no use for is not read at all.
    ///
    /// # Errors
    /// [`EventError`] where the payload is no JSON or lacks what is needed.
    pub fn read(name: &str, payload: &[u8]) -> Result<Self, EventError> {
        Ok(match name {
            "pull_request" => Self::PullRequest(pull_request(parse(name, payload)?)?),
            "push" => Self::Push(push(parse(name, payload)?)?),
            "workflow_dispatch" => Self::Dispatch(dispatch(parse(name, payload)?)?),
            "workflow_run" => Self::WorkflowRun(workflow_run(parse(name, payload)?)?),
            "issue_comment" => Self::IssueComment(issue_comment(parse(name, payload)?)?),
            "merge_group" => Self::MergeGroup(merge_group(parse(name, payload)?)),
            other => Self::Other(other.to_owned()),
        })
    }
}

fn parse<T: DeserializeOwned>(event: &str, payload: &[u8]) -> Result<T, EventError> {
    serde_json::from_slice(payload)
        .map_err(|error| EventError::Payload { event: event.to_owned(), reason: error.to_string() })
}

fn lacks(event: &str, what: &str) -> EventError {
    EventError::Payload { event: event.to_owned(), reason: format!("it lacks {what}") }
}

fn unknown_action(event: &str, action: &str) -> EventError {
    EventError::Payload { event: event.to_owned(), reason: format!("the action {action:?} is not known") }
}

fn pull_request(wire: wire::WirePullEvent) -> Result<PullRequest, EventError> {
    let event = "pull_request";
    let action = match wire.action.as_str() {
        "opened" => PullAction::Opened,
        "synchronize" => PullAction::Synchronize,
        "reopened" => PullAction::Reopened,
        "ready_for_review" => PullAction::ReadyForReview,
        "labeled" => PullAction::Labeled(wire.label.ok_or_else(|| lacks(event, "the label that was added"))?.name),
        other => PullAction::Other(other.to_owned()),
    };
    let wire::WirePull { number, draft, labels, head, base } = wire.pull_request;
    let base_repository = base.repo.ok_or_else(|| lacks(event, "the base's repository"))?;
    Ok(PullRequest {
        action,
        number: PullNumber(number),
        draft: draft.unwrap_or(false),
        labels: labels.into_iter().map(|label| label.name).collect(),
        head: EventHead { sha: head.sha, branch: head.branch, repository: head.repo.map(Into::into) },
        base: EventBase { branch: base.branch, sha: base.sha, repository: base_repository.into() },
    })
}

fn push(wire: wire::WirePush) -> Result<Push, EventError> {
    // All zeros stand for no commit.
    let commit = |sha: CommitSha| Some(sha).filter(|sha| sha.as_str().bytes().any(|digit| digit != b'0'));
    let repository: EventRepository = wire.repository.into();
    let default_branch =
        repository.default_branch.clone().ok_or_else(|| lacks("push", "the repository's default branch"))?;
    let after = commit(wire.after);
    Ok(Push {
        before: commit(wire.before),
        deleted: wire.deleted || after.is_none(),
        after,
        reference: wire.reference,
        forced: wire.forced,
        repository,
        default_branch,
    })
}

fn dispatch(wire: wire::WireDispatch) -> Result<WorkflowDispatch, EventError> {
    Ok(WorkflowDispatch {
        inputs: DispatchInputs::read(wire.inputs.unwrap_or_default())?,
        reference: wire.reference,
        default_branch: wire.repository.and_then(|repository| repository.default_branch),
    })
}

fn workflow_run(wire: wire::WireRunEvent) -> Result<WorkflowRunEvent, EventError> {
    let action = match wire.action.as_str() {
        "requested" => RunAction::Requested,
        "in_progress" => RunAction::InProgress,
        "completed" => RunAction::Completed,
        other => return Err(unknown_action("workflow_run", other)),
    };
    let run = wire.workflow_run;
    Ok(WorkflowRunEvent {
        action,
        run: EventRun {
            id: RunId(run.id),
            attempt: RunAttempt(run.run_attempt),
            name: run.name,
            event: run.event,
            head_sha: run.head_sha,
            head_branch: run.head_branch,
            head_repository: run.head_repository.map(Into::into),
            conclusion: run.conclusion,
            path: run.path,
            url: run.html_url,
        },
        repository: wire.repository.into(),
    })
}

fn issue_comment(wire: wire::WireCommentEvent) -> Result<IssueComment, EventError> {
    let action = match wire.action.as_str() {
        "created" => CommentAction::Created,
        "edited" => CommentAction::Edited,
        "deleted" => CommentAction::Deleted,
        other => return Err(unknown_action("issue_comment", other)),
    };
    Ok(IssueComment {
        action,
        is_pull_request: wire.issue.pull_request.is_some(),
        number: PullNumber(wire.issue.number),
        comment: wire.comment.id,
        body: wire.comment.body.unwrap_or_default(),
        author: wire.comment.user.map(Into::into),
    })
}

fn merge_group(wire: wire::WireMergeEvent) -> MergeGroup {
    let group = wire.merge_group;
    MergeGroup {
        action: wire.action,
        head_sha: group.head_sha,
        head_reference: group.head_ref,
        base_sha: group.base_sha,
        base_reference: group.base_ref,
    }
}
