//! Building from clean, and what it costs: the build suite.
//!
//! A build runs in a fresh copy of the variant's directory, with its output taken away and a fresh directory for temporary
//! files, and the copy is removed afterwards: what one build leaves behind is not there for the next. The copy lies beside
//! the directory and is named alike on both sides, so that relative paths lead where they did and both sides' paths are
//! equally long. Its files were just written, so that reading them costs no disk.
//!
//! Known limits: what a build keeps elsewhere, such as below the home directory, stays there. A relative link or a setting
//! that names the variant's own directory by going up leads to the directory and not to its copy.

use super::copy_tree::{copy_tree, remove_tree};
use super::steps::{Job, StepFailure};
use super::workshop::{BuildError, disk};
use crate::model::FailureKind;
use crate::plan::CommandLine;
use crate::process::{CancelFlag, Environment, Supervisor};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The copy's name beside the directory. Variants are not looked for where a name begins with a dot.
const COPY: &str = ".deadheat-build";

/// Builds one variant from clean. Not at once with another build in the same parent directory.
pub struct CleanBuild<'a> {
    /// Runs the commands.
    pub supervisor: &'a Supervisor,
    /// Ends it.
    pub cancel: &'a CancelFlag,
    /// Where the commands' output goes; written anew.
    pub log: &'a Path,
    /// The variant's directory, as its regular build steps left it. It is only read.
    pub directory: &'a Path,
    /// The commands' environment; TMPDIR is set besides.
    pub environment: &'a Environment,
    /// The CPUs of the commands; empty for all that there are.
    pub cpus: &'a [usize],
}

/// What a build cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildCost {
    /// Of all commands, one after the other; the copying is not in it.
    pub wall: Duration,
    /// CPU time of all commands and all that they started: see [`crate::process::Measured::cpu`].
    pub cpu: Duration,
    /// The largest of the commands' peaks, in bytes: see [`crate::process::Measured::peak_memory`].
    pub peak_memory: Option<u64>,
    /// The length of all files of the output, in bytes. A symbolic link counts with its own length, a file that has
    /// several names once for each.
    pub output_bytes: u64,
}

impl CleanBuild<'_> {
    /// Runs `commands` in order within `limit` altogether. `output`: what they make, relative to the directory; it is
    /// removed beforehand where it is there, and must be there afterwards.
    ///
    /// # Errors
    /// [`BuildError`] where nothing more can be built.
    pub fn run(
        &self,
        commands: &[CommandLine],
        output: &[impl AsRef<Path>],
        limit: Duration,
    ) -> Result<Result<BuildCost, StepFailure>, BuildError> {
        let output = match outermost(output) {
            Ok(output) => output,
            Err(path) => return Ok(Err(not_inside(path))),
        };
        remove_file(self.log)?;
        let copy = Scratch(self.directory.with_file_name(COPY));
        // What an interrupted run has left.
        copy.remove()?;
        let temporary_parent = self.environment.get("TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let made = tempfile::Builder::new().prefix("deadheat-").tempdir_in(&temporary_parent);
        let temporary = Scratch(made.map_err(|source| disk("create", &temporary_parent, source))?.keep());
        let cost = self.run_in(&copy.0, &temporary.0, commands, &output, limit)?;
        copy.remove()?;
        temporary.remove()?;
        Ok(cost)
    }

    fn run_in(
        &self,
        copy: &Path,
        temporary: &Path,
        commands: &[CommandLine],
        output: &[PathBuf],
        limit: Duration,
    ) -> Result<Result<BuildCost, StepFailure>, BuildError> {
        copy_tree(self.directory, copy, &|path| leave_out(path, output), self.cancel)?;
        for path in output {
            match place(copy, path)? {
                Some(place) => remove_tree(&place)?,
                None => return Ok(Err(not_inside(path))),
            }
        }
        let mut environment = self.environment.clone();
        let path = temporary.to_string_lossy();
        environment.set("TMPDIR", &path).map_err(|error| disk("use", temporary, io::Error::other(error)))?;
        let job = Job {
            supervisor: self.supervisor,
            cancel: self.cancel,
            log: self.log,
            directory: copy,
            environment: &environment,
            cpus: self.cpus,
            limit: "what was left of its time limit",
        };
        let mut cost = BuildCost { wall: Duration::ZERO, cpu: Duration::ZERO, peak_memory: None, output_bytes: 0 };
        for command in commands {
            match job.measure(command, limit.saturating_sub(cost.wall))? {
                Ok(measured) => {
                    cost.wall += measured.wall;
                    cost.cpu += measured.cpu;
                    cost.peak_memory = cost.peak_memory.max(measured.peak_memory);
                }
                Err(failure) => return Ok(Err(failure)),
            }
        }
        for path in output {
            let Some(place) = place(copy, path)? else { return Ok(Err(not_inside(path))) };
            let Some(bytes) = size(&place)? else {
                return Ok(Err(failure(format!("all build steps ended well, but made no {}", path.display()))));
            };
            cost.output_bytes = cost.output_bytes.saturating_add(bytes);
        }
        Ok(Ok(cost))
    }
}

/// A directory that is gone when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn remove(&self) -> Result<(), BuildError> {
        remove_tree(&self.0)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Whoever leaves early has another failure to tell.
        let _ = self.remove();
    }
}

fn failure(message: String) -> StepFailure {
    StepFailure { kind: FailureKind::BuildFailed, message, output: None }
}

fn not_inside(path: &Path) -> StepFailure {
    failure(format!("the output {} of the build is no path inside the variant's directory", path.display()))
}

/// The paths without `.`, and without those that lie in another of them; or one that is no path inside the directory.
fn outermost(paths: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>, &Path> {
    let mut plain: Vec<PathBuf> = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        let inside: Option<PathBuf> = parts.map(|part| matches!(part, Component::Normal(_)).then_some(part)).collect();
        plain.push(inside.filter(|inside| inside.file_name().is_some()).ok_or(path)?);
    }
    plain.sort();
    // An ancestor sorts before all that lies in it.
    let mut outermost: Vec<PathBuf> = Vec::new();
    for path in plain {
        if !outermost.iter().any(|outer| path.starts_with(outer)) {
            outermost.push(path);
        }
    }
    Ok(outermost)
}

/// What is not copied, by its path relative to the directory: the output; a stale copy; and git's own directory, or the
/// link of a work tree to it, which would lead git astray.
fn leave_out(path: &Path, output: &[PathBuf]) -> bool {
    path == Path::new(".git") || path.file_name() == Some(COPY.as_ref()) || output.iter().any(|output| path == output)
}

/// Where an output lies in the copy; nothing where a symbolic link on the way leads out of it.
fn place(copy: &Path, output: &Path) -> Result<Option<PathBuf>, BuildError> {
    let real = |path: &Path| path.canonicalize();
    let path = copy.join(output);
    match (path.parent().map(real), real(copy)) {
        (Some(Ok(parent)), Ok(root)) => Ok(parent.starts_with(root).then_some(path)),
        // On the way to what is not there, nothing leads out.
        (Some(Err(error)), Ok(_)) if is_missing(&error) => Ok(Some(path)),
        (Some(Err(error)), _) | (_, Err(error)) => Err(disk("look at", &path, error)),
        (None, _) => Ok(None),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn remove_file(path: &Path) -> Result<(), BuildError> {
    match fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(disk("remove", path, error)),
        _ => Ok(()),
    }
}

/// The length of a file, or of all below a directory; nothing where there is none.
fn size(path: &Path) -> Result<Option<u64>, BuildError> {
    let top = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(disk("look at", path, error)),
    };
    if !top.is_dir() {
        return Ok(Some(top.len()));
    }
    let mut bytes = 0_u64;
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(|source| disk("read", &directory, source))? {
            let entry = entry.map_err(|source| disk("read", &directory, source))?;
            // Of a symbolic link its own.
            let metadata = entry.metadata().map_err(|source| disk("look at", &entry.path(), source))?;
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                bytes = bytes.saturating_add(metadata.len());
            }
        }
    }
    Ok(Some(bytes))
}
