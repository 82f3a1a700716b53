//! Results and records made for the tests of this room.

use super::{BaselineRecord, CellFigures};
use crate::model::{Case, CommitSha, Metric, Results, ScenarioName};

/// A run of two scenarios of the subject fastify and of the control express, whose head is `bbbb...`.
pub(crate) fn results() -> Results {
    serde_json::from_str(include_str!("../../fixtures/results/unchanged.json")).unwrap()
}

pub(crate) fn sha(number: usize) -> CommitSha {
    CommitSha::new(format!("{number:040x}")).unwrap()
}

/// The scenario of a cell of requests per second of the closed loop.
pub(crate) fn rps_of(results: &Results, index: usize) -> Option<(&str, &ScenarioName)> {
    let key = &results.cells[index].key;
    match &key.case {
        Case::Scenario(name) if key.metric == Metric::Rps => Some((key.entry.as_str(), name)),
        _ => None,
    }
}

/// Figures for `results`: `head` gives those of head's requests per second, by entry and scenario; all else is 7.
pub(crate) fn figures(results: &Results, head: impl Fn(&str, &str) -> Option<f64>) -> Vec<CellFigures> {
    (0..results.cells.len())
        .map(|index| {
            let head = match rps_of(results, index) {
                Some((entry, scenario)) => head(entry, scenario.as_str()),
                None => Some(7.0),
            };
            CellFigures { rounds: 12, base: Some(6.0), head, centre: Some(0.15) }
        })
        .collect()
}

/// A record of `sha`, raced at `started`, with 1000 requests per second everywhere.
pub(crate) fn record(sha: CommitSha, started: &str) -> BaselineRecord {
    let mut results = results();
    results.head.sha = sha;
    started.clone_into(&mut results.started);
    BaselineRecord::from_results(&results, &figures(&results, |_, _| Some(1000.0))).unwrap()
}
