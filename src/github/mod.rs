//! GitHub: events, the API client, the sticky comment, the check run, and results that arrive as an artifact.
//!
//! Knows only the model. The API is reached through [`Client`], which waits and retries by rules of its own: what may
//! have been written is looked for before it is written again.

mod actions;
mod address;
mod answer;
#[cfg(test)]
mod answer_tests;
mod arrival;
mod checks;
mod client;
mod comments;
#[cfg(test)]
mod double_tests;
mod download;
#[cfg(test)]
mod download_tests;
#[cfg(test)]
mod endpoints_tests;
mod error;
mod event;
mod exchange;
#[cfg(test)]
mod exchange_tests;
mod git_data;
mod history;
mod marker;
mod pace;
mod pages;
#[cfg(test)]
mod pages_tests;
mod permission;
mod pulls;
mod repository;
mod retry;
#[cfg(test)]
mod retry_tests;
mod runs;
mod settings;
mod slash;
#[cfg(test)]
mod testing;
mod transport;
mod wire;

pub use actions::{
    Annotation, AnnotationLevel, append_outputs, append_summary, end_group, group, json_for_log, quoted,
};
pub use arrival::{ArchiveFault, ArrivalError, MAX_ARRIVED, MAX_UNPACKED, RESULTS_FILE, TextFault, arrived};
pub use checks::{CheckContent, CheckId, CheckOutput, CheckRun};
pub use client::{Call, Client, Noted, Written};
pub use comments::{Comment, CommentId, Reaction};
pub use error::ApiError;
pub use event::{
    ActionsContext, CommentAction, DispatchInputs, Event, EventAccount, EventBase, EventError, EventHead,
    EventRepository, EventRun, IssueComment, MergeGroup, PullAction, PullRequest, Push, RunAction, WorkflowDispatch,
    WorkflowRunEvent, in_actions,
};
pub use git_data::{BlobSha, Tree, TreeChange, TreeEntry, TreeEntryKind, TreeSha};
pub use history::{KEPT_VERDICTS, LEAD_LIMIT, PastVerdict, VERDICT_LIMIT, lead, past_verdicts};
pub use marker::{ConfigurationPath, Marker, RunKey};
pub use pace::{Notice, Pace, RealPace};
pub use pulls::{Pull, PullBase, PullHead, PullState};
pub use repository::{Permission, RepositoryFacts};
pub use retry::{Repeat, RetryLimits};
pub use runs::{Artifact, ArtifactId, Job, WorkflowRun};
pub use settings::{ClientSettings, RepositoryName, Timeouts, Token};
pub use slash::{Budget, SlashCommand, SlashMistake};
pub use wire::{Account, CheckStatus, Conclusion, Repo};
