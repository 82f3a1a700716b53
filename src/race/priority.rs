//! Who is raced where the budget can't hold everybody: first the scenarios that the fewest rounds will likely decide.
//!
//! Nobody is left out while the budget can decide all, nor before everybody's first look, because until then none is
//! likelier than the others. Who waits keeps its rounds and comes back when time is left. Choices are made at the beginning
//! of a block of two rounds, so that everybody goes on having each side first equally often. A verdict does not depend on
//! them: each cell is judged at its own looks.

use super::open::Open;
use crate::model::{Case, Metric, Results, ScenarioName, Suite};
use crate::plan::Lane;
use std::collections::BTreeMap;

/// What rounds cost, in seconds.
pub(super) struct Costs<'a> {
    /// A round of one scenario of a lane, both sides and their starts.
    pub(super) scenario: &'a dyn Fn(&Lane, &ScenarioName) -> f64,
    /// What every round costs besides: the control.
    pub(super) control: f64,
    /// What remains of the budget.
    pub(super) left: f64,
}

/// Leaves in `open` only the scenarios that take part in the coming round of `results`.
pub(super) fn choose(open: &mut BTreeMap<Lane, Open>, results: &Results, costs: &Costs<'_>) {
    if results.rounds % 2 == 1 && results.protocol.rounds_min <= results.rounds {
        return finish_block(open, results);
    }
    let rounds = (results.protocol.rounds_max.saturating_sub(results.rounds)) as usize;
    let mut units: Vec<(f64, usize, Lane, ScenarioName)> = Vec::new();
    let mut unlikely = false;
    for (lane, part) in &*open {
        for name in &part.scenarios {
            match part.rounds_left.get(name) {
                Some(&left) if left <= rounds => {
                    let cost = (costs.scenario)(lane, name) * left as f64;
                    units.push((cost, left, lane.clone(), name.clone()));
                }
                // Where somebody has not come to its first look, nobody is known to be likelier.
                None if !has_been_judged(results, lane, name) => return,
                Some(_) | None => unlikely = true,
            }
        }
    }
    units.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (&a.2, &a.3).cmp(&(&b.2, &b.3))));
    let (mut seconds, mut longest) = (0.0, 0);
    let fits = units.iter().take_while(|(cost, left, ..)| {
        seconds += cost;
        longest = longest.max(*left);
        seconds + longest as f64 * costs.control <= costs.left
    });
    let fitting = fits.count();
    // Where nothing can be decided any more, everybody's estimate gets better alike.
    if fitting == 0 || (fitting == units.len() && !unlikely) {
        return;
    }
    let chosen: Vec<(&Lane, &ScenarioName)> = units.iter().take(fitting).map(|unit| (&unit.2, &unit.3)).collect();
    // With time for all of these twice over, the others may as well go on.
    let spare = fitting == units.len() && costs.left > 2.0 * (seconds + longest as f64 * costs.control);
    if !spare {
        keep(open, |lane, name| chosen.contains(&(lane, name)));
    }
}

/// The second round of a block is for those who raced in its first.
fn finish_block(open: &mut BTreeMap<Lane, Open>, results: &Results) {
    let before = results.rounds.saturating_sub(1);
    let raced = |lane: &Lane, name: &ScenarioName| {
        results.attempts.iter().rev().take_while(|attempt| attempt.round >= before).any(|attempt| {
            attempt.entry == lane.entry
                && attempt.regime == lane.regime
                && matches!(&attempt.case, Case::Scenario(case) if case == name)
        })
    };
    let anybody = open.iter().any(|(lane, part)| part.scenarios.iter().any(|name| raced(lane, name)));
    if anybody {
        keep(open, raced);
    }
}

fn keep(open: &mut BTreeMap<Lane, Open>, takes_part: impl Fn(&Lane, &ScenarioName) -> bool) {
    for (lane, part) in open.iter_mut() {
        part.scenarios.retain(|name| takes_part(lane, name));
    }
    open.retain(|_, part| part.boot || !part.scenarios.is_empty() || !part.runs.is_empty());
}

/// Whether a scenario has the pairs of a first look.
fn has_been_judged(results: &Results, lane: &Lane, name: &ScenarioName) -> bool {
    results.cells.iter().any(|cell| {
        cell.key.entry == lane.entry
            && cell.key.regime == lane.regime
            && cell.key.suite == Suite::Http
            && cell.key.metric == Metric::Rps
            && cell.key.case == Case::Scenario(name.clone())
            && cell.log_ratios().count() >= results.protocol.rounds_min as usize
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane_plan, name, results, scenario};
    use super::*;
    use crate::model::{Attempt, Lineup, Outcome, RoundValue};
    use std::collections::BTreeSet;

    const SCENARIOS: [&str; 3] = ["far", "near", "never"];

    /// A race after `rounds` rounds of all three scenarios.
    fn raced(rounds: u32) -> Results {
        let scenarios = SCENARIOS.map(|text| scenario(text, "GET"));
        let mut results = results(&[lane_plan("a", Lineup::Paired, &SCENARIOS)], &scenarios);
        for cell in &mut results.cells {
            let value = |round| RoundValue { round, base: Some(1.0), head: Some(1.0), log_ratio: Some(0.0) };
            cell.rounds = (0..rounds).map(value).collect();
        }
        results.rounds = rounds;
        results
    }

    fn chosen(results: &Results, left: f64) -> Vec<String> {
        let lane = lane_plan("a", Lineup::Paired, &SCENARIOS).lane;
        let part = Open {
            scenarios: SCENARIOS.map(name).into(),
            rounds_left: BTreeMap::from([(name("far"), 12), (name("near"), 4)]),
            boot: false,
            runs: BTreeSet::new(),
        };
        let mut open = BTreeMap::from([(lane, part)]);
        choose(&mut open, results, &Costs { scenario: &|_, _| 3.0, control: 1.0, left });
        open.into_values().flat_map(|part| part.scenarios).map(|name| name.to_string()).collect()
    }

    #[test]
    fn what_the_fewest_rounds_decide_comes_first() {
        // `near` takes 4 x 3 s and 4 x 1 s for the control, `far` 12 x 3 s more and 12 x 1 s in all.
        assert_eq!(chosen(&raced(12), 16.0), ["near"]);
        assert_eq!(chosen(&raced(12), 59.0), ["near"]);
        assert_eq!(chosen(&raced(12), 60.0), ["far", "near"], "what no round decides waits");
        assert_eq!(chosen(&raced(12), 1_000.0), SCENARIOS, "there is time for everybody");
    }

    #[test]
    fn where_nothing_can_be_decided_nobody_is_left_out() {
        assert_eq!(chosen(&raced(12), 15.0), SCENARIOS);
        assert_eq!(chosen(&raced(6), 16.0), SCENARIOS, "nobody has come to its first look");
        let mut last = raced(30);
        last.protocol.rounds_max = 32;
        assert_eq!(chosen(&last, 16.0), SCENARIOS, "two rounds are left, and four are needed");
    }

    #[test]
    fn a_block_is_finished_by_those_who_began_it() {
        let mut results = raced(13);
        let lane = lane_plan("a", Lineup::Paired, &SCENARIOS).lane;
        results.attempts = ["near", "never"]
            .map(|case| Attempt {
                round: 12,
                attempt: 0,
                entry: lane.entry.clone(),
                regime: None,
                case: Case::Scenario(name(case)),
                base: Outcome::Measured,
                head: Outcome::Measured,
                first: None,
                generator_limited: false,
            })
            .to_vec();
        let expected: BTreeSet<String> = ["near", "never"].map(str::to_owned).into();
        assert_eq!(chosen(&results, 16.0).into_iter().collect::<BTreeSet<_>>(), expected);
        results.attempts.clear();
        assert_eq!(chosen(&results, 16.0), SCENARIOS);
    }
}
