//! What the tests of real processes share.

use deadheat::process::{Child, ChildSpec, Environment, Supervisor, parent_environment, tail};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longer than anything here takes: no test depends on how fast the machine is.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) fn supervisor() -> Supervisor {
    Supervisor::start(Path::new(env!("CARGO_BIN_EXE_deadheat"))).unwrap()
}

pub(crate) fn spec(folder: &Path, argv: &[&str]) -> ChildSpec {
    ChildSpec {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        cwd: folder.to_owned(),
        env: Environment::scrubbed(&parent_environment(), &[], &BTreeMap::new()).unwrap(),
        cpus: Vec::new(),
        log: folder.join("log"),
    }
}

pub(crate) fn shell(folder: &Path, script: &str) -> ChildSpec {
    spec(folder, &["sh", "-c", script])
}

pub(crate) fn until<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LONG;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for a line that the child prints.
pub(crate) fn printed(child: &Child, line: &str) {
    until(|| tail(child.log(), 100_000).unwrap().lines().any(|found| found == line).then_some(()));
}

/// Process numbers that a child has written into a file, once there are `count`.
pub(crate) fn pids_in(path: &Path, count: usize) -> Vec<u32> {
    until(|| {
        let text = std::fs::read_to_string(path).ok()?;
        let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (pids.len() == count && text.ends_with('\n')).then_some(pids)
    })
}

/// Alive, and no zombie that only waits for somebody else to reap it.
pub(crate) fn alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

pub(crate) fn all_gone(pids: &[u32]) {
    until(|| pids.iter().all(|&pid| !alive(pid)).then_some(()));
}
