//! What a published run says beyond a local one: whose code was measured, what came before, what it cost, where it ran.

use super::cells::Run;
use super::number;
use super::publication::{BaseNote, PastVerdict, Publication, TrendLine, WebAddress};
use super::safe;
use crate::verdict::outcome;

/// How many earlier verdicts are listed.
pub(super) const PAST: usize = 10;

/// What the figures of a fork are.
const FORK: &str = "A job that ran the fork's own code measured these figures: they are claims, not proofs, and the check \
    stays neutral.";

/// What is known of a run that raced something.
fn raced<'a>(run: &Run<'a>) -> Option<&'a Publication> {
    run.publication.filter(|_| run.results.not_raced.is_none())
}

/// What changes the meaning of everything, and stands before every other caution.
pub(super) fn caution(run: &Run) -> Option<String> {
    raced(run)?.from_fork.then(|| FORK.to_owned())
}

/// What a reader should know right below the headline.
pub(super) fn remarks(run: &Run) -> Vec<String> {
    let Some(publication) = run.publication else { return Vec::new() };
    let mut remarks = Vec::new();
    let regression = outcome(run.results, run.verdict).is_regression();
    if let Some(label) = publication.accepted_label.as_ref().filter(|_| regression) {
        remarks.push(format!("The label {} accepts the regression, so the check does not fail.", safe::code(label)));
    }
    remarks.extend(publication.notes.iter().take(10).map(|note| safe::sentence(note)));
    remarks
}

/// How base was chosen, as a sentence.
pub(super) fn base_note(run: &Run) -> Option<String> {
    match raced(run)?.base_note? {
        BaseNote::MeasuredAncestor { commits_before: 1 } => Some("Base is head's parent.".to_owned()),
        BaseNote::MeasuredAncestor { commits_before } => Some(format!(
            "Base is the nearest ancestor that was measured, {} before head.",
            number::count(commits_before, "commit", "commits")
        )),
        BaseNote::NothingMeasured => Some("Base was not measured before.".to_owned()),
    }
}

/// One line that is a trend and no proof.
pub(super) fn trend(run: &Run) -> Option<String> {
    let TrendLine { commit, commits_before, mean_pct, lowest_pct, highest_pct, cells } = raced(run)?.trend.as_ref()?;
    let place = match commits_before {
        None => String::new(),
        Some(0) => ", which is base".to_owned(),
        Some(commits) => format!(", {} before base", number::count(*commits, "commit", "commits")),
    };
    let range = if *cells > 1 {
        format!(
            " ({}, over {})",
            number::percent_interval(*lowest_pct, *highest_pct),
            number::count(*cells, "scenario", "scenarios")
        )
    } else {
        String::new()
    };
    Some(format!(
        "**Trend, not a proof:** req/s {}{range} since {}{place}, which another run on a like machine measured.",
        number::signed_percent(*mean_pct),
        safe::code(commit.short()),
    ))
}

/// Earlier verdicts, the newest first, at most `limit`.
pub(super) fn history(run: &Run, limit: usize) -> Vec<String> {
    let past = run.publication.map(|publication| publication.past.as_slice()).unwrap_or_default();
    past.iter().take(limit).map(past_line).collect()
}

fn past_line(past: &PastVerdict) -> String {
    let head = safe::code(past.head.short());
    let head = past.url.as_ref().map_or_else(|| head.clone(), |url| link(&head, url));
    format!("{head}: {}", safe::sentence(&past.text))
}

/// Where it ran and what it cost.
pub(super) fn origin(run: &Run) -> String {
    let Some(Publication { run_url, runner_minutes, attempt, .. }) = run.publication else { return String::new() };
    let attempt = attempt.filter(|attempt| attempt.0 > 1).map(|attempt| format!("ttempt {attempt} of this run"));
    let name = |capital: bool| match (&attempt, capital) {
        (None, true) => "This run".to_owned(),
        (None, false) => "this run".to_owned(),
        (Some(attempt), true) => format!("A{attempt}"),
        (Some(attempt), false) => format!("a{attempt}"),
    };
    let cost = runner_minutes.map(|minutes| number::count(minutes as usize, "runner minute", "runner minutes"));
    match (run_url, cost) {
        (None, None) => String::new(),
        (Some(url), None) => format!("See {}.", link(&name(false), url)),
        (None, Some(cost)) => format!("{} cost {cost}.", name(true)),
        (Some(url), Some(cost)) => format!("{} cost {cost}.", link(&name(true), url)),
    }
}

/// The only links that a report has.
fn link(text: &str, url: &WebAddress) -> String {
    format!("[{text}]({})", url.as_str())
}
