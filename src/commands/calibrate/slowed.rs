//! The race of a known slowdown: one entry behind a pass-through on both sides, and head's is delayed.
//!
//! Servers and pass-throughs share one CPU, so that a request takes a known time of it. There is one request in flight on
//! each connection, because the pass-through delays turnarounds.

use super::one_build::line_up;
use super::stage::{Conditions, Stage, stopped};
use crate::commands::field::{Asked, ControlChoice};
use crate::commands::outcome::CommandError;
use crate::commands::prepare::{Grid, Runner};
use crate::commands::progress::Display;
use crate::commands::referee::VerdictReferee;
use crate::commands::sides::Sides;
use crate::commands::tracks::Tracks;
use crate::model::{CalibrationRecord, Case, EntryName, Metric, PerSide, Results, ScenarioName, Side, Suite};
use crate::plan::{LanePlan, Protocol, Selection};
use crate::race::{
    BootTurn, Contender, Course, LaneCost, Setup, Startable, Track, TrackSetup, Turn, TurnOutcome,
    pass_through::{self, KnownDelay, known_delay},
};
use crate::verdict::median;
use std::collections::BTreeMap;
use std::path::Path;

/// What was raced.
pub(super) struct Slowed {
    pub(super) results: Results,
    pub(super) entry: EntryName,
    pub(super) scenario: ScenarioName,
    pub(super) delay: KnownDelay,
    /// The share of their CPU's time that server and pass-through used without delay, where it could be read.
    pub(super) busy: Option<f64>,
}

/// What is said where the scheduler can't be asked to keep server and pass-through from interrupting each other.
const IMPATIENT: &str = "chrt of util-linux is not on the PATH of what is raced: server and pass-through interrupt each other, so that \
                         the known slowdown costs more than what is known";

/// Why there was no such race.
pub(super) enum NotSlowed {
    /// Nothing could be slowed by a known amount.
    Because(String),
    /// The calibration can't go on.
    Stopped(CommandError),
}

impl From<CommandError> for NotSlowed {
    fn from(error: CommandError) -> Self {
        Self::Stopped(error)
    }
}

/// The first that runs, and its first scenario that leaves the server as it was.
fn choose(grid: &Grid, selection: &Selection) -> Option<(usize, ScenarioName)> {
    let scenario_of = |runner: &Runner| {
        let scenarios = grid.configuration.scenarios.iter();
        let safe = scenarios.filter(|scenario| scenario.request.is_safe() && selection.has_scenario(&scenario.name));
        safe.map(|scenario| &scenario.name).find(|name| grid.passed(&runner.entry.name, Side::Head, name)).cloned()
    };
    let mut running = grid.runners.iter().enumerate().filter(|(_, runner)| runner.runs.head);
    running.find_map(|(index, runner)| Some((index, scenario_of(runner)?)))
}

/// Races the first entry of the grid, of which nothing else is left afterwards, with head slower by `share`.
pub(super) fn race_slowed(
    stage: &Stage<'_>,
    grid: &mut Grid,
    sides: &Sides,
    tracks: &Tracks,
    asked: &Asked<'_>,
    share: f64,
    display: &mut Display,
) -> Result<Slowed, NotSlowed> {
    if !asked.selection.has_suite(Suite::Http) {
        return Err(NotSlowed::Because("the http suite was not chosen".to_owned()));
    }
    let Some((index, scenario)) = choose(grid, asked.selection) else {
        return Err(NotSlowed::Because(
            "no scenario that was chosen can be asked without changing the server".to_owned(),
        ));
    };
    keep_only(grid, index, &scenario);
    let Some(track) = tracks.first().cloned() else {
        return Err(NotSlowed::Because("this machine has no CPU for servers".to_owned()));
    };
    let tracks = Tracks { tracks: vec![on_one_cpu(track)], warnings: tracks.warnings.clone() };
    let selection =
        Selection { suites: vec![Suite::Http], scenarios: vec![scenario.clone()], ..asked.selection.clone() };
    let protocol = Protocol { pipelining: 1, ..asked.protocol.clone() };
    let asked = Asked { selection: &selection, protocol: &protocol, control: ControlChoice::Nobody, ..*asked };
    let field = |delay_ns| line_up(grid, sides, &tracks, &asked, CalibrationRecord { delay_ns: Some(delay_ns) });

    let mut undelayed = field(0);
    let impatient = |build: &Startable| !pass_through::is_patient(build.environment.get("PATH"));
    let mut builds = undelayed.setup.contenders.values().filter_map(|contender| contender.builds.head.as_ref());
    let impatient = builds.any(impatient);
    put_behind(&mut undelayed.setup, stage.binary, PerSide { base: 0, head: 0 });
    let Some(lane) = undelayed.lanes.first().filter(|plan| plan.paired.contains(&scenario)) else {
        return Err(NotSlowed::Because("the entry is not raced in pairs".to_owned()));
    };
    display.say(&format!("a known slowdown: {} on {scenario}, behind a pass-through", lane.lane));
    let entry = lane.lane.entry.clone();
    let (rps, cpu_us) = measure(&mut stage.course(&undelayed.setup, asked.seed.0 ^ 1), lane, &scenario)?;
    // The time that the CPU passed over a request is what was used where nobody else had it and it was never idle.
    let passed_us = 1e6 / rps;
    let delay = known_delay(cpu_us.unwrap_or(passed_us), share)
        .ok_or_else(|| NotSlowed::Because("too few requests went through the pass-through to time them".to_owned()))?;

    let mut delayed = field(delay.delay_ns);
    put_behind(&mut delayed.setup, stage.binary, PerSide { base: 0, head: delay.delay_ns });
    let cost = LaneCost::new(&protocol, &grid.configuration.scenarios, true, BTreeMap::new());
    let conditions = Conditions { cost: &cost, budget: protocol.budget, referee: &VerdictReferee };
    delayed.results.warnings.extend(impatient.then(|| IMPATIENT.to_owned()));
    let results = stage.race(&delayed, &conditions, display)?;
    Ok(Slowed { results, entry, scenario, delay, busy: cpu_us.map(|cpu| cpu / passed_us) })
}

/// Leaves the others out, and the open loop: at a given rate a delay lowers no throughput.
fn keep_only(grid: &mut Grid, index: usize, scenario: &ScenarioName) {
    let mut kept = grid.runners.swap_remove(index);
    kept.contender.runs.clear();
    let name = kept.entry.name.clone();
    grid.runners = vec![kept];
    grid.gate.retain(|record| record.entry == name);
    grid.failures.retain(|failure| failure.entry == name);
    grid.observations.retain(|observation| observation.entry == name);
    grid.configuration.regimes.truncate(1);
    grid.configuration.mixes.clear();
    for known in grid.configuration.scenarios.iter_mut().filter(|known| known.name == *scenario) {
        known.rate = None;
    }
}

fn on_one_cpu(track: TrackSetup) -> TrackSetup {
    TrackSetup { server_cpus: track.server_cpus.iter().take(1).copied().collect(), pipelining: 1, ..track }
}

/// Puts every server behind a pass-through with its side's delay.
fn put_behind(setup: &mut Setup, binary: &Path, delay_ns: PerSide<u64>) {
    let behind = |contender: &mut Contender| {
        for side in Side::BOTH {
            if let Some(build) = contender.builds.get_mut(side) {
                let path = build.environment.get("PATH");
                build.argv = pass_through::argv(binary, *delay_ns.get(side), &build.argv, path);
            }
        }
    };
    setup.contenders.values_mut().for_each(behind);
}

/// Requests per second through a pass-through without delay, and CPU microseconds per request where they can be read: the
/// medians over both sides, each going first once.
fn measure(course: &mut Course<'_>, plan: &LanePlan, scenario: &ScenarioName) -> Result<(f64, Option<f64>), NotSlowed> {
    let mut values: [Vec<f64>; 2] = Default::default();
    for (round, first) in (0..).zip(Side::BOTH) {
        let turn = Turn {
            round,
            attempt: 0,
            lane: plan.lane.clone(),
            first,
            paired: vec![scenario.clone()],
            one_sided: Vec::new(),
            boot: BootTurn::No,
            paired_runs: Vec::new(),
            one_sided_runs: Vec::new(),
        };
        let outcome = course.take(&turn).map_err(stopped)?;
        for (metric, values) in [Metric::Rps, Metric::CpuPerRequest].into_iter().zip(&mut values) {
            values.extend(both_sides(&outcome, scenario, metric));
        }
        if let Some(failure) = outcome.failures.first() {
            let because = format!("behind a pass-through the server failed: {}", failure.message);
            return Err(NotSlowed::Because(because));
        }
    }
    let [mut rps, mut cpu] = values;
    let rps = median(&mut rps).unwrap_or(0.0);
    Ok((rps, median(&mut cpu)))
}

fn both_sides(outcome: &TurnOutcome, scenario: &ScenarioName, metric: Metric) -> Vec<f64> {
    let of_scenario = |case: &Case| matches!(case, Case::Scenario(name) if name == scenario);
    let measured = outcome.values.iter();
    let measured = measured.filter(|m| m.suite == Suite::Http && m.metric == metric && of_scenario(&m.case));
    measured.flat_map(|measured| [measured.value.base, measured.value.head]).flatten().collect()
}
