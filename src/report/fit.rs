//! Making a report fit: the least important part is cut, the text measured again, and what was cut is said.

use super::cells::Run;
use super::render::ReportError;
use super::templates::Templates;
use super::view::{Extent, changes, view};

/// What a text may measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The most that fits.
    pub(super) most: usize,
    /// How it is measured.
    pub(super) measure: fn(&str) -> usize,
    /// The bytes of the longest text that could still fit, to skip hopeless attempts.
    pub(super) bytes: usize,
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

/// GitHub takes 65,536 characters for a comment; whoever posts it leads it with two lines of markers.
pub(super) const COMMENT: Limit = Limit { most: 65_536 - 4_096, measure: utf16, bytes: 3 * 65_536 };
/// A step's summary holds 1 MiB.
pub(super) const SUMMARY: Limit = Limit { most: 1_048_576 - 8_192, measure: str::len, bytes: 1_048_576 };

/// A text to be made: its template, its limit, and how much of the figures it has room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// The template.
    pub(super) template: &'static str,
    /// What fits.
    pub(super) limit: Limit,
    /// Whether every figure is shown.
    pub(super) figures: bool,
}

/// The comment on a pull request.
pub(super) const COMMENT_FORM: Form = Form { template: "comment", limit: COMMENT, figures: false };
/// The summary of a job.
pub(super) const SUMMARY_FORM: Form = Form { template: "summary", limit: SUMMARY, figures: true };
/// The comment on a commit.
pub(super) const COMMIT_FORM: Form = Form { template: "commit", limit: COMMENT, figures: false };
/// From full to bare, each with what it leaves out. What only a publisher knows is short and goes last.
fn attempts(figures: bool) -> Vec<(Extent, &'static str)> {
    let full = Extent {
        outputs: true,
        figures,
        cells: true,
        standings: true,
        lists: true,
        changed: 200,
        history: super::published::PAST,
        trend: true,
    };
    let mut attempts = vec![(full, "")];
    if figures {
        attempts.push((Extent { figures: false, ..full }, "the table of every figure"));
    }
    let quiet = Extent { figures: false, outputs: false, ..full };
    attempts.push((quiet, "the outputs of what failed"));
    let short = Extent { cells: false, ..quiet };
    attempts.push((short, "the verdicts of all cells"));
    let bare = Extent { standings: false, ..short };
    attempts.push((bare, "the standings"));
    for changed in [100, 50, 25, 10] {
        attempts.push((Extent { changed, ..bare }, if changed == 100 { "rows of what changed" } else { "" }));
    }
    let terse = Extent { lists: false, changed: 10, ..bare };
    attempts.push((terse, "the lists of failures, observations and entries"));
    let untold = Extent { changed: 0, ..terse };
    attempts.push((untold, "the table of what changed"));
    let alone = Extent { history: 0, ..untold };
    attempts.push((alone, "earlier verdicts"));
    attempts.push((Extent { trend: false, ..alone }, "the trend"));
    attempts
}

/// Renders `run` in `form` with as much as fits.
pub(super) fn render(run: &Run, templates: &Templates, form: Form) -> Result<String, ReportError> {
    let Form { template, limit, figures } = form;
    let mut cuts: Vec<&str> = Vec::new();
    let mut measured = 0;
    let attempts = attempts(figures);
    let changes = changes(run);
    let mut view = view(run, &changes, attempts[0].0);
    for (extent, cut) in attempts {
        if !cut.is_empty() {
            cuts.push(cut);
        }
        view.reduce(&changes, extent);
        if !cuts.is_empty() {
            view.say_cut(format!(
                "Left out to fit: {}. `deadheat report` renders everything from the results file, for example with `--format json`.",
                cuts.join(", ")
            ));
        }
        if view.size() > limit.bytes {
            continue;
        }
        let text = templates.render(template, &view)?;
        measured = (limit.measure)(&text);
        if measured <= limit.most {
            return Ok(text);
        }
    }
    Err(ReportError::TooLong { template: template.to_owned(), length: measured, limit: limit.most })
}
