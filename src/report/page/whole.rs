//! From results to a page with its pictures.

use super::super::cells::Run;
use super::super::render::ReportError;
use super::super::templates::{TemplateOverrides, Templates};
use super::field::Field;
use super::view;
use crate::model::Results;
use crate::verdict::judge;

/// A picture beside a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The file's name.
    pub name: String,
    /// What it holds.
    pub svg: String,
}

/// A benchmark page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The text.
    pub markdown: String,
    /// The pictures that it links to, by names beside it.
    pub pictures: Vec<Picture>,
}

/// Why there is no page of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPage {
    /// A quick run.
    #[error("quick results prove nothing and don't enter it; run without --quick")]
    Quick,
    /// A calibration.
    #[error("these are results of a calibration, which races a build against itself; use those of `deadheat run`")]
    Calibration,
    /// Nothing was raced.
    #[error("nothing was raced, so there is nothing to show")]
    NotRaced,
    /// Everything failed.
    #[error("no entry gave a single figure; `deadheat report` without --format says what failed")]
    NoFigures,
}

/// Writes a benchmark page of `results`. Pictures are drawn where `stem` says how their files' names begin.
///
/// # Errors
/// [`ReportError::NoPage`] where results are of a kind that makes none, and where a replaced template is wrong.
pub fn page(results: &Results, stem: Option<&str>, overrides: &TemplateOverrides) -> Result<Page, ReportError> {
    let refused = match results {
        _ if results.quick => Some(NoPage::Quick),
        _ if results.calibration.is_some() => Some(NoPage::Calibration),
        _ if results.not_raced.is_some() => Some(NoPage::NotRaced),
        _ => None,
    };
    if let Some(reason) = refused {
        return Err(ReportError::NoPage(reason));
    }
    let verdict = judge(results);
    let run = Run::new(results, &verdict);
    let field = Field::new(&run);
    if field.heats.is_empty() {
        return Err(ReportError::NoPage(NoPage::NoFigures));
    }
    let (view, pictures) = view::view(&field, stem)?;
    let markdown = Templates::new(overrides)?.render("page", &view)?;
    Ok(Page { markdown, pictures })
}
