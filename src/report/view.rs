//! What the templates of a comment and of a job summary see: finished, safe texts and nothing to compute.

use super::cells::Run;
use super::changed::Changes;
use super::detail;
use super::findings::findings;
use super::headline::{headline, within};
use super::label::Style;
use super::matrix;
use super::not_raced;
use super::notes::{self, FailureView};
use super::outlook::outlook;
use super::published;
use super::reproduce;
use super::safe;
use super::setting::{self, Fact};
use super::standings;
use super::table::Table;
use serde::Serialize;

/// How much of a report is shown; lowered step by step until it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a part of a report that is there or cut")]
pub(super) struct Extent {
    /// The tails of what failing children printed.
    pub(super) outputs: bool,
    /// The table of every figure; only a job summary has room for it.
    pub(super) figures: bool,
    /// The verdicts of all cells.
    pub(super) cells: bool,
    /// The standings.
    pub(super) standings: bool,
    /// All the lists: failures, observations, who was raced.
    pub(super) lists: bool,
    /// Rows of the table of what changed.
    pub(super) changed: usize,
    /// Earlier verdicts.
    pub(super) history: usize,
    /// The trend.
    pub(super) trend: bool,
}

/// A report's content.
#[derive(Clone, Debug, Serialize)]
pub(super) struct View {
    /// Paragraphs, the most important first.
    headline: Vec<String>,
    /// What changes the meaning of everything else.
    cautions: Vec<String>,
    /// What was raced against what.
    sides: String,
    /// The mistakes for which nothing was raced, as a block.
    mistakes: String,
    /// What else a reader should know at once.
    remarks: Vec<String>,
    /// How head stands to a stored baseline.
    trend: String,
    /// What changed, or what the control did; null where nothing did.
    changed: Option<Table>,
    /// The same drawn.
    plots: Option<Table>,
    /// What fails, one line each.
    failing: Vec<String>,
    /// Whether the standings are what the reader came for.
    standings_open: bool,
    standings: Vec<Table>,
    /// Verdicts at a glance, a table per entry.
    cells: Vec<Table>,
    /// How to read them.
    cells_note: String,
    /// Every figure, a table per entry.
    figures: Vec<Table>,
    /// How to read their plots.
    plot_note: &'static str,
    /// Cells without a figure.
    unmeasured: Vec<String>,
    /// Entries that take part in another way than expected.
    lineup: Vec<String>,
    failures: Vec<FailureView>,
    observations: Vec<String>,
    /// Warnings that found no room above.
    warnings: Vec<String>,
    facts: Vec<Fact>,
    raced: Option<Table>,
    /// Earlier verdicts, the newest first.
    history: Vec<String>,
    /// What was left out to fit, or nothing.
    cut: String,
    /// Where it ran and what it cost.
    origin: String,
    /// The command that runs the same race again.
    reproduce: String,
    /// What it can not say.
    reproduce_note: &'static str,
    /// The version of deadheat that raced.
    version: String,
}

/// What changed, or what the control did in a run that it made unusable.
pub(super) fn changes<'r>(run: &'r Run<'r>) -> Changes<'r> {
    if run.compares() && !run.results.quick && !run.verdict.usable {
        Changes::of_controls(run)
    } else {
        Changes::of_findings(&findings(run))
    }
}

/// Builds the view of `run` with everything in it; `full` says how many rows and verdicts that is, and whether every
/// figure has room.
pub(super) fn view(run: &Run, changes: &Changes, full: Extent) -> View {
    View {
        headline: headline(run, Style::Markdown),
        cautions: notes::cautions(run, Style::Markdown),
        sides: sides(run),
        mistakes: not_raced::mistakes(run.results.not_raced.as_ref()),
        remarks: outlook(run).into_iter().chain(published::remarks(run)).collect(),
        trend: published::trend(run).unwrap_or_default(),
        changed: changes.table(full.changed),
        plots: changes.plots(full.changed),
        failing: notes::failing(run),
        standings_open: !run.compares(),
        standings: standings::tables(run, !full.figures),
        cells: if run.compares() { matrix::matrices(run) } else { Vec::new() },
        cells_note: cells_note(run),
        figures: if full.figures { detail::every_figure(run) } else { Vec::new() },
        plot_note: detail::PLOT_NOTE,
        unmeasured: detail::unmeasured(run),
        lineup: notes::lineup(run),
        failures: notes::failures(run),
        observations: notes::observations(run),
        warnings: notes::further_warnings(run),
        facts: if run.results.not_raced.is_some() { Vec::new() } else { setting::facts(run) },
        raced: setting::raced(run),
        history: published::history(run, full.history),
        cut: String::new(),
        origin: published::origin(run),
        reproduce: safe::code_of(&reproduce::command(run), 4_000),
        reproduce_note: reproduce::note(run),
        version: safe::code_of(&format!("deadheat {}", run.results.deadheat), 60),
    }
}

fn sides(run: &Run) -> String {
    let sides = setting::sides(run, Style::Markdown);
    published::base_note(run).map_or(sides.clone(), |note| format!("{sides} {note}"))
}

fn cells_note(run: &Run) -> String {
    if run.results.quick {
        return "Nothing here is judged.".to_owned();
    }
    if !run.proves() {
        return "Nothing here is proved.".to_owned();
    }
    let within = within(run.judged());
    let same = if within.is_empty() { String::new() } else { format!(" Here it is {within}.") };
    format!(
        "Same is proved, too: the true difference lies within the stated limit.{same} Undecided is neither; beside it \
         stands how many rounds would have decided, had they gone on like these."
    )
}

impl View {
    /// Roughly how long it is once rendered, in bytes; never more than it is.
    pub(super) fn size(&self) -> usize {
        let tables = [&self.standings, &self.cells, &self.figures]
            .into_iter()
            .flatten()
            .chain(&self.changed)
            .chain(&self.plots)
            .chain(&self.raced);
        let outputs: usize = self.failures.iter().map(|failure| failure.output.len() + failure.line.len()).sum();
        let lines = [
            &self.failing,
            &self.unmeasured,
            &self.lineup,
            &self.observations,
            &self.warnings,
            &self.remarks,
            &self.history,
        ];
        tables.map(Table::size).sum::<usize>() + outputs + lines.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// Leaves out what `extent` has no room for. Parts go one after the other and none comes back.
    pub(super) fn reduce(&mut self, changes: &Changes, extent: Extent) {
        if !extent.figures {
            self.figures.clear();
        }
        if !extent.outputs {
            self.failures.iter_mut().for_each(|failure| failure.output.clear());
        }
        if !extent.cells {
            self.cells.clear();
            self.plots = None;
        }
        if !extent.standings {
            self.standings.clear();
        }
        if !extent.lists {
            for list in [&mut self.unmeasured, &mut self.lineup, &mut self.observations, &mut self.warnings] {
                list.clear();
            }
            self.failures.clear();
            self.raced = None;
        }
        if !extent.trend {
            self.trend.clear();
        }
        self.history.truncate(extent.history);
        self.changed = changes.table(extent.changed);
    }

    /// Says what was left out.
    pub(super) fn say_cut(&mut self, text: String) {
        self.cut = text;
    }
}
