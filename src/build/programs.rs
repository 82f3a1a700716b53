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
    let starts = entries.iter().filter_map(|entry| entry.runtime.start.first());
    let programs: BTreeSet<&String> =
        builds.filter_map(|command| command.0.first()).chain(starts).filter(|program| !program.contains('/')).collect();
    let mut versions = BTreeMap::new();
    for program in programs {
        let log = scratch.join(format!("version-{program}.log"));
        let _ = std::fs::remove_file(&log);
        let spec = ChildSpec {
            argv: vec![program.clone(), "--version".to_owned()],
            cwd: scratch.to_owned(),
            env: environment.clone(),
            cpus: Vec::new(),
            log: log.clone(),
        };
        let Ok(finished) = supervisor.run_to_end(&spec, LIMIT, cancel) else { continue };
        let line = finished.output.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        if let Some(line) = line.filter(|_| finished.ending.success()) {
            versions.insert(program.clone(), line);
        }
        let _ = std::fs::remove_file(&log);
    }
    versions
}
