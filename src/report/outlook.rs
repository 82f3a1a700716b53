//! What would decide the scenarios whose speed is undecided: how many more rounds, in which budget, and how to ask for it.
//!
//! A forecast from what was measured, should mean and spread stay what they are. The time of a round is what the protocol
//! asks for, divided by the share of the race that was spent in measuring.

use super::cells::{Cell, Run};
use super::number;
use super::safe;
use crate::model::{Case, CellKey, EntryName, Metric, RegimeName, ScenarioName, Suite};
use crate::verdict::{MAX_PAIRS, MIN_PAIRS, Word, rounds_left};
use std::collections::{BTreeMap, BTreeSet};

/// Estimates of time are wrong by some percent.
const RESERVE: f64 = 1.1;
/// The most characters of a command that is offered.
const COMMAND: usize = 900;
/// A job on a hosted runner lives six hours, of which builds take a part.
const LARGEST_BUDGET_MINUTES: f64 = 300.0;

type Scenario<'a> = (&'a EntryName, Option<&'a RegimeName>, &'a ScenarioName);

/// What is undecided, and what would decide it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outlook {
    /// Scenarios whose requests per second or median latency are undecided.
    undecided: usize,
    /// Those that more rounds would likely decide.
    decidable: usize,
    /// The largest number of rounds that one of them still needs.
    more: usize,
    /// The rounds that one of them needs in all.
    in_all: usize,
    /// The budget that would hold them, in whole minutes.
    minutes: Option<f64>,
}

/// One or two sentences; none where no speed is undecided, or nothing was compared.
pub(super) fn outlook(run: &Run) -> Option<String> {
    if !run.proves() {
        return None;
    }
    let found = look(run)?;
    let scenarios = number::count(found.undecided, "scenario is", "scenarios are");
    let start = format!("The speed of {scenarios} undecided");
    if found.decidable == 0 {
        return Some(format!("{start}, and the {MAX_PAIRS} rounds that a race may have would likely not decide it."));
    }
    let some =
        if found.decidable < found.undecided { format!(" for {} of them", found.decidable) } else { String::new() };
    let more = number::count(found.more, "more round", "more rounds");
    let limit = run.results.protocol.rounds_max as usize;
    let rounds = if found.in_all > limit {
        format!(" Its largest number of rounds has to be raised from {limit} to {} for that.", found.in_all)
    } else {
        String::new()
    };
    let budget = found.minutes.map_or_else(String::new, |minutes| {
        let budget = format!("{minutes:.0}m");
        if run.publication.is_some_and(|publication| publication.takes_commands) {
            let command = format!("/deadheat budget={budget}{}", selection(run));
            format!(" A budget of {budget} would likely hold them: comment {}.", safe::code_of(&command, COMMAND))
        } else {
            format!(" A budget of {budget} would likely hold them: {}.", safe::code(&format!("--budget {budget}")))
        }
    });
    Some(format!("{start}; about {more} would likely decide it{some}.{rounds}{budget}"))
}

fn look(run: &Run) -> Option<Outlook> {
    let mut scenarios: BTreeMap<Scenario<'_>, usize> = BTreeMap::new();
    // One proved change of its speed ends a scenario's race: what is open beside it is decided by no further round.
    let mut settled: BTreeSet<Scenario<'_>> = BTreeSet::new();
    for cell in run.judged().filter(|cell| is_speed(cell)) {
        let Case::Scenario(name) = &cell.key.case else { continue };
        let scenario = (&cell.key.entry, cell.key.regime.as_ref(), name);
        if cell.direction().is_some() {
            settled.insert(scenario);
        } else if cell.verdict.word == Word::Undecided {
            let pairs = scenarios.entry(scenario).or_insert(0);
            *pairs = (*pairs).max(cell.verdict.pairs);
        }
    }
    scenarios.retain(|scenario, _| !settled.contains(scenario));
    if scenarios.is_empty() {
        return None;
    }
    let forecasts = rounds_left(run.results);
    let mut found = Outlook { undecided: scenarios.len(), ..Outlook::default() };
    let mut rounds = 0;
    for ((entry, regime, name), pairs) in scenarios {
        let lane = forecasts.get(&(entry.clone(), regime.cloned()));
        // Before the first look all that is known is that it needs to come to it.
        let left =
            lane.and_then(|lane| lane.get(name)).copied().or(MIN_PAIRS.checked_sub(pairs).filter(|left| *left > 0));
        let Some(left) = left else { continue };
        found.decidable += 1;
        found.more = found.more.max(left);
        found.in_all = found.in_all.max(pairs + left);
        rounds += left;
    }
    found.minutes = minutes(run, rounds, found.more);
    Some(found)
}

fn is_speed(cell: &Cell) -> bool {
    let CellKey { suite, metric, .. } = cell.key;
    *suite == Suite::Http && matches!(metric, Metric::Rps | Metric::P50)
}

/// The minutes in which this race and the missing rounds have room, where a larger budget is what they need.
fn minutes(run: &Run, rounds: usize, longest: usize) -> Option<f64> {
    let (time, protocol) = (run.results.time, &run.results.protocol);
    let measuring = (time.warmup_s + time.slices_s + time.boot_s) / time.race_s;
    let pair = 2.0 * (protocol.warmup_ms + protocol.measure_ms) / 1e3 / measuring;
    // The control is raced in each of these rounds.
    let seconds = (time.race_s + (rounds + longest) as f64 * pair) * RESERVE;
    let minutes = (seconds / 60.0).ceil();
    let helps = rounds > 0 && minutes.is_finite() && seconds > protocol.budget_s;
    (helps && minutes <= LARGEST_BUDGET_MINUTES).then_some(minutes)
}

/// What was asked for, as a comment asks for it.
fn selection(run: &Run) -> String {
    fn option<T: ToString>(name: &str, values: &[T]) -> String {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        if values.is_empty() { String::new() } else { format!(" {name}={}", values.join(",")) }
    }
    let asked = &run.results.selection;
    [
        option("variants", &asked.variants),
        option("runtimes", &asked.runtimes),
        option("suites", &asked.suites),
        option("scenarios", &asked.scenarios),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::super::publication::Publication;
    use super::super::sample;
    use super::*;
    use crate::model::Results;
    use crate::verdict::judge;

    /// `get-user` has an undecided p50 with a wide spread; races took 400 s of 720 s, 350 of them measuring.
    fn undecided(rounds: &[f64]) -> Results {
        let mut results = sample::unchanged();
        let open = |cell: &&mut crate::model::CellRecord| {
            cell.standing == crate::model::Standing::Judged
                && cell.key.case == sample::scenario("get-user")
                && cell.key.metric == Metric::P50
        };
        for cell in results.cells.iter_mut().filter(open) {
            *cell = sample::cell(cell.key.clone(), cell.standing, 412.0, rounds);
        }
        results
    }

    fn text(results: &Results, takes_commands: bool) -> Option<String> {
        let verdict = judge(results);
        let publication = Publication { takes_commands, ..Publication::default() };
        outlook(&Run::new(results, &verdict).published(Some(&publication))).map(|text| text.replace('\u{a0}', " "))
    }

    /// About 1.7 % of scatter around nothing: 16 pairs are the first look at which (.03 - m) sqrt(n) / s passes t = 3.1.
    const LEANING: [f64; 12] = [0.02, -0.02, 0.03, -0.03, 0.025, -0.025, 0.03, -0.03, 0.02, -0.02, 0.028, -0.028];

    #[test]
    fn what_more_rounds_would_decide_is_offered_with_its_budget() {
        let mut results = undecided(&LEANING);
        results.protocol.budget_s = 400.0;
        let found = text(&results, true).unwrap();
        assert!(found.starts_with("The speed of 1 scenario is undecided; about "), "{found}");
        assert!(found.contains("comment `/deadheat budget=8m`."), "{found}");
        assert!(text(&results, false).unwrap().ends_with("would likely hold them: `--budget 8m`."));
        results.selection.scenarios = vec![ScenarioName::new("get-user").unwrap()];
        assert!(text(&results, true).unwrap().contains("`/deadheat budget=8m scenarios=get-user`"));
        results.protocol.budget_s = 7_200.0;
        assert!(!text(&results, true).unwrap().contains("budget"), "the budget was not what ended it");
    }

    #[test]
    fn what_no_race_decides_is_said_and_a_decided_run_says_nothing() {
        let wild = LEANING.map(|value| value * 20.0);
        let found = text(&undecided(&wild), true).unwrap();
        assert!(found.ends_with("the 40 rounds that a race may have would likely not decide it."), "{found}");
        assert_eq!(text(&sample::unchanged(), true), None);
        assert_eq!(text(&sample::unusable(), true), None);
    }

    #[test]
    fn a_scenario_that_is_proved_slower_waits_for_nothing() {
        let mut results = sample::changed();
        let open = results
            .cells
            .iter_mut()
            .find(|cell| cell.key.case == sample::scenario("get-user") && cell.key.metric == Metric::P50);
        let open = open.unwrap();
        *open = sample::cell(open.key.clone(), open.standing, 412.0, &LEANING);
        assert_eq!(text(&results, true), None);
    }

    #[test]
    fn a_race_with_too_few_rounds_for_it_says_so() {
        let mut results = undecided(&LEANING);
        results.protocol.rounds_max = 12;
        assert!(text(&results, true).unwrap().contains("has to be raised from 12 to"));
    }
}
