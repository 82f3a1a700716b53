//! From results to a text: the entry of the room.

use super::cells::Run;
use super::fit;
use super::headline;
use super::label::Style;
use super::templates::{TemplateOverrides, Templates};
use super::{interface, rows};
use crate::model::Results;
use crate::verdict::{self, RunVerdict};

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The comment of a pull request: GitHub's Markdown within 65,536 characters.
    Markdown,
    /// The summary of a job: the same with every figure, within 1 MiB.
    Summary,
    /// The stable interface for scripts.
    Json,
    /// One row per cell.
    Csv,
}

/// Why a report could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A template is wrong, or uses what does not exist.
    #[error("template `{name}`, line {line}: {reason}")]
    Template {
        /// The template.
        name: String,
        /// The line in it, counted from 1; 0 where it is not known.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A text was given for a template that does not exist.
    #[error("there is no template `{name}`; use one of {known}")]
    UnknownTemplate {
        /// The unknown name.
        name: String,
        /// The known ones.
        known: String,
    },
    /// A replaced template makes a text that is too long even with everything cut that may be.
    #[error("template `{template}` gives {length} characters where at most {limit} fit; shorten it")]
    TooLong {
        /// The template.
        template: String,
        /// The length of the shortest attempt.
        length: usize,
        /// What fits.
        limit: usize,
    },
    /// A machine-readable form could not be written.
    #[error("could not write {format}: {reason}")]
    Write {
        /// The form.
        format: &'static str,
        /// Why.
        reason: String,
    },
}

/// Judges `results` and writes them as `format`.
///
/// # Errors
/// [`ReportError`] where a replaced template is wrong or too long.
pub fn render(results: &Results, format: Format, overrides: &TemplateOverrides) -> Result<String, ReportError> {
    render_judged(results, &verdict::judge(results), format, overrides)
}

/// Writes `results`, judged already, as `format`.
///
/// # Errors
/// [`ReportError`] where a replaced template is wrong or too long.
pub fn render_judged(
    results: &Results,
    verdict: &RunVerdict,
    format: Format,
    overrides: &TemplateOverrides,
) -> Result<String, ReportError> {
    let run = Run::new(results, verdict);
    match format {
        Format::Markdown => fit::render(&run, &Templates::new(overrides)?, "comment", fit::COMMENT, false),
        Format::Summary => fit::render(&run, &Templates::new(overrides)?, "summary", fit::SUMMARY, true),
        Format::Json => interface::render(&run),
        Format::Csv => rows::render(&run),
    }
}

/// The headline as plain text of one line, for places that show no Markdown.
pub fn plain_headline(results: &Results, verdict: &RunVerdict) -> String {
    let text = headline::headline(&Run::new(results, verdict), Style::Plain).join(" ");
    text.replace(super::number::SPACE, " ").replace(['\u{2212}', '\u{2013}'], "-")
}
