//! A server of a race: started, waited for until its first good answer, stopped with everything it started.

use super::commands::CleanBuilder;
use super::contender::{Contender, Question, Startable};
use super::load::{AskError, ask};
use super::rounds::Stop;
use crate::model::{EntryName, Failure, FailureKind, Observation, ObservationKind, Phase, Side};
use crate::process::{
    CancelFlag, Child, ChildSpec, DEFAULT_GRACE, ExitStatus, Pinning, PortOwner, PortPicker, SpawnError, StopReport,
    Supervisor, TreeClock, listening_on, now_ns, port_owner, tail,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two attempts to connect: from another CPU this does not disturb a start.
const POLL: Duration = Duration::from_millis(1);
/// A server that keeps answering wrongly for so long will not come right.
const WRONG_FOR: Duration = Duration::from_secs(2);
/// A server that prints more than this is stopped: it would measure the disk.
pub(super) const LOG_LIMIT: u64 = 256 * 1024 * 1024;
/// How much of a failed server's output is kept.
const TAIL: u64 = 2048;

/// Starts servers.
pub(super) struct Launcher<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) ports: PortPicker,
    pub(super) cancel: CancelFlag,
    /// Where servers' output goes.
    pub(super) logs: PathBuf,
    /// Who builds from clean.
    pub(super) builder: &'a dyn CleanBuilder,
}

/// A server that gave its first good answer.
pub(super) struct Running {
    pub(super) child: Child,
    pub(super) port: u16,
    pub(super) clock: TreeClock,
    /// From spawn to the first good answer.
    pub(super) cold_start: Duration,
    /// CPU time up to then.
    pub(super) boot_cpu: Duration,
    pub(super) pinning_refused: Option<String>,
}

/// Why there is no running server: its own failure, or the race's end.
pub(super) enum NotRunning {
    Failed { kind: FailureKind, message: String, output: Option<String> },
    Stopped(Stop),
}

impl From<crate::process::GuardError> for NotRunning {
    fn from(error: crate::process::GuardError) -> Self {
        Self::Stopped(Stop::Broken(error.to_string()))
    }
}

fn failed(kind: FailureKind, message: impl Into<String>, log: &Path) -> NotRunning {
    NotRunning::Failed { kind, message: message.into(), output: output_of(log) }
}

pub(super) fn output_of(log: &Path) -> Option<String> {
    tail(log, TAIL).ok().filter(|text| !text.trim().is_empty())
}

impl Launcher<'_> {
    /// Starts a side's build on `cpus` and waits for its first good answer to `ready`.
    pub(super) fn start(
        &mut self,
        contender: &Contender,
        side: Side,
        build: &Startable,
        ready: &Question,
        cpus: &[usize],
    ) -> Result<Running, NotRunning> {
        let log = self.logs.join(format!("{}-{side}.log", contender.entry));
        // Each start's output is its own; the last one's stays for the user.
        let _ = std::fs::remove_file(&log);
        let port = self
            .ports
            .pick()
            .map_err(|error| NotRunning::Stopped(Stop::Broken(format!("failed to start a server: {error}"))))?;
        let mut env = build.environment.clone();
        let set = env.set("PORT", &port.to_string()).and_then(|()| env.set("HOST", "127.0.0.1"));
        set.map_err(|error| failed(FailureKind::SpawnFailed, error.to_string(), &log))?;
        let spec = ChildSpec {
            argv: build.argv.clone(),
            cwd: build.directory.clone(),
            env,
            cpus: cpus.to_vec(),
            log: log.clone(),
        };
        let child = self.supervisor.spawn(&spec).map_err(|error| match error {
            SpawnError::Guard(error) => NotRunning::from(error),
            other => failed(FailureKind::SpawnFailed, other.to_string(), &log),
        })?;
        let ended = self.wait_until_ready(&child, port, ready, contender.start_limit)?;
        let pids = child.pids();
        let mut clock = TreeClock::new(&pids);
        let boot_cpu = Duration::from_nanos(clock.read());
        if port_owner(port, &pids) != PortOwner::Ours {
            let owner = match port_owner(port, &pids) {
                PortOwner::Foreign { pid: Some(pid), .. } => format!("process {pid}"),
                _ => "a process that is not its own".to_owned(),
            };
            return Err(failed(FailureKind::ForeignPort, format!("port {port} is answered by {owner}"), &log));
        }
        let pinning_refused = match child.pinning() {
            Pinning::Refused(reason) => Some(reason.clone()),
            _ => None,
        };
        let cold_start = Duration::from_nanos(ended.saturating_sub(child.spawned_at()));
        Ok(Running { child, port, clock, cold_start, boot_cpu, pinning_refused })
    }

    /// The moment of the first good answer.
    fn wait_until_ready(&self, child: &Child, port: u16, ready: &Question, limit: Duration) -> Result<u64, NotRunning> {
        let log = child.log();
        let request = ready.request(port).map_err(|error| failed(FailureKind::SpawnFailed, error.to_string(), log))?;
        let age = || Duration::from_nanos(now_ns().saturating_sub(child.spawned_at()));
        let mut wrong: Option<(Duration, String)> = None;
        let mut connected = false;
        loop {
            if let Some(exit) = child.try_exit()? {
                let message = died(exit.status, "before it answered");
                return Err(failed(FailureKind::DiedAtStart, message, log));
            }
            if self.cancel.is_set() {
                return Err(NotRunning::Stopped(Stop::Interrupted));
            }
            if age() > limit {
                return Err(Self::not_ready(child, port, limit, wrong.map(|(_, text)| text), connected));
            }
            if child.log_length() > LOG_LIMIT {
                return Err(failed(FailureKind::PrintedTooMuch, printed_too_much(), log));
            }
            let go_on = || age() <= limit && !self.cancel.is_set() && child.log_length() <= LOG_LIMIT;
            match ask(local(port), &request, go_on, |head, body| ready.difference(head, body)) {
                Ok(None) => return Ok(now_ns()),
                Ok(Some(text)) => {
                    let since = wrong.as_ref().map_or_else(age, |(since, _)| *since);
                    if age().saturating_sub(since) > WRONG_FOR {
                        return Err(failed(FailureKind::WrongAnswer, wrong_answer(ready, &text), log));
                    }
                    wrong = Some((since, text));
                    connected = true;
                }
                Err(AskError::Refused | AskError::Io(_)) => {}
                Err(AskError::Closed | AskError::NoHttp(_) | AskError::GivenUp) => connected = true,
            }
            std::thread::sleep(POLL);
        }
    }

    fn not_ready(child: &Child, port: u16, limit: Duration, wrong: Option<String>, connected: bool) -> NotRunning {
        let seconds = limit.as_secs_f64();
        let log = child.log();
        if let Some(text) = wrong {
            return failed(FailureKind::WrongAnswer, format!("no good answer within {seconds} s: {text}"), log);
        }
        let elsewhere: Vec<String> = listening_on(&child.pids())
            .into_iter()
            .filter(|address| address.port() != port)
            .map(|address| address.port().to_string())
            .collect();
        if !connected && !elsewhere.is_empty() {
            let message = format!("listens on port {} instead of the one in PORT", elsewhere.join(" and "));
            return failed(FailureKind::AnotherPort, message, log);
        }
        let how = if connected { "accepts connections but gave no answer" } else { "accepted no connection" };
        failed(FailureKind::NeverReady, format!("{how} within {seconds} s"), log)
    }
}

fn wrong_answer(ready: &Question, text: &str) -> String {
    format!("answers {} wrongly: {text}", ready.scenario().name)
}

pub(super) fn printed_too_much() -> String {
    format!("printed more than {} MiB; a server under load must be quiet", LOG_LIMIT / 1024 / 1024)
}

pub(super) fn died(status: ExitStatus, when: &str) -> String {
    format!("ended with {status} {when}")
}

/// A port of this machine's loopback address.
pub(super) fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// A failure of one side in one turn.
#[expect(clippy::too_many_arguments, reason = "it names every column of a row")]
pub(super) fn failure(
    round: Option<u32>,
    entry: &EntryName,
    side: Side,
    scenario: Option<&crate::model::ScenarioName>,
    phase: Phase,
    kind: FailureKind,
    message: String,
    output: Option<String>,
) -> Failure {
    Failure { round, entry: entry.clone(), side: Some(side), scenario: scenario.cloned(), phase, kind, message, output }
}

/// Something noticed once.
pub(super) fn observation(entry: &EntryName, side: Side, kind: ObservationKind, message: String) -> Observation {
    Observation { entry: entry.clone(), side, kind, message, times: 1 }
}

/// Stops a server and says what stopping it showed.
pub(super) fn stop(entry: &EntryName, side: Side, running: Running) -> Result<Vec<Observation>, Stop> {
    let report = running.child.stop(DEFAULT_GRACE).map_err(|error| Stop::Broken(error.to_string()))?;
    Ok(stop_observations(entry, side, &report))
}

fn stop_observations(entry: &EntryName, side: Side, report: &StopReport) -> Vec<Observation> {
    let mut seen = Vec::new();
    if report.killed {
        let message = format!("ignored SIGTERM and was killed after {} s", DEFAULT_GRACE.as_secs());
        seen.push(observation(entry, side, ObservationKind::IgnoredTermination, message));
    }
    if report.left_behind > 0 {
        let what = if report.left_behind == 1 { "a process" } else { "processes" };
        let message = format!("left {what} behind in a group of its own, or alive after its end; killed");
        seen.push(observation(entry, side, ObservationKind::LeftProcesses, message));
    }
    seen
}
