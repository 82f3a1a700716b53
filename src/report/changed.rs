//! What changed, as a table that a telephone can show: the difference and its place come first, the rest can be scrolled
//! to.

use super::cells::{Cell, Run};
use super::detail::{PLOT_NOTE, axis_note, beside_control, figure, interval, threshold};
use super::findings::Finding;
use super::label::{self, Style};
use super::number;
use super::plot::Axis;
use super::table::{Align, Table};
use crate::model::{Case, CellKey, EntryName, RegimeName, Standing};

const COLUMNS: [(&str, Align); 6] = [
    ("difference", Align::Left),
    ("what", Align::Left),
    ("95\u{a0}% interval", Align::Left),
    ("base → head", Align::Left),
    ("noise threshold", Align::Left),
    ("beside the control", Align::Left),
];
const PLOT_COLUMNS: [(&str, Align); 3] = [("plot", Align::Left), ("what", Align::Left), ("rounds", Align::Right)];

/// What must be known to read the table.
const NOTE: &str = "Each interval is of its row alone. The noise threshold is the smallest difference that a row's own \
    rounds could have proved. Beside the control: the difference without what the control did in the same rounds.";

/// A title and the cells under it.
pub(super) struct Changes<'r> {
    title: &'static str,
    cells: Vec<&'r Cell<'r>>,
}

impl<'r> Changes<'r> {
    /// What changed, in the order of the findings.
    pub(super) fn of_findings(findings: &[Finding<'r>]) -> Self {
        let cells = findings.iter().flat_map(|finding| finding.cells().iter().copied()).collect();
        Self { title: "What changed", cells }
    }

    /// What the controls did in a run that they made unusable.
    pub(super) fn of_controls(run: &'r Run<'r>) -> Self {
        let cells = run.controls().filter(|cell| cell.direction().is_some()).collect();
        Self { title: "What the control did", cells }
    }

    /// At most `limit` cells, each with what it is called below the one before it.
    fn shown(&self, limit: usize) -> impl Iterator<Item = (&'r Cell<'r>, String)> {
        let before = std::iter::once(None).chain(self.cells.iter().copied().map(Some));
        self.cells.iter().copied().zip(before).take(limit).map(|(cell, before)| (cell, what(cell, before)))
    }

    /// The table, with at most `limit` rows.
    pub(super) fn table(&self, limit: usize) -> Option<Table> {
        let mut table = Table::new(self.title, &COLUMNS);
        for (cell, what) in self.shown(limit) {
            table.push(&row(cell, what));
        }
        NOTE.clone_into(&mut table.note);
        let untold = self.cells.len().saturating_sub(limit);
        if untold > 0 {
            let untold = number::count(untold, "more difference is", "more differences are");
            table.note = format!("{untold} left out of this table. {NOTE}");
        }
        (!table.rows.is_empty()).then_some(table)
    }

    /// The same drawn.
    pub(super) fn plots(&self, limit: usize) -> Option<Table> {
        let axis = Axis::holding(self.shown(limit).filter_map(|(cell, _)| interval(cell)));
        let mut table = Table::new("Plots", &PLOT_COLUMNS);
        for (cell, what) in self.shown(limit) {
            let plot = interval(cell).and_then(|interval| axis.draw(interval));
            let plot = plot.map_or_else(|| number::NONE.to_owned(), |plot| format!("`{plot}`"));
            table.push(&[plot, what, cell.verdict.pairs.to_string()]);
        }
        table.note = format!("{PLOT_NOTE} {}", axis_note(axis));
        (!table.rows.is_empty()).then_some(table)
    }
}

fn row(cell: &Cell, what: String) -> [String; 6] {
    let change = cell.change_pct().map_or_else(|| number::NONE.to_owned(), number::signed_percent);
    let word = if cell.standing == Standing::Control { "moved" } else { cell.verdict.word.as_str() };
    let interval = cell.interval_pct().map(|(low, high)| number::percent_interval(low, high));
    let (base, head) = (figure(cell.key.metric, cell.base()), figure(cell.key.metric, cell.head()));
    [
        format!("**{change}** {word}"),
        what,
        interval.unwrap_or_else(|| number::NONE.to_owned()),
        format!("{base}{}→ {head}", number::SPACE),
        threshold(cell),
        beside_control(cell),
    ]
}

/// Entry, case and metric, which wrap one below the other where there is no room; the metric alone below a cell of the
/// same case.
fn what(cell: &Cell, before: Option<&Cell>) -> String {
    fn place(key: &CellKey) -> (&EntryName, Option<&RegimeName>, &Case) {
        (&key.entry, key.regime.as_ref(), &key.case)
    }
    let metric = label::metric_of(cell.key.suite, cell.key.metric);
    if before.is_some_and(|before| place(before.key) == place(cell.key)) {
        return metric;
    }
    let entry = Style::Markdown.name(cell.key.entry.as_str());
    format!("{entry}{} {metric}", label::case_of_entry(cell.key, Style::Markdown))
}
