//! A push: the new tip of the default branch against its nearest measured ancestor.

use super::super::outcome::CommandError;
use super::ancestors::measured;
use super::decide::{Decision, Order};
use super::gate::quoted;
use crate::build::Repository;
use crate::cli::SelectionArgs;
use crate::github::Push;

pub(super) fn decide(
    repository: &Repository,
    push: &Push,
    selection: &SelectionArgs,
) -> Result<Decision, CommandError> {
    let name = quoted(&push.reference);
    let Some(head) = push.after.as_ref().filter(|_| !push.deleted) else {
        let message = format!("{name} was deleted, so there is nothing to race.");
        return Ok(Decision::not_asked(push.before.as_ref(), message));
    };
    if !push.is_default_branch() {
        let main = quoted(&push.default_branch);
        let message = format!("A push is raced where it is to the default branch {main}; this one was to {name}.");
        return Ok(Decision::not_asked(Some(head), message));
    }
    repository.obtain(head, std::slice::from_ref(&push.reference)).map_err(|error| {
        CommandError::infrastructure(format!(
            "{error}; it was pushed to {name}: it may have been force-pushed away, or origin could not be reached"
        ))
    })?;
    let base = repository.nearest_ancestor(head, &measured(repository)).or_else(|| repository.parent(head));
    let mut order = Order::of(head, selection).against(base.as_ref());
    order.names.head = push.branch().map(str::to_owned);
    Ok(Decision::Race(Box::new(order)))
}
