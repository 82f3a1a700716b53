//! Starting one program: no shell, a group of its own, nothing inherited but what the request names.

use super::super::clock::now_ns;
use super::super::cpus::{allowed_cpus, set_this_threads_cpus};
use super::super::tree::{Root, read_process};
use super::super::wire::{MARKER, WireSpawn, WireSpawnFailure};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

pub(super) struct Spawned {
    pub(super) root: Root,
    pub(super) at: u64,
    pub(super) pinning_refused: Option<String>,
}

type Failure = (WireSpawnFailure, String);

/// Starts what `request` asks for. `first_cpus` are those that the guard started with: an unpinned child gets them.
pub(super) fn spawn(request: &WireSpawn, first_cpus: &[usize]) -> Result<Spawned, Failure> {
    let Some((program, arguments)) = request.argv.split_first() else {
        return Err((WireSpawnFailure::Other, "the command line is empty".to_owned()));
    };
    if !Path::new(&request.cwd).is_dir() {
        return Err((WireSpawnFailure::DirectoryMissing, format!("{} is no directory", request.cwd)));
    }
    let log = OpenOptions::new().create(true).append(true).open(&request.log);
    let unwritable = |error: io::Error| (WireSpawnFailure::LogUnwritable, format!("{}: {error}", request.log));
    let log = log.map_err(unwritable)?;
    let errors = log.try_clone().map_err(unwritable)?;

    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&request.cwd)
        .env_clear()
        .envs(&request.env)
        .env(MARKER, &request.marker)
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .process_group(0);

    // Affinity is inherited: the child gets it from this thread, which takes its own back at once.
    let before = allowed_cpus();
    let wanted = if request.cpus.is_empty() { first_cpus } else { &request.cpus };
    let pinning = set_this_threads_cpus(wanted);
    let at = now_ns();
    let child = command.spawn();
    if let Ok(before) = before {
        // The same call with these CPUs was accepted before.
        let _ = set_this_threads_cpus(&before);
    }
    let asked = !request.cpus.is_empty();
    let pinning_refused = pinning.err().filter(|_| asked).map(|error| error.to_string());
    let child = child.map_err(|error| explain(request, program, &error))?;
    // It can't be reaped before this returns, so its number is still its own.
    let started = read_process(child.id()).map_or(0, |process| process.started);
    Ok(Spawned { root: Root { pid: child.id(), started, marker: request.marker.clone() }, at, pinning_refused })
}

/// The kernel says "no such file" for a missing program and for a script whose interpreter is missing alike.
fn explain(request: &WireSpawn, program: &str, error: &io::Error) -> Failure {
    let path = Path::new(&request.cwd).join(program);
    match error.kind() {
        ErrorKind::NotFound if program.contains('/') && path.exists() => {
            (WireSpawnFailure::InterpreterNotFound, program.to_owned())
        }
        ErrorKind::NotFound => (WireSpawnFailure::ProgramNotFound, program.to_owned()),
        ErrorKind::PermissionDenied => (WireSpawnFailure::NotExecutable, program.to_owned()),
        _ => (WireSpawnFailure::Other, format!("{program}: {error}")),
    }
}
