//! What several events have in common.

use crate::github::Repo;
use crate::model::CommitSha;

/// A pull request's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHead {
    /// The commit.
    pub sha: CommitSha,
    /// The branch it is on, chosen by whoever opened the pull request.
    pub branch: String,
    /// The repository of that branch; none where the fork was deleted.
    pub repository: Option<Repo>,
}

/// A pull request's base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventBase {
    /// The branch it is to be merged into.
    pub branch: String,
    /// The tip of that branch when GitHub last looked, which may be long ago.
    pub sha: CommitSha,
    /// The repository.
    pub repository: Repo,
}
