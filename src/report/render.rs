//! From results to a text: the entry of the room.

use super::cells::Run;
use super::fit;
use super::page::NoPage;
use super::publication::Publication;
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
    /// The results are of a kind of which there is no page.
    #[error("failed to render a page: {0}")]
    NoPage(#[from] NoPage),
    /// A machine-readable form, or a chart, could not be written.
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
    render_published(results, verdict, None, format, overrides)
}

/// Writes `results`, judged already, as `format`, with what its publisher knows besides. The machine-readable forms hold
/// nothing of it.
///
/// # Errors
/// [`ReportError`] where a replaced template is wrong or too long.
pub fn render_published(
    results: &Results,
    verdict: &RunVerdict,
    publication: Option<&Publication>,
    format: Format,
    overrides: &TemplateOverrides,
) -> Result<String, ReportError> {
    let run = Run::new(results, verdict).published(publication);
    let filled = |form| fit::render(&run, &Templates::new(overrides)?, form);
    match format {
        Format::Markdown => filled(fit::COMMENT_FORM),
        Format::Summary => filled(fit::SUMMARY_FORM),
        Format::Json => interface::render(&run),
        Format::Csv => rows::render(&run),
    }
}

/// The comment on a commit that was pushed and is proved worse: what changed and where it ran, nothing else.
///
/// # Errors
/// [`ReportError`] where a replaced template is wrong or too long.
pub fn commit_comment(
    results: &Results,
    verdict: &RunVerdict,
    publication: Option<&Publication>,
    overrides: &TemplateOverrides,
) -> Result<String, ReportError> {
    let run = Run::new(results, verdict).published(publication);
    fit::render(&run, &Templates::new(overrides)?, fit::COMMIT_FORM)
}
