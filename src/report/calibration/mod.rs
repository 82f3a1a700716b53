//! What a calibration found: one document for scripts, and the page that says the same to people.
//!
//! Known limits: figures are of this machine, these entries and these rounds. The document's fields are added to, never
//! renamed; a figure that is no number is null.

mod describe;
mod document;
mod input;
mod known;
mod page;
mod sentences;

#[cfg(test)]
mod tests;

pub use describe::describe_calibration;
pub use document::{
    BudgetRow, Calibration, FlaggedCell, KnownMetric, KnownSlowdown, MachineFigures, NoiseRow, ProvableRow, Resampled,
    RoundsFigures,
};
pub use input::{BUDGETS_MIN, CalibrationInput, ProvableSlowdown, RoundPart, SlowedInput, rounds_held};
pub use page::calibration_page;
