//! Why a run raced nothing: an answer too, which travels in the results file like every other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of reason it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NotRacedReason {
    /// The changed files can change nothing that is raced.
    NothingToCompare,
    /// The event is none that is raced: a draft, a missing label, a merge queue, a deleted branch.
    NotAsked,
    /// The user's files have mistakes.
    Mistakes,
}

/// Why a run raced nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRaced {
    /// The kind of reason.
    pub reason: NotRacedReason,
    /// What to tell people: a sentence, or the rendered mistakes with their lines.
    pub message: String,
}
