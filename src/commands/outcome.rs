//! How a command ends: its exit code, or an error with one.

use crate::race::Stop;
use std::process::ExitCode;

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Done.
    Done,
    /// A regression is proved, and the configuration lets that fail.
    Regression,
    /// The control moved: nothing is proved.
    Unusable,
}

impl From<Finish> for ExitCode {
    fn from(finish: Finish) -> Self {
        Self::from(match finish {
            Finish::Done => 0,
            Finish::Regression => 1,
            Finish::Unusable => 3,
        })
    }
}

/// Why a command could not do what it was asked. The text completes "failed to ..." or stands alone.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Mistakes in the user's files, rendered with their lines.
    #[error("{0}")]
    Mistakes(String),
    /// Something was asked that can't be done.
    #[error("{0}")]
    Usage(String),
    /// git, the disk, the machine.
    #[error("{0}")]
    Infrastructure(String),
    /// The user ended it; the text says how to go on.
    #[error("{0}")]
    Interrupted(String),
}

impl CommandError {
    /// An error that the user can't be blamed for.
    pub fn infrastructure(error: impl std::fmt::Display) -> Self {
        Self::Infrastructure(error.to_string())
    }

    /// An error in what was asked.
    pub fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// The exit code of design's list.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Mistakes(_) | Self::Usage(_) => 2,
            Self::Infrastructure(_) => 4,
            Self::Interrupted(_) => 130,
        })
    }
}

impl From<crate::build::GitError> for CommandError {
    fn from(error: crate::build::GitError) -> Self {
        match error {
            crate::build::GitError::Missing(_) => Self::infrastructure(error),
            _ => Self::usage(error),
        }
    }
}

impl From<crate::build::BuildError> for CommandError {
    fn from(error: crate::build::BuildError) -> Self {
        use crate::build::BuildError;
        match error {
            BuildError::Interrupted => Self::Interrupted("interrupted while building; nothing was measured".to_owned()),
            BuildError::Environment { .. } => Self::usage(error),
            other => Self::infrastructure(other),
        }
    }
}

/// The error of a race that can't go on.
pub(super) fn stopped(stop: Stop, kept: Option<&str>) -> CommandError {
    match (stop, kept) {
        (Stop::Interrupted, Some(kept)) => {
            CommandError::Interrupted(format!("interrupted; {kept}. Go on with the same command and --resume"))
        }
        (Stop::Interrupted, None) => {
            CommandError::Interrupted("interrupted before the race; nothing was measured".to_owned())
        }
        (Stop::Broken(reason), Some(kept)) => {
            CommandError::Infrastructure(format!("{reason}; {kept}. Go on with the same command and --resume"))
        }
        (Stop::Broken(reason), None) => CommandError::Infrastructure(reason),
    }
}
