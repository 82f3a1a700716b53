//! Commands that are run to their end: the suites `process` and `build`, at the gate and in a round.
//!
//! Each run is a fresh process on the servers' CPUs, while no server of its entry is up. Both sides of a pair run one
//! after the other, because a command's wall time can't be cut into slices; a run that the machine disturbed is not
//! repeated, and the many rounds of it are what tells a disturbance from a change.

use super::contender::Contender;
use super::derived::log_ratio;
use super::relay::Relay;
use super::rounds::Stop;
use super::server::{Launcher, NotRunning, failure, observation, output_of};
use super::service::Services;
use super::turn::Measured;
use crate::model::{Case, FailureKind, FigureName, Metric, ObservationKind, Outcome, PerSide, Phase, RoundValue, Side};
use crate::plan::{CommandLine, RunCommand};
use crate::process::{ChildSpec, Ending, Environment, SpawnError, figures};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A command of the process suite may run for this long.
const PROCESS_LIMIT: Duration = Duration::from_mins(2);

/// Builds from clean. What does it knows work trees, which this room does not.
pub trait CleanBuilder: Sync {
    /// Builds as `job` asks, and leaves nothing behind.
    ///
    /// # Errors
    /// [`Stop`] where the run can't go on; a failed step is part of what is returned.
    fn build(&self, job: &CleanBuildJob<'_>) -> Result<Result<CleanlyBuilt, CommandFailure>, Stop>;
}

/// One build from clean.
#[derive(Clone, Copy, Debug)]
pub struct CleanBuildJob<'j> {
    /// The variant's directory as its regular build left it.
    pub directory: &'j Path,
    /// The environment of its build steps.
    pub environment: &'j Environment,
    /// The timed steps.
    pub run: &'j [CommandLine],
    /// What they leave.
    pub output: &'j [PathBuf],
    /// The CPUs that they may use.
    pub cpus: &'j [usize],
    /// Where their output goes.
    pub log: &'j Path,
}

/// What a build from clean gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanlyBuilt {
    /// The sum over its steps.
    pub wall: Duration,
    /// CPU time of its steps.
    pub cpu: Duration,
    /// The largest of its steps' peaks of memory, in bytes; absent where none could be read.
    pub peak_memory: Option<u64>,
    /// Bytes of the files that it left.
    pub output_bytes: u64,
}

/// Why a command gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFailure {
    /// What it was.
    pub kind: FailureKind,
    /// One sentence, as a lowercase fragment.
    pub message: String,
    /// The tail of what it printed.
    pub output: Option<String>,
}

/// What a run of a command gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    /// By metric, in its unit.
    pub(super) values: BTreeMap<Metric, f64>,
    /// Whether processes of it were left that had to be killed.
    pub(super) left_processes: bool,
    pub(super) wall: Duration,
}

impl Given {
    /// The figures that it printed.
    pub(super) fn figures(&self) -> Vec<FigureName> {
        let figure = |metric: &Metric| match metric {
            Metric::Figure(name) => Some(*name),
            _ => None,
        };
        self.values.keys().filter_map(figure).collect()
    }
}

fn failed(kind: FailureKind, message: impl Into<String>, output: Option<String>) -> CommandFailure {
    CommandFailure { kind, message: message.into(), output: output.filter(|text| !text.trim().is_empty()) }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Launcher<'_> {
    /// Runs `case` of a side's build to its end on `cpus`.
    pub(super) fn run_command(
        &mut self,
        contender: &Contender,
        side: Side,
        case: &Case,
        cpus: &[usize],
    ) -> Result<Result<Given, CommandFailure>, Stop> {
        let missing = || Stop::Broken(format!("failed to run {case} of {} at {side}: there is none", contender.entry));
        let mut build = contender.builds.get(side).clone().ok_or_else(missing)?;
        let log = self.logs.join(format!("{}-{side}-command.log", contender.entry));
        // Each run's output is its own; the last one's stays for the user.
        let _ = std::fs::remove_file(&log);
        match contender.runs.get(case).ok_or_else(missing)? {
            RunCommand::Build { run, output } => {
                let environment = &build.build_environment;
                let job = CleanBuildJob { directory: &build.directory, environment, run, output, cpus, log: &log };
                let built = self.builder.build(&job)?;
                Ok(built.map(|built| {
                    let mut values = BTreeMap::from([
                        (Metric::Wall, milliseconds(built.wall)),
                        (Metric::Cpu, milliseconds(built.cpu)),
                        (Metric::OutputSize, built.output_bytes as f64),
                    ]);
                    values.extend(built.peak_memory.map(|bytes| (Metric::PeakMemory, bytes as f64)));
                    Given { values, left_processes: false, wall: built.wall }
                }))
            }
            RunCommand::Process(argv) => {
                let mut services = Services::default();
                match services.start(self, contender, &mut build, cpus) {
                    Ok(()) => {}
                    Err(NotRunning::Stopped(stop)) => return Err(stop),
                    Err(NotRunning::Failed { kind, message, output }) => return Ok(Err(failed(kind, message, output))),
                }
                let spec = ChildSpec {
                    argv: argv.clone(),
                    cwd: build.directory.clone(),
                    env: build.environment.clone(),
                    cpus: cpus.to_vec(),
                    log,
                };
                self.run_process(&spec)
            }
        }
    }

    fn run_process(&self, spec: &ChildSpec) -> Result<Result<Given, CommandFailure>, Stop> {
        let measured = match self.supervisor.run_measured(spec, PROCESS_LIMIT, &self.cancel) {
            Ok(measured) => measured,
            Err(SpawnError::Guard(error)) => return Err(Stop::Broken(error.to_string())),
            Err(error) => return Ok(Err(failed(FailureKind::SpawnFailed, error.to_string(), None))),
        };
        let output = || output_of(&spec.log);
        match measured.ending {
            Ending::Exited(status) if status.success() => {}
            Ending::Exited(status) => {
                let message = format!("ended with {status}");
                return Ok(Err(failed(FailureKind::RunFailed, message, output())));
            }
            Ending::TimedOut => {
                let message = format!("was still running after {} s", PROCESS_LIMIT.as_secs());
                return Ok(Err(failed(FailureKind::RunTimeout, message, output())));
            }
            Ending::PrintedTooMuch => {
                let message = "printed more than a log may hold";
                return Ok(Err(failed(FailureKind::PrintedTooMuch, message, output())));
            }
            Ending::Cancelled => return Err(Stop::Interrupted),
        }
        let printed = figures(&measured.output);
        // A program may log JSON beside its figures; where it has none, what it printed was meant for them.
        if let Some(reason) = printed.refused.filter(|_| printed.values.is_empty()) {
            return Ok(Err(failed(FailureKind::RunFailed, reason, output())));
        }
        let mut values =
            BTreeMap::from([(Metric::Wall, milliseconds(measured.wall)), (Metric::Cpu, milliseconds(measured.cpu))]);
        values.extend(measured.peak_memory.map(|bytes| (Metric::PeakMemory, bytes as f64)));
        for (name, value) in printed.values {
            if let Ok(name) = FigureName::new(&name) {
                values.insert(Metric::Figure(name), value);
            }
        }
        Ok(Ok(Given { values, left_processes: measured.stop.left_behind > 0, wall: measured.wall }))
    }
}

impl Relay<'_, '_> {
    /// The runs of a turn's commands: those of both sides, then head's alone.
    pub(super) fn commands(&mut self) -> Result<(), Stop> {
        let first = self.turn.first;
        for case in self.turn.paired_runs.clone() {
            let mut given = PerSide::default();
            for side in [first, first.other()] {
                *given.get_mut(side) = self.command(side, &case)?;
            }
            let outcome = |given: &Option<Given>| if given.is_some() { Outcome::Measured } else { Outcome::Failed };
            self.push_case(case.clone(), PerSide { base: outcome(&given.base), head: outcome(&given.head) }, false);
            self.command_values(&case, &given);
        }
        for case in self.turn.one_sided_runs.clone() {
            let head = self.command(Side::Head, &case)?;
            let outcome = if head.is_some() { Outcome::Measured } else { Outcome::Failed };
            self.push_case(case.clone(), PerSide { base: Outcome::Skipped, head: outcome }, false);
            self.command_values(&case, &PerSide { base: None, head });
        }
        Ok(())
    }

    fn command(&mut self, side: Side, case: &Case) -> Result<Option<Given>, Stop> {
        let entry = self.contender.entry.clone();
        match self.course.launcher.run_command(self.contender, side, case, &self.track.server_cpus)? {
            Ok(given) => {
                self.outcome.spent.runs_s += given.wall.as_secs_f64();
                if given.left_processes {
                    let message = format!("left processes behind after its {case} had ended; killed");
                    self.outcome.observations.push(observation(&entry, side, ObservationKind::LeftProcesses, message));
                }
                Ok(Some(given))
            }
            Err(CommandFailure { kind, message, output }) => {
                let round = Some(self.turn.round);
                let message = format!("{case} {message}");
                self.outcome.failures.push(failure(round, &entry, side, None, Phase::Run, kind, message, output));
                Ok(None)
            }
        }
    }

    fn command_values(&mut self, case: &Case, given: &PerSide<Option<Given>>) {
        let Some(suite) = case.suite_of_run() else { return };
        let of = |side: Side, metric: &Metric| given.get(side).as_ref()?.values.get(metric).copied();
        let known = Side::BOTH.iter().filter_map(|side| given.get(*side).as_ref());
        let metrics: std::collections::BTreeSet<Metric> =
            known.flat_map(|given| given.values.keys().copied()).collect();
        for metric in metrics {
            let (base, head) = (of(Side::Base, &metric), of(Side::Head, &metric));
            let value = RoundValue { round: self.turn.round, base, head, log_ratio: log_ratio(base, head) };
            self.outcome.values.push(Measured { suite, case: case.clone(), metric, value });
        }
    }
}
