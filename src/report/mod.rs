//! Views, templates and text plots. Pure: knows the model and the verdict.
//!
//! [`render()`] judges a run and writes it as a comment, a job summary, JSON or CSV. The Markdown forms are Handlebars
//! templates over views that hold finished texts only; every foreign text in them is safe before a template sees it.
//! Known limits: a label, message or output is shown up to a length, and lists up to a count, with the rest counted.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod broken;
mod calibration;
mod cells;
mod changed;
mod detail;
mod disturbance;
mod findings;
mod fit;
mod headline;
mod interface;
mod label;
mod matrix;
mod not_raced;
mod notes;
mod number;
mod outlook;
mod page;
mod plot;
mod publication;
mod published;
mod render;
mod replay;
mod replay_json;
mod reproduce;
mod rows;
mod safe;
mod setting;
mod short;
mod standings;
mod table;
mod templates;
mod view;

#[cfg(test)]
mod publication_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use calibration::{
    BUDGETS_MIN, BudgetRow, Calibration, CalibrationInput, FlaggedCell, KnownMetric, KnownSlowdown, MachineFigures,
    NoiseRow, ProvableRow, ProvableSlowdown, Resampled, RoundPart, RoundsFigures, SlowedInput, calibration_page,
    describe_calibration, rounds_held,
};
pub use number::{percent, signed_percent, small_percent, value};
pub use page::{NoPage, Page, Picture, page};
pub use publication::{BaseNote, CheckOutput, PastVerdict, Publication, TrendLine, WebAddress};
pub use render::{Format, ReportError, commit_comment, render, render_judged, render_published};
pub use replay::{ReplayGroup, ReplayedRun, replay_text};
pub use replay_json::replay_json;
pub use short::{check_output, plain_headline, short_verdict};
pub use templates::{TemplateOverrides, template_names};
