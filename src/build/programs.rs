//! Versions of the programs that build and run variants.

use crate::plan::Entry;
use crate::process::{CancelFlag, ChildSpec, Environment, Supervisor};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// A program that knows its version says it within this.
const LIMIT: Duration = Duration::from_secs(20);

/// The first line that each program of `entries` prints for `--version`, by program; those found on PATH only, since the
/// others belong to a variant's own files. What does not answer is left out.
pub fn program_versions(
    supervisor: &Supervisor,
    entries: &[Entry],
    build: &[crate::plan::CommandLine],
    environment: &Environment,
    scratch: &Path,
    cancel: &CancelFlag,
) -> BTreeMap<String, String> {
    let builds = entries.iter().flat_map(|entry| entry.variant.build.iter().chain(&entry.runtime.build)).chain(build);
    let processes = entries.iter().filter_map(|entry| entry.variant.process.as_ref()?.start.first());
    let starts = entries.iter().filter_map(|entry| entry.runtime.start.first()).chain(processes);
    let programs: BTreeSet<&String> =
        builds.filter_map(|command| command.0.first()).chain(starts).filter(|program| !program.contains('/')).collect();
    let ask = Ask { supervisor, environment, scratch, cancel };
    let answered = programs.into_iter().filter_map(|program| Some((program.clone(), ask.version(program, scratch)?)));
    answered.collect()
}

/// The same of the runtimes that variants bring with them, by runtime, each asked once in the directory of one of its
/// entries. A program that is given nothing to run is no runtime but the server itself, which is not to be started here.
pub fn runtime_versions<'e>(
    supervisor: &Supervisor,
    built: impl Iterator<Item = (&'e Entry, &'e Path)>,
    environment: &Environment,
    scratch: &Path,
    cancel: &CancelFlag,
) -> BTreeMap<String, String> {
    let ask = Ask { supervisor, environment, scratch, cancel };
    let mut versions = BTreeMap::new();
    for (entry, directory) in built {
        let runtime = &entry.runtime;
        let [program, _, ..] = runtime.start.as_slice() else { continue };
        if !program.contains('/') || runtime.name.is_native() || versions.contains_key(runtime.name.as_str()) {
            continue;
        }
        versions.extend(ask.version(program, directory).map(|version| (runtime.name.to_string(), version)));
    }
    versions
}

/// How programs are asked.
struct Ask<'a> {
    supervisor: &'a Supervisor,
    environment: &'a Environment,
    scratch: &'a Path,
    cancel: &'a CancelFlag,
}

impl Ask<'_> {
    fn version(&self, program: &str, directory: &Path) -> Option<String> {
        let log = self.scratch.join("version.log");
        let _ = std::fs::remove_file(&log);
        let spec = ChildSpec {
            argv: vec![program.to_owned(), "--version".to_owned()],
            cwd: directory.to_owned(),
            env: self.environment.clone(),
            cpus: Vec::new(),
            log: log.clone(),
        };
        let finished = self.supervisor.run_to_end(&spec, LIMIT, self.cancel).ok()?;
        let _ = std::fs::remove_file(&log);
        let line = finished.output.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        line.filter(|_| finished.ending.success())
    }
}
