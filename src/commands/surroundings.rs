//! What a command finds around it: where to write, what to show, where it runs.

use crate::cli::{ColorChoice, GlobalArgs, ProgressChoice};
use crate::process::CancelFlag;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// The surroundings of a command.
pub struct Surroundings {
    /// Results go here.
    pub stdout: Box<dyn Write>,
    /// The directory to work in.
    pub directory: PathBuf,
    /// The configuration that was named.
    pub configuration: Option<PathBuf>,
    /// deadheat's own executable.
    pub binary: PathBuf,
    /// deadheat's own environment.
    pub environment: BTreeMap<String, String>,
    /// Set by Ctrl-C and by SIGTERM.
    pub cancel: CancelFlag,
    /// What is shown on standard error.
    pub show: Show,
    /// Whether texts for people are coloured.
    pub color: bool,
}

/// How much is shown on standard error, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Bars, lines, or nothing.
    pub progress: Progress,
    /// Every build step and turn.
    pub verbose: bool,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Bars.
    Bars,
    /// Plain lines.
    Lines,
    /// Nothing.
    Nothing,
}

impl Surroundings {
    /// The surroundings of this process.
    ///
    /// # Errors
    /// A sentence where the executable or the directory can't be found.
    pub fn of_process(global: &GlobalArgs, cancel: CancelFlag) -> Result<Self, String> {
        let current =
            std::env::current_dir().map_err(|error| format!("failed to find the current directory: {error}"))?;
        let directory = global.directory.as_ref().map_or(current.clone(), |directory| current.join(directory));
        let binary =
            std::env::current_exe().map_err(|error| format!("failed to find deadheat's own executable: {error}"))?;
        let environment = crate::process::parent_environment();
        let terminal = std::io::stderr().is_terminal();
        let progress = match global.progress {
            _ if global.quiet => Progress::Nothing,
            ProgressChoice::None => Progress::Nothing,
            ProgressChoice::Auto if terminal => Progress::Bars,
            ProgressChoice::Auto | ProgressChoice::Plain => Progress::Lines,
        };
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && environment.get("NO_COLOR").is_none_or(String::is_empty),
        };
        Ok(Self {
            stdout: Box::new(std::io::stdout()),
            directory,
            configuration: global.config.as_ref().map(|path| current.join(path)),
            binary,
            environment,
            cancel,
            show: Show { progress, verbose: global.verbose },
            color,
        })
    }

    /// Writes a result to standard output. A reader that has gone away is no error.
    ///
    /// # Errors
    /// A sentence where the system refuses.
    pub fn print(&mut self, text: &str) -> Result<(), super::CommandError> {
        match self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(super::CommandError::infrastructure(format!("failed to write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// The directory for work trees and cached builds of all repositories.
    pub fn cache(&self) -> PathBuf {
        let named = |name: &str| self.environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        named("XDG_CACHE_HOME")
            .or_else(|| named("HOME").map(|home| home.join(".cache")))
            .unwrap_or_else(std::env::temp_dir)
            .join("deadheat")
    }
}
