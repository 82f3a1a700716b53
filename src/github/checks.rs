//! Check runs.

use super::client::{Call, Client, Written};
use super::error::ApiError;
use super::pages::Page;
use super::retry::Repeat;
use super::wire::{CheckStatus, Conclusion};
use crate::model::CommitSha;
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;

const PAGES: u32 = 10;

/// The number of a check run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct CheckId(pub u64);

impl fmt::Display for CheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A check run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// Its number; an older check has a smaller one.
    pub id: CheckId,
    /// Its name.
    pub name: String,
    /// How far it is.
    pub status: CheckStatus,
    /// How it ended.
    pub conclusion: Option<Conclusion>,
    /// What its maker knows it by; empty where it was given nothing.
    pub external_id: String,
    /// The app that made it, such as `github-actions`; no other may change it.
    pub app: Option<String>,
    /// Its page.
    pub url: String,
}

/// What a check run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOutput {
    /// The heading.
    pub title: String,
    /// Markdown of at most 65,535 characters.
    pub summary: String,
    /// More Markdown of at most 65,535 characters.
    pub text: Option<String>,
}

/// A check run as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckContent {
    /// Its name.
    pub name: String,
    /// The commit that it is about; only said when it is created.
    pub head_sha: CommitSha,
    /// How far it is.
    pub status: CheckStatus,
    /// How it ended; said when it is completed, and only then.
    pub conclusion: Option<Conclusion>,
    /// Where its details are.
    pub details_url: Option<String>,
    /// What its maker knows it by.
    pub external_id: Option<String>,
    /// What it shows.
    pub output: Option<CheckOutput>,
}

#[derive(Deserialize)]
struct WireApp {
    slug: Option<String>,
}

#[derive(Deserialize)]
struct WireCheck {
    id: CheckId,
    name: String,
    status: CheckStatus,
    conclusion: Option<Conclusion>,
    external_id: Option<String>,
    app: Option<WireApp>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
struct WireChecks {
    check_runs: Vec<WireCheck>,
}

impl Page for WireChecks {
    type Item = WireCheck;
    fn items(self) -> Vec<WireCheck> {
        self.check_runs
    }
}

impl From<WireCheck> for CheckRun {
    fn from(wire: WireCheck) -> Self {
        Self {
            id: wire.id,
            name: wire.name,
            status: wire.status,
            conclusion: wire.conclusion,
            external_id: wire.external_id.unwrap_or_default(),
            app: wire.app.and_then(|app| app.slug),
            url: wire.html_url.unwrap_or_default(),
        }
    }
}

impl Client {
    /// The check runs of that name on a commit, whoever made them and however often.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn check_runs(&self, sha: &CommitSha, name: &str) -> Result<Vec<CheckRun>, ApiError> {
        let path = self.path(&["commits", sha.as_str(), "check-runs"])?;
        let checks = self.list::<WireChecks>(&path, &[("check_name", name), ("filter", "all")], PAGES).await?;
        Ok(checks.into_iter().map(CheckRun::from).collect())
    }

    /// Creates a check run.
    ///
    /// # Errors
    /// [`ApiError::Uncertain`] where it may have been created; the list has to be read again then.
    pub async fn create_check_run(&self, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        let path = self.path(&["check-runs"])?;
        let call = Call { method: Method::POST, path, body: content.body(), repeat: Repeat::MakesAnother };
        Ok(self.write::<WireCheck>(call).await?.map(CheckRun::from))
    }

    /// Changes a check run.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn update_check_run(&self, id: CheckId, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        let path = self.path(&["check-runs", &id.to_string()])?;
        let mut body = content.body();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("head_sha");
        }
        let call = Call { method: Method::PATCH, path, body, repeat: Repeat::Harmless };
        Ok(self.write::<WireCheck>(call).await?.map(CheckRun::from))
    }
}

impl CheckContent {
    fn body(&self) -> Value {
        let mut body = json!({ "name": self.name, "head_sha": self.head_sha.as_str(), "status": self.status.word() });
        if let Some(conclusion) = self.conclusion {
            body["conclusion"] = conclusion.word().into();
        }
        for (key, value) in [("details_url", &self.details_url), ("external_id", &self.external_id)] {
            if let Some(value) = value {
                body[key] = value.as_str().into();
            }
        }
        if let Some(output) = &self.output {
            body["output"] = json!({ "title": output.title, "summary": output.summary });
            if let Some(text) = &output.text {
                body["output"]["text"] = text.as_str().into();
            }
        }
        body
    }
}
