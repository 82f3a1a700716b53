//! What is said to the runner of GitHub Actions: commands in the log, and the files of outputs and of the summary.
//!
//! A runner obeys what it reads in the log: `::command::` at the start of a line, after spaces too, and `##[command]`
//! anywhere in one. Text of others therefore reaches the log by [`quoted()`] alone, and a command carries it escaped.
//! Known limit: the runner reads a step's two streams by themselves, so whoever quotes must write to one of them only.

mod command;
mod files;
mod quoted;
mod random;

#[cfg(test)]
mod runner;
#[cfg(test)]
mod tests;

pub use command::{Annotation, AnnotationLevel, end_group, group};
pub use files::{append_outputs, append_summary};
pub use quoted::{json_for_log, quoted};
