//! A run of the workflow from its request to its end: the check, and whatever else is published of its subject.

use super::conclude::{Arrived, Judged, Nothing, ending, in_view_of, judged, raced_nothing};
use super::hand_in::HandIn;
use super::ledger::Ledger;
use super::office::Office;
use super::publication::of_run;
use super::subject::{Subject, subject_of};
use super::{pull, push};
use crate::github::{
    ApiError, CheckResult, CheckTopic, Checked, Conclusion, RunKey, WorkflowRun, begin_check, complete_check,
};
use crate::model::CommitSha;
use crate::report::{Publication, TemplateOverrides, check_output};
use crate::verdict::{self, CheckConclusion};

/// Says on the run's commit that a race is under way.
pub(super) async fn begin(office: &Office, run: &WorkflowRun, ledger: &mut Ledger) {
    let topic = topic(office, run, &run.head_sha);
    // Only its end shows whether it raced; until then it may not cover a check that another run will complete.
    let there = ledger.keep(checks_there(office, &topic).await).unwrap_or_default();
    if !there.own && !there.earlier.is_empty() {
        return ledger.say("check left: an earlier run has one on this commit");
    }
    let began = begin_check(&office.client, &topic).await;
    said(ledger.keep(began), "check begun", ledger);
}

/// The check of `run` on `sha`.
fn topic(office: &Office, run: &WorkflowRun, sha: &CommitSha) -> CheckTopic {
    CheckTopic {
        head: sha.clone(),
        name: office.check_name(),
        key: RunKey { run: run.id, attempt: run.attempt },
        details_url: run.url.clone(),
    }
}

/// Publishes a run that has ended.
pub(super) async fn complete(office: &Office, run: &WorkflowRun, hand_in: HandIn, ledger: &mut Ledger) -> Arrived {
    let subject = match subject_of(&office.client, run, office.repository, &office.default_branch).await {
        Ok(subject) => subject,
        Err(error) => {
            ledger.fail(&error);
            let foreign = run.head_repository.as_ref().is_none_or(|head| head.id != office.repository);
            Subject::Nobody { reason: "GitHub did not say what the run was for".to_owned(), from_fork: foreign }
        }
    };
    let judging = &office.authority.settings.judging;
    let arrived = match (&subject, hand_in) {
        (Subject::Queue, HandIn::Missing) => Arrived::Nothing(Nothing::queue()),
        (_, hand_in) => judged(hand_in, Some(&run.head_sha), run.conclusion, judging),
    };
    let mut publication = of_run(office, run, subject.is_from_fork()).await;
    let mut accepted = false;
    match &subject {
        Subject::Pull { pull, .. } => {
            accepted = accept(office, &pull.labels, &arrived, &mut publication);
            if let Arrived::Judged(judged) = &arrived {
                pull::comment(office, run, pull, judged, &mut publication, ledger).await;
            }
        }
        Subject::Push => {
            if let Arrived::Judged(judged) = &arrived {
                push::publish(office, run, judged, &mut publication, ledger).await;
            }
        }
        Subject::Queue => ledger.say("a merge queue: nothing but the check is published"),
        Subject::Nobody { reason, .. } => ledger.say(format!("nothing but the check is published: {reason}")),
    }
    finish(office, run, &run.head_sha, &arrived, accepted, &publication, ledger).await;
    arrived
}

/// Whether a label lets a regression pass, which the publication then says.
pub(super) fn accept(office: &Office, labels: &[String], arrived: &Arrived, publication: &mut Publication) -> bool {
    let label = &office.authority.settings.judging.accepted_label;
    let accepted = !label.is_empty() && labels.contains(label);
    let regression = matches!(arrived, Arrived::Judged(judged) if judged.outcome.is_regression());
    publication.accepted_label = (accepted && regression).then(|| label.clone());
    accepted
}

/// Completes the check on `sha`. It is always completed, whatever else failed.
pub(super) async fn finish(
    office: &Office,
    run: &WorkflowRun,
    sha: &CommitSha,
    arrived: &Arrived,
    accepted: bool,
    publication: &Publication,
    ledger: &mut Ledger,
) {
    let topic = topic(office, run, sha);
    let end = ending(arrived, &office.authority.settings.judging, accepted, publication.from_fork);
    let there = ledger.keep(checks_there(office, &topic).await).unwrap_or_default();
    let before = there.earlier.iter().filter_map(|(key, conclusion)| Some((*key, (*conclusion)?)));
    let before = before.max_by_key(|(key, _)| *key).map(|(_, conclusion)| conclusion);
    let accepts = accepted && before == Some(Conclusion::Failure);
    // One that was begun is completed even so: nobody else will do it.
    if raced_nothing(arrived) && !there.own && !there.earlier.is_empty() && !accepts {
        return ledger.say("check left: this run raced nothing, and an earlier run's stands on this commit");
    }
    let end = in_view_of(end, arrived, before, accepted);
    let conclusion = match end.conclusion {
        CheckConclusion::Success => Conclusion::Success,
        CheckConclusion::Neutral => Conclusion::Neutral,
        CheckConclusion::Failure => Conclusion::Failure,
    };
    let (title, summary) = match arrived {
        Arrived::Nothing(nothing) => (nothing.title.clone(), nothing.text.clone()),
        Arrived::Judged(judged) => shown(judged, &end, publication, &office.authority.templates, ledger),
    };
    let result = CheckResult { conclusion, title, summary };
    let completed = complete_check(&office.client, &topic, &result).await;
    said(ledger.keep(completed), &format!("check completed, {}: {}", conclusion.word(), end.why), ledger);
}

/// The checks of this name that a run finds on its commit.
#[derive(Default)]
struct ChecksThere {
    /// Whether one is its own.
    own: bool,
    /// Those of earlier runs, with what they concluded, where they did. What an earlier attempt at the same run left
    /// unfinished is nobody's any more, and not among them.
    earlier: Vec<(RunKey, Option<Conclusion>)>,
}

async fn checks_there(office: &Office, topic: &CheckTopic) -> Result<ChecksThere, ApiError> {
    let mut there = ChecksThere::default();
    for check in office.client.check_runs(&topic.head, &topic.name).await? {
        match RunKey::of_external_id(&check.external_id) {
            Some(key) if key == topic.key => there.own = true,
            Some(key) if key < topic.key && (key.run != topic.key.run || check.conclusion.is_some()) => {
                there.earlier.push((key, check.conclusion));
            }
            _ => {}
        }
    }
    Ok(there)
}

/// What the check shows of results.
fn shown(
    judged: &Judged,
    end: &super::conclude::Ending,
    publication: &Publication,
    templates: &TemplateOverrides,
    ledger: &mut Ledger,
) -> (String, String) {
    let conclusion = verdict::Conclusion { check: end.conclusion, why: end.why };
    let text = |templates: &TemplateOverrides| {
        check_output(&judged.results, &judged.verdict, conclusion, Some(publication), templates)
    };
    match text(templates).or_else(|_| text(&TemplateOverrides::new())) {
        Ok(output) => (output.title, output.summary),
        Err(error) => {
            ledger.fail(&error);
            ("the report could not be written".to_owned(), end.why.to_owned())
        }
    }
}

fn said(checked: Option<Checked>, done: &str, ledger: &mut Ledger) {
    match checked {
        Some(Checked::Created(page) | Checked::Completed(page) | Checked::There(page)) => {
            ledger.say(format!("{done} {page}"));
        }
        Some(Checked::KeptNewer) => ledger.say("check left: a later run's stands there"),
        Some(Checked::Noted) | None => {}
    }
}
