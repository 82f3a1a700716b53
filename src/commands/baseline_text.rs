//! Baselines as people and scripts read them.

use crate::baseline::{BaselineCell, BaselineRecord, Listed, Listing, Samples};
use crate::model::{CommitSha, Fingerprint, GeneratorMode, RegimeRecord};
use crate::report::{signed_percent, value};
use serde::Serialize;
use std::fmt::Write;

const NONE: &str = "-";

/// The table of a store.
pub(super) fn list_text(place: &str, baselines: &[Listed]) -> String {
    if baselines.is_empty() {
        return format!("no baseline is kept in {place}\n");
    }
    let mut rows = vec![["commit", "when", "against", "rounds", "cells", "machine"].map(str::to_owned).to_vec()];
    rows.extend(baselines.iter().map(|listed| {
        vec![
            listed.sha.short().to_owned(),
            listed.started.to_string(),
            listed.against.as_ref().map_or(NONE, |sha| sha.short()).to_owned(),
            listed.rounds.to_string(),
            listed.cells.to_string(),
            machine(&listed.fingerprint),
        ]
    }));
    columns(&rows)
}

/// The same for scripts.
pub(super) fn list_json(place: &str, listing: &Listing) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Row<'a> {
        sha: &'a str,
        when: String,
        against: Option<&'a str>,
        rounds: u32,
        cells: usize,
        bytes: u64,
        fingerprint: &'a Fingerprint,
    }
    #[derive(Serialize)]
    struct Broken<'a> {
        place: &'a str,
        reason: &'a str,
    }
    #[derive(Serialize)]
    struct Document<'a> {
        schema: u32,
        place: &'a str,
        baselines: Vec<Row<'a>>,
        broken: Vec<Broken<'a>>,
    }
    fn row(listed: &Listed) -> Row<'_> {
        Row {
            sha: listed.sha.as_str(),
            when: listed.started.to_string(),
            against: listed.against.as_ref().map(CommitSha::as_str),
            rounds: listed.rounds,
            cells: listed.cells,
            bytes: listed.bytes,
            fingerprint: &listed.fingerprint,
        }
    }
    let document = Document {
        schema: 1,
        place,
        baselines: listing.baselines.iter().map(row).collect(),
        broken: listing.broken.iter().map(|broken| Broken { place: &broken.place, reason: &broken.reason }).collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// One baseline.
pub(super) fn record_text(record: &BaselineRecord) -> String {
    let samples = match &record.samples {
        Samples::Kept(packed) => format!("kept, {} bytes; --results FILE writes them out", packed.len()),
        Samples::LeftOut { bytes } => format!("left out: {bytes} bytes are too many for a file of a git branch"),
    };
    let toolchains = record.fingerprint.toolchains.iter().map(|(tool, version)| format!("{tool} {version}"));
    let mut facts = vec![
        ("commit", record.sha.to_string()),
        ("when", record.started.to_string()),
        ("against", record.against.as_ref().map_or(NONE, |sha| sha.as_str()).to_owned()),
        ("rounds", record.rounds.to_string()),
        ("machine", machine(&record.fingerprint)),
        ("toolchains", toolchains.collect::<Vec<_>>().join(", ")),
        ("deadheat", record.deadheat.clone()),
    ];
    facts.extend(record.protocol.regimes.iter().map(|regime| ("load", load(regime))));
    facts.push(("samples", samples));
    let facts: Vec<Vec<String>> = facts.into_iter().map(|(name, value)| vec![name.to_owned(), plain(&value)]).collect();
    let mut rows =
        vec![["entry", "suite", "case", "metric", "commit", "against", "change", "pairs"].map(str::to_owned).to_vec()];
    rows.extend(record.cells.iter().map(cell));
    let mut text = columns(&facts);
    let _ = write!(text, "\n{}", columns(&rows));
    text
}

fn cell(cell: &BaselineCell) -> Vec<String> {
    let (key, figures) = (&cell.key, cell.figures);
    let shown = |figure: Option<f64>| figure.map_or(NONE.to_owned(), |figure| value(key.metric, figure));
    let regime = key.regime.as_ref().map(|regime| format!(" ({regime})")).unwrap_or_default();
    vec![
        format!("{}{regime}", key.entry),
        key.suite.to_string(),
        key.case.to_string(),
        key.metric.to_string(),
        shown(figures.head),
        shown(figures.base),
        figures.centre.map_or(NONE.to_owned(), |centre| signed_percent(centre.exp_m1() * 100.0)),
        figures.rounds.to_string(),
    ]
}

fn machine(fingerprint: &Fingerprint) -> String {
    let Fingerprint { cpu, cpus, memory, kernel, system, .. } = fingerprint;
    let count = if *cpus == 1 { "1 CPU".to_owned() } else { format!("{cpus} CPUs") };
    let gibibytes = *memory as f64 / (1024.0 * 1024.0 * 1024.0);
    plain(&format!("{cpu}, {count}, {gibibytes:.0} GiB, {system}, kernel {kernel}"))
}

fn load(regime: &RegimeRecord) -> String {
    let name = regime.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    let list = |cpus: &[usize]| cpus.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let mode = match regime.mode {
        GeneratorMode::Spin => "polling busily",
        GeneratorMode::Sleep => "sleeping between answers",
    };
    format!(
        "{name}{} connections, pipelining {}, servers on CPU {}, generator on CPU {}, {mode}",
        regime.connections,
        regime.pipelining,
        list(&regime.server_cpus),
        list(&regime.load_cpus)
    )
}

/// A file's text on one line of a terminal, whatever it holds.
fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars().take(LONGEST).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Rows below each other, every column as wide as its widest cell.
fn columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().enumerate().map(|(column, cell)| format!("{cell:0$}", width(column)));
        text += padded.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}
