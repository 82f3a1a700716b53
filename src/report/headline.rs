//! The first thing that is read, and often the only one: what is proved, how many dead heats, and how sure.

use super::broken;
use super::cells::{Cell, Run};
use super::findings::{findings, sentences};
use super::label::{self, Style};
use super::number;
use super::standings;
use crate::verdict::{RunOutcome, Word, outcome};
use std::collections::BTreeSet;

/// The headline as paragraphs, the most important first.
pub(super) fn headline(run: &Run, style: Style) -> Vec<String> {
    if let Some(not_raced) = &run.results.not_raced {
        return vec![super::not_raced::headline(not_raced, style)];
    }
    let mut paragraphs = broken::sentences(run, style);
    if run.results.quick {
        paragraphs.insert(0, quick(run, style));
    } else if !run.compares() {
        paragraphs.insert(0, alone(run, style));
    } else if run.verdict.usable {
        let findings = findings(run);
        paragraphs.extend(sentences(run, &findings, style));
        paragraphs.push(others(run, style));
    } else {
        paragraphs.insert(0, unusable(run, style));
    }
    paragraphs
}

fn quick(run: &Run, style: Style) -> String {
    let measured = run.cells.iter().filter(|cell| cell.base().is_some() || cell.head().is_some()).count();
    format!(
        "{} Everything was exercised once: {} of {} gave figures. None of them is evidence.",
        style.strong("A quick run: nothing is judged."),
        number::grouped(measured),
        number::count(run.cells.len(), "cell", "cells"),
    )
}

/// Head ran without a base: who leads, and no word of a comparison.
fn alone(run: &Run, style: Style) -> String {
    let head = style.name(run.results.head.sha.short());
    let start = style.strong(&format!("Standings of {head}, without a comparison: no base was raced."));
    match standings::leader(run, style) {
        Some(leader) => format!("{start} {leader}"),
        None => start,
    }
}

fn unusable(run: &Run, style: Style) -> String {
    let moved: Vec<&Cell> = run.controls().filter(|cell| cell.direction().is_some()).collect();
    let mut entries: Vec<&str> = moved.iter().map(|cell| cell.key.entry.as_str()).collect();
    entries.dedup();
    let Some(first) = moved.first() else {
        return format!("{} Nothing below is proved.", style.strong("This run is unusable."));
    };
    let change = first.change_pct().map_or_else(|| number::NONE.to_owned(), number::signed_percent);
    format!(
        "{} {}, raced against the very same build, came out different ({} {change}), so the machine or the protocol was \
         at fault. Nothing below is proved; run it again.",
        style.strong("This run is unusable: the control moved."),
        style.name(entries.first().copied().unwrap_or_default()),
        label::metric_of(first.key.suite, first.key.metric),
    )
}

/// How the comparisons ended in which nothing changed, and how sure all of it is.
fn others(run: &Run, style: Style) -> String {
    let changed = run.changed().count();
    let (apart, rest): (Vec<&Cell>, Vec<&Cell>) =
        run.judged().filter(|cell| cell.direction().is_none()).partition(|cell| cell.is_of_one_side());
    let counted = |word: Word| rest.iter().filter(|cell| cell.verdict.word == word).count();
    let same = counted(Word::Same);
    let within = within(rest.iter().copied());
    let mut text = String::new();
    if changed == 0 && rest.is_empty() {
        return style.strong(match outcome(run.results, run.verdict) {
            RunOutcome::BrokenBase => "Nothing was compared: base did not build, start or answer.",
            _ => "Nothing was compared: no entry is on both sides.",
        });
    }
    if changed == 0 {
        text.push_str(&style.strong(if same == rest.len() { "A dead heat." } else { "No difference proved." }));
        text.push(' ');
    }
    if !rest.is_empty() {
        let other = if changed == 0 { "" } else { "other " };
        if counted(Word::Undecided) == rest.len() {
            text.push_str(&undecided(rest.len(), other));
        } else {
            text.push_str(&dead_heats(same, rest.len(), other, &within));
        }
        let mut remaining = Vec::new();
        for (word, one, many) in [
            (Word::Undecided, "is undecided", "are undecided"),
            (Word::Failing, "is failing", "are failing"),
            (Word::Unmeasured, "was not measured", "were not measured"),
        ] {
            let number = counted(word);
            if number > 0 {
                remaining.push(number::count(number, one, many));
            }
        }
        if !remaining.is_empty() && counted(Word::Undecided) != rest.len() {
            text.push_str("; ");
            text.push_str(&remaining.join(", "));
        }
        text.push_str(". ");
    }
    if !apart.is_empty() {
        let cells = number::count(apart.len(), "figure has", "figures have");
        text = format!("{text}{cells} no other side, being new or gone. ");
    }
    let chance = number::percent(run.results.judging.false_alarms * 100.0);
    format!("{text}The chance that a pull request that changes nothing gets any flag at all is at most {chance}.")
}

fn undecided(all: usize, other: &str) -> String {
    match all {
        1 => format!("The {other}comparison is undecided: its rounds are too few or too noisy"),
        _ => format!(
            "All {} {other}comparisons are undecided: their rounds are too few or too noisy",
            number::grouped(all)
        ),
    }
}

fn dead_heats(same: usize, all: usize, other: &str, within: &str) -> String {
    match (same, all) {
        (0, 1) => format!("The {other}comparison is no dead heat"),
        (0, _) => format!("None of the {} {other}comparisons is a dead heat", number::grouped(all)),
        (1, 1) => format!("The {other}comparison is a dead heat, the same within {within}"),
        (_, _) if same == all && other.is_empty() => {
            format!(
                "No difference is proved, and all {} comparisons are the same within {within}",
                number::grouped(all)
            )
        }
        (_, _) if same == all => {
            format!("All {} {other}comparisons are dead heats, the same within {within}", number::grouped(all))
        }
        (1, _) => format!("1 of {} {other}comparisons is a dead heat, the same within {within}", number::grouped(all)),
        _ => format!(
            "{} of {} {other}comparisons are dead heats, the same within {within}",
            number::grouped(same),
            number::grouped(all)
        ),
    }
}

/// Within what the same cells are the same: the narrowest band, then the metrics that have a wider one.
pub(super) fn within<'r>(cells: impl Iterator<Item = &'r Cell<'r>>) -> String {
    let mut bands: Vec<(f64, Vec<String>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for cell in cells.filter(|cell| cell.verdict.word == Word::Same) {
        let band = cell.band_pct();
        if !seen.insert((band.to_bits(), cell.key.suite, cell.key.metric)) {
            continue;
        }
        let metric = label::metric_of(cell.key.suite, cell.key.metric);
        match bands.iter_mut().find(|(other, _)| other.total_cmp(&band).is_eq()) {
            Some((_, metrics)) => metrics.push(metric),
            None => bands.push((band, vec![metric])),
        }
    }
    bands.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let Some((first, wider)) = bands.split_first() else { return String::new() };
    let wider: Vec<String> = wider
        .iter()
        .map(|(band, metrics)| format!("{} within {}", metrics.join(", "), number::percent(*band)))
        .collect();
    let narrowest = number::percent(first.0);
    if wider.is_empty() { narrowest } else { format!("{narrowest} ({})", wider.join("; ")) }
}
