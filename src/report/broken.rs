//! What fails: entries that did not come up, and cases that fail on one side.

use super::cells::Run;
use super::label::{self, Style};
use super::number;
use super::safe;
use crate::model::{Case, CellKey, EntryName, Failure, FailureKind, Lineup, Phase, RegimeName, ScenarioName, Side};
use crate::verdict::FailingCause;
use std::collections::{BTreeMap, BTreeSet};

/// How many sentences the headline may spend on failures.
const SENTENCES: usize = 3;

type Place<'a> = (&'a EntryName, Option<&'a RegimeName>, &'a Case);

/// For the headline: a few sentences with the entries and cases that fail, and in Markdown with what is known of why.
pub(super) fn sentences(run: &Run, style: Style) -> Vec<String> {
    let lines = lines(run, style);
    let more = lines.len().saturating_sub(SENTENCES);
    let told = |line: Broken| if style == Style::Markdown { line.detail } else { line.headline };
    let mut sentences: Vec<String> = lines.into_iter().take(SENTENCES).map(told).collect();
    if more > 0 {
        sentences.push(format!("{} below.", number::count(more, "more failure is listed", "more failures are listed")));
    }
    sentences
}

/// What the headline has no room for, one line each.
pub(super) fn further(run: &Run) -> Vec<String> {
    lines(run, Style::Markdown).into_iter().skip(SENTENCES).map(|line| line.detail).collect()
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
    let absent = run.results.entries.iter().filter(|entry| entry.lineup == Lineup::Absent);
    let absent: BTreeSet<&EntryName> = absent.map(|entry| &entry.name).collect();
    let mut lines = Vec::new();
    for failure in run.results.failures.iter().filter(|failure| failure.round.is_none() && failure.phase != Phase::Stop)
    {
        // What base can't answer of head's contract is new, not broken.
        let of_a_case =
            failure.scenario.is_some() || matches!(failure.kind, FailureKind::RunFailed | FailureKind::RunTimeout);
        let expected = failure.side == Some(Side::Base) && of_a_case;
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
        // In standings nobody has a place who does not do all of the work.
        let out = run.results.base.is_none() && absent.contains(&failure.entry);
        let subject = if out { format!("{subject} and is not measured") } else { subject };
        lines.push(broken(style, &subject, Some(failure)));
    }
    lines
}

fn broken(style: Style, subject: &str, cause: Option<&Failure>) -> Broken {
    let headline = style.strong(&format!("{subject}."));
    let detail = match cause {
        Some(failure) => format!("{}: {}", style.strong(subject), safe::ended(&style.prose(&failure.message))),
        None => headline.clone(),
    };
    Broken { headline, detail }
}

/// Cases with the verdict `failing`, each with the reason and the first failure's message.
fn cases(run: &Run, style: Style) -> Vec<Broken> {
    let causes = Causes::of(&run.results.failures);
    let mut seen: BTreeSet<Place> = BTreeSet::new();
    let mut lines = Vec::new();
    for cell in &run.cells {
        let Some(failing) = cell.verdict.failing.filter(|_| seen.insert(place(cell.key))) else { continue };
        let side = if failing.sides.head { Side::Head } else { Side::Base };
        let subject =
            |what: &str| format!("{} {} {what}", style.name(cell.key.entry.as_str()), label::case(cell.key, style));
        let text = match failing.cause {
            // The entry itself is told already, with its cause.
            FailingCause::NotRunning => continue,
            FailingCause::Gate => subject("fails the contract on head, where base passes it"),
            FailingCause::OneSide { base_alone, head_alone, .. } => {
                let (rounds, other) =
                    if side == Side::Head { (head_alone, base_alone) } else { (base_alone, head_alone) };
                let rounds = number::count(rounds as usize, "round", "rounds");
                subject(&format!("fails on {side} alone in {rounds}, and on {} alone in {other}", side.other()))
            }
            FailingCause::Often { failed, attempts } => {
                let tried = number::count(*attempts.get(side) as usize, "attempt", "attempts");
                let other = side.other();
                let alone = *attempts.get(other) == 0;
                subject(&if alone {
                    format!("fails on {side} in {} of {tried}", failed.get(side))
                } else {
                    format!(
                        "fails on {side} in {} of {tried}, on {other} in {} of {}",
                        failed.get(side),
                        failed.get(other),
                        attempts.get(other)
                    )
                })
            }
        };
        lines.push(broken(style, &text, causes.first(cell.key, side)));
    }
    lines
}

fn place(key: &CellKey) -> Place<'_> {
    (&key.entry, key.regime.as_ref(), &key.case)
}

/// The first failure of each case and side, looked up because a file may hold many of both.
struct Causes<'r>(BTreeMap<(&'r EntryName, Option<&'r ScenarioName>, Side), &'r Failure>);

impl<'r> Causes<'r> {
    fn of(failures: &'r [Failure]) -> Self {
        let mut causes = BTreeMap::new();
        for failure in failures {
            for side in Side::BOTH.into_iter().filter(|side| failure.side.is_none_or(|of| of == *side)) {
                causes.entry((&failure.entry, failure.scenario.as_ref(), side)).or_insert(failure);
            }
        }
        Self(causes)
    }

    fn first(&self, key: &CellKey, side: Side) -> Option<&'r Failure> {
        let scenario = match &key.case {
            Case::Scenario(scenario) => Some(scenario),
            Case::Mix(_) | Case::Category(_) | Case::Start | Case::Process(_) | Case::Build(_) => None,
        };
        self.0.get(&(&key.entry, scenario, side)).copied()
    }
}
