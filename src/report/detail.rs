//! Every figure: a table per entry with a row per cell; and how figures and verdicts are written in tables.

use super::cells::{Cell, Run};
use super::label::{self, Style};
use super::number;
use super::plot::{Axis, Interval};
use super::table::{Align, Table};
use crate::model::{CellKey, EntryName, Metric, Standing};
use crate::verdict::{HORIZON, Needed, UnmeasuredReason, Word, look_for};
use std::collections::BTreeMap;

const COLUMNS: [(&str, Align); 11] = [
    ("entry", Align::Left),
    ("scenario", Align::Left),
    ("metric", Align::Left),
    ("base", Align::Right),
    ("head", Align::Right),
    ("difference (95 % interval)", Align::Right),
    ("beside the control", Align::Right),
    ("noise threshold", Align::Right),
    ("rounds", Align::Right),
    ("plot", Align::Left),
    ("verdict", Align::Left),
];

/// How a plot is to be read.
pub(super) const PLOT_NOTE: &str =
    "`│` is no difference, `┊` the noise threshold, `━●━` the difference with its interval.";

pub(super) fn axis_note(axis: Axis) -> String {
    let end = |log| number::signed_percent(number::log_to_percent(log));
    format!("The plots run from {} to {}.", end(-axis.end), end(axis.end))
}

pub(super) fn interval(cell: &Cell) -> Option<Interval> {
    let (low, high) = cell.log_interval()?;
    Some(Interval { point: cell.log()?, low, high, threshold: cell.log_threshold() })
}

fn row(run: &Run, cell: &Cell, axis: Axis) -> [String; 11] {
    let plot = interval(cell).and_then(|interval| axis.draw(interval));
    [
        Style::Markdown.name(cell.key.entry.as_str()),
        label::case(cell.key, Style::Markdown),
        label::metric_of(cell.key.suite, cell.key.metric),
        figure(cell.key.metric, cell.base()),
        figure(cell.key.metric, cell.head()),
        difference(cell),
        beside_control(cell),
        threshold(cell),
        cell.verdict.pairs.to_string(),
        plot.map(|plot| format!("`{plot}`")).unwrap_or_default(),
        verdict(run, cell),
    ]
}

pub(super) fn figure(metric: Metric, value: Option<f64>) -> String {
    value.map_or_else(|| number::NONE.to_owned(), |value| number::value(metric, value))
}

pub(super) fn difference(cell: &Cell) -> String {
    let Some(change) = cell.change_pct() else { return number::NONE.to_owned() };
    let change = number::signed_percent(change);
    let interval = cell.interval_pct().map(|(low, high)| format!(" ({})", number::percent_interval(low, high)));
    format!("{change}{}", interval.unwrap_or_default())
}

/// The difference without what the control did in the same rounds.
pub(super) fn beside_control(cell: &Cell) -> String {
    cell.beside_control_pct().map_or_else(|| number::NONE.to_owned(), number::signed_percent)
}

pub(super) fn threshold(cell: &Cell) -> String {
    let about = if cell.is_provisional() { "about " } else { "" };
    cell.threshold_pct()
        .map_or_else(|| number::NONE.to_owned(), |percent| format!("{about}{}", number::plus_minus(percent)))
}

/// A verdict in words; `same` always says within what.
pub(super) fn verdict(run: &Run, cell: &Cell) -> String {
    match cell.verdict.unmeasured {
        Some(UnmeasuredReason::Quick) => return "not judged".to_owned(),
        Some(UnmeasuredReason::New) => return "new".to_owned(),
        Some(UnmeasuredReason::Gone) => return "gone".to_owned(),
        Some(UnmeasuredReason::GeneratorLimited) => return "generator-limited".to_owned(),
        Some(_) if cell.standing != Standing::Outside => return "not measured".to_owned(),
        Some(_) | None => {}
    }
    match cell.verdict.word {
        Word::Failing => "**failing**".to_owned(),
        _ if cell.standing == Standing::Outside => "only shown".to_owned(),
        _ if cell.standing == Standing::Control && cell.direction().is_some() => "**moved**".to_owned(),
        _ if cell.standing == Standing::Judged && !run.proves() => "not proved".to_owned(),
        Word::Same => format!("same within {}", number::percent(cell.band_pct())),
        Word::Undecided => undecided(cell),
        word => format!("**{word}**"),
    }
}

fn undecided(cell: &Cell) -> String {
    match cell.verdict.needed {
        Some(Needed::Pairs(rounds)) => match look_for(rounds) {
            // Between looks nothing is decided.
            Some(look) => format!("undecided, needs about {}", number::count(look, "round", "rounds")),
            None => format!("undecided, would need about {}", number::count(rounds, "round", "rounds")),
        },
        Some(Needed::Over) => format!("undecided, would need over {}", number::count(HORIZON, "round", "rounds")),
        None => "undecided, too few rounds".to_owned(),
    }
}

/// Every figure of every cell, a table per entry.
pub(super) fn every_figure(run: &Run) -> Vec<Table> {
    let mut tables: Vec<(&EntryName, Vec<&Cell>)> = Vec::new();
    let mut places = BTreeMap::new();
    for cell in &run.cells {
        let place = *places.entry(&cell.key.entry).or_insert_with(|| {
            tables.push((&cell.key.entry, Vec::new()));
            tables.len() - 1
        });
        if let Some((_, cells)) = tables.get_mut(place) {
            cells.push(cell);
        }
    }
    tables
        .into_iter()
        .map(|(entry, cells)| {
            if !run.compares() {
                return heads_figures(entry, &cells);
            }
            let axis = Axis::holding(cells.iter().filter_map(|cell| interval(cell)));
            let mut table = Table::new(Style::Markdown.name(entry.as_str()), COLUMNS.get(1..).unwrap_or_default());
            for cell in cells {
                table.push(&row(run, cell, axis)[1..]);
            }
            table.note = axis_note(axis);
            table
        })
        .collect()
}

/// Without a base there is nothing beside a figure but its rounds.
fn heads_figures(entry: &EntryName, cells: &[&Cell]) -> Table {
    let columns =
        [("scenario", Align::Left), ("metric", Align::Left), ("head", Align::Right), ("rounds", Align::Right)];
    let mut table = Table::new(Style::Markdown.name(entry.as_str()), &columns);
    for cell in cells {
        table.push(&[
            label::case(cell.key, Style::Markdown),
            label::metric_of(cell.key.suite, cell.key.metric),
            figure(cell.key.metric, cell.head()),
            cell.head_rounds().to_string(),
        ]);
    }
    table
}

/// Cells that gave nothing, by entry and case, with the reason.
pub(super) fn unmeasured(run: &Run) -> Vec<String> {
    let mut groups: Vec<(&CellKey, &str, Vec<String>)> = Vec::new();
    let mut places = BTreeMap::new();
    for cell in
        run.judged().filter(|cell| cell.verdict.word == Word::Unmeasured && run.compares() && !run.results.quick)
    {
        let reason = cell.reason().unwrap_or("nothing to compare");
        let place = *places.entry((&cell.key.entry, &cell.key.regime, &cell.key.case, reason)).or_insert_with(|| {
            groups.push((cell.key, reason, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, _, metrics)) = groups.get_mut(place) {
            metrics.push(label::metric_of(cell.key.suite, cell.key.metric));
        }
    }
    groups
        .into_iter()
        .map(|(key, reason, metrics)| {
            format!(
                "{} {}: {reason} ({})",
                Style::Markdown.name(key.entry.as_str()),
                label::case(key, Style::Markdown),
                metrics.join(", ")
            )
        })
        .collect()
}
