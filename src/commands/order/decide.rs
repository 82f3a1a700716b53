//! The decision: what is raced, or why nothing is.

use super::super::outcome::CommandError;
use super::{PullGate, dispatch, pull_request, push};
use crate::build::Repository;
use crate::cli::{RunArgs, SelectionArgs};
use crate::github::{ActionsContext, Event};
use crate::model::{CommitSha, PerSide};

/// What a run is to race.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct Order {
    /// As `--base`.
    pub(in crate::commands) base: Option<String>,
    /// As `--head`.
    pub(in crate::commands) head: Option<String>,
    /// What people call the commits that an event named.
    pub(in crate::commands) names: PerSide<Option<String>>,
    /// What is raced, out of all that the configuration names.
    pub(in crate::commands) selection: SelectionArgs,
    /// What a reader of the results must know.
    pub(in crate::commands) warnings: Vec<String>,
    /// The pull request that asks for the race.
    pub(in crate::commands) pull: Option<PullGate>,
    /// Whether an event named the commits.
    pub(in crate::commands) by_event: bool,
}

impl Order {
    /// The race of a commit that an event named.
    pub(super) fn of(head: &CommitSha, selection: &SelectionArgs) -> Self {
        Self { head: Some(head.to_string()), selection: selection.clone(), by_event: true, ..Self::default() }
    }

    /// Against `base`, or of head alone.
    pub(super) fn against(self, base: Option<&CommitSha>) -> Self {
        Self { base: Some(base.map_or_else(|| "none".to_owned(), ToString::to_string)), ..self }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(in crate::commands) enum Decision {
    /// A race.
    Race(Box<Order>),
    /// Nothing, for this reason.
    NotAsked {
        /// The commit that the event is about, where it is about one.
        head: Option<CommitSha>,
        /// A sentence.
        message: String,
    },
}

impl Decision {
    pub(super) fn not_asked(head: Option<&CommitSha>, message: impl Into<String>) -> Self {
        Self::NotAsked { head: head.cloned(), message: message.into() }
    }
}

/// Decides what `arguments` ask for, in `context` where that is Actions.
pub(in crate::commands) fn decide(
    repository: &Repository,
    arguments: &RunArgs,
    context: Option<&ActionsContext>,
) -> Result<Decision, CommandError> {
    let named = arguments.base.is_some() || arguments.head.is_some() || arguments.resume;
    let Some(context) = context.filter(|_| !named) else {
        return Ok(Decision::Race(Box::new(Order {
            base: arguments.base.clone(),
            head: arguments.head.clone(),
            selection: arguments.selection.clone(),
            ..Order::default()
        })));
    };
    let event = context.event().map_err(CommandError::usage)?;
    of_event(repository, &event, &arguments.selection)
}

/// Decides what an event asks for.
pub(super) fn of_event(
    repository: &Repository,
    event: &Event,
    selection: &SelectionArgs,
) -> Result<Decision, CommandError> {
    let is_for_publish = |name: &str| {
        Err(CommandError::usage(format!(
            "failed to race: the event {name} brings no code to race; `deadheat publish` is what answers it"
        )))
    };
    match event {
        Event::PullRequest(pull) => pull_request::decide(repository, pull, selection),
        Event::Push(pushed) => push::decide(repository, pushed, selection),
        Event::Dispatch(dispatched) => dispatch::decide(repository, dispatched, selection),
        Event::MergeGroup(group) => Ok(Decision::not_asked(
            Some(&group.head_sha),
            "A commit of the merge queue is not raced: the pull requests in it are, each by itself.",
        )),
        Event::WorkflowRun(_) => is_for_publish("workflow_run"),
        Event::IssueComment(_) => is_for_publish("issue_comment"),
        Event::Other(name) if name == "pull_request_target" => Err(CommandError::usage(
            "failed to race: the event pull_request_target gives a job a token that writes, and a race executes the \
             pull request's code; start the workflow on pull_request instead",
        )),
        Event::Other(name) => Ok(Decision::not_asked(
            None,
            format!("The event `{name}` asks for no race; `--base` and `--head` name commits to race all the same."),
        )),
    }
}
