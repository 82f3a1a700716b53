//! A thread of comments that several publishers write to at once, and how to post to it a single time.
//!
//! GitHub has no "write unless somebody else did". What holds instead: comments are numbered in the order in which they
//! are made, so everybody agrees which one is the oldest; and whoever posts reads the thread again afterwards. The last
//! one to post then sees all that there is and takes away what is too much.

use super::client::{Client, Written};
use super::comments::{Comment, CommentId};
use super::error::ApiError;
use super::wire::Account;
use crate::model::PullNumber;
use std::time::Duration;

/// How often a post is tried whose fate is unknown and that is not found afterwards.
const TRIES: usize = 3;

/// How long what may have been written is given to appear.
const APPEARS_WITHIN: Duration = Duration::from_secs(2);

/// Whose comments are ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer(String);

impl Viewer {
    /// The account of that login; without one, that of the token that Actions gives.
    pub fn new(login: Option<String>) -> Self {
        Self(login.unwrap_or_else(|| "github-actions[bot]".to_owned()))
    }

    /// Asks GitHub whose token the client has.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn of(client: &Client) -> Result<Self, ApiError> {
        Ok(Self::new(client.viewer_login().await?))
    }

    /// Whether `author` is this account: the login, and an app's account where it is an app's login.
    pub fn is(&self, author: &Account) -> bool {
        author.login == self.0 && (author.is_bot || !self.0.ends_with("[bot]"))
    }
}

/// A thread of comments.
pub(super) trait Thread {
    /// All comments.
    async fn list(&self) -> Result<Vec<Comment>, ApiError>;
    /// Posts a comment.
    async fn create(&self, body: &str) -> Result<Written<Comment>, ApiError>;
    /// Deletes a comment; that it is gone already is as good.
    async fn delete(&self, id: CommentId) -> Result<Written<()>, ApiError>;
    /// Gives what may have been written time to appear.
    async fn pause(&self);
}

/// The thread of a pull request.
pub(super) struct PullThread<'a> {
    pub(super) client: &'a Client,
    pub(super) number: PullNumber,
}

impl Thread for PullThread<'_> {
    async fn list(&self) -> Result<Vec<Comment>, ApiError> {
        self.client.issue_comments(self.number).await
    }

    async fn create(&self, body: &str) -> Result<Written<Comment>, ApiError> {
        self.client.create_issue_comment(self.number, body).await
    }

    async fn delete(&self, id: CommentId) -> Result<Written<()>, ApiError> {
        self.client.delete_issue_comment(id).await
    }

    async fn pause(&self) {
        pause(self.client).await;
    }
}

/// Waits until what may have been written should be listed.
pub(super) async fn pause(client: &Client) {
    client.pace().wait(APPEARS_WITHIN, "looking whether GitHub has written what it did not confirm").await;
}

/// Whether a write that failed so may have been carried out: no answer, or one that could not be read.
pub(super) fn may_be_written(error: &ApiError) -> bool {
    matches!(error, ApiError::Uncertain { .. } | ApiError::Unreadable { .. } | ApiError::TooLarge { .. })
}

/// How posting once ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    /// It was posted; its page.
    Created(String),
    /// It was there already; its page.
    There(String),
    /// It was only noted: a dry run.
    Noted,
}

/// Posts `body` unless a comment that `is_ours` is there, and never leaves two.
pub(super) async fn post_once<T: Thread>(
    thread: &T,
    is_ours: impl Fn(&Comment) -> bool,
    body: &str,
) -> Result<Posted, ApiError> {
    let mut created: Option<Comment> = None;
    let mut failure = None;
    let mut tries = 0;
    loop {
        let mut ours: Vec<Comment> = thread.list().await?.into_iter().filter(|comment| is_ours(comment)).collect();
        ours.sort_by_key(|comment| comment.id);
        if let Some((oldest, surplus)) = ours.split_first() {
            for comment in surplus {
                thread.delete(comment.id).await?;
            }
            let is_mine = failure.is_some() || created.is_some_and(|mine| mine.id == oldest.id);
            let page = oldest.url.clone();
            return Ok(if is_mine { Posted::Created(page) } else { Posted::There(page) });
        }
        if let Some(mine) = created {
            // The list lags behind, or somebody has deleted it since: both are no reason to post again.
            return Ok(Posted::Created(mine.url));
        }
        if let Some(error) = failure.take_if(|_| tries == TRIES) {
            return Err(error);
        }
        tries += 1;
        match thread.create(body).await {
            Ok(Written::Done(comment)) => created = Some(comment),
            Ok(Written::Noted) => return Ok(Posted::Noted),
            Err(error) if may_be_written(&error) => {
                failure = Some(error);
                thread.pause().await;
            }
            Err(error) => return Err(error),
        }
    }
}
