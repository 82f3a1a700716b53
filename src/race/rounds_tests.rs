//! The order of steps, with a scripted race and no clock.

use super::apply::apply_round;
use super::budget::LaneCost;
use super::open::Open;
use super::rounds::{Ending, Journal, Race, Referee, Stop, Track, Watch};
use super::testing::{lane_plan, name, protocol, results, scenario};
use super::turn::{BootTurn, CaseOutcome, Measured, RoundRecord, Turn, TurnOutcome};
use crate::model::{Case, Lineup, Metric, Outcome, PerSide, Results, RoundValue, Side, Suite};
use crate::plan::{Lane, LanePlan, Scenario};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// Takes every turn as told by a script and counts time without a clock.
struct Scripted<F> {
    script: F,
    now: Duration,
    taken: Vec<Turn>,
}

impl<F: FnMut(&Turn) -> (TurnOutcome, Duration)> Track for Scripted<F> {
    fn take(&mut self, turn: &Turn) -> Result<TurnOutcome, Stop> {
        let (outcome, time) = (self.script)(turn);
        self.now += time;
        self.taken.push(turn.clone());
        Ok(outcome)
    }

    fn elapsed(&self) -> Duration {
        self.now
    }
}

/// Everything stays in until the given number of rounds, by entry.
struct UntilRound(BTreeMap<&'static str, u32>, Vec<LanePlan>);

impl Referee for UntilRound {
    fn open(&self, results: &Results) -> BTreeMap<Lane, Open> {
        let open = |plan: &LanePlan| Open {
            scenarios: plan.paired.iter().cloned().collect(),
            rounds_left: BTreeMap::new(),
            boot: plan.boot,
            runs: plan.paired_runs.iter().map(|run| run.case.clone()).collect(),
        };
        let still = self.1.iter().filter(|plan| {
            plan.lineup == Lineup::Paired
                && results.rounds < self.0.get(plan.lane.entry.as_str()).copied().unwrap_or(40)
        });
        still.map(|plan| (plan.lane.clone(), open(plan))).collect()
    }
}

#[derive(Default)]
struct Kept(RefCell<Vec<RoundRecord>>);
impl Journal for Kept {
    fn append(&mut self, round: &RoundRecord) -> Result<(), String> {
        self.0.borrow_mut().push(round.clone());
        Ok(())
    }
}

struct Unwatched;
impl Watch for Unwatched {
    fn turn(&mut self, _: &Turn, _: u32, _: Duration) {}
    fn round(&mut self, _: &Results, _: Duration) {}
}

fn good(turn: &Turn) -> TurnOutcome {
    let mut outcome = TurnOutcome::default();
    let cases = turn.paired.iter().map(|name| Case::Scenario(name.clone()));
    let start = (turn.boot == BootTurn::Paired).then_some(Case::Start);
    for case in cases.chain(start) {
        let (suite, metric) =
            if case == Case::Start { (Suite::Boot, Metric::ColdStart) } else { (Suite::Http, Metric::Rps) };
        let value =
            RoundValue { round: turn.round, base: Some(100.0), head: Some(90.0), log_ratio: Some(0.9_f64.ln()) };
        outcome.values.push(Measured { suite, case: case.clone(), metric, value });
        outcome.cases.push(CaseOutcome {
            case,
            sides: PerSide { base: Outcome::Measured, head: Outcome::Measured },
            generator_limited: false,
        });
    }
    outcome
}

fn race(
    lanes: &[LanePlan],
    until: &[(&'static str, u32)],
    budget_s: u64,
    script: impl FnMut(&Turn) -> (TurnOutcome, Duration),
) -> (Results, Vec<Turn>, Ending, Vec<RoundRecord>) {
    let scenarios: Vec<Scenario> = vec![scenario("read", "GET"), scenario("write", "POST")];
    let cost = LaneCost::new(&protocol(), &scenarios, true, BTreeMap::new());
    let mut results = results(lanes, &scenarios);
    let referee = UntilRound(until.iter().copied().collect(), lanes.to_vec());
    let mut track = Scripted { script, now: Duration::ZERO, taken: Vec::new() };
    let mut kept = Kept::default();
    let race = Race { lanes, cost: &cost, budget: Duration::from_secs(budget_s), referee: &referee };
    let ending = race.run(&mut results, &mut track, &mut kept, &mut Unwatched).unwrap();
    (results, track.taken, ending, kept.0.into_inner())
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn each_round_gives_every_lane_one_turn_and_ends_when_all_have_left() {
    let lanes = vec![
        lane_plan("a", Lineup::Paired, &["read", "write"]),
        lane_plan("b", Lineup::Paired, &["read"]),
        lane_plan("control", Lineup::Control, &["read"]),
    ];
    let (results, taken, ending, kept) = race(&lanes, &[("a", 12), ("b", 8)], 10_000, |turn| (good(turn), SECOND));
    assert_eq!(ending, Ending::Decided);
    assert_eq!((results.rounds, kept.len()), (12, 12));
    let turns_of = |entry: &str| taken.iter().filter(|turn| turn.lane.entry.as_str() == entry).count();
    assert_eq!(
        (turns_of("a"), turns_of("b"), turns_of("control")),
        (12, 8, 12),
        "the control stays as long as anybody"
    );
    let write_last = taken.iter().filter(|turn| turn.paired.len() == 2);
    assert!(write_last.clone().count() == 12 && write_last.into_iter().all(|turn| turn.paired[1] == name("write")));
}

#[test]
fn what_failed_is_run_again_at_most_twice_and_only_that() {
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read", "write"])];
    let (results, taken, ..) = race(&lanes, &[("a", 2)], 10_000, |turn| {
        let mut outcome = good(turn);
        let failing = turn.round == 0 || (turn.round == 1 && turn.attempt == 0);
        for case in outcome.cases.iter_mut().filter(|case| failing && case.case == Case::Scenario(name("read"))) {
            case.sides.head = Outcome::Failed;
            outcome.values.retain(|measured| measured.case != case.case);
        }
        (outcome, SECOND)
    });
    let attempts: Vec<(u32, u32, Vec<String>, BootTurn)> = taken
        .iter()
        .map(|turn| {
            let mut paired: Vec<String> = turn.paired.iter().map(ToString::to_string).collect();
            paired.sort();
            (turn.round, turn.attempt, paired, turn.boot)
        })
        .collect();
    let both = vec!["read".to_owned(), "write".to_owned()];
    let read = vec!["read".to_owned()];
    assert_eq!(
        attempts,
        [
            (0, 0, both.clone(), BootTurn::Paired),
            (0, 1, read.clone(), BootTurn::No),
            (0, 2, read.clone(), BootTurn::No),
            (1, 0, both, BootTurn::Paired),
            (1, 1, read, BootTurn::No),
        ]
    );
    let rounds_of = |case: &str| {
        let cell = results
            .cells
            .iter()
            .find(|cell| cell.key.case == Case::Scenario(name(case)) && cell.key.metric == Metric::Rps);
        cell.unwrap().rounds.iter().map(|value| value.round).collect::<Vec<_>>()
    };
    assert_eq!((rounds_of("read"), rounds_of("write")), (vec![1], vec![0, 1]));
}

#[test]
fn the_budget_ends_the_race_before_a_round_that_it_cannot_hold() {
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read"])];
    // A turn takes 10 s: ten of them fit into 105 s, an eleventh does not.
    let (results, _, ending, _) = race(&lanes, &[], 105, |turn| (good(turn), 10 * SECOND));
    assert_eq!((ending, results.rounds), (Ending::Budget, 10));
    assert!((results.time.race_s - 100.0).abs() < 1e-9);
}

#[test]
fn entries_without_a_second_side_take_three_rounds_and_a_fifth_of_the_budget() {
    let mut alone = lane_plan("alone", Lineup::OneSided, &[]);
    alone.one_sided = vec![name("read")];
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read"]), alone.clone()];
    let count = |budget_s| {
        let (_, taken, ..) = race(&lanes, &[("a", 12)], budget_s, |turn| (good(turn), 10 * SECOND));
        taken.iter().filter(|turn| turn.lane.entry.as_str() == "alone").count()
    };
    assert_eq!(count(10_000), 3);
    // A fifth of 60 s is passed by the second turn of 10 s.
    assert_eq!(count(60), 2);
    let (results, taken, ending, _) = race(&[alone], &[], 10_000, |turn| (good(turn), SECOND));
    assert_eq!(
        (ending, taken.len(), results.rounds),
        (Ending::Decided, 8, 8),
        "without pairs: the smallest number of rounds"
    );
}

#[test]
fn a_race_that_goes_on_has_the_same_schedule_as_one_that_was_never_interrupted() {
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read", "write"]), lane_plan("b", Lineup::Paired, &["read"])];
    let (whole, all, _, kept) = race(&lanes, &[("a", 9), ("b", 9)], 10_000, |turn| (good(turn), SECOND));
    let scenarios = vec![scenario("read", "GET"), scenario("write", "POST")];
    let mut resumed = results(&lanes, &scenarios);
    for record in &kept[..4] {
        apply_round(&mut resumed, record);
    }
    let cost = LaneCost::new(&protocol(), &scenarios, true, BTreeMap::new());
    let referee = UntilRound([("a", 9), ("b", 9)].into_iter().collect(), lanes.clone());
    let mut track = Scripted { script: |turn: &Turn| (good(turn), SECOND), now: Duration::ZERO, taken: Vec::new() };
    let race = Race { lanes: &lanes, cost: &cost, budget: Duration::from_secs(10_000), referee: &referee };
    race.run(&mut resumed, &mut track, &mut Kept::default(), &mut Unwatched).unwrap();
    assert_eq!(track.taken, all[8..]);
    assert_eq!(resumed, whole);
}

#[test]
fn both_sides_go_first_equally_often() {
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read"])];
    let (_, taken, ..) = race(&lanes, &[("a", 12)], 10_000, |turn| (good(turn), SECOND));
    assert_eq!(taken.iter().filter(|turn| turn.first == Side::Base).count(), 6);
}

/// Says that `read` is decided by four more rounds from the eighth on, and `write` by none.
struct Forecasts;

impl Referee for Forecasts {
    fn open(&self, results: &Results) -> BTreeMap<Lane, Open> {
        let lane = lane_plan("a", Lineup::Paired, &[]).lane;
        let mut part =
            Open { scenarios: [name("write")].into(), rounds_left: BTreeMap::new(), boot: false, runs: [].into() };
        let rounds =
            results.cells.iter().find(|cell| cell.key.case == Case::Scenario(name("read"))).unwrap().rounds.len();
        if rounds < 12 {
            part.scenarios.insert(name("read"));
            part.rounds_left.extend((rounds >= 8).then(|| (name("read"), 12 - rounds)));
        }
        BTreeMap::from([(lane, part)])
    }
}

#[test]
fn a_short_budget_goes_first_to_what_it_can_decide() {
    let lanes = vec![lane_plan("a", Lineup::Paired, &["read", "write"])];
    let scenarios = vec![scenario("read", "GET"), scenario("write", "GET")];
    let cost = LaneCost::new(&protocol(), &scenarios, true, BTreeMap::new());
    let count = |budget_s: u64| {
        let mut results = results(&lanes, &scenarios);
        let script = |turn: &Turn| (good(turn), u32::try_from(turn.paired.len()).unwrap() * 4 * SECOND);
        let mut track = Scripted { script, now: Duration::ZERO, taken: Vec::new() };
        let race = Race { lanes: &lanes, cost: &cost, budget: Duration::from_secs(budget_s), referee: &Forecasts };
        race.run(&mut results, &mut track, &mut Kept::default(), &mut Unwatched).unwrap();
        ["read", "write"].map(|case| track.taken.iter().filter(|turn| turn.paired.contains(&name(case))).count())
    };
    // Eight rounds of both take 64 s; the 20 s that are left decide one of the two, and nobody the other.
    let [read, write] = count(84);
    assert!(read == 12 && (8..=9).contains(&write), "{read}, {write}");
    assert_eq!(count(1_000), [12, 40]);
}
