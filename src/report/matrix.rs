//! All verdicts at a glance: a row per case, a column per metric.

use super::cells::{Cell, Run};
use super::detail::{difference, verdict};
use super::label::{self, Style};
use super::number;
use super::table::{Align, Table};
use crate::model::{Case, EntryName, Metric, Standing, Suite};
use crate::verdict::Word;
use std::collections::{BTreeMap, BTreeSet};

/// A table per entry and way of loading, and one of all starts, of all commands and of all builds.
pub(super) fn matrices(run: &Run) -> Vec<Table> {
    let mut groups: BTreeMap<(Option<&EntryName>, Suite), Vec<&Cell>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| belongs_in_matrix(cell)) {
        let of_one_entry = matches!(cell.key.suite, Suite::Http | Suite::OpenLoop);
        let entry = of_one_entry.then_some(&cell.key.entry);
        groups.entry((entry, cell.key.suite)).or_default().push(cell);
    }
    let mut tables = Vec::new();
    for entry in run.results.entries.iter().map(|entry| &entry.name) {
        for (suite, title) in [(Suite::Http, ""), (Suite::OpenLoop, ", open loop")] {
            if let Some(cells) = groups.get(&(Some(entry), suite)) {
                let title = format!("{}{title}", Style::Markdown.name(entry.as_str()));
                tables.push(matrix(run, &title, "scenario", cells, |cell| label::case(cell.key, Style::Markdown)));
            }
        }
    }
    if let Some(cells) = groups.get(&(None, Suite::Boot)) {
        tables.push(matrix(run, "Start", "entry", cells, |cell| Style::Markdown.name(cell.key.entry.as_str())));
    }
    for (suite, title) in [(Suite::Process, "Commands"), (Suite::Build, "Builds from clean")] {
        if let Some(cells) = groups.get(&(None, suite)) {
            let name = |cell: &Cell| {
                let entry = Style::Markdown.name(cell.key.entry.as_str());
                format!("{entry}{}", label::case_of_entry(cell.key, Style::Markdown))
            };
            tables.push(matrix(run, title, "entry", cells, name));
        }
    }
    tables
}

/// What is only information is left to the table of every figure, unless it is a number over several scenarios.
fn belongs_in_matrix(cell: &Cell) -> bool {
    cell.standing != Standing::Outside
        || (cell.key.metric == Metric::LayerCost && !matches!(cell.key.case, Case::Category(_)))
        || (cell.key.metric == Metric::OutputSize && cell.base() != cell.head())
        || (cell.key.metric == Metric::Rps && matches!(cell.key.case, Case::Mix(_)))
}

fn matrix(run: &Run, title: &str, first: &str, cells: &[&Cell], name: impl Fn(&Cell) -> String) -> Table {
    let metrics: Vec<Metric> = cells.iter().map(|cell| cell.key.metric).collect::<BTreeSet<_>>().into_iter().collect();
    let mut header = vec![(first, Align::Left)];
    let names: Vec<_> = metrics.iter().map(|metric| label::metric(*metric)).collect();
    header.extend(names.iter().map(|name| (name.as_ref(), Align::Left)));
    let mut table = Table::new(title, &header);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for cell in cells {
        let place = *places.entry((&cell.key.entry, &cell.key.regime, &cell.key.case)).or_insert_with(|| {
            let mut row = vec![String::new(); metrics.len() + 1];
            if let Some(start) = row.first_mut() {
                *start = name(cell);
            }
            rows.push(row);
            rows.len() - 1
        });
        let column = metrics.binary_search(&cell.key.metric).ok();
        if let Some(text) = column.and_then(|column| rows.get_mut(place)?.get_mut(column + 1)) {
            *text = glance(run, cell);
        }
    }
    for row in &rows {
        table.push(row);
    }
    table
}

fn glance(run: &Run, cell: &Cell) -> String {
    let verdict = verdict(run, cell);
    match cell.change_pct().map(number::signed_percent) {
        None => verdict,
        Some(_) if cell.verdict.word == Word::Failing => verdict,
        Some(change) if cell.key.metric == Metric::OutputSize => change,
        Some(_) if cell.standing == Standing::Outside => difference(cell),
        Some(change) if verdict.is_empty() => change,
        Some(change) => format!("{change}, {verdict}"),
    }
}
