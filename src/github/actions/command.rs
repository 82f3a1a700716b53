//! Commands in the log, as lines that hold nothing but what deadheat means.

use std::fmt;

/// How loud an annotation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationLevel {
    /// Worth knowing.
    Notice,
    /// Worth a look.
    Warning,
    /// What went wrong.
    Error,
}

impl AnnotationLevel {
    /// The command's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A message that is shown on the run's page and, where it names a line, in the pull request's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// How loud.
    pub level: AnnotationLevel,
    /// What stands above the message.
    pub title: String,
    /// The message.
    pub message: String,
    /// The file, relative to the repository's root, with a line and a column of it, both counted from 1.
    pub place: Option<(String, usize, usize)>,
}

impl fmt::Display for Annotation {
    /// The command, on one line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "::{} title={}", self.level.as_str(), property(&self.title))?;
        if let Some((file, line, column)) = &self.place {
            write!(f, ",file={},line={line},col={column}", property(file))?;
        }
        write!(f, "::{}", data(&self.message))
    }
}

/// The line that opens a group.
pub fn group(title: &str) -> String {
    format!("::group::{}", data(title))
}

/// The line that closes the open group.
pub fn end_group() -> &'static str {
    "::endgroup::"
}

/// Text after a command: it ends with the line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value inside a command: commas and colons end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
