//! The files through which a step gives its outputs and its summary to the runner.

use super::random;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Appends outputs of the step, by name, to the runner's file. A value ends at a line that nobody can foretell.
///
/// # Errors
/// The system's, and that it has no random numbers.
pub fn append_outputs(file: &Path, outputs: &[(&str, String)]) -> io::Result<()> {
    let mut text = String::new();
    for (name, value) in outputs {
        let word = random::word().ok_or_else(|| io::Error::other("the system has no random numbers"))?;
        text.extend([name, "<<deadheat_", &word, "\n", value, "\ndeadheat_", &word, "\n"]);
    }
    append(file, &text)
}

/// Appends Markdown to the job's summary.
///
/// # Errors
/// The system's.
pub fn append_summary(file: &Path, markdown: &str) -> io::Result<()> {
    let end = if markdown.ends_with('\n') { "" } else { "\n" };
    append(file, &format!("{markdown}{end}"))
}

fn append(file: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(text.as_bytes())
}
