//! Events: what GitHub Actions says of the run that deadheat is part of.
//!
//! [`ActionsContext`] is the runner's environment; [`Event`] is the payload that lies at its event path. Payloads are
//! GitHub's: unknown fields are fine, and what is missing of the known ones is named.

mod context;
mod dispatch;
mod error;
mod happened;
mod parts;
mod reading;
#[cfg(test)]
mod tests;
mod wire;

pub use context::{ActionsContext, in_actions};
pub use dispatch::{DispatchInputs, WorkflowDispatch};
pub use error::EventError;
pub use happened::{
    CommentAction, Event, IssueComment, MergeGroup, PullAction, PullRequest, Push, RunAction, WorkflowRunEvent,
};
pub use parts::{EventBase, EventHead};
