//! What several kinds of answers have in common.

use serde::Deserialize;

/// A repository, as an answer names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repo {
    /// Its number, which stays when it is renamed.
    pub id: u64,
    /// Who it belongs to.
    pub owner: String,
    /// Its own name.
    pub name: String,
}

/// Who wrote something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The login; that of a GitHub App ends with `[bot]`.
    pub login: String,
    /// Whether it is an app's account.
    pub is_bot: bool,
}

/// How far a run, a job or a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It waits for its turn.
    Queued,
    /// It is at work.
    InProgress,
    /// It is over, and has a conclusion.
    Completed,
    /// It waits for something else: `waiting`, `requested`, `pending`, or a word that is newer than this list.
    #[serde(other)]
    Waiting,
}

/// How a run, a job or a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Well.
    Success,
    /// Neither well nor badly; a required check passes.
    Neutral,
    /// Badly.
    Failure,
    /// It was cancelled.
    Cancelled,
    /// It was left out; a required check passes.
    Skipped,
    /// It took too long.
    TimedOut,
    /// Somebody has to do something first.
    ActionRequired,
    /// GitHub gave up on it.
    Stale,
    /// It could not even begin.
    StartupFailure,
    /// A word that is newer than this list.
    #[serde(other)]
    Other,
}

impl CheckStatus {
    /// GitHub's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Waiting => "waiting",
        }
    }
}

impl Conclusion {
    /// GitHub's word for it; what this list does not know is written as neutral.
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Neutral | Self::Other => "neutral",
            Self::Failure => "failure",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::TimedOut => "timed_out",
            Self::ActionRequired => "action_required",
            Self::Stale => "stale",
            Self::StartupFailure => "startup_failure",
        }
    }
}

#[derive(Deserialize)]
pub(super) struct WireRepo {
    id: u64,
    name: String,
    owner: Option<WireAccount>,
}

#[derive(Deserialize)]
pub(super) struct WireAccount {
    login: String,
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
pub(super) struct WireSha<T> {
    pub(super) sha: T,
}

impl From<WireRepo> for Repo {
    fn from(wire: WireRepo) -> Self {
        Self { id: wire.id, owner: Account::of(wire.owner).login, name: wire.name }
    }
}

impl Account {
    /// An account that was deleted is GitHub's `ghost`.
    pub(super) fn of(wire: Option<WireAccount>) -> Self {
        wire.map_or_else(|| Self { login: "ghost".to_owned(), is_bot: false }, Self::from)
    }
}

impl From<WireAccount> for Account {
    fn from(wire: WireAccount) -> Self {
        Self { login: wire.login, is_bot: wire.kind == "Bot" }
    }
}
