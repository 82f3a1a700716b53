//! One turn under way: starts, the idle pause, each scenario's laps, and what is noted of them.

use super::budget::IDLE_S;
use super::contender::{Contender, Question, Track};
use super::course::Course;
use super::derived::log_ratio;
use super::laps::{LapPlan, Laps, run as run_laps};
use super::lookout::MachineLookout;
use super::rounds::Stop;
use super::server::{NotRunning, Running, failure, observation, stop};
use super::service::Services;
use super::turn::{BootTurn, CaseOutcome, Measured, Turn, TurnOutcome};
use super::values::scenario_values;
use crate::model::{Case, Metric, ObservationKind, Outcome, PerSide, Phase, RoundValue, ScenarioName, Side, Suite};
use crate::process::memory;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Memory has grown steeply when it grew by so many bytes and so many times.
const GROWTH: (f64, f64) = (64.0 * 1024.0 * 1024.0, 3.0);

/// What a start gave.
#[derive(Clone, Copy, Default)]
struct Boot {
    cold_start_ms: Option<f64>,
    cpu_ms: Option<f64>,
    idle_bytes: Option<f64>,
}

/// One turn under way.
pub(super) struct Relay<'c, 'a> {
    pub(super) course: &'c mut Course<'a>,
    pub(super) contender: &'c Contender,
    pub(super) track: &'c Track,
    pub(super) turn: &'c Turn,
    pub(super) outcome: TurnOutcome,
    boots: PerSide<Boot>,
    /// Processes of the services that run beside the servers.
    services: Vec<u32>,
}

impl<'c, 'a> Relay<'c, 'a> {
    /// A turn that has not begun.
    pub(super) fn new(course: &'c mut Course<'a>, contender: &'c Contender, track: &'c Track, turn: &'c Turn) -> Self {
        Self {
            course,
            contender,
            track,
            turn,
            outcome: TurnOutcome::default(),
            boots: PerSide::default(),
            services: Vec::new(),
        }
    }

    /// What came of it.
    pub(super) fn finish(self) -> TurnOutcome {
        self.outcome
    }
}

impl Relay<'_, '_> {
    /// Both servers side by side.
    pub(super) fn together(&mut self) -> Result<(), Stop> {
        let order = [self.turn.first, self.turn.first.other()];
        let mut services = PerSide::from_fn(|_| Services::default());
        let mut running: PerSide<Option<Running>> = PerSide::default();
        for side in order {
            *running.get_mut(side) = self.start(side, services.get_mut(side))?;
        }
        self.services = Side::BOTH.iter().flat_map(|side| services.get(*side).pids()).collect();
        let both = running.base.is_some() && running.head.is_some();
        if both {
            self.idle(&mut running)?;
        }
        self.boot_outcome(&order);
        let names: Vec<ScenarioName> = self.turn.paired.clone();
        for name in &names {
            if !both {
                self.skip(name);
                continue;
            }
            for suite in suites(&self.course.setup.questions, name) {
                let mut servers = PerSide { base: running.base.as_mut(), head: running.head.as_mut() };
                let laps = self.laps(name, suite, &mut servers)?;
                self.scenario_outcome(name, suite, &laps, &mut servers, &order);
            }
        }
        self.head_alone(&mut running.head)?;
        for side in order {
            if let Some(server) = running.get_mut(side).take() {
                self.outcome.observations.extend(stop(&self.contender.entry, side, server)?);
            }
        }
        Ok(())
    }

    /// One server at a time: for a single side, and for pairs that can't be alive together.
    pub(super) fn apart(&mut self) -> Result<(), Stop> {
        let order: Vec<Side> =
            if self.turn.needs_base() { vec![self.turn.first, self.turn.first.other()] } else { vec![Side::Head] };
        let mut all: BTreeMap<(ScenarioName, Suite), Laps> = BTreeMap::new();
        let mut loaded: BTreeMap<ScenarioName, PerSide<Option<f64>>> = BTreeMap::new();
        let mut started = PerSide { base: false, head: false };
        for &side in &order {
            let mut services = Services::default();
            let mut running: PerSide<Option<Running>> = PerSide::default();
            *running.get_mut(side) = self.start(side, &mut services)?;
            *started.get_mut(side) = running.get(side).is_some();
            self.services = services.pids();
            self.idle(&mut running)?;
            for name in self.turn.paired.clone() {
                if running.get(side).is_none() {
                    continue;
                }
                for suite in suites(&self.course.setup.questions, &name) {
                    let mut servers = PerSide { base: running.base.as_mut(), head: running.head.as_mut() };
                    let laps = self.laps(&name, suite, &mut servers)?;
                    let bytes = self.loaded_memory(&name, suite, side, &laps, &mut servers);
                    if bytes.is_some() {
                        *loaded.entry(name.clone()).or_default().get_mut(side) = bytes;
                    }
                    join(all.entry((name.clone(), suite)).or_default(), laps);
                }
            }
            if side == Side::Head {
                self.head_alone(&mut running.head)?;
            }
            if let Some(server) = running.get_mut(side).take() {
                self.outcome.observations.extend(stop(&self.contender.entry, side, server)?);
            }
        }
        self.boot_outcome(&order);
        for name in self.turn.paired.clone() {
            let memory = loaded.get(&name).copied().unwrap_or_default();
            for suite in suites(&self.course.setup.questions, &name) {
                match all.get(&(name.clone(), suite)) {
                    Some(laps) if started.base && started.head => self.record(&name, suite, laps, memory, &order),
                    _ => self.push_case(
                        Case::Scenario(name.clone()),
                        PerSide { base: Outcome::Skipped, head: Outcome::Skipped },
                        false,
                    ),
                }
            }
        }
        Ok(())
    }

    /// Scenarios that are measured on head alone.
    fn head_alone(&mut self, head: &mut Option<Running>) -> Result<(), Stop> {
        for name in self.turn.one_sided.clone() {
            for suite in suites(&self.course.setup.questions, &name) {
                let mut servers = PerSide { base: None, head: head.as_mut() };
                if servers.head.is_none() {
                    continue;
                }
                let laps = self.laps(&name, suite, &mut servers)?;
                let bytes = self.loaded_memory(&name, suite, Side::Head, &laps, &mut servers);
                self.record(&name, suite, &laps, PerSide { base: None, head: bytes }, &[Side::Head]);
            }
        }
        Ok(())
    }

    fn start(&mut self, side: Side, services: &mut Services) -> Result<Option<Running>, Stop> {
        let (contender, turn) = (self.contender, self.turn);
        let missing =
            || Stop::Broken(format!("failed to start {} at {side}: there is no build of it", contender.entry));
        let mut build = contender.builds.get(side).clone().ok_or_else(missing)?;
        let ready = self.course.setup.questions.get(&contender.ready).ok_or_else(missing)?;
        let cpus = &self.track.server_cpus;
        let begun = services.start(&mut self.course.launcher, contender, &mut build, cpus);
        let started = match begun {
            Ok(()) => self.course.launcher.start(contender, side, &build, ready, cpus),
            Err(error) => Err(error),
        };
        match started {
            Ok(running) => {
                self.outcome.spent.boot_s += running.cold_start.as_secs_f64();
                let boot = self.boots.get_mut(side);
                boot.cold_start_ms = Some(running.cold_start.as_secs_f64() * 1e3);
                boot.cpu_ms = Some(running.boot_cpu.as_secs_f64() * 1e3);
                Ok(Some(running))
            }
            Err(NotRunning::Stopped(stop)) => Err(stop),
            Err(NotRunning::Failed { kind, message, output }) => {
                let round = Some(turn.round);
                let failed = failure(round, &contender.entry, side, None, Phase::Start, kind, message, output);
                self.outcome.failures.push(failed);
                Ok(None)
            }
        }
    }

    /// The pause that idle memory is taken after, where starts are timed.
    fn idle(&mut self, running: &mut PerSide<Option<Running>>) -> Result<(), Stop> {
        if self.turn.boot == BootTurn::No {
            return Ok(());
        }
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < IDLE_S {
            std::thread::sleep(Duration::from_millis(50));
            self.course.check_interrupt()?;
        }
        self.outcome.spent.boot_s += started.elapsed().as_secs_f64();
        for side in Side::BOTH {
            if let Some(server) = running.get_mut(side) {
                let bytes = memory(&server.child.pids()).total() as f64;
                self.boots.get_mut(side).idle_bytes = Some(bytes);
            }
        }
        Ok(())
    }

    fn boot_outcome(&mut self, order: &[Side]) {
        let sides = PerSide::from_fn(|side| match self.boots.get(side).cold_start_ms {
            _ if !order.contains(&side) => Outcome::Skipped,
            Some(_) => Outcome::Measured,
            None => Outcome::Failed,
        });
        // Also where starts are not timed: a server that fails to start has no other case to fail in.
        if self.turn.needs_base() {
            self.push_case(Case::Start, sides, false);
        }
        if self.turn.boot == BootTurn::No {
            return;
        }
        let PerSide { base: b, head: h } = self.boots;
        let metrics = [
            (Metric::ColdStart, b.cold_start_ms, h.cold_start_ms),
            (Metric::BootCpu, b.cpu_ms, h.cpu_ms),
            (Metric::IdleMemory, b.idle_bytes, h.idle_bytes),
        ];
        for (metric, base, head) in metrics {
            let value = RoundValue { round: self.turn.round, base, head, log_ratio: log_ratio(base, head) };
            if base.is_some() || head.is_some() {
                self.outcome.values.push(Measured { suite: Suite::Boot, case: Case::Start, metric, value });
            }
        }
    }

    fn laps(
        &mut self,
        name: &ScenarioName,
        suite: Suite,
        servers: &mut PerSide<Option<&mut Running>>,
    ) -> Result<Laps, Stop> {
        let setup = self.course.setup;
        let missing = || Stop::Broken(format!("failed to measure {name}: it is not in the contract"));
        let plan = LapPlan {
            question: setup.questions.get(name).ok_or_else(missing)?,
            track: self.track,
            first: self.turn.first,
            warmup: setup.warmup,
            measure: setup.measure,
            slices: setup.slices,
        };
        let mut lookout = MachineLookout::new(&self.course.post, self.track, &self.services);
        let laps = run_laps(plan, suite, servers, &mut lookout, &|| self.course.interrupted());
        self.course.check_interrupt()?;
        self.outcome.machine.get_or_insert_default().add(&laps.machine);
        self.outcome.spent.warmup_s += laps.warmup.as_secs_f64();
        self.outcome.spent.slices_s += laps.sliced.as_secs_f64();
        Ok(laps)
    }

    fn scenario_outcome(
        &mut self,
        name: &ScenarioName,
        suite: Suite,
        laps: &Laps,
        servers: &mut PerSide<Option<&mut Running>>,
        order: &[Side],
    ) {
        let bytes = PerSide::from_fn(|side| self.loaded_memory(name, suite, side, laps, servers));
        self.record(name, suite, laps, bytes, order);
    }

    /// Memory under load, where the scenario leaves the server as it was.
    fn loaded_memory(
        &mut self,
        name: &ScenarioName,
        suite: Suite,
        side: Side,
        laps: &Laps,
        servers: &mut PerSide<Option<&mut Running>>,
    ) -> Option<f64> {
        let safe = self.course.setup.questions.get(name).is_some_and(|question| question.scenario().request.is_safe());
        if suite != Suite::Http || !safe || laps.failures.get(side).is_some() {
            return None;
        }
        let server = servers.get(side).as_deref()?;
        let bytes = memory(&server.child.pids()).total() as f64;
        if let Some(idle) = self.boots.get(side).idle_bytes
            && bytes - idle > GROWTH.0
            && bytes > GROWTH.1 * idle
        {
            let mib = |bytes: f64| bytes / 1024.0 / 1024.0;
            let message = format!("memory grew from {:.0} to {:.0} MiB under {name}", mib(idle), mib(bytes));
            let seen = observation(&self.contender.entry, side, ObservationKind::MemoryGrew, message);
            self.outcome.observations.push(seen);
        }
        Some(bytes)
    }

    /// Notes what came of a scenario: its values, unless a side failed, and everything that went wrong.
    fn record(&mut self, name: &ScenarioName, suite: Suite, laps: &Laps, memory: PerSide<Option<f64>>, order: &[Side]) {
        let entry = &self.contender.entry;
        let round = self.turn.round;
        for side in Side::BOTH {
            if let Some(failed) = laps.failures.get(side) {
                self.outcome.failures.push(failure(
                    Some(round),
                    entry,
                    side,
                    Some(name),
                    Phase::Load,
                    failed.kind,
                    failed.message.clone(),
                    failed.output.clone(),
                ));
            }
        }
        for (side, kind, message) in &laps.observations {
            self.outcome.observations.push(observation(entry, *side, *kind, format!("{message} ({name})")));
        }
        self.outcome.slices.extend(laps.records.iter().cloned());
        let failed = laps.failures.base.is_some() || laps.failures.head.is_some();
        // Said of the closed loop alone: an open loop has a rate of its own, and counts what left late.
        let generator_limited = suite == Suite::Http && laps.generator_limited;
        let sides = laps.failures.clone().map(|side, failed| match failed {
            _ if !order.contains(&side) => Outcome::Skipped,
            Some(_) => Outcome::Failed,
            None => Outcome::Measured,
        });
        self.push_case(Case::Scenario(name.clone()), sides, generator_limited);
        if failed {
            return;
        }
        self.outcome.values.extend(scenario_values(round, suite, name, &laps.slices));
        if memory.base.is_some() || memory.head.is_some() {
            let PerSide { base, head } = memory;
            let value = RoundValue { round, base, head, log_ratio: log_ratio(base, head) };
            let case = Case::Scenario(name.clone());
            self.outcome.values.push(Measured { suite: Suite::Http, case, metric: Metric::LoadedMemory, value });
        }
    }

    /// A scenario that could not be tried because a server did not start.
    fn skip(&mut self, name: &ScenarioName) {
        self.push_case(Case::Scenario(name.clone()), PerSide { base: Outcome::Skipped, head: Outcome::Skipped }, false);
    }

    /// A case has one outcome a turn: a scenario's two loops share it, and the worse counts.
    pub(super) fn push_case(&mut self, case: Case, sides: PerSide<Outcome>, generator_limited: bool) {
        match self.outcome.cases.iter_mut().find(|known| known.case == case) {
            None => self.outcome.cases.push(CaseOutcome { case, sides, generator_limited }),
            Some(known) => {
                known.generator_limited |= generator_limited;
                for side in Side::BOTH {
                    if *sides.get(side) == Outcome::Failed {
                        *known.sides.get_mut(side) = Outcome::Failed;
                    }
                }
            }
        }
    }
}

/// The loops that a scenario is measured in.
fn suites(questions: &BTreeMap<ScenarioName, Question>, name: &ScenarioName) -> Vec<Suite> {
    let open = questions.get(name).is_some_and(|question| question.scenario().rate.is_some());
    if open { vec![Suite::Http, Suite::OpenLoop] } else { vec![Suite::Http] }
}

/// Puts one side's laps beside the other's.
fn join(all: &mut Laps, laps: Laps) {
    for side in Side::BOTH {
        all.slices.get_mut(side).extend(laps.slices.get(side).iter().cloned());
        if let Some(failed) = laps.failures.get(side) {
            *all.failures.get_mut(side) = Some(failed.clone());
        }
    }
    all.generator_limited |= laps.generator_limited;
    all.records.extend(laps.records);
    all.observations.extend(laps.observations);
}
