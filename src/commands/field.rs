//! From the grid to the field: who takes which part, and the results file as it is before the first round.

use super::prepare::{Grid, Runner};
use super::roster::{entry_record, gone_record};
use super::second_copy::second_copy;
use super::sides::Sides;
use super::tracks::Tracks;
use crate::model::{
    Case, CellRecord, EntryName, EntryRecord, GateOutcome, JudgingRecord, Lineup, Presence, ProtocolRecord,
    RegimeRecord, Results, Role, SCHEMA_VERSION, ScenarioName, ScenarioRecord, Seed, Side, Suite, TimeSpent,
};
use crate::plan::{
    Judging, Lane, LanePlan, Protocol, RunPlan, Selection, Standings, choose_control, expected_cells, lineup, mixes,
    regimes,
};
use crate::process::fingerprint;
use crate::race::{Question, RunTimes, Setup};
use std::collections::{BTreeMap, BTreeSet};

/// The field of a race.
pub(super) struct Field {
    pub(super) lanes: Vec<LanePlan>,
    pub(super) results: Results,
    pub(super) setup: Setup,
    /// What commands took at the gate.
    pub(super) run_times: RunTimes,
}

/// Whether a control is raced beside pairs.
#[derive(Clone)]
pub(super) enum ControlChoice {
    /// None: every true difference is known.
    Nobody,
    /// A reference, or a second copy of base.
    Anybody,
    /// The second copy of this subject that an interrupted race has.
    CopyOf(EntryName),
}

/// What a race was asked to be, besides its configuration.
pub(super) struct Asked<'a> {
    pub(super) selection: &'a Selection,
    pub(super) protocol: &'a Protocol,
    pub(super) seed: Seed,
    pub(super) quick: bool,
    /// Who watches over the race.
    pub(super) control: ControlChoice,
}

impl Field {
    /// Lines everybody up.
    pub(super) fn line_up(grid: &Grid, sides: &Sides, tracks: &Tracks, asked: &Asked<'_>) -> Self {
        let configuration = &grid.configuration;
        let names = configuration.scenarios.iter().map(|scenario| scenario.name.clone());
        let scenarios: Vec<ScenarioName> = names.filter(|name| asked.selection.has_scenario(name)).collect();
        let comparing = sides.base.is_some();
        let standings = |runner: &Runner| Standings {
            presence: runner.presence,
            base_runs: runner.runs.base,
            head_runs: runner.runs.head,
            inputs_changed: runner.inputs_changed,
        };
        let is_paired =
            |runner: &Runner| lineup(runner.entry.variant.role, standings(runner), comparing) == Lineup::Paired;
        // A control watches over pairs; where there are none, a reference is raced for the standings like the others.
        let controlled = !matches!(asked.control, ControlChoice::Nobody) && grid.runners.iter().any(is_paired);
        let control = if controlled {
            let candidates = grid
                .runners
                .iter()
                .filter(|runner| grid.passed(&runner.entry.name, Side::Head, &runner.entry.variant.ready));
            choose_control(candidates.map(|runner| (&runner.entry.name, runner.entry.variant.role, standings(runner))))
        } else {
            None
        };
        let regimes = regimes(configuration);
        let mut lanes = Vec::new();
        let mut entries = Vec::new();
        for runner in &grid.runners {
            let name = &runner.entry.name;
            let is_control = control == Some(name);
            let lineup = match lineup(runner.entry.variant.role, standings(runner), comparing) {
                _ if is_control => Lineup::Control,
                // Standings are of those who do the same work: who fails in one thing has no place in the others.
                _ if !comparing && grid.fails_at_the_gate(name, Side::Head) => Lineup::Absent,
                lineup => lineup,
            };
            entries.push(entry_record(runner, lineup));
            let passes = |side: Side, scenario: &&ScenarioName| {
                let asked = if runner.entry.variant.role == Role::Reference { Side::Head } else { side };
                grid.passed(name, asked, scenario)
            };
            for (index, regime) in regimes.iter().enumerate() {
                let heads = scenarios.iter().filter(|scenario| passes(Side::Head, scenario));
                let paired: Vec<ScenarioName> = match lineup {
                    Lineup::Paired => heads.clone().filter(|scenario| passes(Side::Base, scenario)).cloned().collect(),
                    // One scenario under one regime is enough to see the machine move.
                    Lineup::Control if index == 0 => heads
                        .clone()
                        .find(|name| **name == runner.entry.variant.ready)
                        .or(heads.clone().next())
                        .cloned()
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                };
                let one_sided = match lineup {
                    Lineup::Absent => Vec::new(),
                    _ => heads.filter(|scenario| !paired.contains(scenario)).cloned().collect(),
                };
                let measured = asked.selection.has_suite(Suite::Http);
                let (paired_runs, one_sided_runs) =
                    if index == 0 { runs(grid, runner, lineup, asked.selection) } else { (Vec::new(), Vec::new()) };
                lanes.push(LanePlan {
                    lane: Lane { entry: name.clone(), regime: regime.clone() },
                    lineup,
                    paired: if measured { paired } else { Vec::new() },
                    one_sided: if measured { one_sided } else { Vec::new() },
                    boot: index == 0
                        && lineup != Lineup::Absent
                        && runner.contender.serves
                        && asked.selection.has_suite(Suite::Boot),
                    paired_runs,
                    one_sided_runs,
                });
            }
        }
        for variant in &grid.gone.0 {
            entries.push(gone_record(variant));
        }
        let mut setup = setup(grid, tracks, asked);
        if controlled && control.is_none() {
            let subjects = grid.runners.iter().filter(|runner| is_paired(runner));
            let earlier = match &asked.control {
                ControlChoice::CopyOf(subject) => Some(subject),
                ControlChoice::Nobody | ControlChoice::Anybody => None,
            };
            let has = |suite| asked.selection.has_suite(suite);
            let servers = has(Suite::Http) || has(Suite::Boot);
            if let Some(copy) = second_copy(grid, subjects, &scenarios, servers, earlier) {
                let regime = regimes.first().cloned().flatten();
                lanes.push(copy.plan(regime, has(Suite::Http), has(Suite::Boot)));
                let contender = copy.contender();
                setup.contenders.insert(contender.entry.clone(), contender);
                entries.push(copy.record());
            }
        }
        let results = Self::results(grid, sides, tracks, asked, &lanes, entries);
        let run_times = grid.runners.iter().flat_map(|runner| {
            let commands = runner.commands.head.iter().chain(&runner.commands.base);
            commands.map(|(case, given)| ((runner.entry.name.clone(), case.clone()), given.wall.as_secs_f64()))
        });
        Self { lanes, results, setup, run_times: run_times.collect() }
    }

    fn results(
        grid: &Grid,
        sides: &Sides,
        tracks: &Tracks,
        asked: &Asked<'_>,
        lanes: &[LanePlan],
        entries: Vec<EntryRecord>,
    ) -> Results {
        let configuration = &grid.configuration;
        let mixes = mixes(configuration, asked.selection, lanes);
        let floors: BTreeMap<EntryName, EntryName> = grid
            .runners
            .iter()
            .filter_map(|runner| Some((runner.entry.name.clone(), runner.entry.floor.clone()?)))
            .collect();
        let mut cells = expected_cells(lanes, &configuration.scenarios, &mixes, &floors, asked.selection);
        cells.extend(missing_cells(grid, sides, asked, &cells));
        let protocol = asked.protocol;
        let mut warnings: BTreeSet<String> = grid.warnings.clone();
        warnings.extend(tracks.warnings.iter().cloned());
        Results {
            schema: SCHEMA_VERSION,
            deadheat: env!("CARGO_PKG_VERSION").to_owned(),
            quick: asked.quick,
            started: now(),
            base: sides.base.clone(),
            head: sides.head.clone(),
            seed: asked.seed,
            selection: asked.selection.record(),
            protocol: protocol_record(protocol, tracks.records()),
            judging: judging(&configuration.judging),
            fingerprint: fingerprint(grid.toolchains.clone()),
            entries,
            scenarios: configuration
                .scenarios
                .iter()
                .filter(|scenario| asked.selection.has_scenario(&scenario.name))
                .map(|scenario| ScenarioRecord {
                    name: scenario.name.clone(),
                    category: scenario.category.clone(),
                    method: scenario.request.method.clone(),
                    path: scenario.request.path.clone(),
                    rate: scenario.rate,
                })
                .collect(),
            mixes,
            cells,
            gate: grid.gate.clone(),
            attempts: Vec::new(),
            failures: grid.failures.clone(),
            observations: grid.observations.clone(),
            machine: None,
            calibration: None,
            configuration: None,
            rounds: 0,
            time: TimeSpent { build_s: grid.build_s, gate_s: grid.gate_s, ..TimeSpent::default() },
            not_raced: None,
            warnings: warnings.into_iter().collect(),
        }
    }
}

/// The commands of an entry that are run in every round on both sides, and those that only head's are.
fn runs(grid: &Grid, runner: &Runner, lineup: Lineup, selection: &Selection) -> (Vec<RunPlan>, Vec<RunPlan>) {
    let passes = |side: Side, case: &Case| grid.gate_says(&runner.entry.name, side, case, GateOutcome::Passed);
    let cases = runner.contender.runs.keys().filter(|case| lineup != Lineup::Absent && selection.has_run(case));
    let plan = |case: &Case| RunPlan {
        case: case.clone(),
        figures: runner.commands.head.get(case).map(|given| given.figures.clone()).unwrap_or_default(),
    };
    let heads = cases.filter(|case| passes(Side::Head, case));
    let (paired, one_sided): (Vec<&Case>, Vec<&Case>) =
        heads.partition(|case| lineup == Lineup::Paired && passes(Side::Base, case));
    (paired.into_iter().map(plan).collect(), one_sided.into_iter().map(plan).collect())
}

/// How it is raced, for the record.
pub(super) fn protocol_record(protocol: &Protocol, regimes: Vec<RegimeRecord>) -> ProtocolRecord {
    ProtocolRecord {
        budget_s: protocol.budget.as_secs_f64(),
        rounds_min: protocol.rounds_min,
        rounds_max: protocol.rounds_max,
        warmup_ms: protocol.warmup.as_secs_f64() * 1e3,
        measure_ms: protocol.measure.as_secs_f64() * 1e3,
        slices: protocol.slices,
        regimes,
    }
}

/// What the decision rule is told, for the record.
pub(super) fn judging(judging: &Judging) -> JudgingRecord {
    JudgingRecord {
        false_alarms: judging.false_alarms,
        relevant: judging.relevant.clone(),
        fail_on_regression: judging.fail_on_regression,
    }
}

/// Nothing green that did not run: what was expected of a subject and can't be raced is listed without rounds, as judged
/// where both sides have the subject, since a head that fails the gate is a verdict.
fn missing_cells(grid: &Grid, sides: &Sides, asked: &Asked<'_>, listed: &[CellRecord]) -> Vec<CellRecord> {
    let known: BTreeSet<_> = listed.iter().map(|cell| cell.key.clone()).collect();
    let comparing = sides.base.is_some();
    let subjects = grid.runners.iter().filter(|runner| runner.entry.variant.role == Role::Subject);
    let scenarios: Vec<ScenarioName> =
        grid.configuration.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let lanes: Vec<LanePlan> = subjects
        .flat_map(|runner| {
            regimes(&grid.configuration).into_iter().enumerate().map(|(index, regime)| LanePlan {
                lane: Lane { entry: runner.entry.name.clone(), regime },
                lineup: if comparing && runner.presence == Presence::Both { Lineup::Paired } else { Lineup::Absent },
                paired: scenarios
                    .iter()
                    .filter(|name| runner.contender.serves && asked.selection.has_scenario(name))
                    .cloned()
                    .collect(),
                one_sided: Vec::new(),
                boot: index == 0 && runner.contender.serves && asked.selection.has_suite(Suite::Boot),
                paired_runs: if index == 0 { all_runs(runner, asked.selection) } else { Vec::new() },
                one_sided_runs: Vec::new(),
            })
        })
        .collect();
    let scenarios = &grid.configuration.scenarios;
    let mut cells = expected_cells(&lanes, scenarios, &[], &BTreeMap::new(), asked.selection);
    cells.retain(|cell| {
        let derived = matches!(cell.key.case, Case::Mix(_) | Case::Category(_));
        !known.contains(&cell.key) && !derived
    });
    cells
}

fn all_runs(runner: &Runner, selection: &Selection) -> Vec<RunPlan> {
    let cases = runner.contender.runs.keys().filter(|case| selection.has_run(case));
    cases.map(|case| RunPlan { case: case.clone(), figures: Vec::new() }).collect()
}

fn setup(grid: &Grid, tracks: &Tracks, asked: &Asked<'_>) -> Setup {
    let contenders = grid.runners.iter().map(|runner| (runner.entry.name.clone(), runner.contender.clone()));
    let questions = grid.configuration.scenarios.iter().cloned().map(Question::new);
    Setup {
        contenders: contenders.collect(),
        tracks: tracks.tracks.iter().map(|track| (track.name.clone(), track.clone())).collect(),
        questions: questions.map(|question| (question.scenario().name.clone(), question)).collect(),
        warmup: asked.protocol.warmup,
        measure: asked.protocol.measure,
        slices: asked.protocol.slices,
    }
}

/// Now, in UTC, as RFC 3339 to the second.
pub(super) fn now() -> String {
    jiff::Timestamp::now().round(jiff::Unit::Second).map_or_else(|_| String::new(), |now| now.to_string())
}
