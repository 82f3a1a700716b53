//! What was published and what could not be: one failed step never keeps the next from being tried.

use crate::github::ApiError;

/// What was done, in order.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    lines: Vec<String>,
    failures: Vec<String>,
}

impl Ledger {
    /// Something that was done, or deliberately left.
    pub(super) fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Something that failed.
    pub(super) fn fail(&mut self, error: impl std::fmt::Display) {
        self.failures.push(error.to_string());
    }

    /// Keeps the failure of a step, and goes on.
    pub(super) fn keep<T>(&mut self, result: Result<T, ApiError>) -> Option<T> {
        result.map_err(|error| self.fail(error)).ok()
    }

    /// What was done, one line each.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// What failed.
    pub(super) fn failures(&self) -> &[String] {
        &self.failures
    }
}
