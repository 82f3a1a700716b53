//! What deadheat and the guard say to each other: one JSON document a line.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The variable that marks every process of a child, so that an orphan can be told from another child's.
pub(super) const MARKER: &str = "DEADHEAT_CHILD";

/// From deadheat to the guard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum WireRequest {
    /// Start a program in a group of its own.
    Spawn(WireSpawn),
    /// End a child and all that came from it.
    Stop {
        /// The child.
        id: u64,
        /// Between SIGTERM and SIGKILL; 0 kills at once.
        grace_ms: u64,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireSpawn {
    /// Chosen by deadheat, never used twice.
    pub(super) id: u64,
    /// The value of [`MARKER`], unique on the machine.
    pub(super) marker: String,
    pub(super) argv: Vec<String>,
    pub(super) cwd: String,
    /// The whole environment; the guard adds only the marker.
    pub(super) env: BTreeMap<String, String>,
    /// CPUs; empty for those that the guard itself started with.
    pub(super) cpus: Vec<usize>,
    /// Where standard output and error are appended.
    pub(super) log: String,
}

/// From the guard to deadheat. Times are nanoseconds of `CLOCK_MONOTONIC`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum WireAnswer {
    /// The guard is subreaper and listens.
    Ready { pid: u32 },
    /// A program was started.
    Spawned {
        id: u64,
        pid: u32,
        /// The kernel's start time of the process, in clock ticks: tells it from a later one of the same number.
        started: u64,
        /// Just before it was spawned.
        at: u64,
        /// Why the kernel refused the CPUs that were asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinning_refused: Option<String>,
    },
    /// A program could not be started.
    SpawnFailed { id: u64, reason: WireSpawnFailure, text: String },
    /// A child's first process ended; others of its tree may be alive.
    Exited { id: u64, exit: WireExit },
    /// Nothing of a child is alive any more, unless `survivors` says so.
    Stopped {
        id: u64,
        /// Its first process did not end within the grace.
        killed: bool,
        /// Other processes that had left the group, or had to be killed though the first had ended.
        left_behind: u32,
        /// Processes that even SIGKILL did not end.
        survivors: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<WireExit>,
        /// CPU time of all that the guard has reaped so far, and of what they waited for, in nanoseconds.
        reaped_cpu: u64,
        /// Largest resident set of any of them, in bytes.
        largest_rss: u64,
    },
    /// There is no such child.
    Unknown { id: u64 },
    /// A line that the guard could not read.
    BadRequest { text: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WireSpawnFailure {
    ProgramNotFound,
    InterpreterNotFound,
    NotExecutable,
    DirectoryMissing,
    LogUnwritable,
    Other,
}

/// How a child's first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireExit {
    /// The exit code, unless a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signal: Option<i32>,
    /// When the guard reaped it.
    pub(super) at: u64,
    /// CPU time of it and of the descendants it waited for, in nanoseconds (to the microsecond).
    pub(super) cpu: u64,
    /// Largest resident set, in bytes, of any process that this guard has reaped so far.
    pub(super) largest_rss: u64,
}

/// The line that carries `message`.
pub(super) fn line<T: Serialize>(message: &T) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_is_one_line_whatever_it_carries() {
        let request = WireRequest::Spawn(WireSpawn {
            id: 7,
            marker: "run-7".to_owned(),
            argv: vec!["sh".to_owned(), "-c".to_owned(), "echo 'a\nb'".to_owned()],
            cwd: "/tmp/with \"quotes\"".to_owned(),
            env: BTreeMap::from([("A".to_owned(), "ä\n=".to_owned())]),
            cpus: vec![0, 3],
            log: "/tmp/log".to_owned(),
        });
        let line = line(&request).unwrap();
        assert_eq!(line.iter().position(|&byte| byte == b'\n'), Some(line.len() - 1));
        assert_eq!(serde_json::from_slice::<WireRequest>(&line).unwrap(), request);
    }

    proptest! {
        #[test]
        fn reading_a_line_never_panics(text in ".*") {
            let _ = serde_json::from_str::<WireRequest>(&text);
            let _ = serde_json::from_str::<WireAnswer>(&text);
        }
    }
}
