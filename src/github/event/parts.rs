//! What several events have in common.

use crate::model::CommitSha;

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRepository {
    /// Its number, which stays when it is renamed.
    pub id: u64,
    /// Who it belongs to.
    pub owner: String,
    /// Its own name.
    pub name: String,
    /// Its default branch, where the payload says it.
    pub default_branch: Option<String>,
}

/// Somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventAccount {
    /// The login.
    pub login: String,
    /// Whether it is a bot.
    pub is_bot: bool,
}

/// A pull request's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHead {
    /// The commit.
    pub sha: CommitSha,
    /// The branch it is on, chosen by whoever opened the pull request.
    pub branch: String,
    /// The repository of that branch; none where the fork was deleted.
    pub repository: Option<EventRepository>,
}

/// A pull request's base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBase {
    /// The branch it is to be merged into.
    pub branch: String,
    /// The tip of that branch when GitHub last looked, which may be long ago.
    pub sha: CommitSha,
    /// The repository.
    pub repository: EventRepository,
}
