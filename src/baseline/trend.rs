//! Head's requests per second beside those of an earlier commit: absolute figures of two runs, a trend and no proof.

use super::record::{BaselineEntry, BaselineRecord, CellFigures};
use crate::model::{
    Case, CellKey, CommitSha, EntryName, EntryRecord, Metric, ProtocolRecord, Results, Role, ScenarioName,
    ScenarioRecord, Suite, VariantName,
};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

const GIBIBYTE: f64 = 1024.0 * 1024.0 * 1024.0;

/// How head's requests per second stand to those of an earlier commit, over the cells that both have.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The earlier commit.
    pub commit: CommitSha,
    /// When it was raced.
    pub started: Timestamp,
    /// The geometric mean of head / earlier.
    pub ratio: f64,
    /// The smallest of these ratios.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
    /// How many there are.
    pub cells: usize,
}

/// The trend from `earlier` to the head of `results`, whose verdict gave `figures` in the order of the cells. None where
/// the two were not run under the same circumstances, or no cell of a subject is in both.
pub fn trend(results: &Results, figures: &[CellFigures], earlier: &BaselineRecord) -> Option<Trend> {
    if results.quick || results.head.sha == earlier.sha || !same_circumstances(results, earlier) {
        return None;
    }
    let names = earlier_names(&results.entries, &earlier.entries);
    let scenarios = same_scenarios(results, earlier);
    let before: BTreeMap<&CellKey, f64> =
        earlier.cells.iter().filter_map(|cell| Some((&cell.key, positive(cell.figures.head)?))).collect();
    let logs: Vec<f64> = results
        .cells
        .iter()
        .zip(figures)
        .filter(|(cell, _)| cell.key.suite == Suite::Http && cell.key.metric == Metric::Rps)
        .filter(|(cell, _)| matches!(&cell.key.case, Case::Scenario(name) if scenarios.contains(name)))
        .filter_map(|(cell, figures)| {
            let entry = (*names.get(&cell.key.entry)?).clone();
            let before = before.get(&CellKey { entry, ..cell.key.clone() })?;
            Some((positive(figures.head)? / before).ln())
        })
        .filter(|log| log.is_finite())
        .collect();
    if logs.is_empty() {
        return None;
    }
    Some(Trend {
        commit: earlier.sha.clone(),
        started: earlier.started,
        ratio: (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
        lowest: logs.iter().copied().fold(f64::INFINITY, f64::min).exp(),
        highest: logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).exp(),
        cells: logs.len(),
    })
}

fn positive(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value > 0.0)
}

/// Whether machine, system, toolchains and load are the same. The budget and the count of rounds change no figure.
fn same_circumstances(results: &Results, earlier: &BaselineRecord) -> bool {
    let (now, then) = (&results.fingerprint, &earlier.fingerprint);
    let load = |protocol: &ProtocolRecord| (protocol.warmup_ms, protocol.measure_ms, protocol.slices);
    // The kernel takes a share of the memory that differs from start to start.
    let memory = |bytes: u64| (bytes as f64 / GIBIBYTE).round();
    !now.cpu.is_empty()
        && !now.kernel.is_empty()
        && now.cpu == then.cpu
        && now.cpus == then.cpus
        && now.kernel == then.kernel
        && now.system == then.system
        && now.toolchains == then.toolchains
        && memory(now.memory).total_cmp(&memory(then.memory)).is_eq()
        && load(&results.protocol) == load(&earlier.protocol)
        && results.protocol.regimes == earlier.protocol.regimes
}

/// The scenarios that ask the same in both.
fn same_scenarios<'a>(results: &'a Results, earlier: &BaselineRecord) -> BTreeSet<&'a ScenarioName> {
    let asked = |scenario: &ScenarioRecord| (scenario.method.clone(), scenario.path.clone());
    let before: BTreeMap<_, _> = earlier.scenarios.iter().map(|scenario| (&scenario.name, asked(scenario))).collect();
    let same = results.scenarios.iter().filter(|now| before.get(&now.name).is_some_and(|then| *then == asked(now)));
    same.map(|scenario| &scenario.name).collect()
}

/// Under which name each subject is found in the earlier record: its own, or one that it had. A name is looked for as
/// variant and runtime where the entry's differs only because a runtime joined or left its variant.
fn earlier_names<'a>(now: &'a [EntryRecord], then: &'a [BaselineEntry]) -> BTreeMap<&'a EntryName, &'a EntryName> {
    let subject = |role: Role| role == Role::Subject;
    // An entry that goes on under its own name is nobody else's past.
    let kept: BTreeSet<&EntryName> = now.iter().map(|entry| &entry.name).collect();
    now.iter()
        .filter(|entry| subject(entry.role))
        .filter_map(|entry| {
            let on_its_runtime = || then.iter().filter(|before| before.runtime == entry.runtime);
            let by_variant = |variant: &VariantName| {
                on_its_runtime().find(|before| before.variant == *variant && !kept.contains(&before.name))
            };
            let found = on_its_runtime()
                .find(|before| before.name == entry.name)
                .or_else(|| std::iter::once(&entry.variant).chain(&entry.was).find_map(by_variant))
                .filter(|before| subject(before.role))?;
            Some((&entry.name, &found.name))
        })
        .collect()
}
