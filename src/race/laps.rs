//! The measured laps of one scenario: warm-up, then slices of base and head that alternate while both servers live.

use super::contender::{Question, Track};
use super::load::{ErrorKind, Generator, LoadSettings, Pace, SliceReport};
use super::server::{LOG_LIMIT, Running, died, local, output_of, printed_too_much};
use super::turn::SliceRecord;
use super::values::{Slice, median};
use crate::model::{FailureKind, GeneratorMode, ObservationKind, PerSide, Side, Suite};
use crate::plan::slice_side;
use std::time::{Duration, Instant};

/// The time that an answer may take under load.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// A partner that uses more of a CPU than this while only the other is asked is not idle.
const IDLE_SHARE: f64 = 0.05;
/// A generator that finds work at nearly every poll has no room left...
const SATURATED: f64 = 0.95;
/// ...which matters where the server has some.
const SERVER_BUSY: f64 = 0.9;
/// Little's law holds within this.
const SELF_CHECK: f64 = 0.05;
/// A pause is a stall when it is that long and that many times the median.
const STALL: (f64, f64) = (50_000.0, 20.0);

/// What a scenario's laps are to be.
#[derive(Clone, Copy)]
pub(super) struct LapPlan<'a> {
    pub(super) question: &'a Question,
    pub(super) track: &'a Track,
    pub(super) first: Side,
    pub(super) warmup: Duration,
    pub(super) measure: Duration,
    pub(super) slices: u32,
}

/// What went wrong on a side.
#[derive(Clone, Debug)]
pub(super) struct LapFailure {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    pub(super) output: Option<String>,
}

/// What came of a scenario's laps. A side that failed has no slices that count.
#[derive(Default)]
pub(super) struct Laps {
    pub(super) slices: PerSide<Vec<Slice>>,
    pub(super) records: Vec<SliceRecord>,
    pub(super) failures: PerSide<Option<LapFailure>>,
    pub(super) observations: Vec<(Side, ObservationKind, String)>,
    pub(super) warmup: Duration,
    pub(super) sliced: Duration,
}

/// Sums over one side's slices.
#[derive(Default)]
struct Sums {
    partner_ns: u64,
    partner_wall: Duration,
    server_ns: u64,
    wall: Duration,
    polls: u64,
    non_empty: u64,
    reopened: u64,
    checks: Vec<f64>,
}

/// Runs the laps of the servers in `running`; with one server only, its slices follow each other. `stop` ends them early.
pub(super) fn run(
    plan: LapPlan<'_>,
    suite: Suite,
    running: &mut PerSide<Option<&mut Running>>,
    stop: &dyn Fn() -> bool,
) -> Laps {
    let mut laps = Laps::default();
    let pace = match (suite, plan.question.scenario().rate) {
        (Suite::OpenLoop, Some(rate)) => Pace::OpenLoop { rate },
        _ => Pace::ClosedLoop,
    };
    let order: Vec<Side> =
        [plan.first, plan.first.other()].into_iter().filter(|side| running.get(*side).is_some()).collect();
    let mut generators: PerSide<Option<Generator>> = PerSide::default();
    for &side in &order {
        let Some(server) = running.get_mut(side).as_deref_mut() else { continue };
        match generator(plan, server) {
            Ok(made) => *generators.get_mut(side) = Some(made),
            Err(failure) => *laps.failures.get_mut(side) = Some(failure),
        }
    }
    // Both are warmed up even where one fails, so that each side's outcome is its own.
    for &side in &order {
        if let (Some(generator), Some(server)) = (generators.get_mut(side), running.get_mut(side).as_deref_mut()) {
            let started = Instant::now();
            let report = generator.warm_up(plan.warmup, pace);
            laps.warmup += started.elapsed();
            if let Some(failure) = lap_failure(&report, server) {
                *laps.failures.get_mut(side) = Some(failure);
            }
            // Worker threads and child processes may have come with the first requests.
            let pids = server.child.pids();
            server.clock.watch(&pids);
        }
    }
    let mut sums: PerSide<Sums> = PerSide::default();
    let length = plan.measure / plan.slices.max(1);
    let total = plan.slices * u32::try_from(order.len()).unwrap_or(2);
    for index in 0..total {
        if stop() || laps.failures.base.is_some() || laps.failures.head.is_some() {
            break;
        }
        let side =
            if order.len() == 2 { slice_side(plan.first, index) } else { order.first().copied().unwrap_or(Side::Head) };
        one_slice(side, length, pace, plan, suite, &mut generators, running, &mut sums, &mut laps);
    }
    for &side in &order {
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

#[expect(clippy::too_many_arguments, reason = "one step of the loop above, which owns all of it")]
fn one_slice(
    side: Side,
    length: Duration,
    pace: Pace,
    plan: LapPlan<'_>,
    suite: Suite,
    generators: &mut PerSide<Option<Generator>>,
    running: &mut PerSide<Option<&mut Running>>,
    sums: &mut PerSide<Sums>,
    laps: &mut Laps,
) {
    let Some(generator) = generators.get_mut(side) else { return };
    let partner_before = running.get_mut(side.other()).as_deref_mut().map(|partner| partner.clock.read());
    let Some(server) = running.get_mut(side).as_deref_mut() else { return };
    let cpu_before = server.clock.read();
    let started = Instant::now();
    let report = match pace {
        Pace::ClosedLoop => generator.slice(length),
        Pace::OpenLoop { rate } => generator.open_loop_slice(length, rate),
    };
    let wall = started.elapsed();
    let used = server.clock.read().saturating_sub(cpu_before);
    let failure = lap_failure(&report, server);
    laps.sliced += wall;
    let partner = running.get_mut(side.other()).as_deref_mut().map(|partner| partner.clock.read());
    let partner_used = partner.zip(partner_before).map_or(0, |(after, before)| after.saturating_sub(before));
    let own = sums.get_mut(side);
    own.server_ns += used;
    own.wall += wall;
    own.polls += report.polls;
    own.non_empty += report.non_empty_polls;
    own.reopened += report.reopened;
    own.checks.push(report.self_check);
    let others = sums.get_mut(side.other());
    others.partner_ns += partner_used;
    others.partner_wall += wall;
    if failure.is_some() {
        *laps.failures.get_mut(side) = failure;
        return;
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
    laps.records.push(SliceRecord {
        suite,
        scenario: plan.question.scenario().name.clone(),
        side,
        rps: slice.rps().unwrap_or(0.0),
        p50: slice.percentile(0.5).unwrap_or(0.0),
        p99: slice.percentile(0.99).unwrap_or(0.0),
        cpu: cpu.unwrap_or(0.0),
        partner: share(partner_used, wall),
        delayed: 0.0,
    });
    laps.slices.get_mut(side).push(slice);
}

fn share(cpu_ns: u64, wall: Duration) -> f64 {
    let wall = wall.as_nanos() as f64;
    if wall > 0.0 { cpu_ns as f64 / wall } else { 0.0 }
}

/// What went wrong in a slice, if anything did: a single unexpected answer is enough.
fn lap_failure(report: &SliceReport, server: &Running) -> Option<LapFailure> {
    let log = server.child.log();
    if server.child.log_length() > LOG_LIMIT {
        let message = printed_too_much();
        return Some(LapFailure { kind: FailureKind::PrintedTooMuch, message, output: output_of(log) });
    }
    if report.errors.total() == 0 && report.all_answers > 0 {
        return None;
    }
    if let Ok(Some(exit)) = server.child.try_exit() {
        let message = died(exit.status, "under load");
        return Some(LapFailure { kind: FailureKind::DiedUnderLoad, message, output: output_of(log) });
    }
    if report.errors.total() == 0 {
        let message = "answered nothing in a whole slice".to_owned();
        return Some(LapFailure { kind: FailureKind::ConnectionErrors, message, output: output_of(log) });
    }
    let wrong =
        [ErrorKind::Status, ErrorKind::Length, ErrorKind::Body].into_iter().any(|kind| report.errors.get(kind) > 0);
    let kind = if wrong { FailureKind::WrongAnswer } else { FailureKind::ConnectionErrors };
    let first = report.first_error.as_ref().map(|text| format!("; the first: {text}")).unwrap_or_default();
    let good = report.all_answers.saturating_sub(report.errors.total());
    let message = format!("errors under load ({}) beside {good} good answers{first}", report.errors);
    Some(LapFailure { kind, message, output: output_of(log) })
}

/// What a reader should know about a side though it was measured.
fn notice(side: Side, track: &Track, sums: &Sums, laps: &mut Laps) {
    let idle_share = share(sums.partner_ns, sums.partner_wall);
    if idle_share > IDLE_SHARE {
        let message = format!("used {:.0} % of a CPU while only its partner was asked", idle_share * 100.0);
        laps.observations.push((side, ObservationKind::WorkedWhileIdle, message));
    }
    let busy = share(sums.server_ns, sums.wall);
    if track.mode == GeneratorMode::Spin && sums.polls > 0 && busy < SERVER_BUSY {
        let full = sums.non_empty as f64 / sums.polls as f64;
        if full > SATURATED {
            let message = format!(
                "the load generator was saturated ({:.0} % of its polls found answers) while the server used {:.0} % of a CPU",
                full * 100.0,
                busy * 100.0
            );
            laps.observations.push((side, ObservationKind::GeneratorLimited, message));
        }
    }
    if sums.reopened > 0 {
        let message = format!("closed {} connections, which were opened again", sums.reopened);
        laps.observations.push((side, ObservationKind::ClosedConnections, message));
    }
    if let Some(check) = median(sums.checks.iter().copied()).filter(|check| (check - 1.0).abs() > SELF_CHECK) {
        let message = format!(
            "requests/s x mean latency is {:.0} % of the connections, so that one of them is off",
            check * 100.0
        );
        laps.observations.push((side, ObservationKind::SelfCheckFailed, message));
    }
    let slices = laps.slices.get(side);
    let longest = slices.iter().map(|slice| slice.latency.max()).max().unwrap_or(0) as f64;
    let middle = median(slices.iter().filter_map(|slice| slice.percentile(0.5)));
    if let Some(middle) = middle.filter(|middle| longest > STALL.0 && longest > STALL.1 * middle) {
        let message = format!(
            "stood still for up to {:.0} ms; half of its answers take {:.1} ms",
            longest / 1000.0,
            middle / 1000.0
        );
        laps.observations.push((side, ObservationKind::Stalled, message));
    }
}
