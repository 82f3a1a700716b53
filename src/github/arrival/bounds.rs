//! What an honest results file always satisfies, value by value.
//!
//! The limits are far from what a race can give, and near enough to keep every later step fast and every text readable.
//! Whether a log-ratio is that of its two values is no such thing: it is a median over slices, they are medians of their
//! own.

use super::error::ArrivalError;
use super::texts;
use crate::model::{CellRecord, EntryName, MachineRecord, Metric, Results, RoundValue, Unit};
use std::collections::HashSet;
use std::fmt::Display;
use std::hash::Hash;
use std::ops::RangeInclusive;

/// Most elements of the lists of the first level, in the order of the file.
const ENTRIES: usize = 500;
const SCENARIOS: usize = 1_000;
const MIXES: usize = 200;
const CELLS: usize = 50_000;
const GATE_RECORDS: usize = 200_000;
const ATTEMPTS: usize = 250_000;
const FAILURES: usize = 100_000;
const OBSERVATIONS: usize = 20_000;
/// A race ends after 40 rounds, unless it was asked for more.
const ROUNDS: u32 = 400;
/// Numbers of CPUs, requests in flight, and how often something was seen: below a million, they never look like the start
/// of a commit's name.
const NUMBER: u32 = 100_000;
/// A thousand tebibytes.
const MEMORY: u64 = 1 << 50;
/// A round is run again at most twice.
const ATTEMPTS_OF_A_ROUND: u32 = 10;
/// Pairs of slices, and how often a CPU was slowed.
const COUNTED: u32 = 1_000_000_000;
/// Elements of a list of CPUs, of regimes, of weights.
pub(super) const SMALL_LIST: usize = 4_096;

/// One minus the share of the floor's requests that is kept.
const LAYER_COST: RangeInclusive<f64> = -1e9..=1.0;
/// The logarithm of the largest figure over a thousandth.
const LOG_RATIO: RangeInclusive<f64> = -42.0..=42.0;
/// Seconds, rates and weights.
const QUANTITY: RangeInclusive<f64> = 0.0..=1e9;
/// Milliseconds.
const MILLISECONDS: RangeInclusive<f64> = 0.0..=1e12;
const PROBABILITY: RangeInclusive<f64> = 0.0..=1.0;
/// A share that is relevant: a hundredfold would never be said.
const RELEVANT: RangeInclusive<f64> = 0.0..=100.0;

pub(super) type Checked = Result<(), ArrivalError>;

pub(super) fn refuse(place: impl Display, rule: impl Display) -> ArrivalError {
    ArrivalError::OutOfBounds { place: place.to_string(), rule: rule.to_string() }
}

/// Refuses what no honest race writes.
pub(super) fn check(results: &Results) -> Checked {
    counts(results)?;
    run(results)?;
    texts::check(results)?;
    let entries = unique("entries", results.entries.iter().map(|entry| &entry.name))?;
    unique("scenarios", results.scenarios.iter().map(|scenario| &scenario.name))?;
    unique("cells", results.cells.iter().map(|cell| &cell.key))?;
    known("cells", results.cells.iter().map(|cell| &cell.key.entry), &entries)?;
    for (at, cell) in results.cells.iter().enumerate() {
        check_cell(at, cell, results.protocol.rounds_max)?;
    }
    happened(results, &entries)?;
    results.machine.as_ref().map_or(Ok(()), machine)
}

/// What the machine did besides.
fn machine(machine: &MachineRecord) -> Checked {
    for (place, seconds) in [
        ("machine.watched_s", machine.watched_s),
        ("machine.steal_s", machine.steal_s),
        ("machine.foreign_s", machine.foreign_s),
        ("machine.pressure_s", machine.pressure_s.unwrap_or_default()),
        ("machine.quota_throttled_s", machine.quota_throttled_s.unwrap_or_default()),
    ] {
        within(place, seconds, &QUANTITY)?;
    }
    let throttles = machine.thermal_throttles.unwrap_or_default();
    if machine.slice_pairs.max(machine.repeated) > COUNTED || throttles > COUNTED.into() {
        return Err(refuse("machine", format_args!("has a count over {COUNTED}")));
    }
    if machine.disturbed > machine.slice_pairs {
        return Err(refuse("machine", "has more disturbed pairs than pairs"));
    }
    Ok(())
}

fn counts(results: &Results) -> Checked {
    for (name, length, most) in [
        ("entries", results.entries.len(), ENTRIES),
        ("scenarios", results.scenarios.len(), SCENARIOS),
        ("mixes", results.mixes.len(), MIXES),
        ("cells", results.cells.len(), CELLS),
        ("gate", results.gate.len(), GATE_RECORDS),
        ("attempts", results.attempts.len(), ATTEMPTS),
        ("failures", results.failures.len(), FAILURES),
        ("observations", results.observations.len(), OBSERVATIONS),
    ] {
        at_most(name, length, most)?;
    }
    if results.calibration.is_some() {
        return Err(refuse(
            "calibration",
            "says that one build was raced against itself, which is no run of a pull request",
        ));
    }
    if results.not_raced.is_some() && !(results.entries.is_empty() && results.cells.is_empty()) {
        return Err(refuse("not_raced", "stands beside entries or cells, though nothing was raced"));
    }
    Ok(())
}

/// Protocol, judging and time.
fn run(results: &Results) -> Checked {
    let protocol = &results.protocol;
    if protocol.rounds_min.max(protocol.rounds_max).max(results.rounds) > ROUNDS {
        return Err(refuse("protocol", format_args!("allows, or the race had, over {ROUNDS} rounds")));
    }
    let asked = &results.selection;
    for (name, length) in [
        ("selection.variants", asked.variants.len()),
        ("selection.runtimes", asked.runtimes.len()),
        ("selection.suites", asked.suites.len()),
        ("selection.scenarios", asked.scenarios.len()),
    ] {
        at_most(name, length, SMALL_LIST)?;
    }
    at_most("protocol.regimes", protocol.regimes.len(), SMALL_LIST)?;
    for (at, regime) in protocol.regimes.iter().enumerate() {
        let place = format!("protocol.regimes[{at}]");
        let cpus = regime.server_cpus.len().max(regime.load_cpus.len());
        at_most(&place, cpus, SMALL_LIST)?;
        let mut cpus = regime.server_cpus.iter().chain(&regime.load_cpus);
        if regime.pipelining > NUMBER || cpus.any(|cpu| *cpu > NUMBER as usize) {
            return Err(refuse(place, format_args!("has a number over {NUMBER}")));
        }
    }
    let print = &results.fingerprint;
    if print.cpus > NUMBER as usize || print.memory > MEMORY {
        return Err(refuse("fingerprint", "is of a machine that there is none of"));
    }
    let time = &results.time;
    for (place, value) in [
        ("protocol.budget_s", protocol.budget_s),
        ("time.build_s", time.build_s),
        ("time.gate_s", time.gate_s),
        ("time.race_s", time.race_s),
        ("time.warmup_s", time.warmup_s),
        ("time.slices_s", time.slices_s),
        ("time.boot_s", time.boot_s),
    ] {
        within(place, value, &QUANTITY)?;
    }
    within("protocol.warmup_ms", protocol.warmup_ms, &MILLISECONDS)?;
    within("protocol.measure_ms", protocol.measure_ms, &MILLISECONDS)?;
    within("judging.false_alarms", results.judging.false_alarms, &PROBABILITY)?;
    results.judging.relevant.values().try_for_each(|share| within("judging.relevant", *share, &RELEVANT))?;
    for (at, mix) in results.mixes.iter().enumerate() {
        let place = format!("mixes[{at}]");
        at_most(&place, mix.categories.len().max(mix.scenarios.len()).max(mix.entries.len()), SMALL_LIST)?;
        let mut weights = mix.categories.values().chain(mix.scenarios.values());
        weights.try_for_each(|weight| within(&place, *weight, &QUANTITY))?;
    }
    for (at, scenario) in results.scenarios.iter().enumerate() {
        within(format_args!("scenarios[{at}].rate"), scenario.rate.unwrap_or_default(), &QUANTITY)?;
    }
    Ok(())
}

fn check_cell(at: usize, cell: &CellRecord, rounds_max: u32) -> Checked {
    at_most(format_args!("cells[{at}].rounds"), cell.rounds.len(), ROUNDS as usize)?;
    let mut next = 0;
    for (place, value) in cell.rounds.iter().enumerate() {
        let place = || format!("cells[{at}].rounds[{place}]");
        if value.round < next {
            return Err(refuse(place(), "is no later round than the one before it"));
        }
        if value.round >= rounds_max {
            return Err(refuse(place(), "is past the last round that the protocol allows"));
        }
        next = value.round.saturating_add(1);
        check_round(place, cell.key.metric, value)?;
    }
    Ok(())
}

fn check_round(place: impl Fn() -> String, metric: Metric, value: &RoundValue) -> Checked {
    let range = figures(metric.unit());
    for (name, figure, range) in
        [("base", value.base, &range), ("head", value.head, &range), ("log_ratio", value.log_ratio, &LOG_RATIO)]
    {
        if figure.is_some_and(|figure| !range.contains(&figure)) {
            return Err(out_of(format_args!("{}.{name}", place()), range));
        }
    }
    if value.log_ratio.is_some() && (value.base.is_none() || value.head.is_none()) {
        return Err(refuse(place(), "has a log-ratio, and not both values"));
    }
    Ok(())
}

/// What a metric can be in its unit; far beyond that a report would need more digits than it is made for.
fn figures(unit: Unit) -> RangeInclusive<f64> {
    match unit {
        Unit::PerSecond => 0.0..=1e12,
        Unit::Microseconds => 0.0..=1e11,
        Unit::Milliseconds => 0.0..=1e8,
        Unit::Seconds => 0.0..=1e5,
        Unit::BytesPerSecond | Unit::Bytes | Unit::Count => 0.0..=1e15,
        Unit::Share => LAYER_COST,
    }
}

/// Gate, attempts, failures and observations: each is of a known entry, and in a possible round.
fn happened(results: &Results, entries: &HashSet<&EntryName>) -> Checked {
    known("entries.copy_of", results.entries.iter().filter_map(|entry| entry.copy_of.as_ref()), entries)?;
    known("gate", results.gate.iter().map(|record| &record.entry), entries)?;
    known("attempts", results.attempts.iter().map(|attempt| &attempt.entry), entries)?;
    known("failures", results.failures.iter().map(|failure| &failure.entry), entries)?;
    known("observations", results.observations.iter().map(|seen| &seen.entry), entries)?;
    let late = |round: u32| round >= results.protocol.rounds_max;
    if let Some(at) = results.attempts.iter().position(|a| late(a.round) || a.attempt >= ATTEMPTS_OF_A_ROUND) {
        return Err(refuse(format_args!("attempts[{at}]"), "is of a round or a repetition that no race has"));
    }
    if let Some(at) = results.failures.iter().position(|failure| failure.round.is_some_and(late)) {
        return Err(refuse(format_args!("failures[{at}]"), "is of a round that no race has"));
    }
    if let Some(at) = results.observations.iter().position(|seen| seen.times > NUMBER) {
        return Err(refuse(format_args!("observations[{at}]"), format_args!("was seen over {NUMBER} times")));
    }
    Ok(())
}

fn known<'a>(list: &str, mut names: impl Iterator<Item = &'a EntryName>, entries: &HashSet<&EntryName>) -> Checked {
    match names.position(|name| !entries.contains(name)) {
        Some(at) => Err(refuse(format_args!("{list}[{at}]"), "is of an entry that is not among the entries")),
        None => Ok(()),
    }
}

/// All keys, none of which may be there twice.
fn unique<T: Hash + Eq>(list: &str, keys: impl Iterator<Item = T>) -> Result<HashSet<T>, ArrivalError> {
    let mut seen = HashSet::new();
    for (at, key) in keys.enumerate() {
        if !seen.insert(key) {
            return Err(refuse(format_args!("{list}[{at}]"), "is there twice"));
        }
    }
    Ok(seen)
}

pub(super) fn at_most(place: impl Display, length: usize, most: usize) -> Checked {
    if length > most { Err(refuse(place, format_args!("holds over {most} elements"))) } else { Ok(()) }
}

fn within(place: impl Display, value: f64, range: &RangeInclusive<f64>) -> Checked {
    if range.contains(&value) { Ok(()) } else { Err(out_of(place, range)) }
}

fn out_of(place: impl Display, range: &RangeInclusive<f64>) -> ArrivalError {
    refuse(place, format_args!("is not between {} and {:e}", range.start(), range.end()))
}
