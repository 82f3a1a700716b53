//! The sticky comment: one comment of ours on a pull request for each configuration, however often, from wherever and
//! at whatever moment it is published.
//!
//! Known limits: GitHub can not be asked to write only if nothing has changed meanwhile. Of two runs for the same head
//! that publish within the same second, the earlier one can therefore still have the last word; the later one repairs
//! that where it notices. A publisher that dies between posting and tidying up leaves a second comment to the next one.

use super::client::{Client, Written};
use super::comments::{Comment, CommentId};
use super::error::ApiError;
use super::history::{PastVerdict, past_verdicts};
use super::marker::Marker;
use super::sticky::{Choice, Standing, choose};
use super::thread::{PullThread, Thread, Viewer, may_be_written};
use crate::model::{CommitSha, PullNumber};

/// How often a thread is read: once before, and once after each of at most four writes.
const READS: usize = 5;

/// Whether a comment may come into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// There is to be one.
    CreateOrUpdate,
    /// Only one that is there already is brought up to date.
    UpdateOnly,
}

/// How publishing a sticky comment ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// It was posted; its page.
    Created(String),
    /// It was brought up to date; its page.
    Updated(String),
    /// Results of a later run stand there, and stay.
    KeptNewer,
    /// The pull request has another head by now, and nothing was written.
    MovedHead,
    /// It was only noted: a dry run.
    Noted,
    /// There was nothing to bring up to date, or the pull request is gone.
    Nothing,
}

/// Writes the comment of `marker` on a pull request, so that exactly one is there.
///
/// `body` makes the text, which starts with [`super::lead`]'s lines, from the verdicts of earlier runs; it may be called
/// several times.
///
/// # Errors
/// [`ApiError`]; [`ApiError::Uncertain`] where GitHub confirmed no post and none was found either.
pub async fn upsert(
    client: &Client,
    number: PullNumber,
    marker: &Marker,
    body: impl Fn(&[PastVerdict]) -> String,
    when: When,
) -> Result<Upserted, ApiError> {
    let viewer = Viewer::of(client).await?;
    settle(&PullThread { client, number }, &viewer, marker, body, when).await
}

/// A thread whose comments can be changed, below something that has a head.
pub(super) trait StickyThread: Thread {
    /// Changes a comment.
    async fn update(&self, id: CommentId, body: &str) -> Result<Written<Comment>, ApiError>;
    /// What the pull request brings; nothing where it is gone.
    async fn head(&self) -> Result<Option<CommitSha>, ApiError>;
}

impl StickyThread for PullThread<'_> {
    async fn update(&self, id: CommentId, body: &str) -> Result<Written<Comment>, ApiError> {
        self.client.update_issue_comment(id, body).await
    }

    async fn head(&self) -> Result<Option<CommitSha>, ApiError> {
        Ok(self.client.pull(self.number).await?.map(|pull| pull.head.sha))
    }
}

async fn settle<T: StickyThread>(
    thread: &T,
    viewer: &Viewer,
    marker: &Marker,
    body: impl Fn(&[PastVerdict]) -> String,
    when: When,
) -> Result<Upserted, ApiError> {
    let mut wrote: Option<Upserted> = None;
    let mut failure: Option<ApiError> = None;
    let mut was_patient = false;
    for read in 1.. {
        let comments = thread.list().await?;
        let Choice { kept, ahead, mut surplus, standing } = choose(&comments, viewer, marker);
        if standing == Standing::Newer {
            if let (Some(ahead), Some((kept, _))) = (ahead, &kept) {
                if !was_patient {
                    was_patient = true;
                    thread.pause().await;
                    continue;
                }
                // Its publisher died before it could move its results.
                thread.update(kept.id, &ahead.body).await?;
                surplus.push(ahead.id);
            }
            delete(thread, &surplus).await?;
            return Ok(Upserted::KeptNewer);
        }
        let text = text_over(kept.as_ref(), marker, &body);
        match (&kept, wrote.take()) {
            (Some((_, theirs)), Some(wrote)) if theirs.key() == marker.key() => {
                delete(thread, &surplus).await?;
                return Ok(wrote);
            }
            (Some((comment, _)), None) if comment.body == text => {
                delete(thread, &surplus).await?;
                let page = comment.url.clone();
                return Ok(if failure.is_some() { Upserted::Created(page) } else { Upserted::Updated(page) });
            }
            // The list lags behind, or somebody has deleted it since: both are no reason to post again.
            (None, Some(wrote)) => return Ok(wrote),
            (None, None) if when == When::UpdateOnly => return Ok(Upserted::Nothing),
            // An earlier run has written over it: once more.
            (_, before) => wrote = before,
        }
        if read == READS {
            delete(thread, &surplus).await?;
            break;
        }
        match thread.head().await? {
            None => return Ok(Upserted::Nothing),
            Some(head) if head != marker.head => return Ok(Upserted::MovedHead),
            Some(_) => {}
        }
        let written = match &kept {
            Some((comment, _)) => thread.update(comment.id, &text).await,
            None => thread.create(&text).await,
        };
        match written {
            Ok(Written::Done(comment)) => {
                let created = kept.is_none() || matches!(wrote, Some(Upserted::Created(_)));
                wrote = Some(if created { Upserted::Created(comment.url) } else { Upserted::Updated(comment.url) });
            }
            Ok(Written::Noted) => {
                delete(thread, &surplus).await?;
                return Ok(Upserted::Noted);
            }
            Err(error) if kept.is_none() && may_be_written(&error) => {
                failure = Some(error);
                thread.pause().await;
            }
            // Somebody has deleted it since it was listed.
            Err(error) if kept.is_some() && error.is_not_found() => failure = Some(error),
            Err(error) => return Err(error),
        }
    }
    match (wrote, failure) {
        (Some(wrote), _) => Ok(wrote),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Upserted::Nothing),
    }
}

/// The text to write where `kept` is: with the verdicts of runs before ours, and always with our marker in front.
fn text_over(kept: Option<&(&Comment, Marker)>, marker: &Marker, body: impl Fn(&[PastVerdict]) -> String) -> String {
    let mut past = kept.map(|(comment, _)| past_verdicts(&comment.body)).unwrap_or_default();
    past.retain(|verdict| verdict.key() < marker.key());
    marker.leading(&body(&past))
}

async fn delete<T: Thread>(thread: &T, surplus: &[CommentId]) -> Result<(), ApiError> {
    for id in surplus {
        thread.delete(*id).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
