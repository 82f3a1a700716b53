//! What can be wrong with what Actions says.

use std::path::PathBuf;

/// Why an event is not understood.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// A variable that Actions always sets is missing.
    #[error("failed to read the environment of the workflow: {0} is not set; GitHub Actions sets it in every step")]
    MissingVariable(&'static str),
    /// A variable holds something unexpected.
    #[error("failed to read the environment of the workflow: {name} is `{value}`, where {expected} was expected")]
    BadVariable {
        /// Its name.
        name: &'static str,
        /// What it holds.
        value: String,
        /// What would be right.
        expected: &'static str,
    },
    /// The payload can't be read.
    #[error("failed to read the event's payload {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words, or the limit that was passed.
        reason: String,
    },
    /// The payload lacks what is needed.
    #[error("failed to understand the payload of the event {event}: {reason}")]
    Payload {
        /// The event.
        event: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// Inputs of a dispatch that can't be used, each with what is wrong.
    #[error("failed to use the inputs of the workflow: {}", .0.join("; "))]
    Inputs(Vec<String>),
}
