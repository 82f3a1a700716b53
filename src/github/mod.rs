//! GitHub: events, the API client, the sticky comment, the check run, and results that arrive as an artifact.
//!
//! Knows only the model. The API is reached through [`Client`], which waits and retries by rules of its own: what may
//! have been written is looked for before it is written again.

mod actions;
mod address;
mod answer;
mod arrival;
mod check_run;
mod checks;
mod client;
mod comment_event;
mod comments;
mod commit_comment;
mod download;
mod error;
mod event;
mod exchange;
mod git_data;
mod history;
mod marker;
mod pace;
mod pages;
mod permission;
mod pulls;
mod repository;
mod retry;
mod runs;
mod settings;
mod slash;
mod slash_mistake;
mod sticky;
mod thread;
mod transport;
mod upsert;
mod wire;

pub use actions::{
    Annotation, AnnotationLevel, append_outputs, append_summary, end_group, group, json_for_log, quoted,
};
pub use arrival::{ArchiveFault, ArrivalError, MAX_ARRIVED, MAX_UNPACKED, MAX_ZIP, RESULTS_FILE, TextFault, arrived};
pub use check_run::{CHECK_TEXT_LIMIT, CheckResult, CheckTopic, Checked, begin_check, complete_check};
pub use checks::{CheckContent, CheckId, CheckOutput, CheckRun};
pub use client::{Call, Client, Noted, Written};
pub use comment_event::{Answered, answer_comment};
pub use comments::{Comment, CommentId, Reaction};
pub use commit_comment::comment_on_commit;
pub use error::ApiError;
pub use event::{
    ActionsContext, CommentAction, DispatchInputs, Event, EventBase, EventError, EventHead, IssueComment, MergeGroup,
    PullAction, PullRequest, Push, RunAction, WorkflowDispatch, WorkflowRunEvent, in_actions,
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
pub use slash::{Budget, SlashCommand};
pub use slash_mistake::SlashMistake;
pub use sticky::{Choice, Standing, choose};
pub use thread::{Posted, Viewer};
pub use upsert::{Upserted, When, upsert};
pub use wire::{Account, CheckStatus, Conclusion, Repo};

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod double_tests;
#[cfg(test)]
mod download_tests;
#[cfg(test)]
mod endpoints_tests;
#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod pages_tests;
#[cfg(test)]
mod retry_tests;
#[cfg(test)]
mod testing;
