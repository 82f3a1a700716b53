//! How a command ends: its exit code, or an error with one.

use crate::github::{Annotation, AnnotationLevel};
use crate::plan::Mistakes;
use crate::race::Stop;
use crate::verdict::RunOutcome;
use std::path::Path;
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

impl Finish {
    /// How a run that ended like this ends the command.
    pub(super) fn of(outcome: RunOutcome, fail_on_regression: bool, accepted: bool) -> Self {
        match outcome {
            RunOutcome::Unusable => Self::Unusable,
            outcome if outcome.fails(fail_on_regression, accepted) => Self::Regression,
            _ => Self::Done,
        }
    }
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
    /// Mistakes in the user's files.
    #[error("{}", .0.rendered)]
    Mistakes(RenderedMistakes),
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

/// The most mistakes that are shown in the files themselves; a runner drops what is more than it likes anyway.
const MOST_ANNOTATED: usize = 50;

/// Mistakes in the user's files, with their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedMistakes {
    /// For people who look at a terminal.
    pub rendered: String,
    /// The same without colour.
    pub plain: String,
    /// For people who look at the files of a pull request.
    pub annotations: Vec<Annotation>,
}

impl RenderedMistakes {
    /// Renders them. `directory` is that of `deadheat.toml`, relative to the repository's root.
    pub(super) fn new(mistakes: &Mistakes, directory: &Path, color: bool) -> Self {
        let annotations = mistakes.iter().take(MOST_ANNOTATED).map(|mistake| {
            let label = if mistake.label.is_empty() { String::new() } else { format!(": {}", mistake.label) };
            let help = mistake.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            let (line, column) = mistakes.position(&mistake.place);
            Annotation {
                level: AnnotationLevel::Error,
                title: "deadheat".to_owned(),
                message: format!("{}{label}{help}", mistake.message),
                place: Some((directory.join(&mistake.place.file).display().to_string(), line, column)),
            }
        });
        Self { rendered: mistakes.render(color), plain: mistakes.render(false), annotations: annotations.collect() }
    }
}

impl CommandError {
    /// Mistakes in files that `directory` holds, as [`RenderedMistakes::new`] wants it.
    pub(super) fn mistakes(mistakes: &Mistakes, directory: &Path, color: bool) -> Self {
        Self::Mistakes(RenderedMistakes::new(mistakes, directory, color))
    }

    /// What is wrong with what the user wrote or asked; none where the user can't be blamed.
    pub(super) fn blame(&self) -> Option<&str> {
        match self {
            Self::Mistakes(mistakes) => Some(&mistakes.plain),
            Self::Usage(message) => Some(message),
            Self::Infrastructure(_) | Self::Interrupted(_) => None,
        }
    }

    /// Tells it where people look.
    pub fn tell(&self, log: super::Log) {
        match self {
            Self::Mistakes(mistakes) => {
                log.write(&mistakes.rendered);
                mistakes.annotations.iter().for_each(|annotation| log.annotate(annotation));
            }
            // A runner shows an annotation in the log as well.
            other if log.is_actions() => log.annotate(&Annotation {
                level: AnnotationLevel::Error,
                title: "deadheat".to_owned(),
                message: other.to_string(),
                place: None,
            }),
            other => log.write(&format!("deadheat: {other}")),
        }
    }

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
        use crate::build::GitError;
        match error {
            GitError::Missing(_) | GitError::NotFetched { .. } => Self::infrastructure(error),
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
