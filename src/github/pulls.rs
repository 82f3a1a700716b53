//! Pull requests.

use super::client::Client;
use super::error::ApiError;
use super::wire::{Account, Repo, WireAccount, WireRepo};
use crate::model::{CommitSha, PullNumber};
use serde::Deserialize;

const PAGES: u32 = 10;

/// Whether a pull request can still be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    /// It can.
    Open,
    /// It was merged or closed.
    Closed,
}

/// What a pull request brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullHead {
    /// The newest commit.
    pub sha: CommitSha,
    /// The branch it comes from.
    pub branch: String,
    /// The repository it comes from; nothing where a fork was deleted.
    pub repository: Option<Repo>,
}

/// What a pull request goes into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullBase {
    /// The commit that the branch had when GitHub last looked: older than its tip.
    pub sha: CommitSha,
    /// The branch it goes into.
    pub branch: String,
    /// The repository it goes into.
    pub repository: Repo,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: PullNumber,
    /// Whether it is open.
    pub state: PullState,
    /// Whether it is a draft.
    pub draft: bool,
    /// What it brings.
    pub head: PullHead,
    /// What it goes into.
    pub base: PullBase,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// The login of who opened it.
    pub author: String,
    /// Its page.
    pub url: String,
}

#[derive(Deserialize)]
struct WireLabel {
    name: String,
}

#[derive(Deserialize)]
struct WireEnd {
    sha: CommitSha,
    #[serde(rename = "ref")]
    branch: String,
    repo: Option<WireRepo>,
}

#[derive(Deserialize)]
struct WireBase {
    sha: CommitSha,
    #[serde(rename = "ref")]
    branch: String,
    repo: WireRepo,
}

#[derive(Deserialize)]
struct WirePull {
    number: PullNumber,
    state: String,
    draft: Option<bool>,
    head: WireEnd,
    base: WireBase,
    #[serde(default)]
    labels: Vec<WireLabel>,
    user: Option<WireAccount>,
    #[serde(default)]
    html_url: String,
}

impl From<WirePull> for Pull {
    fn from(wire: WirePull) -> Self {
        Self {
            number: wire.number,
            state: if wire.state == "open" { PullState::Open } else { PullState::Closed },
            draft: wire.draft.unwrap_or(false),
            head: PullHead { sha: wire.head.sha, branch: wire.head.branch, repository: wire.head.repo.map(Repo::from) },
            base: PullBase { sha: wire.base.sha, branch: wire.base.branch, repository: wire.base.repo.into() },
            labels: wire.labels.into_iter().map(|label| label.name).collect(),
            author: Account::of(wire.user).login,
            url: wire.html_url,
        }
    }
}

impl Client {
    /// The pull request of that number, where there is one.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn pull(&self, number: PullNumber) -> Result<Option<Pull>, ApiError> {
        let path = self.path(&["pulls", &number.to_string()])?;
        Ok(self.find::<WirePull>(&path, &[]).await?.map(Pull::from))
    }

    /// The open pull requests that come from a branch of `owner`'s.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn open_pulls_of(&self, owner: &str, branch: &str) -> Result<Vec<Pull>, ApiError> {
        let path = self.path(&["pulls"])?;
        let head = format!("{owner}:{branch}");
        let pulls = self.list::<Vec<WirePull>>(&path, &[("state", "open"), ("head", &head)], PAGES).await?;
        Ok(pulls.into_iter().map(Pull::from).collect())
    }
}
