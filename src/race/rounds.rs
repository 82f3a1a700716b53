//! The rounds: who takes a turn, what is run again, when the race ends.
//!
//! This is the order of steps and nothing else: turns are taken by a [`Track`], decisions come from a [`Referee`], and
//! both are arguments, so that the order is tested with a scripted race and no clock.

use super::apply::apply_round;
use super::budget::{Budget, LaneCost};
use super::open::Open;
use super::priority::{Costs, choose};
use super::turn::{BootTurn, RoundRecord, Turn, TurnOutcome, TurnRecord};
use crate::model::{Case, Lineup, Outcome, Results, ScenarioName};
use crate::plan::{Lane, LanePlan, RunPlan, case_order, first_side, lane_order};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A round is run again for what failed in it at most this often.
const REPEATS: u32 = 2;
/// Rounds of entries that are raced one-sided beside pairs.
const ONE_SIDED_ROUNDS: u32 = 3;

/// Why the race ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// Something that no entry can be blamed for went wrong.
    #[error("{0}")]
    Broken(String),
}

/// Takes turns.
pub trait Track {
    /// Takes one turn.
    ///
    /// # Errors
    /// [`Stop`] where the race can't go on; failures of servers are part of the outcome.
    fn take(&mut self, turn: &Turn) -> Result<TurnOutcome, Stop>;

    /// Seconds of racing since this call sequence began.
    fn elapsed(&self) -> Duration;
}

/// Decides, after every round, who is still in the race.
pub trait Referee {
    /// What is still in, by lane; a lane that is left out has left.
    fn open(&self, results: &Results) -> BTreeMap<Lane, Open>;
}

/// Keeps finished rounds.
pub trait Journal {
    /// Appends a round durably.
    ///
    /// # Errors
    /// A sentence on what went wrong with the disk.
    fn append(&mut self, round: &RoundRecord) -> Result<(), String>;
}

/// Is told what happens, to show it.
pub trait Watch {
    /// A turn begins; `left` is what remains of the budget.
    fn turn(&mut self, turn: &Turn, of_rounds: u32, left: Duration);
    /// A turn is over that began after `begun` of racing. What is returned is a warning for the results.
    fn taken(&mut self, outcome: &TurnOutcome, begun: Duration) -> Option<String> {
        let _ = (outcome, begun);
        None
    }
    /// A round was finished and recorded.
    fn round(&mut self, results: &Results, left: Duration);
}

/// Why a race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that can be decided is.
    Decided,
    /// The largest number of rounds was raced.
    Rounds,
    /// Another round would have passed the budget.
    Budget,
}

/// What a race needs besides its track.
pub struct Race<'a> {
    /// Everybody's part.
    pub lanes: &'a [LanePlan],
    /// What turns cost.
    pub cost: &'a LaneCost,
    /// The time that may be spent.
    pub budget: Duration,
    /// Who decides.
    pub referee: &'a dyn Referee,
}

impl Race<'_> {
    /// Races until everything is decided, or the rounds or the budget are used up. `results` holds the expected cells and
    /// the rounds raced so far; every finished round is added to it and to the journal.
    ///
    /// # Errors
    /// [`Stop`]; what was finished before is in `results` and in the journal.
    pub fn run(
        &self,
        results: &mut Results,
        track: &mut dyn Track,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Ending, Stop> {
        let before = Duration::from_secs_f64(results.time.race_s.max(0.0));
        let mut budget = Budget::new(self.budget, before, self.cost);
        let rounds = results.protocol.rounds_max;
        for round in results.rounds..rounds {
            let turns = self.turns(results, round, &budget, track.elapsed());
            if turns.is_empty() {
                return Ok(Ending::Decided);
            }
            if round > 0 && !budget.holds(&turns, track.elapsed()) {
                return Ok(Ending::Budget);
            }
            let mut record = RoundRecord { round, turns: Vec::new(), elapsed_s: 0.0, warnings: Vec::new() };
            for turn in turns {
                take_turn(turn, rounds, &mut record, track, &mut budget, watch)?;
            }
            record.elapsed_s = (before + track.elapsed()).as_secs_f64();
            journal.append(&record).map_err(Stop::Broken)?;
            apply_round(results, &record);
            watch.round(results, budget.left(track.elapsed()));
        }
        Ok(if self.turns(results, rounds, &budget, track.elapsed()).is_empty() {
            Ending::Decided
        } else {
            Ending::Rounds
        })
    }

    /// The turns of `round`, in order; empty where nothing is left to decide.
    fn turns(&self, results: &Results, round: u32, budget: &Budget<'_>, elapsed: Duration) -> Vec<Turn> {
        let mut open = self.referee.open(results);
        let control = self.lanes.iter().filter(|plan| plan.lineup == Lineup::Control);
        let costs = Costs {
            scenario: &|_, name| budget.seconds(self.cost.pair_s(name)),
            control: budget.seconds(self.cost.round_s(&control.cloned().collect::<Vec<_>>())),
            left: budget.left(elapsed).as_secs_f64(),
        };
        choose(&mut open, results, &costs);
        let paired = self.lanes.iter().any(|plan| plan.lineup == Lineup::Paired);
        let undecided = self.lanes.iter().any(|plan| plan.lineup == Lineup::Paired && open.contains_key(&plan.lane));
        if paired && !undecided {
            return Vec::new();
        }
        let alone = if paired { ONE_SIDED_ROUNDS } else { results.protocol.rounds_min };
        let with_one_sided = round < alone && (!paired || budget.affords_one_sided());
        let lanes = self.lanes.iter().map(|plan| plan.lane.clone()).collect();
        let mut turns = Vec::new();
        for lane in lane_order(results.seed, round, lanes) {
            let Some(plan) = self.lanes.iter().find(|plan| plan.lane == lane) else { continue };
            let still = open.get(&lane);
            let turn = match plan.lineup {
                Lineup::Absent => continue,
                // The control runs as long as anybody does: it is what the others are held against.
                Lineup::Control => {
                    let runs = cases(&plan.paired_runs);
                    self.turn(results, round, plan, &plan.paired, plan.boot, runs, with_one_sided)
                }
                Lineup::Paired => {
                    let Some(still) = still else { continue };
                    let paired: Vec<_> =
                        plan.paired.iter().filter(|name| still.scenarios.contains(name)).cloned().collect();
                    let boot = plan.boot && (still.boot || !paired.is_empty());
                    let runs = cases(&plan.paired_runs).into_iter().filter(|case| still.runs.contains(case)).collect();
                    self.turn(results, round, plan, &paired, boot, runs, with_one_sided)
                }
                Lineup::OneSided => self.turn(results, round, plan, &[], plan.boot, Vec::new(), with_one_sided),
            };
            if !turn.is_empty() {
                turns.push(turn);
            }
        }
        turns
    }

    #[expect(clippy::too_many_arguments, reason = "a turn has so many parts")]
    fn turn(
        &self,
        results: &Results,
        round: u32,
        plan: &LanePlan,
        paired: &[ScenarioName],
        boot: bool,
        paired_runs: Vec<Case>,
        with_one_sided: bool,
    ) -> Turn {
        let order = |names: Vec<ScenarioName>| {
            // What changes the server comes last, so that it finds every earlier scenario's server as it was.
            let mut names = case_order(results.seed, round, &plan.lane, names);
            names.sort_by_key(|name| !self.cost.is_safe(name));
            names
        };
        let boot = match plan.lineup {
            Lineup::Paired | Lineup::Control if boot => BootTurn::Paired,
            Lineup::OneSided if boot && with_one_sided => BootTurn::HeadOnly,
            _ => BootTurn::No,
        };
        Turn {
            round,
            attempt: 0,
            lane: plan.lane.clone(),
            first: first_side(results.seed, round, &plan.lane),
            paired: order(paired.to_vec()),
            one_sided: if with_one_sided { order(plan.one_sided.clone()) } else { Vec::new() },
            boot,
            paired_runs: case_order(results.seed, round, &plan.lane, paired_runs),
            one_sided_runs: if with_one_sided {
                case_order(results.seed, round, &plan.lane, cases(&plan.one_sided_runs))
            } else {
                Vec::new()
            },
        }
    }
}

fn cases(runs: &[RunPlan]) -> Vec<Case> {
    runs.iter().map(|run| run.case.clone()).collect()
}

/// Takes a turn, and again what failed in it.
fn take_turn(
    mut turn: Turn,
    rounds: u32,
    record: &mut RoundRecord,
    track: &mut dyn Track,
    budget: &mut Budget<'_>,
    watch: &mut dyn Watch,
) -> Result<(), Stop> {
    loop {
        let started = track.elapsed();
        watch.turn(&turn, rounds, budget.left(started));
        let outcome = track.take(&turn)?;
        record.warnings.extend(watch.taken(&outcome, started));
        budget.spent(&turn, track.elapsed().saturating_sub(started));
        let failed: BTreeSet<Case> = outcome
            .cases
            .iter()
            .filter(|case| case.sides.base != Outcome::Measured || case.sides.head != Outcome::Measured)
            .map(|case| case.case.clone())
            .collect();
        let lane = turn.lane.clone();
        record.turns.push(TurnRecord {
            entry: lane.entry,
            regime: lane.regime,
            attempt: turn.attempt,
            first: Some(turn.first),
            outcome,
        });
        if turn.attempt == REPEATS || !budget.affords_repeat(&turn, track.elapsed()) {
            return Ok(());
        }
        turn.attempt += 1;
        turn.one_sided.clear();
        turn.one_sided_runs.clear();
        turn.paired_runs.retain(|case| failed.contains(case));
        turn.paired.retain(|name| failed.contains(&Case::Scenario(name.clone())));
        if turn.boot != BootTurn::Paired || !failed.contains(&Case::Start) {
            turn.boot = BootTurn::No;
        }
        if turn.is_empty() {
            return Ok(());
        }
    }
}
