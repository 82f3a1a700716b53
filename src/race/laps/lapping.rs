//! The laps of one scenario under way.

use super::failure::lap_failure;
use super::notice::{Load, Sums, notice, share};
use super::units::{measure, sides};
use crate::model::{FailureKind, MachineRecord, ObservationKind, PerSide, Side, Suite};
use crate::process::this_threads_cpu_time;
use crate::race::contender::{Question, Track};
use crate::race::load::{Generator, LoadSettings, Pace};
use crate::race::lookout::{Lookout, Used};
use crate::race::server::{Running, local};
use crate::race::turn::SliceRecord;
use crate::race::values::Slice;
use std::time::{Duration, Instant};

/// The time that an answer may take under load.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// What a scenario's laps are to be.
#[derive(Clone, Copy)]
pub(in crate::race) struct LapPlan<'a> {
    pub(in crate::race) question: &'a Question,
    pub(in crate::race) track: &'a Track,
    pub(in crate::race) first: Side,
    pub(in crate::race) warmup: Duration,
    pub(in crate::race) measure: Duration,
    pub(in crate::race) slices: u32,
}

/// What went wrong on a side.
#[derive(Clone, Debug)]
pub(in crate::race) struct LapFailure {
    pub(in crate::race) kind: FailureKind,
    pub(in crate::race) message: String,
    pub(in crate::race) output: Option<String>,
}

/// What came of a scenario's laps. A side that failed has no slices that count.
#[derive(Default)]
pub(in crate::race) struct Laps {
    pub(in crate::race) slices: PerSide<Vec<Slice>>,
    pub(in crate::race) records: Vec<SliceRecord>,
    pub(in crate::race) failures: PerSide<Option<LapFailure>>,
    pub(in crate::race) observations: Vec<(Side, ObservationKind, String)>,
    pub(in crate::race) generator_limited: bool,
    pub(in crate::race) warmup: Duration,
    /// All slices, those that were thrown away included.
    pub(in crate::race) sliced: Duration,
    pub(in crate::race) machine: MachineRecord,
}

/// A slice that may come to count.
struct Taken {
    side: Side,
    slice: Slice,
    record: SliceRecord,
    load: Load,
    check: f64,
}

struct Lapping<'l, 's> {
    plan: LapPlan<'l>,
    suite: Suite,
    pace: Pace,
    order: Vec<Side>,
    generators: PerSide<Option<Generator>>,
    running: &'l mut PerSide<Option<&'s mut Running>>,
    lookout: &'l mut dyn Lookout,
    stop: &'l dyn Fn() -> bool,
    sums: PerSide<Sums>,
    laps: Laps,
}

/// Runs the laps of the servers in `running`; with one server only, its slices follow each other. `stop` ends them early.
pub(in crate::race) fn run(
    plan: LapPlan<'_>,
    suite: Suite,
    running: &mut PerSide<Option<&mut Running>>,
    lookout: &mut dyn Lookout,
    stop: &dyn Fn() -> bool,
) -> Laps {
    let pace = match (suite, plan.question.scenario().rate) {
        (Suite::OpenLoop, Some(rate)) => Pace::OpenLoop { rate },
        _ => Pace::ClosedLoop,
    };
    let order = [plan.first, plan.first.other()].into_iter().filter(|side| running.get(*side).is_some()).collect();
    let (generators, sums, laps) = (PerSide::default(), PerSide::default(), Laps::default());
    let mut lapping = Lapping { plan, suite, pace, order, generators, running, lookout, stop, sums, laps };
    lapping.prepare();
    let counted = measure(&mut lapping, plan.slices, Lapping::unit, Lapping::keep);
    let Lapping { order, sums, mut laps, lookout, .. } = lapping;
    laps.machine = MachineRecord {
        slice_pairs: counted.kept,
        repeated: counted.repeated,
        disturbed: counted.disturbed,
        ..lookout.end()
    };
    for side in order {
        notice(side, plan.track, sums.get(side), &mut laps);
    }
    laps
}

fn generator(plan: LapPlan<'_>, server: &Running) -> Result<Generator, LapFailure> {
    let settings = LoadSettings {
        connections: plan.track.connections,
        pipelining: plan.track.pipelining,
        waiting: plan.track.mode,
        timeout: ANSWER_LIMIT,
    };
    let broken = |message: String| LapFailure { kind: FailureKind::ConnectionErrors, message, output: None };
    let request = plan.question.request(server.port).map_err(|error| broken(error.to_string()))?;
    Generator::new(local(server.port), request, plan.question.expectation(), &settings)
        .map_err(|error| broken(format!("failed to {error}")))
}

impl Lapping<'_, '_> {
    /// Makes the generators and warms the servers up: both even where one fails, so that each side's outcome is its own.
    fn prepare(&mut self) {
        for &side in &self.order {
            let Some(server) = self.running.get_mut(side).as_deref_mut() else { continue };
            match generator(self.plan, server) {
                Ok(made) => *self.generators.get_mut(side) = Some(made),
                Err(failure) => *self.laps.failures.get_mut(side) = Some(failure),
            }
        }
        for &side in &self.order {
            let generator = self.generators.get_mut(side).as_mut();
            let (Some(generator), Some(server)) = (generator, self.running.get_mut(side).as_deref_mut()) else {
                continue;
            };
            let started = Instant::now();
            let report = generator.warm_up(self.plan.warmup, self.pace);
            self.laps.warmup += started.elapsed();
            if let Some(failure) = lap_failure(&report, server) {
                *self.laps.failures.get_mut(side) = Some(failure);
            }
            // Worker threads and child processes may have come with the first requests.
            let pids = server.child.pids();
            server.clock.watch(&pids);
            self.lookout.meet(side, &pids);
        }
    }

    /// Measures a unit and asks whether it was disturbed; nothing where something failed or the laps are to end.
    fn unit(&mut self, unit: u32) -> Option<(Vec<Taken>, bool)> {
        self.lookout.begin_unit();
        let mut taken = Vec::with_capacity(2);
        for side in sides(&self.order, unit) {
            if (self.stop)() || self.laps.failures.base.is_some() || self.laps.failures.head.is_some() {
                return None;
            }
            taken.push(self.slice(side)?);
        }
        Some((taken, self.lookout.end_unit()))
    }

    fn slice(&mut self, side: Side) -> Option<Taken> {
        let length = self.plan.measure / self.plan.slices.max(1);
        let generator = self.generators.get_mut(side).as_mut()?;
        let partner_before = self.running.get_mut(side.other()).as_deref_mut().map(|partner| partner.clock.read());
        let server = self.running.get_mut(side).as_deref_mut()?;
        self.lookout.begin_slice(side);
        let (cpu_before, own_before) = (server.clock.read(), this_threads_cpu_time());
        let started = Instant::now();
        let report = match self.pace {
            Pace::ClosedLoop => generator.slice(length),
            Pace::OpenLoop { rate } => generator.open_loop_slice(length, rate),
        };
        let wall = started.elapsed();
        let own = this_threads_cpu_time().saturating_sub(own_before);
        let used = server.clock.read().saturating_sub(cpu_before);
        let partner = self.running.get_mut(side.other()).as_deref_mut().map(|partner| partner.clock.read());
        let partner_used = partner.zip(partner_before).map_or(0, |(after, before)| after.saturating_sub(before));
        let generator_ns = u64::try_from(own.as_nanos()).unwrap_or(u64::MAX);
        let used_by = Used { wall, server: used, partner: partner_used, generator: generator_ns };
        let delayed = self.lookout.end_slice(side, used_by);
        self.laps.sliced += wall;
        self.sums.get_mut(side).reopened += report.reopened;
        let others = self.sums.get_mut(side.other());
        others.partner_ns += partner_used;
        others.partner_wall += wall;
        let failure = lap_failure(&report, self.running.get(side).as_deref()?);
        if failure.is_some() {
            *self.laps.failures.get_mut(side) = failure;
            return None;
        }
        let cpu = (report.all_answers > 0).then(|| used as f64 / 1000.0 / report.all_answers as f64);
        let slice = Slice {
            answers: report.answers,
            window: report.window,
            bytes: report.bytes,
            cpu: cpu.filter(|cpu| *cpu > 0.0),
            latency: report.latency,
            late: report.late_sends,
        };
        let record = SliceRecord {
            suite: self.suite,
            scenario: self.plan.question.scenario().name.clone(),
            side,
            rps: slice.rps().unwrap_or(0.0),
            p50: slice.percentile(0.5).unwrap_or(0.0),
            p99: slice.percentile(0.99).unwrap_or(0.0),
            cpu: cpu.unwrap_or(0.0),
            partner: share(partner_used, wall),
            delayed,
        };
        let load = Load { wall, server_ns: used, generator_ns, window: report.window, busy: report.busy };
        Some(Taken { side, slice, record, load, check: report.self_check })
    }

    fn keep(&mut self, unit: Vec<Taken>) {
        for taken in unit {
            let sums = self.sums.get_mut(taken.side);
            sums.load.add(&taken.load);
            sums.checks.push(taken.check);
            self.laps.records.push(taken.record);
            self.laps.slices.get_mut(taken.side).push(taken.slice);
        }
    }
}
