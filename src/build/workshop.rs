//! The workshop: a work tree per side, at paths of equal length and outside the repository, and what was built in them.
//!
//! Outside, because a work tree inside the repository would find the repository's own `node_modules`, workspace files and
//! the like by walking up. A step that was done for the same commit, with the same commands and the same versions of its
//! programs, is not done again. References are built once, from head, in a directory named by a hash of their contents.

use super::git::{GitError, Repository};
use super::steps::{Job, StepFailure, StepsDone};
use crate::model::{CommitSha, EntryName, Side};
use crate::plan::{CommandLine, Entry, SideBuild};
use crate::process::{CancelFlag, Environment, EnvironmentError, Supervisor};
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What ends a build though no step of it failed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The disk.
    #[error("failed to {what} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// Another run works with the same work trees.
    #[error("failed to enter the workshop {}: another run of deadheat is using it; wait for it to end", .0.display())]
    InUse(PathBuf),
    /// A manifest passes on what must not be passed on.
    #[error("failed to prepare the environment of {entry}: {source}")]
    Environment {
        /// Whose.
        entry: EntryName,
        /// Why.
        source: EnvironmentError,
    },
    /// Children can't be started any more.
    #[error("{0}")]
    Guard(String),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

/// Is told which step is under way; builds of two sides may tell it at once.
pub trait BuildWatch: Sync {
    /// `command` runs for `what`, such as `fastify`; no side: a reference.
    fn step(&self, side: Option<Side>, what: &str, command: &str);
}

/// What was built, by entry; an entry whose build failed has the failure.
pub type Built = BTreeMap<EntryName, Result<(), StepFailure>>;

/// Builds both sides of a repository.
pub struct Workshop<'a> {
    pub(super) repository: &'a Repository,
    pub(super) supervisor: &'a Supervisor,
    directory: PathBuf,
    logs: PathBuf,
    /// The directory of `deadheat.toml`, relative to the repository's root.
    configuration: PathBuf,
    pub(super) cancel: CancelFlag,
    parent: BTreeMap<String, String>,
    /// Held as long as the work trees are in use.
    _lock: File,
}

/// Where and as whom a workshop works.
pub struct Premises {
    /// The directory below which each repository has its own.
    pub cache: PathBuf,
    /// Where logs of build steps go.
    pub logs: PathBuf,
    /// The directory of `deadheat.toml`, relative to the repository's root.
    pub configuration: PathBuf,
    /// deadheat's own environment, which children's are scrubbed from.
    pub parent: BTreeMap<String, String>,
}

impl<'a> Workshop<'a> {
    /// Enters the repository's workshop; only one run can be in it.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn enter(
        repository: &'a Repository,
        supervisor: &'a Supervisor,
        premises: Premises,
        cancel: CancelFlag,
    ) -> Result<Self, BuildError> {
        let Premises { cache, logs, configuration, parent } = premises;
        let directory = cache.join(&hash([repository.root().as_os_str().as_encoded_bytes()])[..12]);
        for path in [&directory, &logs] {
            fs::create_dir_all(path).map_err(|source| disk("create", path, source))?;
        }
        let lock_path = directory.join("lock");
        let lock = File::create(&lock_path).map_err(|source| disk("create", &lock_path, source))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| BuildError::InUse(directory.clone()))?;
        Ok(Self { repository, supervisor, directory, logs, configuration, cancel, parent, _lock: lock })
    }

    /// The directory for scratch files of this repository.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The work tree of `side`; both paths are equally long.
    pub fn tree(&self, side: Side) -> PathBuf {
        self.directory.join(side.as_str())
    }

    /// The directory of `deadheat.toml` in the work tree of `side`.
    pub fn configuration(&self, side: Side) -> PathBuf {
        self.tree(side).join(&self.configuration)
    }

    /// The environment of what `entry` starts: build steps get no variables but the scrubbed ones and those that its
    /// manifest passes on; servers get the manifest's own besides.
    ///
    /// # Errors
    /// [`BuildError::Environment`].
    pub fn environment(&self, entry: &Entry, server: bool) -> Result<Environment, BuildError> {
        let own = if server { entry.variant.env.clone() } else { BTreeMap::new() };
        Environment::scrubbed(&self.parent, &entry.variant.pass_env, &own)
            .map_err(|source| BuildError::Environment { entry: entry.name.clone(), source })
    }

    /// Puts `sha` into the work tree of `side`, unless it is there already.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn check_out(&self, side: Side, sha: &CommitSha) -> Result<(), BuildError> {
        let done = StepsDone::read(&self.marker(side));
        if done.sha.as_ref() == Some(sha) && self.tree(side).join(".git").exists() {
            return Ok(());
        }
        // Nothing counts as done while the tree changes.
        StepsDone::default().write(&self.marker(side))?;
        self.repository.check_out(sha, &self.tree(side))?;
        StepsDone { sha: Some(sha.clone()), steps: BTreeMap::new() }.write(&self.marker(side))
    }

    /// Runs the steps of `side`'s checked-out tree: the side's own, then each variant's, then each runtime's, one after
    /// the other. A failed step fails the entries that need it and no others.
    ///
    /// # Errors
    /// [`BuildError`] where nothing more can be built.
    pub fn build_side(
        &self,
        side: Side,
        build: &SideBuild,
        entries: &[&Entry],
        versions: &BTreeMap<String, String>,
        watch: &dyn BuildWatch,
    ) -> Result<Built, BuildError> {
        let root = self.configuration(side);
        let mut work = SideWork {
            workshop: self,
            side: Some(side),
            marker: self.marker(side),
            done: StepsDone::read(&self.marker(side)),
            left: build.time_limit,
            watch,
        };
        let plain = Environment::scrubbed(&self.parent, &[], &BTreeMap::new())
            .map_err(|error| BuildError::Guard(error.to_string()))?;
        let own = work.steps("build", "build", &build.run, &root, &plain, versions)?;
        let mut variants: BTreeMap<String, Result<(), StepFailure>> = BTreeMap::new();
        let mut built = Built::new();
        for entry in entries {
            let name = entry.variant.name.to_string();
            let directory = root.join(&entry.variant.directory);
            let environment = self.environment(entry, false)?;
            let variant = match (variants.get(&name), &own) {
                (Some(known), _) => known.clone(),
                (None, Err(failure)) => Err(failure.clone()),
                (None, Ok(())) => work.steps(&name, &name, &entry.variant.build, &directory, &environment, versions)?,
            };
            variants.insert(name, variant.clone());
            let outcome = if variant.is_ok() {
                let step = format!("runtime {}", entry.name);
                let steps = &entry.runtime.build;
                work.steps(&step, entry.name.as_str(), steps, &directory, &environment, versions)?
            } else {
                variant
            };
            built.insert(entry.name.clone(), outcome);
        }
        Ok(built)
    }

    /// Builds a reference of head, or finds it built: the directory of its variant, and what came of it.
    ///
    /// # Errors
    /// [`BuildError`] where nothing more can be built.
    pub fn build_reference(
        &self,
        sha: &CommitSha,
        entry: &Entry,
        limit: Duration,
        versions: &BTreeMap<String, String>,
        watch: &dyn BuildWatch,
    ) -> Result<(PathBuf, Result<(), StepFailure>), BuildError> {
        let paths = self.inputs(entry);
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let contents = self.repository.contents(sha, &paths)?;
        let manifest = format!("{:?}", (&entry.variant.build, &entry.runtime.build, &entry.variant.pass_env));
        let programs = format!(
            "{:?}",
            used_versions(&[&entry.variant.build, &entry.runtime.build], &entry.runtime.start, versions)
        );
        let key = &hash([contents.as_bytes(), manifest.as_bytes(), programs.as_bytes()])[..16];
        let references = self.directory.join("refs");
        let root = references.join(key);
        let marker = references.join(format!("{key}.json"));
        let directory = normal(&root.join(&self.configuration).join(&entry.variant.directory));
        let mut done = StepsDone::read(&marker);
        if done.sha.is_none() || !directory.exists() {
            let _ = fs::remove_dir_all(&root);
            fs::create_dir_all(&references).map_err(|source| disk("create", &references, source))?;
            self.repository.export(sha, &paths, &root)?;
            // An empty list of files leaves no directory behind.
            fs::create_dir_all(&directory).map_err(|source| disk("create", &directory, source))?;
            done = StepsDone { sha: Some(sha.clone()), steps: BTreeMap::new() };
            done.write(&marker)?;
        }
        let environment = self.environment(entry, false)?;
        let mut work = SideWork { workshop: self, side: None, marker, done, left: limit, watch };
        let name = entry.variant.name.as_str();
        let mut outcome = work.steps(name, name, &entry.variant.build, &directory, &environment, versions)?;
        if outcome.is_ok() {
            let step = format!("runtime {}", entry.name);
            let steps = &entry.runtime.build;
            outcome = work.steps(&step, entry.name.as_str(), steps, &directory, &environment, versions)?;
        }
        Ok((directory, outcome))
    }

    /// What `entry` is built from, relative to the repository's root.
    pub fn inputs(&self, entry: &Entry) -> Vec<PathBuf> {
        let directory = self.configuration.join(&entry.variant.directory);
        entry.variant.inputs.iter().map(|input| normal(&directory.join(input))).collect()
    }

    fn marker(&self, side: Side) -> PathBuf {
        self.directory.join(format!("{side}.json"))
    }
}

/// One side's steps, or one reference's, as they are done.
struct SideWork<'w, 'a> {
    workshop: &'w Workshop<'a>,
    side: Option<Side>,
    marker: PathBuf,
    done: StepsDone,
    left: Duration,
    watch: &'w dyn BuildWatch,
}

impl SideWork<'_, '_> {
    fn steps(
        &mut self,
        step: &str,
        what: &str,
        commands: &[CommandLine],
        directory: &Path,
        environment: &Environment,
        versions: &BTreeMap<String, String>,
    ) -> Result<Result<(), StepFailure>, BuildError> {
        if commands.is_empty() {
            return Ok(Ok(()));
        }
        let programs = used_versions(&[commands], &[], versions);
        let key = hash([format!("{commands:?} {programs:?} {:?}", environment.variables()).as_bytes()]);
        if self.done.steps.get(step) == Some(&key) {
            return Ok(Ok(()));
        }
        let place = self.side.map_or("reference", Side::as_str);
        let log = self.workshop.logs.join(format!("build-{place}-{}.log", what.replace('@', "-")));
        let _ = fs::remove_file(&log);
        let job = Job {
            supervisor: self.workshop.supervisor,
            cancel: &self.workshop.cancel,
            log: &log,
            directory,
            environment,
            cpus: &[],
            limit: "what was left of [build] time_limit",
        };
        for command in commands {
            self.watch.step(self.side, what, &command.0.join(" "));
            match job.run(command, self.left)? {
                Ok(time) => self.left = self.left.saturating_sub(time),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        self.done.steps.insert(step.to_owned(), key);
        self.done.write(&self.marker)?;
        Ok(Ok(()))
    }
}

/// The versions of the programs that these commands name.
fn used_versions<'v>(
    commands: &[&[CommandLine]],
    start: &[String],
    versions: &'v BTreeMap<String, String>,
) -> BTreeMap<&'v str, &'v str> {
    let programs = commands.iter().copied().flatten().filter_map(|command| command.0.first());
    let named = programs.chain(start.first()).filter_map(|program| versions.get_key_value(program));
    named.map(|(program, version)| (program.as_str(), version.as_str())).collect()
}

/// A path without `.` and `..`, by its text.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The hexadecimal SHA-256 of `parts`, each with its length, so that no two lists share one.
fn hash<const N: usize>(parts: [&[u8]; N]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

pub(super) fn disk(what: &'static str, path: &Path, source: std::io::Error) -> BuildError {
    BuildError::Disk { what, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain() {
        for (path, plain) in [("bench/a/.", "bench/a"), ("bench/a/../../lib", "lib"), ("./x", "x"), ("a/./b/..", "a")] {
            assert_eq!(normal(Path::new(path)), Path::new(plain), "{path}");
        }
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(hash([b"ab", b"c"]), hash([b"a", b"bc"]));
        assert_eq!(hash([b""]).len(), 64);
    }
}
