//! GitHub: events, the API client, the sticky comment, the check run, and results that arrive as an artifact.
//!
//! Knows only the model. The API is reached through [`Client`], which waits and retries by rules of its own: what may
//! have been written is looked for before it is written again.

mod actions;
mod client;
mod error;
mod event;
mod history;
mod marker;
mod pace;
mod slash;

pub use actions::{
    Annotation, AnnotationLevel, append_outputs, append_summary, end_group, group, json_for_log, quoted,
};
pub use client::{Call, Client, ClientSettings, Repeat, RepositoryName, Token, Written};
pub use error::ApiError;
pub use event::{
    ActionsContext, CommentAction, DispatchInputs, Event, EventAccount, EventBase, EventError, EventHead,
    EventRepository, EventRun, IssueComment, MergeGroup, PullAction, PullRequest, Push, RunAction, RunConclusion,
    WorkflowDispatch, WorkflowRun, in_actions,
};
pub use history::{KEPT_VERDICTS, LEAD_LIMIT, PastVerdict, VERDICT_LIMIT, lead, past_verdicts};
pub use marker::{ConfigurationPath, Marker, RunKey};
pub use pace::{Pace, RealPace};
pub use slash::{Budget, SlashCommand, SlashMistake};
