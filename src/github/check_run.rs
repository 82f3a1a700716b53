//! The check run on a commit: made when a run begins, completed whatever becomes of it.
//!
//! GitHub shows, of all checks of one name on a commit, the one that was made last. So results of an earlier run are
//! never put above those of a later one: each check says in its external id which run it is of, who makes one looks
//! again afterwards, and what turns out to be superseded says so and repeats the later conclusion.

use super::checks::{CheckContent, CheckId, CheckOutput, CheckRun};
use super::client::{Client, Written};
use super::error::ApiError;
use super::marker::RunKey;
use super::thread::{may_be_written, pause};
use super::wire::{CheckStatus, Conclusion};
use crate::model::CommitSha;
use std::collections::BTreeSet;

/// GitHub takes this many bytes for a title and for a summary.
pub const CHECK_TEXT_LIMIT: usize = 65_535;

/// How often the checks are read: once before, and once after each write.
const READS: usize = 5;

/// Which check is spoken of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckTopic {
    /// The commit.
    pub head: CommitSha,
    /// The check's name.
    pub name: String,
    /// The run and attempt whose check it is.
    pub key: RunKey,
    /// Where the run is to be seen.
    pub details_url: String,
}

/// How a check ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// The heading, a line without Markdown.
    pub title: String,
    /// Markdown; cut where it is longer than [`CHECK_TEXT_LIMIT`].
    pub summary: String,
}

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It was made; its page.
    Created(String),
    /// The one that was there was completed; its page.
    Completed(String),
    /// It was there already, and stays as it is.
    There(String),
    /// A later run has a check on this commit, and stays above.
    KeptNewer,
    /// It was only noted: a dry run.
    Noted,
}

/// The checks of one name on a commit.
pub(super) trait Checks {
    /// All of them.
    async fn list(&self) -> Result<Vec<CheckRun>, ApiError>;
    /// Makes one.
    async fn create(&self, content: &CheckContent) -> Result<Written<CheckRun>, ApiError>;
    /// Changes one.
    async fn update(&self, id: CheckId, content: &CheckContent) -> Result<Written<CheckRun>, ApiError>;
    /// Gives what may have been written time to appear.
    async fn pause(&self);
}

struct CommitChecks<'a> {
    client: &'a Client,
    topic: &'a CheckTopic,
}

impl Checks for CommitChecks<'_> {
    async fn list(&self) -> Result<Vec<CheckRun>, ApiError> {
        self.client.check_runs(&self.topic.head, &self.topic.name).await
    }

    async fn create(&self, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        self.client.create_check_run(content).await
    }

    async fn update(&self, id: CheckId, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        self.client.update_check_run(id, content).await
    }

    async fn pause(&self) {
        pause(self.client).await;
    }
}

/// Makes the check of a run that begins, where there is none.
///
/// # Errors
/// [`ApiError`].
pub async fn begin_check(client: &Client, topic: &CheckTopic) -> Result<Checked, ApiError> {
    begin(&CommitChecks { client, topic }, topic).await
}

/// Completes the check of a run, or makes it completed where there is none.
///
/// # Errors
/// [`ApiError`].
pub async fn complete_check(client: &Client, topic: &CheckTopic, result: &CheckResult) -> Result<Checked, ApiError> {
    complete(&CommitChecks { client, topic }, topic, result).await
}

/// The checks of one name, seen from one run.
struct Seen {
    /// That of the latest run after ours; one that is completed where there are several.
    newer: Option<CheckRun>,
    /// Ours, oldest first.
    mine: Vec<CheckRun>,
    /// Whether GitHub shows ours.
    mine_is_shown: bool,
}

fn look(checks: Vec<CheckRun>, key: RunKey) -> Seen {
    // A job of the same name has a check as well, made by Actions itself; its external id is no run's.
    let keyed = checks.into_iter().filter_map(|check| Some((RunKey::of_external_id(&check.external_id)?, check)));
    let mut keyed: Vec<(RunKey, CheckRun)> = keyed.collect();
    keyed.sort_by_key(|(_, check)| check.id);
    let mine_is_shown = keyed.last().is_some_and(|(theirs, _)| *theirs == key);
    let rank = |(theirs, check): &&(RunKey, CheckRun)| (*theirs, check.status == CheckStatus::Completed, check.id);
    let newer = keyed.iter().filter(|(theirs, _)| *theirs > key).max_by_key(rank);
    let newer = newer.map(|(_, check)| check.clone());
    let mine = keyed.into_iter().filter(|(theirs, _)| *theirs == key).map(|(_, check)| check).collect();
    Seen { newer, mine, mine_is_shown }
}

async fn begin<C: Checks>(checks: &C, topic: &CheckTopic) -> Result<Checked, ApiError> {
    let mut created: Option<String> = None;
    let mut failure = None;
    for read in 1.. {
        let Seen { newer, mine, .. } = look(checks.list().await?, topic.key);
        if let Some(newer) = newer {
            give_way(checks, topic, &mine, &newer).await?;
            return Ok(Checked::KeptNewer);
        }
        if let Some(completed) = mine.iter().find(|check| check.status == CheckStatus::Completed) {
            // The run was over before its beginning was told.
            let unfinished = mine.iter().filter(|check| check.status != CheckStatus::Completed);
            finish(checks, topic, unfinished, &pointer(completed, "Completed")).await?;
            return Ok(Checked::There(completed.url.clone()));
        }
        if let Some(page) = created {
            return Ok(Checked::Created(page));
        }
        if let Some(check) = mine.last() {
            let page = check.url.clone();
            return Ok(if failure.is_some() { Checked::Created(page) } else { Checked::There(page) });
        }
        if let Some(error) = failure.take_if(|_| read >= READS) {
            return Err(error);
        }
        match checks.create(&topic.content(CheckStatus::InProgress)).await {
            Ok(Written::Done(check)) => created = Some(check.url),
            Ok(Written::Noted) => return Ok(Checked::Noted),
            Err(error) if may_be_written(&error) => {
                failure = Some(error);
                checks.pause().await;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Checked::KeptNewer)
}

async fn complete<C: Checks>(checks: &C, topic: &CheckTopic, result: &CheckResult) -> Result<Checked, ApiError> {
    let content = topic.completed(result);
    let mut written: BTreeSet<CheckId> = BTreeSet::new();
    let mut outcome = None;
    let mut failure = None;
    for _ in 0..READS {
        let Seen { newer, mine, mine_is_shown } = look(checks.list().await?, topic.key);
        if let Some(newer) = newer {
            give_way(checks, topic, &mine, &newer).await?;
            return Ok(Checked::KeptNewer);
        }
        let mut is_settled = true;
        for check in &mine {
            if written.insert(check.id) {
                is_settled = false;
                match checks.update(check.id, &content).await? {
                    Written::Done(check) if failure.is_some() => outcome = Some(Checked::Created(check.url)),
                    Written::Done(check) => outcome = outcome.or(Some(Checked::Completed(check.url))),
                    Written::Noted => return Ok(Checked::Noted),
                }
            }
        }
        // A list that lags behind what was made is no reason to make another.
        let is_hidden = if mine.is_empty() { outcome.is_none() } else { !mine_is_shown };
        if is_hidden {
            is_settled = false;
            match checks.create(&content).await {
                Ok(Written::Done(check)) => {
                    written.insert(check.id);
                    outcome = Some(Checked::Created(check.url));
                }
                Ok(Written::Noted) => return Ok(Checked::Noted),
                Err(error) if may_be_written(&error) => {
                    failure = Some(error);
                    checks.pause().await;
                }
                Err(error) => return Err(error),
            }
        }
        if is_settled {
            break;
        }
    }
    match (outcome, failure) {
        (Some(outcome), _) => Ok(outcome),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Checked::KeptNewer),
    }
}

/// Completes those of `mine` that a later run's check takes the place of. What was made after that one and is therefore
/// shown instead of it repeats its conclusion.
async fn give_way<C: Checks>(
    checks: &C,
    topic: &CheckTopic,
    mine: &[CheckRun],
    newer: &CheckRun,
) -> Result<(), ApiError> {
    let in_the_way = mine.iter().filter(|check| check.status != CheckStatus::Completed || check.id > newer.id);
    finish(checks, topic, in_the_way, &pointer(newer, "Superseded by a later run")).await
}

async fn finish<'a, C: Checks>(
    checks: &C,
    topic: &CheckTopic,
    mine: impl Iterator<Item = &'a CheckRun>,
    result: &CheckResult,
) -> Result<(), ApiError> {
    for check in mine {
        checks.update(check.id, &topic.completed(result)).await?;
    }
    Ok(())
}

/// The result that leads to another check, and says what that one says.
fn pointer(to: &CheckRun, title: &str) -> CheckResult {
    let conclusion = match to.conclusion {
        Some(known @ (Conclusion::Success | Conclusion::Failure)) => known,
        _ => Conclusion::Neutral,
    };
    let summary = format!("The results are in [another check of this name]({}).", to.url);
    CheckResult { conclusion, title: title.to_owned(), summary }
}

impl CheckTopic {
    fn content(&self, status: CheckStatus) -> CheckContent {
        CheckContent {
            name: self.name.clone(),
            head_sha: self.head.clone(),
            status,
            conclusion: None,
            details_url: Some(self.details_url.clone()).filter(|url| !url.is_empty()),
            external_id: Some(self.key.external_id()),
            output: None,
        }
    }

    fn completed(&self, result: &CheckResult) -> CheckContent {
        let CheckResult { conclusion, title, summary } = result;
        let output = CheckOutput { title: capped(title), summary: capped(summary), text: None };
        CheckContent { conclusion: Some(*conclusion), output: Some(output), ..self.content(CheckStatus::Completed) }
    }
}

/// `text` cut to what GitHub takes, its end marked where something is missing.
fn capped(text: &str) -> String {
    const CUT: &str = "\n\n…";
    if text.len() <= CHECK_TEXT_LIMIT {
        return text.to_owned();
    }
    text[..text.floor_char_boundary(CHECK_TEXT_LIMIT - CUT.len())].to_owned() + CUT
}

#[cfg(test)]
mod tests;
