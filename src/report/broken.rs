//! What fails: entries that did not come up, and cases that fail on one side.

use super::cells::Run;
use super::label::{self, Style};
use super::number;
use crate::model::{Case, CellKey, EntryName, Failure, Outcome, Phase, RegimeName, Side};
use crate::verdict::Word;
use std::collections::{BTreeMap, BTreeSet};

/// How many sentences the headline may spend on failures.
const SENTENCES: usize = 3;

type Place<'a> = (&'a EntryName, Option<&'a RegimeName>, &'a Case);

/// How often a case was tried and how often it failed on one side.
#[derive(Clone, Copy, Default)]
struct Tries {
    failed: usize,
    of: usize,
}

/// For the headline: a few sentences with the entries and cases that fail.
pub(super) fn sentences(run: &Run, style: Style) -> Vec<String> {
    let lines = lines(run, style);
    let more = lines.len().saturating_sub(SENTENCES);
    let mut sentences: Vec<String> = lines.into_iter().take(SENTENCES).map(|line| line.headline).collect();
    if more > 0 {
        sentences.push(format!("{} below.", number::count(more, "more failure is listed", "more failures are listed")));
    }
    sentences
}

/// One thing that fails.
pub(super) struct Broken {
    /// A sentence for the headline.
    pub(super) headline: String,
    /// A line for the list, with what is known of the cause.
    pub(super) detail: String,
}

/// Everything that fails, entries before cases.
pub(super) fn lines(run: &Run, style: Style) -> Vec<Broken> {
    let mut lines = entries(run, style);
    lines.extend(cases(run, style));
    lines
}

/// Entries that were out of the race before its first round, on head or as a whole.
fn entries(run: &Run, style: Style) -> Vec<Broken> {
    let mut told: BTreeSet<(&EntryName, Option<Side>)> = BTreeSet::new();
    let mut lines = Vec::new();
    for failure in run.results.failures.iter().filter(|failure| failure.round.is_none() && failure.phase != Phase::Stop)
    {
        // What base can't answer of head's contract is new, not broken.
        let expected = failure.side == Some(Side::Base) && failure.scenario.is_some();
        if expected || !told.insert((&failure.entry, failure.side)) {
            continue;
        }
        let scenario =
            failure.scenario.as_ref().map(|name| format!(" to {}", style.name(name.as_str()))).unwrap_or_default();
        let subject = format!(
            "{} {}{scenario}{}",
            style.name(failure.entry.as_str()),
            label::failure(failure.kind),
            label::on(failure.side)
        );
        lines.push(broken(style, &subject, Some(failure)));
    }
    lines
}

fn broken(style: Style, subject: &str, cause: Option<&Failure>) -> Broken {
    let headline = format!("{}.", style.strong(subject));
    let detail = match cause {
        Some(failure) => format!("{}: {}", style.strong(subject), style.prose(&failure.message)),
        None => headline.clone(),
    };
    Broken { headline, detail }
}

/// Cases with the verdict `failing`, each with both sides' counts and the first failure's message.
fn cases(run: &Run, style: Style) -> Vec<Broken> {
    let mut places: Vec<&CellKey> = Vec::new();
    let mut seen: BTreeSet<Place> = BTreeSet::new();
    for cell in run.cells.iter().filter(|cell| cell.verdict.word == Word::Failing) {
        if seen.insert(place(cell.key)) {
            places.push(cell.key);
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let mut tries: BTreeMap<(Place, Side), Tries> = BTreeMap::new();
    for attempt in &run.results.attempts {
        for (side, outcome) in [(Side::Base, attempt.base), (Side::Head, attempt.head)] {
            let tries = tries.entry(((&attempt.entry, attempt.regime.as_ref(), &attempt.case), side)).or_default();
            tries.of += usize::from(outcome != Outcome::Skipped);
            tries.failed += usize::from(outcome == Outcome::Failed);
        }
    }
    places
        .into_iter()
        .map(|key| {
            let count = |side| tries.get(&(place(key), side)).copied().unwrap_or_default();
            let (base, head) = (count(Side::Base), count(Side::Head));
            let side = if base.failed > head.failed { Side::Base } else { Side::Head };
            let (worse, other) = if side == Side::Base { (base, head) } else { (head, base) };
            let mut subject = format!(
                "{} {} is failing on {side}: {} of {}",
                style.name(key.entry.as_str()),
                label::case(key, style),
                worse.failed,
                number::count(worse.of, "attempt", "attempts"),
            );
            if other.of > 0 {
                subject.push_str(&format!(", against {} of {} on {}", other.failed, other.of, side.other()));
            }
            broken(style, &subject, first_failure(run, key, side))
        })
        .collect()
}

fn place(key: &CellKey) -> Place<'_> {
    (&key.entry, key.regime.as_ref(), &key.case)
}

fn first_failure<'r>(run: &Run<'r>, key: &CellKey, side: Side) -> Option<&'r Failure> {
    run.results.failures.iter().find(|failure| {
        failure.entry == key.entry
            && failure.side.is_none_or(|of| of == side)
            && match (&key.case, &failure.scenario) {
                (Case::Scenario(wanted), Some(scenario)) => wanted == scenario,
                (Case::Scenario(_), None) => false,
                (_, scenario) => scenario.is_none(),
            }
    })
}
