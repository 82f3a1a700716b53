//! Runs of workflows, their jobs and their artifacts.

use super::client::Client;
use super::error::ApiError;
use super::pages::Page;
use super::wire::{CheckStatus, Conclusion, Repo, WireRepo};
use crate::model::{CommitSha, RunAttempt, RunId};
use serde::Deserialize;
use std::fmt;

const PAGES: u32 = 10;

/// The number of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct ArtifactId(pub u64);

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Its number.
    pub id: RunId,
    /// The attempt at it: the newest, or the one that an event is about.
    pub attempt: RunAttempt,
    /// What started it, such as `pull_request`.
    pub event: String,
    /// The commit it is about.
    pub head_sha: CommitSha,
    /// The branch that the commit was on.
    pub head_branch: Option<String>,
    /// The repository that the branch is in; nothing where a fork was deleted.
    pub head_repository: Option<Repo>,
    /// How far it is.
    pub status: CheckStatus,
    /// How it ended.
    pub conclusion: Option<Conclusion>,
    /// The workflow's file, such as `.github/workflows/deadheat.yml`.
    pub path: String,
    /// The workflow's name.
    pub name: String,
    /// Its page.
    pub url: String,
}

impl WorkflowRun {
    /// Whether it was dispatched, by hand or by a comment.
    pub fn is_dispatched(&self) -> bool {
        self.event == "workflow_dispatch"
    }
}

/// A job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// How far it is.
    pub status: CheckStatus,
    /// How it ended.
    pub conclusion: Option<Conclusion>,
    /// When it began, as GitHub writes times.
    pub started_at: Option<String>,
    /// When it ended, as GitHub writes times.
    pub completed_at: Option<String>,
    /// Its page.
    pub url: String,
}

/// An artifact of a run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Artifact {
    /// Its number.
    pub id: ArtifactId,
    /// Its name.
    pub name: String,
    /// How large its archive is.
    #[serde(rename = "size_in_bytes")]
    pub size_bytes: u64,
    /// Whether it was deleted for its age.
    #[serde(default)]
    pub expired: bool,
}

#[derive(Deserialize)]
pub(super) struct WireRun {
    id: RunId,
    run_attempt: Option<RunAttempt>,
    event: String,
    head_sha: CommitSha,
    head_branch: Option<String>,
    head_repository: Option<WireRepo>,
    status: Option<CheckStatus>,
    conclusion: Option<Conclusion>,
    #[serde(default)]
    path: String,
    name: Option<String>,
    #[serde(default)]
    html_url: String,
}

#[derive(Deserialize)]
struct WireJob {
    id: u64,
    name: String,
    status: CheckStatus,
    conclusion: Option<Conclusion>,
    started_at: Option<String>,
    completed_at: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
struct WireJobs {
    jobs: Vec<WireJob>,
}

#[derive(Deserialize)]
struct WireArtifacts {
    artifacts: Vec<Artifact>,
}

impl Page for WireJobs {
    type Item = WireJob;
    fn items(self) -> Vec<WireJob> {
        self.jobs
    }
}

impl Page for WireArtifacts {
    type Item = Artifact;
    fn items(self) -> Vec<Artifact> {
        self.artifacts
    }
}

impl From<WireRun> for WorkflowRun {
    fn from(wire: WireRun) -> Self {
        Self {
            id: wire.id,
            attempt: wire.run_attempt.unwrap_or(RunAttempt(1)),
            event: wire.event,
            head_sha: wire.head_sha,
            head_branch: wire.head_branch,
            head_repository: wire.head_repository.map(Repo::from),
            status: wire.status.unwrap_or(CheckStatus::Waiting),
            conclusion: wire.conclusion,
            path: file_of(wire.path),
            name: wire.name.unwrap_or_default(),
            url: wire.html_url,
        }
    }
}

/// The workflow's file alone: GitHub may name the revision it was read at too, `.github/workflows/x.yml@main`.
fn file_of(mut path: String) -> String {
    if let Some(at) = [".yml@", ".yaml@"].into_iter().find_map(|end| Some(path.find(end)? + end.len() - 1)) {
        path.truncate(at);
    }
    path
}

impl From<WireJob> for Job {
    fn from(wire: WireJob) -> Self {
        Self {
            id: wire.id,
            name: wire.name,
            status: wire.status,
            conclusion: wire.conclusion,
            started_at: wire.started_at,
            completed_at: wire.completed_at,
            url: wire.html_url.unwrap_or_default(),
        }
    }
}

impl Client {
    /// A run.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn workflow_run(&self, id: RunId) -> Result<WorkflowRun, ApiError> {
        let path = self.path(&["actions", "runs", &id.to_string()])?;
        Ok(self.get::<WireRun>(&path, &[]).await?.into())
    }

    /// The jobs of an attempt at a run.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn jobs(&self, id: RunId, attempt: RunAttempt) -> Result<Vec<Job>, ApiError> {
        let path = self.path(&["actions", "runs", &id.to_string(), "attempts", &attempt.to_string(), "jobs"])?;
        let jobs = self.list::<WireJobs>(&path, &[], PAGES).await?;
        Ok(jobs.into_iter().map(Job::from).collect())
    }

    /// The artifacts of a run, those of its earlier attempts among them.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn artifacts(&self, id: RunId) -> Result<Vec<Artifact>, ApiError> {
        let path = self.path(&["actions", "runs", &id.to_string(), "artifacts"])?;
        self.list::<WireArtifacts>(&path, &[], PAGES).await
    }
}
