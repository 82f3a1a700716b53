//! Short forms: a headline without Markdown, a verdict in a line, and what a check shows.

use super::broken;
use super::cells::Run;
use super::findings::findings;
use super::headline;
use super::label::Style;
use super::number;
use super::publication::{CheckOutput, Publication};
use super::render::{Format, ReportError, render_published};
use super::templates::TemplateOverrides;
use crate::model::{NotRacedReason, Results};
use crate::verdict::{Conclusion, RunOutcome, RunVerdict, outcome};

/// The most characters of a check's title.
const TITLE: usize = 120;
/// The most characters of a verdict in a line.
const LINE: usize = 160;

/// The headline as plain text of one line, for places that show no Markdown.
pub fn plain_headline(results: &Results, verdict: &RunVerdict) -> String {
    plain(&headline::headline(&Run::new(results, verdict), Style::Plain).join(" "))
}

/// Without the typography that Markdown shows well and a plain place may not.
fn plain(text: &str) -> String {
    text.replace(number::SPACE, " ").replace(['\u{2212}', '\u{2013}'], "-")
}

/// The verdict as one line of at most 160 characters, names in backticks: what a list of earlier verdicts shows.
pub fn short_verdict(results: &Results, verdict: &RunVerdict) -> String {
    within(results, verdict, Style::Markdown, LINE)
}

/// What a check shows, led by the reason for its conclusion.
///
/// # Errors
/// [`ReportError`] where a replaced template is wrong or too long.
pub fn check_output(
    results: &Results,
    verdict: &RunVerdict,
    conclusion: Conclusion,
    publication: Option<&Publication>,
    overrides: &TemplateOverrides,
) -> Result<CheckOutput, ReportError> {
    let text = render_published(results, verdict, publication, Format::Markdown, overrides)?;
    let title = within(results, verdict, Style::Plain, TITLE);
    Ok(CheckOutput { title, summary: format!("{}\n\n{text}", conclusion.why) })
}

/// The longest form of the verdict that fits.
fn within(results: &Results, verdict: &RunVerdict, style: Style, limit: usize) -> String {
    let run = Run::new(results, verdict);
    let forms = forms(&run, style).into_iter().map(|form| match style {
        Style::Plain => plain(&form),
        Style::Markdown => form.replace("**", ""),
    });
    forms.into_iter().find(|form| form.chars().count() <= limit).unwrap_or_default()
}

/// The verdict from long to short; the last has no name in it and always fits.
fn forms(run: &Run, style: Style) -> Vec<String> {
    let counts = run.verdict.counts;
    let ending = outcome(run.results, run.verdict);
    let mut forms = Vec::new();
    let fixed = match ending {
        RunOutcome::NotRaced(NotRacedReason::Mistakes) => "Nothing was raced: the benchmark's own files have mistakes",
        RunOutcome::NotRaced(_) => "Nothing was raced",
        RunOutcome::Quick => "A quick run: nothing is judged",
        RunOutcome::Standings => "Head's standings, without a comparison",
        RunOutcome::Unusable => "This run is unusable: the control moved",
        RunOutcome::BrokenBase => "Base does not build, start or answer",
        RunOutcome::BrokenHead => {
            let lines = broken::lines(run, style);
            if let Some(first) = lines.first() {
                forms.push(with_more(&first.headline, lines.len() - 1));
                forms.push(with_more(&first.headline, 0));
            }
            "Head fails where base does not"
        }
        RunOutcome::Regression | RunOutcome::Improvement => {
            let findings = findings(run);
            if let Some(first) = findings.first() {
                forms.push(with_more(&first.short(style), findings.len() - 1));
                forms.push(first.short(style));
            }
            let (what, figures) = match ending {
                RunOutcome::Regression => ("worse", counts.regressions),
                _ => ("better", counts.improvements),
            };
            forms.push(format!("Proved {what}: {}", number::count(figures, "figure", "figures")));
            return forms;
        }
        RunOutcome::MissingCells => {
            let missing = number::count(counts.unmeasured, "comparison", "comparisons");
            forms.push(format!("Not measured: {missing}"));
            return forms;
        }
        RunOutcome::Undecided => {
            let all = counts.improvements + counts.same + counts.undecided;
            let open =
                format!("{} of {}", number::grouped(counts.undecided), number::count(all, "comparison", "comparisons"));
            let are = if counts.undecided == 1 { "is" } else { "are" };
            let proved = if counts.improvements > 0 { "Nothing is proved worse" } else { "No difference proved" };
            forms.push(format!("{proved}; {open} {are} undecided"));
            return forms;
        }
        RunOutcome::Same => {
            let within = headline::within(run.judged());
            let all = number::count(counts.same, "comparison is", "comparisons are");
            forms.push(format!("A dead heat: {all} the same within {within}"));
            forms.push(format!("A dead heat: {all} the same"));
            return forms;
        }
    };
    forms.push(fixed.to_owned());
    forms
}

fn with_more(text: &str, more: usize) -> String {
    let text = text.replace("**", "");
    let text = text.trim_end_matches('.');
    if more == 0 { text.to_owned() } else { format!("{text}, and {} more", number::grouped(more)) }
}
