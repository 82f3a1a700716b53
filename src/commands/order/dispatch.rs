//! A dispatched workflow: what its inputs name, and where they name nothing, what is checked out.

use super::super::outcome::CommandError;
use super::decide::{Decision, Order};
use super::inputs::{Wanted, wanted};
use crate::build::{GitError, Repository};
use crate::cli::SelectionArgs;
use crate::github::WorkflowDispatch;
use crate::model::{CommitSha, PullNumber};

pub(super) fn decide(
    repository: &Repository,
    dispatch: &WorkflowDispatch,
    given: &SelectionArgs,
) -> Result<Decision, CommandError> {
    let inputs = &dispatch.inputs;
    let Wanted { selection, pull } = wanted(inputs, given)?;
    let references: Vec<String> = pull.iter().map(|number| format!("refs/pull/{number}/head")).collect();
    let (head, head_name) = match (&inputs.head, pull) {
        (Some(rev), _) => (repository.find(rev, &references)?, Some(rev.clone())),
        (None, Some(number)) => (head_of(repository, number, &references)?, Some(format!("#{number}"))),
        (None, None) => (repository.resolve("HEAD")?, branch_name(&dispatch.reference)),
    };
    let mut order = Order::of(&head, &selection);
    order.names.head = head_name;
    if inputs.base.as_deref() == Some("none") {
        return Ok(Decision::Race(Box::new(order.against(None))));
    }
    let base = match &inputs.base {
        Some(rev) => {
            order.names.base = Some(rev.clone());
            repository.find(rev, &[])?
        }
        None => default_base(repository, &head, dispatch.default_branch.as_deref())?,
    };
    Ok(Decision::Race(Box::new(order.against(Some(&base)))))
}

fn head_of(repository: &Repository, number: PullNumber, references: &[String]) -> Result<CommitSha, CommandError> {
    let found = references.iter().find_map(|reference| repository.fetched(reference));
    found.ok_or_else(|| {
        CommandError::infrastructure(format!(
            "failed to fetch the head of #{number}: there is no such pull request, or origin could not be reached"
        ))
    })
}

fn branch_name(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("refs/tags/"));
    name.map(str::to_owned)
}

/// The base of `head` where nobody named one: the merge base with the default branch, or head's parent on that branch.
fn default_base(repository: &Repository, head: &CommitSha, branch: Option<&str>) -> Result<CommitSha, GitError> {
    let tip = branch.and_then(|branch| repository.fetch_branch(branch).ok().or_else(|| repository.tip(branch)));
    match tip.and_then(|tip| repository.merge_base(head, &tip)) {
        Some(base) if base != *head => Ok(base),
        Some(_) => repository.parent(head).ok_or_else(|| GitError::NoBase { head: head.clone() }),
        None => repository.default_base(head),
    }
}
