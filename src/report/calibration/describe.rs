//! From results to the document: verdicts are recomputed, never read.

use super::document::{BudgetRow, Calibration, FlaggedCell, MachineFigures, NoiseRow, ProvableRow, RoundsFigures};
use super::input::{BUDGETS_MIN, CalibrationInput, RoundPart, rounds_held};
use super::known::known_slowdown;
use crate::model::{Case, CellKey, EntryName, Lineup, Metric, RegimeName, Results, ScenarioName, Standing, Suite};
use crate::report::number::log_to_percent;
use crate::verdict::{CellVerdict, RunVerdict, Word, judge, median};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the document.
const SCHEMA: u32 = 1;

/// Describes a calibration.
pub fn describe_calibration(input: &CalibrationInput<'_>) -> Calibration {
    let results = input.identical;
    let verdict = judge(results);
    let names = |wanted: fn(Lineup) -> bool| {
        results.entries.iter().filter(|entry| wanted(entry.lineup)).map(|entry| entry.name.clone()).collect()
    };
    let judged = || judged(results, &verdict);
    let known = input.slowed.as_ref().map(known_slowdown);
    let machine = MachineFigures {
        identical: results.machine,
        slowed: input.slowed.as_ref().ok().and_then(|slowed| slowed.results.machine),
    };
    Calibration {
        schema: SCHEMA,
        deadheat: results.deadheat.clone(),
        started: results.started.clone(),
        commit: results.head.sha.clone(),
        dirty: results.head.dirty,
        seed: results.seed,
        fingerprint: results.fingerprint.clone(),
        protocol: results.protocol.clone(),
        entries: names(|lineup| lineup == Lineup::Paired),
        left_out: names(|lineup| lineup != Lineup::Paired),
        rounds: RoundsFigures {
            asked: input.asked_rounds,
            raced: results.rounds,
            seconds: input.parts.iter().map(|part| part.seconds).sum(),
        },
        noise: noise(results, &verdict),
        judged: judged().filter(|(_, cell)| cell.pairs > 0).count(),
        flagged: judged()
            .filter(|(_, cell)| cell.decision.is_changed())
            .map(|(key, cell)| flagged(key, cell))
            .collect(),
        failing: judged().filter(|(_, cell)| cell.word == Word::Failing).count(),
        shifted: verdict.shift.is_some(),
        slot_effect_pct: verdict.slot.map(|slot| log_to_percent(slot.centre)),
        false_alarms_pct: results.judging.false_alarms * 100.0,
        resampled: input.resampled,
        slowdown: known.as_ref().ok().cloned(),
        no_slowdown: known.err().cloned(),
        provable: provable(input),
        machine: (machine.identical.is_some() || machine.slowed.is_some()).then_some(machine),
        warnings: warnings(input),
    }
}

/// The judged cells with what is found of them.
fn judged<'a>(results: &'a Results, verdict: &'a RunVerdict) -> impl Iterator<Item = (&'a CellKey, &'a CellVerdict)> {
    let cells = results.cells.iter().zip(&verdict.cells);
    cells.filter(|(_, found)| found.standing == Standing::Judged).map(|(cell, found)| (&cell.key, found))
}

/// The scenario of a case that is one.
pub(super) fn scenario_of(case: &Case) -> Option<ScenarioName> {
    match case {
        Case::Scenario(name) => Some(name.clone()),
        Case::Mix(_) | Case::Category(_) | Case::Start | Case::Process(_) | Case::Build(_) => None,
    }
}

/// The interval of a cell as percentages.
pub(super) fn interval_pct(cell: &CellVerdict) -> Option<[f64; 2]> {
    cell.interval.map(|interval| [log_to_percent(interval.low), log_to_percent(interval.high)])
}

fn flagged(key: &CellKey, cell: &CellVerdict) -> FlaggedCell {
    FlaggedCell {
        entry: key.entry.clone(),
        regime: key.regime.clone(),
        suite: key.suite,
        scenario: scenario_of(&key.case),
        metric: key.metric,
        change_pct: cell.centre.map(log_to_percent),
        interval_pct: interval_pct(cell),
    }
}

fn noise(results: &Results, verdict: &RunVerdict) -> Vec<NoiseRow> {
    type Key = (EntryName, Option<RegimeName>, Suite, (usize, Metric));
    let mut groups: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
    for (key, cell) in judged(results, verdict) {
        let place = Metric::ALL.iter().position(|metric| *metric == key.metric).unwrap_or(Metric::ALL.len());
        if let Some(noise) = cell.pair_noise {
            let row = (key.entry.clone(), key.regime.clone(), key.suite, (place, key.metric));
            let group = groups.entry(row).or_default();
            group.push(log_to_percent(noise));
        }
    }
    let row = |((entry, regime, suite, (_, metric)), mut values): (Key, Vec<f64>)| {
        Some(NoiseRow {
            entry,
            regime,
            suite,
            metric,
            cells: values.len(),
            lowest_pct: values.iter().copied().min_by(f64::total_cmp)?,
            highest_pct: values.iter().copied().max_by(f64::total_cmp)?,
            median_pct: median(&mut values)?,
        })
    };
    groups.into_iter().filter_map(row).collect()
}

fn provable(input: &CalibrationInput<'_>) -> Vec<ProvableRow> {
    let round_s: f64 = input.parts.iter().map(|part| part.seconds).sum();
    let smallest = |part: &RoundPart, rounds: u32| {
        let found = input.provable.iter().find(|known| {
            (&known.entry, &known.regime, &known.case, known.rounds) == (&part.entry, &part.regime, &part.case, rounds)
        });
        found.and_then(|known| known.share).map(|share| share * 100.0)
    };
    let row = |part: &RoundPart, scenario: ScenarioName| ProvableRow {
        entry: part.entry.clone(),
        regime: part.regime.clone(),
        scenario,
        seconds: part.seconds,
        budgets: BUDGETS_MIN
            .map(|minutes| {
                let rounds = rounds_held(minutes, round_s);
                BudgetRow { minutes, rounds, smallest_pct: smallest(part, rounds) }
            })
            .to_vec(),
    };
    input.parts.iter().filter_map(|part| Some(row(part, scenario_of(&part.case)?))).collect()
}

/// What both races say of themselves, once each.
fn warnings(input: &CalibrationInput<'_>) -> Vec<String> {
    let slowed = input.slowed.as_ref().ok().map(|slowed| slowed.results);
    let all = [Some(input.identical), slowed].into_iter().flatten().flat_map(|results| &results.warnings);
    let mut seen = BTreeSet::new();
    all.filter(|text| seen.insert((*text).clone())).cloned().collect()
}
