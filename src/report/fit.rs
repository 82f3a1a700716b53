//! Making a report fit: the least important part is cut, the text measured again, and what was cut is said.

use super::cells::Run;
use super::render::ReportError;
use super::templates::Templates;
use super::view::{Extent, view};

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

/// GitHub takes 65,536 characters for a comment; whoever posts it adds a marker and a link of his own.
pub(super) const COMMENT: Limit =
    Limit { most: 65_536 - 1_536, measure: |text| text.encode_utf16().count(), bytes: 3 * 65_536 };
/// A step's summary holds 1 MiB.
pub(super) const SUMMARY: Limit = Limit { most: 1_048_576 - 8_192, measure: str::len, bytes: 1_048_576 };

/// From full to bare, each with what it leaves out.
fn attempts(figures: bool) -> Vec<(Extent, &'static str)> {
    let full = Extent { outputs: true, figures, cells: true, standings: true, lists: true, changed: 200 };
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
    attempts.push((Extent { lists: false, changed: 10, ..bare }, "the lists of failures, observations and entries"));
    attempts.push((Extent { lists: false, changed: 0, ..bare }, "the table of what changed"));
    attempts
}

/// Renders `template` with as much as fits.
pub(super) fn render(
    run: &Run,
    templates: &Templates,
    template: &str,
    limit: Limit,
    figures: bool,
) -> Result<String, ReportError> {
    let mut cuts: Vec<&str> = Vec::new();
    let mut measured = 0;
    for (extent, cut) in attempts(figures) {
        if !cut.is_empty() {
            cuts.push(cut);
        }
        let mut view = view(run, extent, !figures);
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
