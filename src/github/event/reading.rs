//! From payloads to events.

use super::dispatch::{DispatchInputs, WorkflowDispatch};
use super::happened::{
    CommentAction, Event, IssueComment, MergeGroup, PullAction, PullRequest, Push, RunAction, WorkflowRunEvent,
};
use super::parts::{EventBase, EventHead};
use super::{EventError, wire};
use crate::model::{CommitSha, PullNumber};
use serde::de::DeserializeOwned;

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
    let default_branch =
        wire.repository.default_branch.ok_or_else(|| lacks("push", "the repository's default branch"))?;
    let after = commit(wire.after);
    Ok(Push {
        before: commit(wire.before),
        deleted: wire.deleted || after.is_none(),
        after,
        reference: wire.reference,
        forced: wire.forced,
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
    Ok(WorkflowRunEvent { action, run: wire.workflow_run.into() })
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
