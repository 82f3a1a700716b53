//! One row per cell, as CSV (RFC 4180). Figures are unrounded; an absent one is an empty field.

use super::cells::Run;
use super::interface::{CellRow, cell_rows};
use super::render::ReportError;

const HEADER: [&str; 21] = [
    "entry",
    "regime",
    "suite",
    "case",
    "scenario",
    "metric",
    "unit",
    "standing",
    "base",
    "head",
    "change_pct",
    "low_pct",
    "high_pct",
    "threshold_pct",
    "band_pct",
    "pair_noise_pct",
    "signed_rank_p",
    "rounds",
    "rounds_needed",
    "verdict",
    "reason",
];

/// Writes the run's cells.
pub(super) fn render(run: &Run) -> Result<String, ReportError> {
    let failed = |reason: String| ReportError::Write { format: "csv", reason };
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    writer.write_record(HEADER).map_err(|error| failed(error.to_string()))?;
    for row in cell_rows(run) {
        writer.write_record(fields(row)).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

fn fields(row: CellRow) -> [String; 21] {
    let figure = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let interval = row.interval_pct;
    [
        row.entry,
        row.regime.unwrap_or_default(),
        row.suite.to_owned(),
        row.case.to_owned(),
        row.scenario.unwrap_or_default(),
        row.metric.to_string(),
        row.unit.to_owned(),
        row.standing.to_owned(),
        figure(row.base),
        figure(row.head),
        figure(row.change_pct),
        figure(interval.map(|[low, _]| low)),
        figure(interval.map(|[_, high]| high)),
        figure(row.threshold_pct),
        figure(row.band_pct),
        figure(row.pair_noise_pct),
        figure(row.signed_rank_p),
        row.rounds.to_string(),
        row.rounds_needed.map(|rounds| rounds.to_string()).unwrap_or_default(),
        row.verdict.to_owned(),
        row.reason.unwrap_or_default(),
    ]
}
