//! Branches, commits, trees and blobs, by the git data API.

use super::client::{Call, Client, Written};
use super::error::ApiError;
use super::retry::Repeat;
use super::wire::WireSha;
use crate::model::CommitSha;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::json;
use std::fmt;

macro_rules! objects {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(transparent)]
        pub struct $name(CommitSha);

        impl $name {
            /// Checks and wraps an id of 40 or 64 hexadecimal digits; nothing for any other text.
            pub fn new(text: impl Into<String>) -> Option<Self> {
                CommitSha::new(text).ok().map(Self)
            }

            /// The whole id.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

objects! {
    /// The id of a tree: a directory with all that is in it.
    TreeSha;
    /// The id of a blob: a file's contents.
    BlobSha;
}

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeEntryKind {
    /// A file, or a symbolic link.
    Blob,
    /// A directory.
    Tree,
    /// A submodule, or what this list does not know.
    #[serde(other)]
    Other,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TreeEntry {
    /// Its path below the tree.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: TreeEntryKind,
    /// Its id.
    pub sha: String,
    /// The bytes of a file.
    pub size: Option<u64>,
}

/// A tree.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Tree {
    /// What is in it.
    #[serde(rename = "tree")]
    pub entries: Vec<TreeEntry>,
    /// Whether GitHub left entries out: past 100,000, or 7 MB.
    #[serde(default)]
    pub truncated: bool,
}

/// A change to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeChange {
    /// A file with these contents.
    Put(String, BlobSha),
    /// No file at that path.
    Remove(String),
}

#[derive(Deserialize)]
struct WireReference {
    object: WireObject,
}

#[derive(Deserialize)]
struct WireObject {
    sha: CommitSha,
}

#[derive(Deserialize)]
struct WireCommit {
    tree: WireSha<TreeSha>,
}

#[derive(Deserialize)]
pub(super) struct WireBlob {
    pub(super) content: String,
    pub(super) encoding: String,
}

impl Client {
    /// The newest commit of a branch, where it exists; an empty repository has none.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn branch_tip(&self, branch: &str) -> Result<Option<CommitSha>, ApiError> {
        let path = self.path(&["git", "ref", &format!("heads/{branch}")])?;
        match self.find::<WireReference>(&path, &[]).await {
            Ok(found) => Ok(found.map(|reference| reference.object.sha)),
            Err(error) if error.status() == Some(StatusCode::CONFLICT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates a branch.
    ///
    /// # Errors
    /// [`ApiError`]; a conflict where it exists already, which after a lost answer may be our own doing.
    pub async fn create_branch(&self, branch: &str, sha: &CommitSha) -> Result<Written<()>, ApiError> {
        let body = json!({ "ref": format!("refs/heads/{branch}"), "sha": sha.as_str() });
        Ok(self.write_unread(self.git_call(Method::POST, &["git", "refs"], body)?).await?.map(|_| ()))
    }

    /// Moves a branch forward, and never back or aside.
    ///
    /// # Errors
    /// [`ApiError`]; a conflict where it moved meanwhile.
    pub async fn advance_branch(&self, branch: &str, sha: &CommitSha) -> Result<Written<()>, ApiError> {
        let body = json!({ "sha": sha.as_str(), "force": false });
        let call = self.git_call(Method::PATCH, &["git", "refs", &format!("heads/{branch}")], body)?;
        Ok(self.write_unread(call).await?.map(|_| ()))
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn commit_tree(&self, sha: &CommitSha) -> Result<TreeSha, ApiError> {
        let path = self.path(&["git", "commits", sha.as_str()])?;
        Ok(self.get::<WireCommit>(&path, &[]).await?.tree.sha)
    }

    /// A tree, with all that is below it where that is asked for.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn tree(&self, sha: &TreeSha, recursive: bool) -> Result<Tree, ApiError> {
        let path = self.path(&["git", "trees", sha.as_str()])?;
        // Any value counts as yes, `false` too.
        self.get(&path, if recursive { &[("recursive", "1")] } else { &[] }).await
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn blob(&self, sha: &BlobSha) -> Result<Vec<u8>, ApiError> {
        let path = self.path(&["git", "blobs", sha.as_str()])?;
        let blob: WireBlob = self.get(&path, &[]).await?;
        blob.decode().map_err(|reason| ApiError::Unreadable { what: format!("GET {path}"), reason })
    }

    /// Stores contents.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn create_blob(&self, contents: &[u8]) -> Result<Written<BlobSha>, ApiError> {
        let body = json!({ "content": BASE64_STANDARD.encode(contents), "encoding": "base64" });
        let call = self.git_call(Method::POST, &["git", "blobs"], body)?;
        Ok(self.write::<WireSha<BlobSha>>(call).await?.map(|wire| wire.sha))
    }

    /// Stores a tree: that of `base` with the changes, or one of nothing else.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn create_tree(
        &self,
        base: Option<&TreeSha>,
        changes: &[TreeChange],
    ) -> Result<Written<TreeSha>, ApiError> {
        let entries: Vec<_> = changes
            .iter()
            .map(|change| match change {
                TreeChange::Put(path, blob) => {
                    json!({ "path": path, "mode": "100644", "type": "blob", "sha": blob.as_str() })
                }
                TreeChange::Remove(path) => json!({ "path": path, "mode": "100644", "type": "blob", "sha": null }),
            })
            .collect();
        let mut body = json!({ "tree": entries });
        if let Some(base) = base {
            body["base_tree"] = base.as_str().into();
        }
        let call = self.git_call(Method::POST, &["git", "trees"], body)?;
        Ok(self.write::<WireSha<TreeSha>>(call).await?.map(|wire| wire.sha))
    }

    /// Stores a commit, on no branch yet.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn create_commit(
        &self,
        message: &str,
        tree: &TreeSha,
        parents: &[&CommitSha],
    ) -> Result<Written<CommitSha>, ApiError> {
        let parents: Vec<&str> = parents.iter().map(|parent| parent.as_str()).collect();
        let body = json!({ "message": message, "tree": tree.as_str(), "parents": parents });
        let call = self.git_call(Method::POST, &["git", "commits"], body)?;
        Ok(self.write::<WireSha<CommitSha>>(call).await?.map(|wire| wire.sha))
    }

    /// Repeated, it stores what is there already, or a commit that nothing points to.
    fn git_call(&self, method: Method, parts: &[&str], body: serde_json::Value) -> Result<Call, ApiError> {
        Ok(Call { method, path: self.path(parts)?, body, repeat: Repeat::Harmless })
    }
}

impl WireBlob {
    pub(super) fn decode(self) -> Result<Vec<u8>, String> {
        match self.encoding.as_str() {
            "base64" => {
                let text: String = self.content.split_ascii_whitespace().collect();
                BASE64_STANDARD.decode(text).map_err(|error| format!("its base64 is broken: {error}"))
            }
            "utf-8" => Ok(self.content.into_bytes()),
            _ => Err("it is encoded in a way that is not known here".to_owned()),
        }
    }
}
