//! The stable interface for scripts. Fields are added, never renamed; a figure that is no number is null.

use super::cells::{Cell, Run};
use super::label;
use super::render::ReportError;
use super::short::plain_headline;
use super::standings;
use super::{notes, number};
use crate::model::{
    Case, Failure, Fingerprint, MachineRecord, Metric, NotRaced, RuntimeName, ScenarioName, SelectionRecord,
    SideRecord, Suite, VariantName,
};
use crate::verdict::outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of this form; raised when a field changes its meaning.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    deadheat: &'a str,
    headline: String,
    usable: bool,
    /// How the run as a whole ended, in one word.
    outcome: &'static str,
    quick: bool,
    /// Why nothing was raced; null where something was.
    not_raced: Option<&'a NotRaced>,
    sides: Sides<'a>,
    rounds: u32,
    seed: u64,
    selection: SelectionRow<'a>,
    started: &'a str,
    fingerprint: &'a Fingerprint,
    /// What the machine did besides, while it measured; null where that was not watched.
    machine: Option<&'a MachineRecord>,
    cells: Vec<CellRow>,
    standings: Vec<StandingRow>,
    warnings: Vec<String>,
    failures: &'a [Failure],
}

#[derive(Serialize)]
struct Sides<'a> {
    base: Option<SideRow<'a>>,
    head: SideRow<'a>,
}

#[derive(Serialize)]
struct SideRow<'a> {
    sha: &'a str,
    dirty: bool,
    rev: &'a str,
}

impl<'a> From<&'a SideRecord> for SideRow<'a> {
    fn from(side: &'a SideRecord) -> Self {
        Self { sha: side.sha.as_str(), dirty: side.dirty, rev: &side.rev }
    }
}

/// What was asked for; everything where a list is empty.
#[derive(Serialize)]
struct SelectionRow<'a> {
    variants: &'a [VariantName],
    runtimes: &'a [RuntimeName],
    suites: &'a [Suite],
    scenarios: &'a [ScenarioName],
}

impl<'a> From<&'a SelectionRecord> for SelectionRow<'a> {
    fn from(asked: &'a SelectionRecord) -> Self {
        let SelectionRecord { variants, runtimes, suites, scenarios } = asked;
        Self { variants, runtimes, suites, scenarios }
    }
}

/// One cell; the same columns make the CSV.
#[derive(Serialize)]
pub(super) struct CellRow {
    pub(super) entry: String,
    pub(super) regime: Option<String>,
    pub(super) suite: &'static str,
    /// What kind of case it is: `scenario`, `mix`, `category` or `start`.
    pub(super) case: &'static str,
    /// The name of the scenario, mix or category; null for a start.
    pub(super) scenario: Option<String>,
    pub(super) metric: Metric,
    pub(super) unit: &'static str,
    pub(super) standing: &'static str,
    pub(super) base: Option<f64>,
    pub(super) head: Option<f64>,
    pub(super) change_pct: Option<f64>,
    pub(super) interval_pct: Option<[f64; 2]>,
    /// The change less what the control did in the same rounds.
    pub(super) change_beside_control_pct: Option<f64>,
    pub(super) threshold_pct: Option<f64>,
    pub(super) band_pct: Option<f64>,
    pub(super) pair_noise_pct: Option<f64>,
    pub(super) signed_rank_p: Option<f64>,
    pub(super) rounds: usize,
    pub(super) rounds_needed: Option<usize>,
    pub(super) verdict: &'static str,
    pub(super) reason: Option<String>,
}

#[derive(Serialize)]
struct StandingRow {
    case: &'static str,
    scenario: Option<String>,
    regime: Option<String>,
    rank: usize,
    entry: String,
    /// The leading metric as a multiple of the first entry's.
    relative: Option<f64>,
    rounds: usize,
    /// Head's medians by metric, in the metric's unit.
    head: BTreeMap<String, f64>,
}

fn case(case: &Case) -> (&'static str, Option<String>) {
    match case {
        Case::Scenario(name) => ("scenario", Some(name.to_string())),
        Case::Mix(name) => ("mix", Some(name.to_string())),
        Case::Category(name) => ("category", Some(name.to_string())),
        Case::Start => ("start", None),
        Case::Process(name) => ("process", Some(name.to_string())),
        Case::Build(name) => ("build", Some(name.to_string())),
    }
}

/// The rows of all cells, in the order of the results.
pub(super) fn cell_rows<'r>(run: &'r Run) -> impl Iterator<Item = CellRow> + 'r {
    run.cells.iter().map(|cell| cell_row(run, cell))
}

fn cell_row(run: &Run, cell: &Cell) -> CellRow {
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    let (kind, scenario) = case(&cell.key.case);
    CellRow {
        entry: cell.key.entry.to_string(),
        regime: cell.key.regime.as_ref().map(ToString::to_string),
        suite: cell.key.suite.as_str(),
        case: kind,
        scenario,
        metric: cell.key.metric,
        unit: cell.key.metric.unit().as_str(),
        standing: label::standing(cell.standing),
        base: cell.base(),
        head: cell.head(),
        change_pct: cell.change_pct(),
        interval_pct: cell.interval_pct().map(|(low, high)| [low, high]),
        change_beside_control_pct: cell.beside_control_pct(),
        threshold_pct: cell.threshold_pct(),
        band_pct: finite(Some(cell.band_pct())),
        pair_noise_pct: finite(cell.verdict.pair_noise.map(number::log_to_percent)),
        signed_rank_p: finite(cell.verdict.signed_rank_p),
        rounds: cell.verdict.pairs,
        rounds_needed: cell.needed_rounds(),
        verdict: cell.word_in(run).as_str(),
        reason: cell.reason().map(str::to_owned),
    }
}

fn standing_rows(run: &Run) -> Vec<StandingRow> {
    let mut rows = Vec::new();
    for heat in standings::heats(run) {
        let (kind, scenario) = case(heat.case);
        for (index, place) in heat.places.into_iter().enumerate() {
            rows.push(StandingRow {
                case: kind,
                scenario: scenario.clone(),
                regime: heat.regime.map(ToString::to_string),
                rank: index + 1,
                entry: place.entry.to_string(),
                relative: place.relative,
                rounds: place.rounds,
                head: place.figures.into_iter().map(|(metric, value)| (metric.to_string(), value)).collect(),
            });
        }
    }
    rows
}

/// Writes the run as JSON.
pub(super) fn render(run: &Run) -> Result<String, ReportError> {
    let results = run.results;
    let document = Document {
        schema: SCHEMA,
        deadheat: &results.deadheat,
        headline: plain_headline(results, run.verdict),
        usable: run.verdict.usable,
        outcome: outcome(results, run.verdict).as_str(),
        quick: results.quick,
        not_raced: results.not_raced.as_ref(),
        sides: Sides { base: results.base.as_ref().map(SideRow::from), head: (&results.head).into() },
        rounds: results.rounds,
        seed: results.seed.0,
        selection: (&results.selection).into(),
        started: &results.started,
        fingerprint: &results.fingerprint,
        machine: results.machine.as_ref(),
        cells: cell_rows(run).collect(),
        standings: standing_rows(run),
        warnings: notes::all_warnings(run),
        failures: &results.failures,
    };
    let mut text = serde_json::to_string_pretty(&document)
        .map_err(|error| ReportError::Write { format: "json", reason: error.to_string() })?;
    text.push('\n');
    Ok(text)
}
