//! A push to the default branch: the commit's baseline, and a comment on it where it is proved worse.

use super::conclude::Judged;
use super::ledger::Ledger;
use super::office::Office;
use super::publication::base_note;
use super::pull::{marker, usable_templates};
use crate::baseline::{BaselineRecord, BranchStore, Stored};
use crate::commands::keep::{figures, no_measure};
use crate::github::{Posted, WorkflowRun, comment_on_commit};
use crate::plan::CommentWhen;
use crate::report::{Publication, commit_comment};

/// Keeps the baseline and comments where something is proved worse.
pub(super) async fn publish(
    office: &Office,
    run: &WorkflowRun,
    judged: &Judged,
    publication: &mut Publication,
    ledger: &mut Ledger,
) {
    if office.keeps_baselines() {
        match base_note(office, judged).await {
            Ok(note) => publication.base_note = note,
            Err(reason) => ledger.say(format!("how base was chosen is not said: {reason}")),
        }
        keep_baseline(office, judged, ledger).await;
    } else {
        ledger.say("no baseline: [baseline] store is a directory, which a job does not keep");
    }
    if judged.outcome.is_regression() && office.authority.settings.github.comment != CommentWhen::Never {
        comment(office, run, judged, publication, ledger).await;
    }
}

async fn keep_baseline(office: &Office, judged: &Judged, ledger: &mut Ledger) {
    if let Some(reason) = no_measure(&judged.results, &judged.verdict) {
        return ledger.say(format!("no baseline: {reason}"));
    }
    let record = match BaselineRecord::from_results(&judged.results, &figures(&judged.verdict)) {
        Ok(record) => record,
        Err(error) => return ledger.fail(error),
    };
    let sha = record.sha.short().to_owned();
    match BranchStore::new(&office.client).put(&record).await {
        Ok(Stored::Added) => ledger.say(format!("baseline of {sha} kept")),
        Ok(Stored::Replaced) => ledger.say(format!("baseline of {sha} replaced by this later run's")),
        Ok(Stored::Left) => ledger.say(format!("baseline of {sha} left: a run as new or newer is there")),
        Ok(Stored::Noted) => {}
        Err(error) => ledger.fail(error),
    }
}

async fn comment(
    office: &Office,
    run: &WorkflowRun,
    judged: &Judged,
    publication: &mut Publication,
    ledger: &mut Ledger,
) {
    let templates = usable_templates(office, judged, publication, ledger);
    let marker = marker(office, run, judged);
    let text = match commit_comment(&judged.results, &judged.verdict, Some(publication), &templates) {
        Ok(text) => text,
        Err(error) => return ledger.fail(error),
    };
    match ledger.keep(comment_on_commit(&office.client, &marker, &text).await) {
        Some(Posted::Created(page)) => ledger.say(format!("commented on the commit: {page}")),
        Some(Posted::There(page)) => ledger.say(format!("the commit has its comment already: {page}")),
        Some(Posted::Noted) | None => {}
    }
}
