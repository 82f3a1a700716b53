//! What a command finds around it: where to write, what to show, where it runs.

use super::log::Log;
use crate::cli::{Cli, ColorChoice, ProgressChoice};
use crate::github::in_actions;
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
    /// What is shown of the work.
    pub show: Show,
    /// Whether texts for people are coloured.
    pub color: bool,
}

/// How much is shown of the work, where, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Bars, lines, or nothing.
    pub progress: Progress,
    /// Every build step and turn.
    pub verbose: bool,
    /// Where it is shown.
    pub log: Log,
}

impl Show {
    /// What the command line and the environment ask for.
    pub fn asked(cli: &Cli, environment: &BTreeMap<String, String>) -> Self {
        let actions = in_actions(environment);
        let progress = match cli.global.progress {
            _ if cli.global.quiet => Progress::Nothing,
            ProgressChoice::None => Progress::Nothing,
            ProgressChoice::Auto if !actions && std::io::stderr().is_terminal() => Progress::Bars,
            ProgressChoice::Auto | ProgressChoice::Plain => Progress::Lines,
        };
        Self { progress, verbose: cli.global.verbose, log: Log::of(actions, cli.command.prints_document()) }
    }
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
    pub fn of_process(cli: &Cli, cancel: CancelFlag) -> Result<Self, String> {
        let global = &cli.global;
        let current =
            std::env::current_dir().map_err(|error| format!("failed to find the current directory: {error}"))?;
        let directory = global.directory.as_ref().map_or(current.clone(), |directory| current.join(directory));
        let binary =
            std::env::current_exe().map_err(|error| format!("failed to find deadheat's own executable: {error}"))?;
        let environment = crate::process::parent_environment();
        let color = match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let terminal = std::io::stderr().is_terminal();
                terminal && environment.get("NO_COLOR").is_none_or(String::is_empty)
            }
        };
        Ok(Self {
            stdout: Box::new(std::io::stdout()),
            directory,
            configuration: global.config.as_ref().map(|path| current.join(path)),
            binary,
            show: Show::asked(cli, &environment),
            environment,
            cancel,
            color,
        })
    }

    /// Prints a document for programs. In Actions no line of it is taken for a command.
    ///
    /// # Errors
    /// A sentence where the system refuses.
    pub fn print_json(&mut self, document: &str) -> Result<(), super::CommandError> {
        if self.show.log.is_actions() {
            self.print(&crate::github::json_for_log(document))
        } else {
            self.print(document)
        }
    }

    /// Prints a text for people. In Actions it goes to the log, where no line of it is taken for a command.
    ///
    /// # Errors
    /// A sentence where the system refuses.
    pub fn print_text(&mut self, title: &str, text: &str) -> Result<(), super::CommandError> {
        let log = self.show.log;
        if !log.is_actions() {
            return self.print(text);
        }
        log.open_group(title);
        log.write(text);
        log.close_group();
        Ok(())
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
