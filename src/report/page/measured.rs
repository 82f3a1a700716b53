//! What is measured and how, as sentences that follow from the protocol of the run.

use super::super::label::Style;
use super::super::number;
use super::super::safe;
use super::super::table::{Align, Table};
use super::field::Field;
use super::words;
use crate::model::{Case, GateOutcome, GateRecord, GeneratorMode, RegimeRecord, Side, Suite};
use std::collections::BTreeSet;

/// How many rows the table of scenarios may have.
const SCENARIOS: usize = 200;

/// The rules under which the figures came about.
pub(super) fn rules(field: &Field, pictured: bool) -> Vec<String> {
    let results = field.run.results;
    let has = |suite| !field.of(suite, |_| true).is_empty();
    let mut rules = vec![rounds(field)];
    if has(Suite::Http) {
        let protocol = &results.protocol;
        rules.push(format!(
            "Closed loop: every connection asks again as soon as it is answered. A round discards {} of load per scenario and \
             measures for {} in {}. A server that stands still is asked less meanwhile, so these latencies are those of this load \
             and not of requests that arrive at their own pace.",
            number::duration(protocol.warmup_ms / 1000.0),
            number::duration(protocol.measure_ms / 1000.0),
            number::count(protocol.slices as usize, "slice", "slices"),
        ));
        rules.extend(protocol.regimes.iter().take(20).map(regime));
    }
    if has(Suite::OpenLoop) {
        rules.push("Open loop: requests leave at a fixed rate, and latency counts from the intended time.".to_owned());
    }
    rules.extend(contract(field));
    if has(Suite::Boot) {
        rules.push(
            "Cold start: from spawning the process to its first good answer, asked every millisecond, with a warm page cache. \
             Idle memory: of the whole process tree, half a second later."
                .to_owned(),
        );
    }
    if has(Suite::Process) {
        rules.push(
            "Processes: a command is run to its end in a fresh process. Wall time is from just before it is spawned to its end, CPU \
             time and peak memory are of the whole process tree, and what it prints of itself is taken as it is."
                .to_owned(),
        );
    }
    if has(Suite::Build) {
        rules.push(
            "Builds: the commands run in a fresh copy of what was built once, without what they are to make; the wall time is \
             theirs, and the output's size that of the files they leave."
                .to_owned(),
        );
    }
    rules.push(
        "A multiple of one entry over another is taken round by round, from the rounds that measured both: the Hodges-Lehmann \
         estimate with its 95\u{a0}% interval. Two are told apart where that interval leaves out 1 and their own intervals don't \
         overlap; else nothing is claimed. Each interval stands for itself alone."
            .to_owned(),
    );
    rules.extend(pictured.then(|| {
        "In the charts, a bar is the median over the rounds, and its whisker the 95\u{a0}% interval of the middle."
            .to_owned()
    }));
    rules
}

fn rounds(field: &Field) -> String {
    let results = field.run.results;
    let head = if results.base.is_some() { " Two commits were raced; the figures here are head's." } else { "" };
    format!(
        "{}: in each, every entry is started as a fresh process and measured once, in an order that is shuffled anew from the \
         seed.{head}",
        number::count(results.rounds as usize, "round", "rounds")
    )
}

fn regime(regime: &RegimeRecord) -> String {
    let list = |cpus: &[usize]| words::listed(&cpus.iter().take(64).map(usize::to_string).collect::<Vec<_>>());
    let name =
        regime.name.as_ref().map_or_else(|| "Load".to_owned(), |name| format!("Regime {}", safe::code(name.as_str())));
    let pipelining = if regime.pipelining > 1 {
        format!(" with {} requests in flight on each", number::grouped(regime.pipelining as usize))
    } else {
        " with one request at a time".to_owned()
    };
    let mode = match regime.mode {
        GeneratorMode::Spin => "polls busily",
        GeneratorMode::Sleep => "sleeps until it is answered",
    };
    format!(
        "{name}: {}{pipelining}; servers on CPU {}, load generator on CPU {}, where it {mode}.",
        number::count(regime.connections as usize, "connection", "connections"),
        list(&regime.server_cpus),
        list(&regime.load_cpus),
    )
}

/// What the gate asked of whom.
fn contract(field: &Field) -> Option<String> {
    let of_head = |record: &&GateRecord| record.side == Side::Head && matches!(record.case, Case::Scenario(_));
    let gate: Vec<_> = field.run.results.gate.iter().filter(of_head).collect();
    if gate.is_empty() {
        return None;
    }
    let all: BTreeSet<_> = gate.iter().map(|record| &record.entry).collect();
    let bad: BTreeSet<_> =
        gate.iter().filter(|record| record.outcome != GateOutcome::Passed).map(|record| &record.entry).collect();
    let passed = all.len() - bad.len();
    let result = if bad.is_empty() {
        format!("all {} did", number::grouped(all.len()))
    } else {
        format!("{} of {} did", number::grouped(passed), number::grouped(all.len()))
    };
    Some(format!(
        "Contract: before it was measured, every entry had to answer every scenario with the expected status, media type and \
         body; {result}. Under load, each answer's status and length are checked."
    ))
}

/// The scenarios with their requests and their weights in the mixes; nothing where none was raced.
pub(super) fn scenarios(field: &Field) -> Option<Table> {
    let results = field.run.results;
    let raced = |case: &Case| field.heats.iter().any(|heat| heat.case == case);
    let shown: Vec<_> = results
        .scenarios
        .iter()
        .filter(|scenario| raced(&Case::Scenario(scenario.name.clone())))
        .take(SCENARIOS)
        .collect();
    if shown.is_empty() {
        return None;
    }
    let categories = shown.iter().any(|scenario| scenario.category.is_some());
    let open = shown.iter().any(|scenario| scenario.rate.is_some());
    let mixes: Vec<_> = results.mixes.iter().filter(|mix| raced(&Case::Mix(mix.name.clone()))).collect();
    let titles: Vec<String> =
        mixes.iter().map(|mix| format!("weight in {}", Style::Markdown.name(mix.name.as_str()))).collect();
    let mut columns = vec![("scenario", Align::Left), ("request", Align::Left)];
    columns.extend(categories.then_some(("category", Align::Left)));
    columns.extend(open.then_some(("open loop", Align::Right)));
    columns.extend(titles.iter().map(|title| (title.as_str(), Align::Right)));
    let mut table = Table::new("", &columns);
    for scenario in shown {
        let mut row =
            vec![safe::code(scenario.name.as_str()), safe::code(&format!("{} {}", scenario.method, scenario.path))];
        let none = || number::NONE.to_owned();
        if categories {
            row.push(scenario.category.as_ref().map_or_else(none, |category| safe::code(category.as_str())));
        }
        if open {
            row.push(
                scenario.rate.map_or_else(none, |rate| format!("{}/s", number::value(crate::model::Metric::Rps, rate))),
            );
        }
        for mix in &mixes {
            let weight = mix.scenarios.get(&scenario.name);
            row.push(weight.map_or_else(none, |weight| number::percent(weight * 100.0)));
        }
        table.push(&row);
    }
    Some(table)
}
