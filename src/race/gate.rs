//! The gate: before the race every side of every entry answers every scenario once, and the answers are the contract's.
//!
//! The start is thrown away: the first after a build reads from a cold page cache. What the gate learns besides is
//! whether a server works while nobody asks it; such a pair is raced one at a time.

use super::commands::{CleanBuilder, CommandFailure};
use super::contender::{Contender, Question, Track};
use super::load::{AskError, ask};
use super::rounds::Stop;
use super::server::{Launcher, NotRunning, failure, local, stop};
use super::service::Services;
use crate::model::{
    Case, Failure, FailureKind, FigureName, GateOutcome, GateRecord, Observation, ObservationKind, Phase, Side,
};
use crate::process::PortPicker;
use crate::process::{CancelFlag, Supervisor, now_ns};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// An answer at the gate may take this long.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How long a server that nobody asks is watched, and how long it may take to calm down before.
const WATCH: (Duration, Duration) = (Duration::from_millis(150), Duration::from_millis(250));
/// The share of a CPU that an idle server may use.
const IDLE_SHARE: f64 = 0.1;

/// What the gate found out about one side of an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gated {
    /// One record per scenario.
    pub records: Vec<GateRecord>,
    /// What failed.
    pub failures: Vec<Failure>,
    /// What was noticed.
    pub observations: Vec<Observation>,
    /// Whether it started and answered its ready scenario.
    pub runs: bool,
    /// From spawn to the first good answer, with a page cache that may be cold: good enough to compare costs.
    pub start: Option<Duration>,
    /// Whether it works while nobody asks it.
    pub works_while_idle: bool,
    /// Why the kernel refused to pin it, where it did.
    pub pinning_refused: Option<String>,
    /// What its commands gave, by suite and parameters; those that failed are not among them.
    pub commands: BTreeMap<Case, GatedCommand>,
}

/// What one run of a command gave at the gate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GatedCommand {
    /// The figures that it printed.
    pub figures: Vec<FigureName>,
    /// How long it took, with a page cache that may be cold: good enough to compare costs.
    pub wall: Duration,
}

/// Asks `contender`'s build of `side` every question once, requests that change the server last, and runs each of `runs`
/// once after that.
///
/// # Errors
/// [`Stop`] where the run can't go on; a server's own failures are part of what is returned.
pub(super) fn gate(
    launcher: &mut Launcher<'_>,
    contender: &Contender,
    side: Side,
    questions: &[&Question],
    runs: &[&Case],
    ready: &Question,
    track: &Track,
) -> Result<Gated, Stop> {
    let mut gated = Gated::default();
    let record = |question: &Question, outcome| GateRecord {
        entry: contender.entry.clone(),
        side,
        case: Case::Scenario(question.scenario().name.clone()),
        outcome,
    };
    let not_asked = |gated: &mut Gated| {
        if contender.serves {
            gated.records.extend(questions.iter().map(|question| record(question, GateOutcome::NotAsked)));
        }
        let runs = runs.iter().map(|case| GateRecord {
            entry: contender.entry.clone(),
            side,
            case: (*case).clone(),
            outcome: GateOutcome::NotAsked,
        });
        gated.records.extend(runs);
    };
    let Some(mut build) = contender.builds.get(side).clone() else {
        not_asked(&mut gated);
        return Ok(gated);
    };
    if !contender.serves {
        gate_commands(launcher, contender, side, runs, track, &mut gated)?;
        gated.runs = !gated.commands.is_empty();
        return Ok(gated);
    }
    let mut services = Services::default();
    let started = services
        .start(launcher, contender, &mut build, &track.server_cpus)
        .and_then(|()| launcher.start(contender, side, &build, ready, &track.server_cpus));
    let mut running = match started {
        Ok(running) => running,
        Err(NotRunning::Stopped(stop)) => return Err(stop),
        Err(NotRunning::Failed { kind, message, output }) => {
            gated.failures.push(failure(None, &contender.entry, side, None, Phase::Gate, kind, message, output));
            not_asked(&mut gated);
            return Ok(gated);
        }
    };
    gated.runs = true;
    gated.start = Some(running.cold_start);
    gated.pinning_refused.clone_from(&running.pinning_refused);
    let mut ordered: Vec<&&Question> = questions.iter().collect();
    ordered.sort_by_key(|question| !question.scenario().request.is_safe());
    for question in ordered {
        if launcher.cancel.is_set() {
            return Err(Stop::Interrupted);
        }
        match answer_differs(question, running.port, &launcher.cancel) {
            None => gated.records.push(record(question, GateOutcome::Passed)),
            Some(message) => {
                gated.records.push(record(question, GateOutcome::Failed));
                let scenario = Some(&question.scenario().name);
                let kind = FailureKind::WrongAnswer;
                gated.failures.push(failure(None, &contender.entry, side, scenario, Phase::Gate, kind, message, None));
            }
        }
    }
    std::thread::sleep(WATCH.1);
    running.clock.watch(&running.child.pids());
    let before = (running.clock.read(), now_ns());
    std::thread::sleep(WATCH.0);
    let after = (running.clock.read(), now_ns());
    let share = after.0.saturating_sub(before.0) as f64 / after.1.saturating_sub(before.1).max(1) as f64;
    if share > IDLE_SHARE {
        gated.works_while_idle = true;
        let message = format!("uses {:.0} % of a CPU while nobody asks it; raced one side at a time", share * 100.0);
        let kind = ObservationKind::WorkedWhileIdle;
        gated.observations.push(super::server::observation(&contender.entry, side, kind, message));
    }
    gated.observations.extend(stop(&contender.entry, side, running)?);
    drop(services);
    gate_commands(launcher, contender, side, runs, track, &mut gated)?;
    Ok(gated)
}

/// Runs every command once. Its first run reads from a cold page cache and is thrown away like the first start.
fn gate_commands(
    launcher: &mut Launcher<'_>,
    contender: &Contender,
    side: Side,
    runs: &[&Case],
    track: &Track,
    gated: &mut Gated,
) -> Result<(), Stop> {
    for &case in runs {
        if launcher.cancel.is_set() {
            return Err(Stop::Interrupted);
        }
        let outcome = match launcher.run_command(contender, side, case, &track.server_cpus)? {
            Ok(given) => {
                let command = GatedCommand { figures: given.figures(), wall: given.wall };
                gated.commands.insert(case.clone(), command);
                GateOutcome::Passed
            }
            Err(CommandFailure { kind, message, output }) => {
                let message = format!("{case} {message}");
                let entry = &contender.entry;
                gated.failures.push(failure(None, entry, side, None, Phase::Gate, kind, message, output));
                GateOutcome::Failed
            }
        };
        gated.records.push(GateRecord { entry: contender.entry.clone(), side, case: case.clone(), outcome });
    }
    Ok(())
}

fn answer_differs(question: &Question, port: u16, cancel: &CancelFlag) -> Option<String> {
    let request = match question.request(port) {
        Ok(request) => request,
        Err(error) => return Some(error.to_string()),
    };
    let begun = now_ns();
    let go_on = || Duration::from_nanos(now_ns().saturating_sub(begun)) < ANSWER_LIMIT && !cancel.is_set();
    match ask(local(port), &request, go_on, |head, body| question.difference(head, body)) {
        Ok(difference) => difference,
        Err(AskError::GivenUp) => Some(format!("no answer within {} s", ANSWER_LIMIT.as_secs())),
        Err(error) => Some(error.to_string()),
    }
}

/// Opens the gate: makes what starts servers, for the gate and for the race after it.
pub struct Stable<'a> {
    launcher: Launcher<'a>,
}

impl<'a> Stable<'a> {
    /// Servers and commands are started through `supervisor`, builds from clean by `builder`; output goes below `logs`.
    pub fn new(
        supervisor: &'a Supervisor,
        seed: u64,
        logs: PathBuf,
        cancel: CancelFlag,
        builder: &'a dyn CleanBuilder,
    ) -> Self {
        Self { launcher: Launcher { supervisor, ports: PortPicker::new(seed), cancel, logs, builder } }
    }

    /// See [`Gated`].
    ///
    /// # Errors
    /// [`Stop`] where the run can't go on.
    pub fn gate(
        &mut self,
        contender: &Contender,
        side: Side,
        questions: &[&Question],
        runs: &[&Case],
        ready: &Question,
        track: &Track,
    ) -> Result<Gated, Stop> {
        gate(&mut self.launcher, contender, side, questions, runs, ready, track)
    }

    /// Goes from the gate to the race.
    pub fn course(self, setup: &'a super::course::Setup) -> super::course::Course<'a> {
        super::course::Course::new(setup, self.launcher)
    }
}
