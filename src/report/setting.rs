//! Where and how a run was raced: machine, protocol, time, versions.

use super::cells::Run;
use super::disturbance;
use super::label::Style;
use super::notes;
use super::number;
use super::safe;
use super::table::{Align, Table};
use crate::model::{GeneratorMode, Pairing, RegimeRecord, Role};
use serde::Serialize;

/// One line of the description of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Fact {
    /// What it is about.
    pub(super) name: String,
    /// What is so.
    pub(super) value: String,
}

fn fact(name: &str, value: String) -> Fact {
    Fact { name: name.to_owned(), value }
}

/// One line below the headline: what was raced against what, how often, and where.
pub(super) fn sides(run: &Run, style: Style) -> String {
    let results = run.results;
    let side = |record: &crate::model::SideRecord| {
        let sha = style.name(record.sha.short());
        let named = !record.rev.is_empty() && !record.sha.as_str().starts_with(record.rev.as_str());
        let rev = if named { format!(" ({})", style.name(&record.rev)) } else { String::new() };
        let dirty = if record.dirty { " with uncommitted changes" } else { "" };
        format!("{sha}{rev}{dirty}")
    };
    let rounds = match results.not_raced {
        Some(_) => String::new(),
        None => format!(", {}", number::count(results.rounds as usize, "round", "rounds")),
    };
    match &results.base {
        Some(base) => format!("Head {} against base {}{rounds}.", side(&results.head), side(base)),
        None => format!("Head {}{rounds}.", side(&results.head)),
    }
}

/// Machine, time, seed, version and commit: where figures come from, without how they were taken.
pub(super) fn whereabouts(run: &Run) -> Vec<Fact> {
    let results = run.results;
    let mut facts = machine(run);
    facts.push(fact("time", time(run)));
    facts.push(fact("seed", safe::code(&results.seed.to_string())));
    facts.push(fact("started", safe::prose(&results.started)));
    facts.push(fact("deadheat", safe::code_of(&results.deadheat, 60)));
    let dirty = if results.head.dirty { ", with uncommitted changes" } else { "" };
    facts.push(fact("commit", format!("{}{dirty}", safe::code(results.head.sha.as_str()))));
    facts
}

fn machine(run: &Run) -> Vec<Fact> {
    let print = &run.results.fingerprint;
    let mut facts = vec![
        fact(
            "machine",
            format!(
                "{}, {}, {} of memory",
                safe::code(&print.cpu),
                number::count(print.cpus, "CPU", "CPUs"),
                number::value(crate::model::Metric::IdleMemory, print.memory as f64)
            ),
        ),
        fact("system", format!("{}, kernel {}", safe::code(&print.system), safe::code(&print.kernel))),
    ];
    if !print.toolchains.is_empty() {
        let versions: Vec<String> = print
            .toolchains
            .iter()
            .take(20)
            .map(|(tool, version)| format!("{} {}", safe::code(tool), safe::code(version)))
            .collect();
        facts.push(fact("toolchains", versions.join(", ")));
    }
    facts
}

/// Machine, protocol, seed and time.
pub(super) fn facts(run: &Run) -> Vec<Fact> {
    let results = run.results;
    let protocol = &results.protocol;
    let mut facts = machine(run);
    facts.extend(protocol.regimes.iter().take(20).map(|record| regime(record, results.base.is_some())));
    facts.push(fact(
        "protocol",
        format!(
            "per side, scenario and round {} in {}, after {} of warm-up in a fresh process; {} to {}, {} run; budget {}",
            number::duration(protocol.measure_ms / 1000.0),
            number::count(protocol.slices as usize, "slice", "slices"),
            number::duration(protocol.warmup_ms / 1000.0),
            protocol.rounds_min,
            number::count(protocol.rounds_max as usize, "round", "rounds"),
            number::grouped(results.rounds as usize),
            number::duration(protocol.budget_s),
        ),
    ));
    facts.extend(disturbance::fact(run).map(|text| fact("disturbance", text)));
    facts.push(fact("time", time(run)));
    let ordered = results.attempts.iter().any(|attempt| attempt.first.is_some());
    if run.compares() && !results.quick && ordered {
        let order = run.verdict.slot.map_or_else(
            || "no effect of who goes first in a pair was proved".to_owned(),
            |slot| format!("who goes second in a pair is {}, which cancels", notes::slot_text(&slot)),
        );
        facts.push(fact("order", order));
    }
    facts.push(fact("seed", safe::code(&results.seed.to_string())));
    facts.push(fact("started", safe::prose(&results.started)));
    facts
}

fn regime(regime: &RegimeRecord, compares: bool) -> Fact {
    let list = |cpus: &[usize]| cpus.iter().take(64).map(usize::to_string).collect::<Vec<_>>().join(",");
    let name =
        regime.name.as_ref().map_or_else(|| "load".to_owned(), |name| format!("regime {}", safe::code(name.as_str())));
    let pipelining = if regime.pipelining > 1 {
        format!(", {} requests in flight on each", regime.pipelining)
    } else {
        String::new()
    };
    let mode = match regime.mode {
        GeneratorMode::Spin => "polling busily",
        GeneratorMode::Sleep => "sleeping between answers",
    };
    let pairing = match regime.pairing {
        _ if !compares => "one server at a time",
        Pairing::Together => "both sides alive together, in alternating slices",
        Pairing::Apart => "one side after the other",
    };
    fact(
        &name,
        format!(
            "{}{pipelining}; servers on CPU {}, load generator on CPU {}, {mode}; {pairing}",
            number::count(regime.connections as usize, "connection", "connections"),
            list(&regime.server_cpus),
            list(&regime.load_cpus),
        ),
    )
}

/// Where the wall time went.
fn time(run: &Run) -> String {
    let time = run.results.time;
    let measuring = (time.warmup_s + time.slices_s + time.boot_s + time.runs_s) / time.race_s * 100.0;
    let share = if measuring.is_finite() {
        let what = if time.runs_s > 0.0 { ", timed boots and commands" } else { " and timed boots" };
        format!(", {} of it in warm-up, measured slices{what}", number::percent(measuring))
    } else {
        String::new()
    };
    format!(
        "race {}{share}; builds {}; gate {}",
        number::duration(time.race_s),
        number::duration(time.build_s),
        number::duration(time.gate_s)
    )
}

/// Who was raced, with versions and what they are made of.
pub(super) fn raced(run: &Run) -> Option<Table> {
    if run.results.entries.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "Who was raced",
        &[
            ("entry", Align::Left),
            ("name", Align::Left),
            ("runtime", Align::Left),
            ("role", Align::Left),
            ("versions", Align::Left),
            ("made of", Align::Left),
        ],
    );
    for entry in &run.results.entries {
        let pairs = |map: &std::collections::BTreeMap<String, String>, between: &str| {
            let pairs: Vec<String> =
                map.iter().take(12).map(|(key, value)| safe::code_of(&format!("{key}{between}{value}"), 100)).collect();
            pairs.join(" ")
        };
        table.push(&[
            safe::code(entry.name.as_str()),
            safe::code(&entry.label),
            safe::code(entry.runtime.as_str()),
            match entry.role {
                _ if entry.copy_of.is_some() => "second copy of base".to_owned(),
                Role::Subject => "subject".to_owned(),
                Role::Reference => "reference".to_owned(),
            },
            pairs(&entry.versions, " "),
            pairs(&entry.about, ": "),
        ]);
    }
    Some(table)
}
