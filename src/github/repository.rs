//! The repository: its default branch, files and history, who may do what, and workflows to be started.

use super::client::{Call, Client, Written};
use super::error::ApiError;
use super::git_data::{BlobSha, WireBlob};
use super::retry::Repeat;
use super::wire::WireSha;
use crate::model::CommitSha;
use http::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use std::collections::BTreeMap;

/// What is known about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RepositoryFacts {
    /// Its number.
    pub id: u64,
    /// Its default branch.
    pub default_branch: String,
}

/// What somebody may do in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Nothing that not everybody may.
    None,
    /// Read it.
    Read,
    /// Write to it: what GitHub calls write or maintain.
    Write,
    /// Everything.
    Admin,
}

#[derive(Deserialize)]
struct WirePermission {
    permission: String,
}

#[derive(Deserialize)]
struct WireFile {
    #[serde(rename = "type")]
    kind: String,
    sha: Option<BlobSha>,
    size: Option<u64>,
    content: Option<String>,
    encoding: Option<String>,
}

/// A directory is answered as a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum WireContents {
    Directory(#[expect(dead_code, reason = "only that it is a list matters")] Vec<IgnoredAny>),
    File(WireFile),
}

#[derive(Deserialize)]
struct WireComparison {
    merge_base_commit: WireSha<CommitSha>,
}

impl Client {
    /// What is known about the repository.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn repository_facts(&self) -> Result<RepositoryFacts, ApiError> {
        self.get(&self.path::<&str>(&[])?, &[]).await
    }

    /// A file as it is at a revision, where there is one; a directory or a submodule is none.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn file(&self, path: &str, rev: &str) -> Result<Option<Vec<u8>>, ApiError> {
        let address = self.path(&["contents", path])?;
        let Some(WireContents::File(file)) = self.find(&address, &[("ref", rev)]).await? else { return Ok(None) };
        if file.kind != "file" {
            return Ok(None);
        }
        let unreadable = |reason| ApiError::Unreadable { what: format!("GET {address}"), reason };
        match (file.content, file.encoding) {
            (Some(content), Some(encoding)) if encoding != "none" && (file.size == Some(0) || !content.is_empty()) => {
                WireBlob { content, encoding }.decode().map(Some).map_err(unreadable)
            }
            // Past 1 MB the contents have to be asked for by themselves.
            _ => {
                let sha = file.sha.ok_or_else(|| unreadable("it has neither contents nor an id".to_owned()))?;
                self.blob(&sha).await.map(Some)
            }
        }
    }

    /// What somebody may do here, which is not what a comment says about its author.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn permission(&self, login: &str) -> Result<Permission, ApiError> {
        let path = self.path(&["collaborators", login, "permission"])?;
        let found: Option<WirePermission> = self.find(&path, &[]).await?;
        Ok(match found.as_ref().map(|found| found.permission.as_str()) {
            Some("admin") => Permission::Admin,
            Some("write" | "maintain") => Permission::Write,
            Some("read" | "triage") => Permission::Read,
            _ => Permission::None,
        })
    }

    /// A commit and those before it, newest first, from at most `pages` pages of 100.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn ancestors(&self, sha: &CommitSha, pages: u32) -> Result<Vec<CommitSha>, ApiError> {
        let path = self.path(&["commits"])?;
        let walk = self.walk::<Vec<WireSha<CommitSha>>>(&path, &[("sha", sha.as_str())], pages).await?;
        Ok(walk.items.into_iter().map(|wire| wire.sha).collect())
    }

    /// The newest commit that both have behind them; nothing where there is none, or one of the two is unknown.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn merge_base(&self, base: &str, head: &str) -> Result<Option<CommitSha>, ApiError> {
        let path = self.path(&["compare", &format!("{base}...{head}")])?;
        let comparison: Option<WireComparison> = self.find(&path, &[("per_page", "1")]).await?;
        Ok(comparison.map(|comparison| comparison.merge_base_commit.sha))
    }

    /// Starts a workflow by its file's name, as it is on a branch.
    ///
    /// # Errors
    /// [`ApiError::Uncertain`] where it may have been started.
    pub async fn dispatch_workflow(
        &self,
        file: &str,
        branch: &str,
        inputs: &BTreeMap<String, String>,
    ) -> Result<Written<()>, ApiError> {
        let path = self.path(&["actions", "workflows", file, "dispatches"])?;
        let body = json!({ "ref": branch, "inputs": inputs });
        let call = Call { method: Method::POST, path, body, repeat: Repeat::MakesAnother };
        Ok(self.write_unread(call).await?.map(|_| ()))
    }

    /// Whose token this is; nothing where GitHub does not say.
    ///
    /// # Errors
    /// [`ApiError`] where GitHub cannot be reached.
    pub async fn viewer_login(&self) -> Result<Option<String>, ApiError> {
        match self.ask("{viewer{login}}").await {
            Ok(answer) => Ok(answer["data"]["viewer"]["login"].as_str().map(str::to_owned)),
            Err(error) if error.status().is_some_and(|status| status.is_client_error()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
