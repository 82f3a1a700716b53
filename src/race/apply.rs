//! From what a round's turns gave to the results.

use super::derived::derive_round;
use super::turn::{Measured, RoundRecord};
use crate::model::{Attempt, CellKey, Results};
use std::collections::BTreeMap;

/// Adds a finished round to the results: the first attempt that gave a cell its pair counts.
pub fn apply_round(results: &mut Results, record: &RoundRecord) {
    let round = record.round;
    let index: BTreeMap<CellKey, usize> =
        results.cells.iter().enumerate().map(|(index, cell)| (cell.key.clone(), index)).collect();
    let put = |results: &mut Results, key: &CellKey, measured: &Measured| {
        let Some(cell) = index.get(key).and_then(|index| results.cells.get_mut(*index)) else { return };
        match cell.rounds.last_mut().filter(|last| last.round == round) {
            Some(last) if last.log_ratio.is_none() && measured.value.log_ratio.is_some() => *last = measured.value,
            Some(_) => {}
            None => cell.rounds.push(measured.value),
        }
    };
    for turn in &record.turns {
        for measured in &turn.outcome.values {
            let key = CellKey {
                entry: turn.entry.clone(),
                regime: turn.regime.clone(),
                suite: measured.suite,
                case: measured.case.clone(),
                metric: measured.metric,
            };
            put(results, &key, measured);
        }
        for case in &turn.outcome.cases {
            results.attempts.push(Attempt {
                round,
                attempt: turn.attempt,
                entry: turn.entry.clone(),
                regime: turn.regime.clone(),
                case: case.case.clone(),
                base: case.sides.base,
                head: case.sides.head,
                first: turn.first,
                generator_limited: case.generator_limited,
            });
        }
        results.failures.extend(turn.outcome.failures.iter().cloned());
        for observation in &turn.outcome.observations {
            let known = |seen: &&mut crate::model::Observation| {
                seen.entry == observation.entry && seen.side == observation.side && seen.kind == observation.kind
            };
            match results.observations.iter_mut().find(known) {
                Some(seen) => seen.times = seen.times.saturating_add(observation.times),
                None => results.observations.push(observation.clone()),
            }
        }
        results.time.warmup_s += turn.outcome.spent.warmup_s;
        results.time.slices_s += turn.outcome.spent.slices_s;
        results.time.boot_s += turn.outcome.spent.boot_s;
        results.time.runs_s += turn.outcome.spent.runs_s;
        if let Some(machine) = &turn.outcome.machine {
            results.machine.get_or_insert_default().add(machine);
        }
    }
    for (key, measured) in derive_round(results, round) {
        put(results, &key, &measured);
    }
    for warning in &record.warnings {
        if !results.warnings.contains(warning) {
            results.warnings.push(warning.clone());
        }
    }
    results.rounds = round + 1;
    results.time.race_s = record.elapsed_s;
}
