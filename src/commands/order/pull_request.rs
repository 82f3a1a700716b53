//! A pull request: its head against the point where it left its base branch.

use super::super::outcome::CommandError;
use super::decide::{Decision, Order};
use super::gate::{PullGate, quoted};
use crate::build::{GitError, Repository};
use crate::cli::SelectionArgs;
use crate::github::{PullAction, PullRequest};
use crate::model::{CommitSha, PerSide};

pub(super) fn decide(
    repository: &Repository,
    pull: &PullRequest,
    selection: &SelectionArgs,
) -> Result<Decision, CommandError> {
    let head = &pull.head.sha;
    match &pull.action {
        PullAction::Opened
        | PullAction::Synchronize
        | PullAction::Reopened
        | PullAction::ReadyForReview
        | PullAction::Labeled(_) => {}
        PullAction::Other(action) => {
            let message = format!("The action {} on a pull request asks for no race.", quoted(action));
            return Ok(Decision::not_asked(Some(head), message));
        }
    }
    let kept = format!("refs/pull/{}/head", pull.number);
    if let Err(error) = repository.obtain(head, std::slice::from_ref(&kept)) {
        return superseded(repository, pull, &kept).map_or_else(|| Err(lost(pull, &error)), Ok);
    }
    let mut order = Order::of(head, selection);
    let base = base(repository, pull, &mut order.warnings)?;
    order.names = PerSide { base: Some(pull.base.branch.clone()), head: Some(head_name(pull)) };
    order.pull = Some(PullGate::new(pull));
    Ok(Decision::Race(Box::new(order.against(Some(&base)))))
}

/// `owner:branch` where the branch is in another repository, as GitHub writes it.
fn head_name(pull: &PullRequest) -> String {
    match &pull.head.repository {
        Some(repository) if pull.is_from_fork() => format!("{}:{}", repository.owner, pull.head.branch),
        _ => pull.head.branch.clone(),
    }
}

/// The merge base with the base branch as it is now. The event's own base is only the tip that GitHub saw last.
fn base(repository: &Repository, pull: &PullRequest, warnings: &mut Vec<String>) -> Result<CommitSha, CommandError> {
    let head = &pull.head.sha;
    let branch = &pull.base.branch;
    // Without credentials a private repository can't be fetched from; what the checkout fetched is minutes old then.
    let tip = repository.fetch_branch(branch).ok().or_else(|| repository.tip(branch));
    if let Some(base) = tip.and_then(|tip| repository.merge_base(head, &tip)) {
        if base != *head {
            return Ok(base);
        }
        // It was merged meanwhile, and the branch holds all of it: what it was merged into is what the event names.
        let named = &pull.base.sha;
        let before = repository.obtain(named, &[]).ok().and_then(|()| repository.merge_base(head, named));
        return Ok(before.unwrap_or(base));
    }
    let named = &pull.base.sha;
    repository.obtain(named, &[]).map_err(|error| {
        CommandError::infrastructure(format!(
            "{error}; it is the base of #{}, and its branch {} could not be had either: check the repository out with \
             fetch-depth: 0",
            pull.number,
            quoted(branch)
        ))
    })?;
    if let Some(base) = repository.merge_base(head, named) {
        warnings.push(format!(
            "the branch {} could not be fetched: base is where head left it as GitHub last saw it, which may be long ago",
            quoted(branch)
        ));
        return Ok(base);
    }
    warnings.push(format!(
        "no common ancestor of head and {} was found: base is the branch's tip as GitHub last saw it, so that changes of \
         others may be among the differences",
        quoted(branch)
    ));
    Ok(named.clone())
}

/// Whether the head was replaced meanwhile: then another run compares what is there now.
fn superseded(repository: &Repository, pull: &PullRequest, kept: &str) -> Option<Decision> {
    let head = &pull.head.sha;
    let now = repository.fetched(kept)?;
    (now != *head).then(|| {
        let message = format!(
            "Commit `{}` was replaced by `{}` before it could be raced; the run of that commit compares it.",
            head.short(),
            now.short()
        );
        Decision::not_asked(Some(head), message)
    })
}

fn lost(pull: &PullRequest, error: &GitError) -> CommandError {
    let fork = match &pull.head.repository {
        None => ", and the fork that it came from is gone",
        Some(_) => "",
    };
    CommandError::infrastructure(format!(
        "{error}; it is the head of #{}{fork}: it may have been force-pushed away, or origin could not be reached. A new \
         push starts another run",
        pull.number
    ))
}
