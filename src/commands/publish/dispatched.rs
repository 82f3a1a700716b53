//! A run that was dispatched, by hand or by a comment: published by its own second job.

use super::completed::{accept, finish};
use super::conclude::{Arrived, judged};
use super::hand_in::HandIn;
use super::ledger::Ledger;
use super::office::Office;
use super::publication::of_run;
use super::pull;
use crate::github::{PullState, WorkflowRun};
use crate::model::PullNumber;
use crate::report::Publication;

/// Publishes the run: the comment and the check of `number`, where a pull request was named and its head was raced.
pub(super) async fn publish(
    office: &Office,
    run: &WorkflowRun,
    number: Option<PullNumber>,
    hand_in: HandIn,
    ledger: &mut Ledger,
) -> Option<(Arrived, Publication)> {
    let judging = &office.authority.settings.judging;
    let Some(number) = number else {
        ledger.say("no pull request was named: the job's summary is all that is published");
        // Nobody says whose commit was raced, so nothing is said of a fork either: who dispatched it chose it.
        return Some((judged(hand_in, None, None, judging), of_run(office, run, false).await));
    };
    let Some(pull) = ledger.keep(office.client.pull(number).await)? else {
        ledger.fail(format!("failed to publish on pull request {number}: there is none of that number"));
        return None;
    };
    let head = pull.head.sha.clone();
    let arrived = judged(hand_in, Some(&head), None, judging);
    let from_fork = pull.head.repository.as_ref().is_none_or(|repository| repository.id != office.repository);
    let mut publication = of_run(office, run, from_fork).await;
    let accepted = accept(office, &pull.labels, &arrived, &mut publication);
    match &arrived {
        _ if pull.state != PullState::Open => ledger.say(format!("no comment: {} is closed", pull.url)),
        Arrived::Judged(judged) => pull::comment(office, run, &pull, judged, &mut publication, ledger).await,
        Arrived::Nothing(nothing) => ledger.say(format!("no comment: {}", nothing.text)),
    }
    finish(office, run, &head, &arrived, accepted, &publication, ledger).await;
    Some((arrived, publication))
}
