//! The comment on a commit of the default branch that was proved worse: one for each configuration, never a second.

use super::client::{Call, Client, Written};
use super::comments::{Comment, CommentId};
use super::error::ApiError;
use super::marker::Marker;
use super::retry::Repeat;
use super::thread::{Posted, Thread, Viewer, pause, post_once};
use crate::model::CommitSha;
use http::Method;

/// The comments on a commit.
struct CommitThread<'a> {
    client: &'a Client,
    sha: &'a CommitSha,
}

impl Thread for CommitThread<'_> {
    async fn list(&self) -> Result<Vec<Comment>, ApiError> {
        self.client.commit_comments(self.sha).await
    }

    async fn create(&self, body: &str) -> Result<Written<Comment>, ApiError> {
        self.client.create_commit_comment(self.sha, body).await
    }

    async fn delete(&self, id: CommentId) -> Result<Written<()>, ApiError> {
        let path = self.client.path(&["comments", &id.to_string()])?;
        let call = Call { method: Method::DELETE, path, body: serde_json::Value::Null, repeat: Repeat::Harmless };
        match self.client.write_unread(call).await {
            Ok(written) => Ok(written.map(|_| ())),
            Err(error) if error.is_not_found() => Ok(Written::Done(())),
            Err(error) => Err(error),
        }
    }

    async fn pause(&self) {
        pause(self.client).await;
    }
}

/// Comments on the commit of `marker`, unless a comment of ours for the same configuration is there: a later run of
/// the same commit is no second news. `body` starts with the marker.
///
/// # Errors
/// [`ApiError`]; [`ApiError::Uncertain`] where GitHub confirmed no post and none was found either.
pub async fn comment_on_commit(client: &Client, marker: &Marker, body: &str) -> Result<Posted, ApiError> {
    let viewer = Viewer::of(client).await?;
    let thread = CommitThread { client, sha: &marker.head };
    post_once(&thread, |comment| is_ours(comment, &viewer, marker), &marker.leading(body)).await
}

fn is_ours(comment: &Comment, viewer: &Viewer, marker: &Marker) -> bool {
    let theirs = Marker::parse(&comment.body);
    viewer.is(&comment.author) && theirs.is_some_and(|theirs| theirs.configuration == marker.configuration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::crowd::{Fate, Publisher, Task, World, comment, interleave, marker};
    use proptest::prelude::*;

    #[test]
    fn ours_is_what_our_account_wrote_for_the_configuration() {
        let (viewer, text) = (Viewer::new(None), marker(1).to_string());
        for (author, body, expected) in [
            (("github-actions[bot]", true), text.clone(), true),
            (("github-actions[bot]", true), format!("> {text}"), false),
            (("github-actions[bot]", true), text.replace("deadheat.toml", "b.toml"), false),
            (("octocat", false), text.clone(), false),
            (("other[bot]", true), text, false),
        ] {
            assert_eq!(is_ours(&comment(1, author, &body), &viewer, &marker(2)), expected, "{body}");
        }
    }

    proptest! {
        #[test]
        fn however_many_comment_there_is_one(
            publishers in 1usize..6,
            fates in prop::collection::vec(prop::sample::select(vec![Fate::Good, Fate::Unconfirmed, Fate::Lost, Fate::Late]), 0..3),
            order in prop::collection::vec(0usize..6, 0..60),
        ) {
            let other = comment(1, ("octocat", false), &marker(1).to_string());
            let world = World::new(vec![other], &fates);
            let viewer = Viewer::new(None);
            let tasks = (0..publishers).map(|_| -> Task<'_, Result<Posted, ApiError>> {
                let text = marker(1).leading("slower");
                Box::pin(async {
                    let text = text;
                    post_once(&Publisher(&world), |comment| is_ours(comment, &viewer, &marker(1)), &text).await
                })
            });
            for result in interleave(tasks.collect(), &order) {
                prop_assert!(result.is_ok(), "{result:?}");
            }
            prop_assert_eq!(world.borrow().comments.len(), 2);
        }
    }
}
