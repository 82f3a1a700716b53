//! A pull request's comment.

use super::conclude::Judged;
use super::ledger::Ledger;
use super::office::Office;
use super::publication::trend_line;
use crate::github::{ApiError, Marker, PastVerdict, Pull, Upserted, When, WorkflowRun, lead, upsert};
use crate::model::NotRacedReason;
use crate::plan::CommentWhen;
use crate::report::{
    self, Format, Publication, ReportError, TemplateOverrides, WebAddress, render_published, short_verdict,
};
use crate::verdict::{RunOutcome, RunVerdict};

/// The marker of what `run` writes about the commit that `judged` is of.
pub(super) fn marker(office: &Office, run: &WorkflowRun, judged: &Judged) -> Marker {
    Marker {
        configuration: office.configuration.clone(),
        head: judged.results.head.sha.clone(),
        run: run.id,
        attempt: run.attempt,
    }
}

/// Whether a comment is to be there; `None` where not even an old one is touched.
fn when(setting: CommentWhen, judged: &Judged) -> Option<When> {
    let proved = |verdict: &RunVerdict| {
        let counts = verdict.counts;
        counts.regressions + counts.improvements + counts.failing > 0
    };
    match judged.outcome {
        RunOutcome::Quick | RunOutcome::NotRaced(NotRacedReason::NotAsked) => None,
        _ if setting == CommentWhen::Never => None,
        RunOutcome::NotRaced(NotRacedReason::NothingToCompare) => Some(When::UpdateOnly),
        _ if setting == CommentWhen::Always || proved(&judged.verdict) => Some(When::CreateOrUpdate),
        // What an old comment says of an earlier head must not stand as if it were said of this one.
        _ => Some(When::UpdateOnly),
    }
}

/// Writes the comment on `pull`.
pub(super) async fn comment(
    office: &Office,
    run: &WorkflowRun,
    pull: &Pull,
    judged: &Judged,
    publication: &mut Publication,
    ledger: &mut Ledger,
) {
    match trend_line(office, judged).await {
        Ok(trend) => publication.trend = trend,
        Err(reason) => ledger.say(format!("no trend is shown: {reason}")),
    }
    let Some(when) = when(office.authority.settings.github.comment, judged) else {
        ledger.say("no comment: the settings or the run ask for none");
        return;
    };
    let templates = usable_templates(office, judged, publication, ledger);
    let marker = marker(office, run, judged);
    let now = PastVerdict::new(&marker, &short_verdict(&judged.results, &judged.verdict), &run.url);
    let body = |past: &[PastVerdict]| {
        let mut publication = publication.clone();
        publication.past = shown(past, &now);
        publication.takes_commands = true;
        let text = text(judged, &publication, &templates).unwrap_or_else(|error| error.to_string());
        format!("{}\n{text}", lead(&marker, past, Some(&now)))
    };
    let written = upsert(&office.client, pull.number, &marker, body, when).await;
    said(written, pull, ledger);
}

fn said(written: Result<Upserted, ApiError>, pull: &Pull, ledger: &mut Ledger) {
    match ledger.keep(written) {
        Some(Upserted::Created(page)) => ledger.say(format!("comment posted: {page}")),
        Some(Upserted::Updated(page)) => ledger.say(format!("comment brought up to date: {page}")),
        Some(Upserted::KeptNewer) => ledger.say("comment left: a later run's results stand there"),
        Some(Upserted::MovedHead) => ledger.say(format!("comment left: {} has another head by now", pull.url)),
        Some(Upserted::Nothing) => ledger.say("no comment: there is nothing to bring up to date"),
        Some(Upserted::Noted) | None => {}
    }
}

/// The earlier verdicts as they are shown: newest first, and not this run's own.
fn shown(past: &[PastVerdict], now: &PastVerdict) -> Vec<report::PastVerdict> {
    let mut past: Vec<&PastVerdict> = past.iter().filter(|verdict| verdict.key() != now.key()).collect();
    past.sort_by_key(|verdict| std::cmp::Reverse(verdict.key()));
    past.into_iter()
        .map(|verdict| report::PastVerdict {
            head: verdict.head.clone(),
            text: verdict.text.clone(),
            url: WebAddress::new(&verdict.url),
        })
        .collect()
}

fn text(judged: &Judged, publication: &Publication, templates: &TemplateOverrides) -> Result<String, ReportError> {
    render_published(&judged.results, &judged.verdict, Some(publication), Format::Markdown, templates)
}

/// The default branch's templates, or the built-in ones where those fail: results are not lost for a typing error.
pub(super) fn usable_templates(
    office: &Office,
    judged: &Judged,
    publication: &mut Publication,
    ledger: &mut Ledger,
) -> TemplateOverrides {
    match text(judged, publication, &office.authority.templates) {
        Ok(_) => office.authority.templates.clone(),
        Err(error) => {
            ledger.fail(format!(
                "failed to use the templates of the default branch, so the built-in ones were used: {error}"
            ));
            publication
                .notes
                .push("The repository's own templates could not be used; the log of the run says why.".to_owned());
            TemplateOverrides::new()
        }
    }
}
