//! Where people read what a command does: standard error, or the log of a step of GitHub Actions.
//!
//! A runner reads the two streams of a step by themselves and obeys what looks like a command in either. All of a log is
//! therefore written to one of them, text at once and quoted, so that no line of it is obeyed.

use crate::github::{Annotation, end_group, group, quoted};
use std::io::Write;

/// Where people read what a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// Standard error, as it is.
    Plain,
    /// A runner's log, on standard output.
    Actions,
    /// A runner's log, on standard error: standard output is for a document.
    ActionsBeside,
}

impl Log {
    /// The log of a process in or outside Actions, whose standard output may be for a document.
    pub fn of(actions: bool, document: bool) -> Self {
        match (actions, document) {
            (false, _) => Self::Plain,
            (true, false) => Self::Actions,
            (true, true) => Self::ActionsBeside,
        }
    }

    /// Whether a runner reads it.
    pub fn is_actions(self) -> bool {
        self != Self::Plain
    }

    /// Writes text as lines of their own. Whoever reads may have gone away; that is no error.
    pub fn write(self, text: &str) {
        if self.is_actions() {
            self.bytes(quoted(text).as_bytes());
        } else {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            self.bytes(format!("{text}{end}").as_bytes());
        }
    }

    /// What follows belongs to a group, in a runner's log.
    pub fn open_group(self, title: &str) {
        self.command(&group(title));
    }

    /// The group is over.
    pub fn close_group(self) {
        self.command(end_group());
    }

    /// A message on the page of the run; nothing outside Actions.
    pub fn annotate(self, annotation: &Annotation) {
        self.command(&annotation.to_string());
    }

    fn command(self, line: &str) {
        if self.is_actions() {
            self.bytes(format!("{line}\n").as_bytes());
        }
    }

    /// One write, so that what two threads say at once does not mix.
    fn bytes(self, bytes: &[u8]) {
        // A reader that has gone away is no error.
        let _ = match self {
            Self::Actions => {
                let mut stream = std::io::stdout().lock();
                stream.write_all(bytes).and_then(|()| stream.flush())
            }
            Self::Plain | Self::ActionsBeside => std::io::stderr().lock().write_all(bytes),
        };
    }
}
