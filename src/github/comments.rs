//! Comments on pull requests and on commits.

use super::client::{Call, Client, Written};
use super::error::ApiError;
use super::retry::Repeat;
use super::wire::{Account, WireAccount};
use crate::model::{CommitSha, PullNumber};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use std::fmt;

/// A thread of 5,000 comments is read to its end; past that it is an error, so that no comment is posted twice.
const PAGES: u32 = 50;

/// The number of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
pub struct CommentId(pub u64);

impl fmt::Display for CommentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its number; an older comment has a smaller one.
    pub id: CommentId,
    /// Its Markdown.
    pub body: String,
    /// Who wrote it.
    pub author: Account,
    /// When it was written, as GitHub writes times.
    pub created_at: String,
    /// Its page.
    pub url: String,
}

/// What can be said about a comment without words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It was seen.
    Eyes,
    /// It was done.
    Rocket,
    /// It was not understood.
    Confused,
    /// Yes.
    ThumbsUp,
    /// No.
    ThumbsDown,
}

impl Reaction {
    fn word(self) -> &'static str {
        match self {
            Self::Eyes => "eyes",
            Self::Rocket => "rocket",
            Self::Confused => "confused",
            Self::ThumbsUp => "+1",
            Self::ThumbsDown => "-1",
        }
    }
}

#[derive(Deserialize)]
struct WireComment {
    id: CommentId,
    body: Option<String>,
    user: Option<WireAccount>,
    #[serde(default)]
    created_at: String,
    #[serde(default)]
    html_url: String,
}

impl From<WireComment> for Comment {
    fn from(wire: WireComment) -> Self {
        Self {
            id: wire.id,
            body: wire.body.unwrap_or_default(),
            author: Account::of(wire.user),
            created_at: wire.created_at,
            url: wire.html_url,
        }
    }
}

impl Client {
    /// The comments of a pull request, oldest first.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn issue_comments(&self, number: PullNumber) -> Result<Vec<Comment>, ApiError> {
        self.comments(&["issues", &number.to_string(), "comments"]).await
    }

    /// Comments on a pull request.
    ///
    /// # Errors
    /// [`ApiError::Uncertain`] where the comment may have been posted; the list has to be read again then.
    pub async fn create_issue_comment(&self, number: PullNumber, body: &str) -> Result<Written<Comment>, ApiError> {
        self.comment(&["issues", &number.to_string(), "comments"], body).await
    }

    /// Changes a comment of a pull request.
    ///
    /// # Errors
    /// [`ApiError`]; not found where it was deleted meanwhile.
    pub async fn update_issue_comment(&self, id: CommentId, body: &str) -> Result<Written<Comment>, ApiError> {
        let path = self.path(&["issues", "comments", &id.to_string()])?;
        let call = Call { method: Method::PATCH, path, body: json!({ "body": body }), repeat: Repeat::Harmless };
        Ok(self.write::<WireComment>(call).await?.map(Comment::from))
    }

    /// Deletes a comment of a pull request; that it is gone already is as good.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn delete_issue_comment(&self, id: CommentId) -> Result<Written<()>, ApiError> {
        let path = self.path(&["issues", "comments", &id.to_string()])?;
        let call = Call { method: Method::DELETE, path, body: serde_json::Value::Null, repeat: Repeat::Harmless };
        match self.write_unread(call).await {
            Ok(written) => Ok(written.map(|_| ())),
            Err(error) if error.is_not_found() => Ok(Written::Done(())),
            Err(error) => Err(error),
        }
    }

    /// Reacts to a comment of a pull request; the same reaction twice is one.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn react(&self, id: CommentId, reaction: Reaction) -> Result<Written<()>, ApiError> {
        let path = self.path(&["issues", "comments", &id.to_string(), "reactions"])?;
        let body = json!({ "content": reaction.word() });
        let call = Call { method: Method::POST, path, body, repeat: Repeat::Harmless };
        Ok(self.write_unread(call).await?.map(|_| ()))
    }

    /// The comments on a commit, oldest first.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn commit_comments(&self, sha: &CommitSha) -> Result<Vec<Comment>, ApiError> {
        self.comments(&["commits", sha.as_str(), "comments"]).await
    }

    /// Comments on a commit.
    ///
    /// # Errors
    /// [`ApiError::Uncertain`] where the comment may have been posted; the list has to be read again then.
    pub async fn create_commit_comment(&self, sha: &CommitSha, body: &str) -> Result<Written<Comment>, ApiError> {
        self.comment(&["commits", sha.as_str(), "comments"], body).await
    }

    async fn comments(&self, parts: &[&str]) -> Result<Vec<Comment>, ApiError> {
        let comments = self.list::<Vec<WireComment>>(&self.path(parts)?, &[], PAGES).await?;
        Ok(comments.into_iter().map(Comment::from).collect())
    }

    async fn comment(&self, parts: &[&str], body: &str) -> Result<Written<Comment>, ApiError> {
        let (path, body) = (self.path(parts)?, json!({ "body": body }));
        let call = Call { method: Method::POST, path, body, repeat: Repeat::MakesAnother };
        Ok(self.write::<WireComment>(call).await?.map(Comment::from))
    }
}
