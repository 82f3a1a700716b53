//! Deadheat's end of the pipe to the guard.
//!
//! One thread reads the guard's answers and sleeps otherwise. A supervisor may be used from several threads at once.

use super::child::{Child, ChildSpec, Pinning};
use super::cpus::{allowed_cpus, cpu_set};
use super::error::{GuardError, SpawnError};
use super::link::{Link, PATIENCE};
use super::tree::{Root, to_pid};
use super::wire::{WireAnswer, WireRequest, WireSpawn, WireSpawnFailure};
use rustix::thread::{sched_getaffinity, sched_setaffinity};
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

/// Starts and stops children through the guard. Dropping it kills all that is left, and ends the guard.
#[derive(Debug)]
pub struct Supervisor {
    link: Arc<Link>,
    guard: std::process::Child,
    binary: PathBuf,
    /// Those that the guard started with.
    cpus: Vec<usize>,
    reader: Option<JoinHandle<()>>,
}

impl Supervisor {
    /// Starts the guard: `binary` is deadheat's own executable. Start it before pinning any thread: children that ask
    /// for no CPUs get those that the guard started with.
    pub fn start(binary: &Path) -> Result<Self, GuardError> {
        Self::start_for(binary, allowed_cpus().unwrap_or_default())
    }

    /// A second guard of the same binary, on the CPUs of the first. What it reaps is only what is started through it, so
    /// that its usage is that of one child's whole tree.
    pub(super) fn another(&self) -> Result<Self, GuardError> {
        let another = Self::start_for(&self.binary, self.cpus.clone())?;
        if let Ok(cpus) = sched_getaffinity(to_pid(self.link.guard_pid())) {
            // Where it may not move, it stays where this thread is.
            let _ = sched_setaffinity(to_pid(another.link.guard_pid()), &cpus);
        }
        Ok(another)
    }

    /// `cpus`: those of children that ask for none.
    fn start_for(binary: &Path, cpus: Vec<usize>) -> Result<Self, GuardError> {
        let not_started = |error| GuardError::NotStarted { binary: binary.to_owned(), source: Arc::new(error) };
        let mut guard = Command::new(binary)
            .arg("guard")
            // Children can read the environment of any process of their user.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(not_started)?;
        let (to_guard, from_guard) = (guard.stdin.take(), guard.stdout.take());
        let mut answers = from_guard.map(BufReader::new).ok_or_else(|| not_started(io::Error::other("no pipe")))?;
        if let Err(answer) = read_ready(&mut answers, guard.id()) {
            drop(to_guard);
            let _ = guard.kill();
            let _ = guard.wait();
            return Err(GuardError::NoGuard { binary: binary.to_owned(), answer });
        }
        let link = Arc::new(Link::new(guard.id(), unique_token(), to_guard));
        let reading = Arc::clone(&link);
        let reader = thread::Builder::new().name("guard-answers".to_owned()).spawn(move || reading.read(answers));
        match reader {
            Ok(reader) => Ok(Self { link, guard, binary: binary.to_owned(), cpus, reader: Some(reader) }),
            Err(error) => {
                link.close();
                let _ = guard.wait();
                Err(not_started(error))
            }
        }
    }

    /// Starts a child.
    pub fn spawn(&self, spec: &ChildSpec) -> Result<Child, SpawnError> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| SpawnError::NotUnicode { path: path.to_owned() })
        };
        let link = &self.link;
        let (id, marker) = link.name_child();
        let request = WireRequest::Spawn(WireSpawn {
            id,
            marker: marker.clone(),
            argv: spec.argv.clone(),
            cwd: text(&spec.cwd)?,
            env: spec.env.variables().clone(),
            cpus: if spec.cpus.is_empty() { self.cpus.clone() } else { spec.cpus.clone() },
            log: text(&spec.log)?,
        });
        let slot = link.open_slot(id)?;
        let answer = link.send(&request).and_then(|()| slot.wait_for_spawn());
        match answer {
            Ok(Some(WireAnswer::Spawned { pid, started, at, pinning_refused, .. })) => Ok(Child {
                link: Arc::clone(link),
                slot,
                id,
                root: Root { pid, started, marker },
                spawned_at: at,
                pinning: match pinning_refused {
                    _ if spec.cpus.is_empty() => Pinning::NotAsked,
                    Some(reason) => Pinning::Refused(reason),
                    None => Pinning::Pinned,
                },
                log: spec.log.clone(),
                stopped: false,
            }),
            Ok(Some(WireAnswer::SpawnFailed { reason, text, .. })) => Err(spawn_error(reason, text)),
            Ok(_) => {
                // Whatever it still starts is to be ended.
                let _ = link.send(&WireRequest::Stop { id, grace_ms: 0 });
                Err(GuardError::Silent { seconds: PATIENCE.as_secs() }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Moves the guard to these CPUs, the load generator's: it sleeps while slices run, but must wake somewhere.
    pub fn pin_guard(&self, cpus: &[usize]) -> io::Result<()> {
        Ok(sched_setaffinity(to_pid(self.link.guard_pid()), &cpu_set(cpus)?)?)
    }

    /// The guard's process number: its own CPU and memory are no server's.
    pub fn guard_pid(&self) -> u32 {
        self.link.guard_pid()
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.link.close();
        // It ends once all are killed; its patience with those that can't be is limited.
        let _ = self.guard.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

fn read_ready(answers: &mut impl BufRead, pid: u32) -> Result<(), String> {
    let mut line = String::new();
    // Something else that is run by mistake may print without end.
    let read = io::Read::take(answers, 4096).read_line(&mut line).map_err(|error| error.to_string())?;
    match serde_json::from_str(&line) {
        Ok(WireAnswer::Ready { pid: found }) if found == pid => Ok(()),
        _ if read == 0 => Err("it ended at once".to_owned()),
        _ => Err(format!("{:?}", line.trim_end())),
    }
}

/// Differs between supervisors of one process, between processes, and between machines' lives.
fn unique_token() -> String {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let count = STARTED.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{:x}-{now:x}-{count:x}", std::process::id())
}

fn spawn_error(reason: WireSpawnFailure, text: String) -> SpawnError {
    match reason {
        WireSpawnFailure::ProgramNotFound => SpawnError::ProgramNotFound { program: text },
        WireSpawnFailure::InterpreterNotFound => SpawnError::InterpreterNotFound { program: text },
        WireSpawnFailure::NotExecutable => SpawnError::NotExecutable { program: text },
        WireSpawnFailure::DirectoryMissing => SpawnError::DirectoryMissing { detail: text },
        WireSpawnFailure::LogUnwritable => SpawnError::Log { detail: text },
        WireSpawnFailure::Other => SpawnError::Other { detail: text },
    }
}
