//! What can go wrong between deadheat, the guard and a child.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;

/// The guard process could not be started or is gone. Nothing can be started any more; nothing was left running.
#[derive(Clone, Debug, Error)]
pub enum GuardError {
    /// It could not be started.
    #[error("failed to start the guard process {binary}: {source}")]
    NotStarted {
        /// What was run.
        binary: PathBuf,
        /// Why it failed.
        source: Arc<io::Error>,
    },
    /// What was started is no guard.
    #[error("failed to start the guard process {binary}: it did not answer as a guard does ({answer})")]
    NoGuard {
        /// What was run.
        binary: PathBuf,
        /// What came instead.
        answer: String,
    },
    /// It ended while it was needed.
    #[error("failed to reach the guard process: it has ended, and all that it had started was killed; run again")]
    Gone,
    /// It did not answer.
    #[error("failed to reach the guard process: no answer within {seconds} s; the machine may be out of memory")]
    Silent {
        /// How long was waited.
        seconds: u64,
    },
}

/// A child could not be started.
#[derive(Clone, Debug, Error)]
pub enum SpawnError {
    /// There is no such program.
    #[error(
        "failed to start {program}: there is no such program on the child's PATH or in its directory; install it or correct the command"
    )]
    ProgramNotFound {
        /// The first word of the command.
        program: String,
    },
    /// The file is there, but not what its first line names.
    #[error("failed to start {program}: the interpreter that its first line names does not exist")]
    InterpreterNotFound {
        /// The first word of the command.
        program: String,
    },
    /// It is a directory, or not marked as executable.
    #[error("failed to start {program}: it is not executable; set its x bit or name its interpreter")]
    NotExecutable {
        /// The first word of the command.
        program: String,
    },
    /// The directory to start it in is missing.
    #[error("failed to start the command: {detail}")]
    DirectoryMissing {
        /// Which one.
        detail: String,
    },
    /// Its log can't be written.
    #[error("failed to open the log of a child: {detail}")]
    Log {
        /// Which one, and why.
        detail: String,
    },
    /// A path can't be handed to the guard.
    #[error("failed to start the command: the path {path} is not valid Unicode; move the repository elsewhere")]
    NotUnicode {
        /// The path.
        path: PathBuf,
    },
    /// Something else.
    #[error("failed to start the command: {detail}")]
    Other {
        /// What the system says.
        detail: String,
    },
    /// The guard is gone.
    #[error(transparent)]
    Guard(#[from] GuardError),
}
