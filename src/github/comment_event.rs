//! What a new comment on a pull request sets in motion: a dispatched workflow, a reply that helps, or nothing.
//!
//! Who may ask is asked from the API, never read from the comment. Somebody without write access gets a `confused`
//! reaction and nothing else: it tells an honest person that the command was seen and refused, and gives nobody a way
//! to make the bot write words. So does a command on a pull request that is closed.
//!
//! Known limits: a comment does not say which commit its author had in mind, so the head at the time of reading is
//! raced. A dispatch whose answer is lost is not sent again, because a second one would race twice: it ends with the
//! error and a `confused` reaction beside the eyes, and whoever asked can ask again.

use super::client::{Client, Written};
use super::comments::{Comment, CommentId, Reaction};
use super::error::ApiError;
use super::event::{CommentAction, IssueComment};
use super::pulls::{Pull, PullState};
use super::repository::Permission;
use super::slash::SlashCommand;
use super::slash_mistake::SlashMistake;
use super::thread::{Posted, PullThread, Viewer, post_once};
use crate::model::{CommitSha, PullNumber};
use std::collections::BTreeMap;

/// The workflow that races.
const WORKFLOW: &str = "deadheat.yml";

/// What was done about a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It is no command, or none that counts: edited, not on a pull request, or by a bot.
    NoCommand,
    /// The pull request is closed, or gone.
    Closed,
    /// Its author may not write to the repository.
    NotAllowed,
    /// It cannot be read, and a reply says so.
    Mistaken(Posted),
    /// The race of this head was asked for.
    Dispatched {
        /// The commit that is raced.
        head: CommitSha,
        /// What it is compared with; the workflow finds it out where GitHub does not know it.
        base: Option<CommitSha>,
    },
    /// It would have been asked for: a dry run.
    Noted,
}

/// Does what a comment asks for.
///
/// # Errors
/// [`ApiError`].
pub async fn answer_comment(client: &Client, event: &IssueComment) -> Result<Answered, ApiError> {
    let Some((author, parsed)) = command_of(event) else { return Ok(Answered::NoCommand) };
    let comment = CommentId(event.comment);
    let Some(pull) = client.pull(event.number).await?.filter(|pull| pull.state == PullState::Open) else {
        client.react(comment, Reaction::Confused).await?;
        return Ok(Answered::Closed);
    };
    match client.permission(author).await? {
        Permission::Admin | Permission::Write => {}
        Permission::Read | Permission::None => {
            client.react(comment, Reaction::Confused).await?;
            return Ok(Answered::NotAllowed);
        }
    }
    match parsed {
        Err(mistake) => reply(client, event.number, comment, author, &mistake).await.map(Answered::Mistaken),
        Ok(command) => {
            client.react(comment, Reaction::Eyes).await?;
            let dispatched = dispatch(client, &pull, &command).await;
            if dispatched.is_err() {
                // The error is what counts; that it could not be shown as well does not.
                drop(client.react(comment, Reaction::Confused).await);
            }
            dispatched
        }
    }
}

/// The author and the command of a comment that counts.
fn command_of(event: &IssueComment) -> Option<(&str, Result<SlashCommand, SlashMistake>)> {
    let author = event.author.as_ref().filter(|author| !author.is_bot && !author.login.ends_with("[bot]"))?;
    if event.action != CommentAction::Created || !event.is_pull_request {
        return None;
    }
    Some((&author.login, SlashCommand::parse(&event.body)?))
}

async fn dispatch(client: &Client, pull: &Pull, command: &SlashCommand) -> Result<Answered, ApiError> {
    // The event's and the pull request's own base are as old as the last push to it.
    let tip = client.branch_tip(&pull.base.branch).await?.unwrap_or_else(|| pull.base.sha.clone());
    let head = pull.head.sha.clone();
    let base = client.merge_base(tip.as_str(), head.as_str()).await?;
    let branch = client.repository_facts().await?.default_branch;
    let inputs = inputs(pull.number, &head, base.as_ref(), command);
    Ok(match client.dispatch_workflow(WORKFLOW, &branch, &inputs).await? {
        Written::Done(()) => Answered::Dispatched { head, base },
        Written::Noted => Answered::Noted,
    })
}

fn inputs(
    number: PullNumber,
    head: &CommitSha,
    base: Option<&CommitSha>,
    command: &SlashCommand,
) -> BTreeMap<String, String> {
    let mut inputs = command.inputs();
    inputs.insert("pr".to_owned(), number.to_string());
    inputs.insert("head".to_owned(), head.to_string());
    inputs.extend(base.map(|base| ("base".to_owned(), base.to_string())));
    inputs
}

/// Says once what is wrong with the command.
async fn reply(
    client: &Client,
    number: PullNumber,
    comment: CommentId,
    author: &str,
    mistake: &SlashMistake,
) -> Result<Posted, ApiError> {
    let viewer = Viewer::of(client).await?;
    let body = reply_body(comment, author, mistake);
    post_once(&PullThread { client, number }, |there| is_reply(there, &viewer, comment), &body).await
}

fn reply_marker(comment: CommentId) -> String {
    format!("<!-- deadheat-reply:{comment} -->")
}

fn reply_body(comment: CommentId, author: &str, mistake: &SlashMistake) -> String {
    let is_plain = author.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let mention = if is_plain && !author.is_empty() { format!("@{author} ") } else { String::new() };
    format!("{}\n{mention}{mistake}\n", reply_marker(comment))
}

fn is_reply(there: &Comment, viewer: &Viewer, comment: CommentId) -> bool {
    viewer.is(&there.author) && there.body.lines().next() == Some(&reply_marker(comment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::Account;
    use crate::github::crowd::{HEAD, comment, sha};

    fn event(body: &str) -> IssueComment {
        IssueComment {
            action: CommentAction::Created,
            is_pull_request: true,
            number: PullNumber(7),
            comment: 100,
            body: body.to_owned(),
            author: Some(Account { login: "octocat".to_owned(), is_bot: false }),
        }
    }

    #[test]
    fn only_a_new_comment_of_a_person_on_a_pull_request_counts() {
        assert!(command_of(&event("/deadheat")).is_some());
        let bot = |login: &str, is_bot| Some(Account { login: login.to_owned(), is_bot });
        for other in [
            IssueComment { action: CommentAction::Edited, ..event("/deadheat") },
            IssueComment { action: CommentAction::Deleted, ..event("/deadheat") },
            IssueComment { is_pull_request: false, ..event("/deadheat") },
            IssueComment { author: None, ..event("/deadheat") },
            IssueComment { author: bot("renovate", true), ..event("/deadheat") },
            IssueComment { author: bot("renovate[bot]", false), ..event("/deadheat") },
            event("> /deadheat"),
            event("please /deadheat"),
        ] {
            assert!(command_of(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn what_is_dispatched_names_commits_and_what_was_asked_for() {
        let command = SlashCommand::parse("/deadheat suites=http budget=20m").unwrap().unwrap();
        let base = sha(&"f".repeat(40));
        let inputs = inputs(PullNumber(7), &sha(HEAD), Some(&base), &command);
        let expected = [("base", base.as_str()), ("budget", "20m"), ("head", HEAD), ("pr", "7"), ("suites", "http")];
        assert!(inputs.iter().map(|(key, value)| (key.as_str(), value.as_str())).eq(expected));
    }

    #[test]
    fn a_reply_mentions_its_author_alone_and_is_found_again() {
        let mistake = SlashCommand::parse("/deadheat `@all`,@team").unwrap().unwrap_err();
        let body = reply_body(CommentId(100), "octo-cat", &mistake);
        insta::assert_snapshot!(body);
        assert!(!reply_body(CommentId(100), "a b", &mistake).contains("\n@"));
        let viewer = Viewer::new(None);
        let found = |author, id| is_reply(&comment(1, author, &body), &viewer, CommentId(id));
        assert!(found(("github-actions[bot]", true), 100));
        assert!(!found(("github-actions[bot]", true), 10));
        assert!(!found(("octocat", false), 100));
        let quoted = comment(1, ("github-actions[bot]", true), &format!("> {body}"));
        assert!(!is_reply(&quoted, &viewer, CommentId(100)));
    }
}
