//! What a turn costs, and what the budget holds.
//!
//! The estimate comes from the protocol's own times and is corrected by what turns really took. It decides only when to
//! stop; it never looks at a measured value.

use super::turn::{BootTurn, Turn};
use crate::model::{Case, EntryName, Lineup, ScenarioName};
use crate::plan::{LanePlan, Protocol, RunPlan, Scenario};
use std::collections::BTreeMap;
use std::time::Duration;

/// Start, first answer and stop of a server that is quick at it, in seconds.
const START_S: f64 = 0.15;
/// A command whose time is not known, in seconds.
const RUN_S: f64 = 1.0;
/// Starting and clearing up after a command, in seconds.
const RUN_BESIDES_S: f64 = 0.05;
/// The pause before idle memory is taken, in seconds.
pub(super) const IDLE_S: f64 = 0.5;
/// Opening windows, draining answers and reading clocks, as a share of measured time.
const BETWEEN_SLICES: f64 = 0.08;
/// The share of the budget that entries without a second side may take beside pairs.
const ONE_SIDED_SHARE: f64 = 0.2;

/// Expected seconds of turns.
#[derive(Clone, Debug)]
pub struct LaneCost {
    side_s: f64,
    open_loops: BTreeMap<ScenarioName, bool>,
    safe: BTreeMap<ScenarioName, bool>,
    http: bool,
    runs: RunTimes,
}

/// The seconds that each run of an entry's commands took at the gate.
pub type RunTimes = BTreeMap<(EntryName, Case), f64>;

impl LaneCost {
    /// The costs of `protocol`; `http`: scenarios are measured at all; `runs`: what commands take.
    pub fn new(protocol: &Protocol, scenarios: &[Scenario], http: bool, runs: RunTimes) -> Self {
        let measured = protocol.measure.as_secs_f64() * (1.0 + BETWEEN_SLICES);
        Self {
            side_s: protocol.warmup.as_secs_f64() + measured,
            open_loops: scenarios.iter().map(|scenario| (scenario.name.clone(), scenario.rate.is_some())).collect(),
            safe: scenarios.iter().map(|scenario| (scenario.name.clone(), scenario.request.is_safe())).collect(),
            http,
            runs,
        }
    }

    fn run_s(&self, entry: &EntryName, case: &Case) -> f64 {
        self.runs.get(&(entry.clone(), case.clone())).copied().unwrap_or(RUN_S) + RUN_BESIDES_S
    }

    /// Whether a scenario's request leaves the server as it was.
    pub fn is_safe(&self, scenario: &ScenarioName) -> bool {
        self.safe.get(scenario).copied().unwrap_or(true)
    }

    fn scenario_s(&self, scenario: &ScenarioName, sides: f64) -> f64 {
        let loops = if self.open_loops.get(scenario).copied().unwrap_or(false) { 2.0 } else { 1.0 };
        if self.http { sides * loops * self.side_s } else { 0.0 }
    }

    /// Expected seconds of `turn`.
    pub fn turn_s(&self, turn: &Turn) -> f64 {
        let starts = match (turn.needs_base(), turn.needs_server()) {
            (true, _) => 2.0,
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        let runs = |cases: &[Case]| cases.iter().map(|case| self.run_s(&turn.lane.entry, case)).sum::<f64>();
        let runs = 2.0 * runs(&turn.paired_runs) + runs(&turn.one_sided_runs);
        let idle = if turn.boot == BootTurn::No { 0.0 } else { IDLE_S };
        let paired: f64 = turn.paired.iter().map(|name| self.scenario_s(name, 2.0)).sum();
        let one_sided: f64 = turn.one_sided.iter().map(|name| self.scenario_s(name, 1.0)).sum();
        starts * START_S + idle + paired + one_sided + runs
    }

    /// Expected seconds of one scenario on both sides, with the starts that it takes where it is alone.
    pub fn pair_s(&self, scenario: &ScenarioName) -> f64 {
        2.0 * START_S + self.scenario_s(scenario, 2.0)
    }

    /// Expected seconds of a full round of the lanes that are raced in pairs, or of all where none is.
    pub fn round_s(&self, lanes: &[LanePlan]) -> f64 {
        let paired = lanes.iter().any(|plan| plan.lineup == Lineup::Paired);
        lanes.iter().filter(|plan| plan.lineup != Lineup::Absent).map(|plan| self.lane_s(plan, paired)).sum()
    }

    fn lane_s(&self, plan: &LanePlan, paired_only: bool) -> f64 {
        let two = matches!(plan.lineup, Lineup::Paired | Lineup::Control);
        if paired_only && !two {
            return 0.0;
        }
        let sides = if two { 2.0 } else { 1.0 };
        let alone: f64 =
            if paired_only { 0.0 } else { plan.one_sided.iter().map(|name| self.scenario_s(name, 1.0)).sum() };
        let scenarios: f64 = plan.paired.iter().map(|name| self.scenario_s(name, sides)).sum();
        let runs = |runs: &[RunPlan]| runs.iter().map(|run| self.run_s(&plan.lane.entry, &run.case)).sum::<f64>();
        let runs = sides * runs(&plan.paired_runs) + if paired_only { 0.0 } else { runs(&plan.one_sided_runs) };
        let starts = if plan.boot || plan.measured().next().is_some() { sides * START_S } else { 0.0 };
        starts + if plan.boot { IDLE_S } else { 0.0 } + scenarios + alone + runs
    }

    /// Expected seconds of every part of a full round of `plan`, which is raced in pairs: starts and the idle pause are
    /// shared out evenly over the scenarios, or are the only part.
    pub fn parts_s(&self, plan: &LanePlan) -> Vec<(Case, f64)> {
        let all = self.lane_s(plan, true);
        let scenarios: Vec<(Case, f64)> =
            plan.paired.iter().map(|name| (Case::Scenario(name.clone()), self.scenario_s(name, 2.0))).collect();
        let runs = plan.paired_runs.iter();
        let runs: Vec<(Case, f64)> =
            runs.map(|run| (run.case.clone(), 2.0 * self.run_s(&plan.lane.entry, &run.case))).collect();
        let all = all - runs.iter().map(|(_, seconds)| seconds).sum::<f64>();
        let rest = all - scenarios.iter().map(|(_, seconds)| seconds).sum::<f64>();
        if scenarios.is_empty() {
            let start = plan.boot.then_some((Case::Start, rest));
            return start.into_iter().chain(runs).collect();
        }
        let share = rest / scenarios.len() as f64;
        scenarios.into_iter().map(|(case, seconds)| (case, seconds + share)).chain(runs).collect()
    }

    /// Expected seconds that entries without a second side take beside pairs in one round.
    pub fn one_sided_round_s(&self, lanes: &[LanePlan]) -> f64 {
        let all: f64 =
            lanes.iter().filter(|plan| plan.lineup != Lineup::Absent).map(|plan| self.lane_s(plan, false)).sum();
        all - self.round_s(lanes)
    }
}

/// The time of a race, as it is spent.
pub(super) struct Budget<'a> {
    total: Duration,
    before: Duration,
    cost: &'a LaneCost,
    expected_s: f64,
    real_s: f64,
    one_sided_s: f64,
}

impl<'a> Budget<'a> {
    /// A budget of `total`, of which a race that is resumed has spent `before`.
    pub(super) fn new(total: Duration, before: Duration, cost: &'a LaneCost) -> Self {
        Self { total, before, cost, expected_s: 0.0, real_s: 0.0, one_sided_s: 0.0 }
    }

    /// What remains after `elapsed`.
    pub(super) fn left(&self, elapsed: Duration) -> Duration {
        self.total.saturating_sub(self.before).saturating_sub(elapsed)
    }

    /// Notes what a turn took.
    pub(super) fn spent(&mut self, turn: &Turn, time: Duration) {
        self.expected_s += self.cost.turn_s(turn);
        self.real_s += time.as_secs_f64();
        if turn.paired.is_empty() && turn.boot != BootTurn::Paired && turn.paired_runs.is_empty() {
            self.one_sided_s += time.as_secs_f64();
        }
    }

    fn correction(&self) -> f64 {
        if self.expected_s > 0.0 { (self.real_s / self.expected_s).clamp(0.2, 20.0) } else { 1.0 }
    }

    /// What `expected_s` seconds will really be, as turns went so far.
    pub(super) fn seconds(&self, expected_s: f64) -> f64 {
        expected_s * self.correction()
    }

    /// Whether what remains is enough for `turns`.
    pub(super) fn holds(&self, turns: &[Turn], elapsed: Duration) -> bool {
        let expected: f64 = turns.iter().map(|turn| self.cost.turn_s(turn)).sum();
        expected * self.correction() <= self.left(elapsed).as_secs_f64()
    }

    /// Whether a turn may be taken once more; the budget is kept also where a server fails slowly.
    pub(super) fn affords_repeat(&self, turn: &Turn, elapsed: Duration) -> bool {
        self.cost.turn_s(turn) <= self.left(elapsed).as_secs_f64()
    }

    /// Whether entries without a second side may take more.
    pub(super) fn affords_one_sided(&self) -> bool {
        self.one_sided_s < ONE_SIDED_SHARE * self.total.as_secs_f64()
    }
}
