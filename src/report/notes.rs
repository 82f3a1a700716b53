//! What a reader should know besides the figures: cautions, failures with their outputs, observations.

use super::broken;
use super::cells::Run;
use super::disturbance;
use super::label::{self, Style};
use super::number;
use super::published;
use super::safe;
use crate::model::{Failure, Lineup, Metric, Presence, Side, SideRecord};
use crate::verdict::{ShiftDirection, SlotEffect};
use serde::Serialize;

/// How many lines a list may have.
const LINES: usize = 60;
/// How many failures are shown with their output, and how much of it.
const OUTPUTS: usize = 12;
const OUTPUT_CHARACTERS: usize = 2_000;
/// How many of the run's own warnings stand below the headline; the rest are listed further down.
const WARNINGS: usize = 6;

/// A failure for the list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FailureView {
    /// One line.
    pub(super) line: String,
    /// The tail of the output as a fenced block, or nothing.
    pub(super) output: String,
}

/// What changes the meaning of everything below and is therefore said right under the headline.
pub(super) fn cautions(run: &Run, style: Style) -> Vec<String> {
    let results = run.results;
    let mut cautions: Vec<String> = published::caution(run).into_iter().collect();
    cautions.extend(own_cautions(run, style));
    cautions.extend(results.warnings.iter().take(WARNINGS).map(|warning| safe::capitalized(&style.prose(warning))));
    if results.warnings.len() > WARNINGS {
        let more = number::count(results.warnings.len() - WARNINGS, "more warning", "more warnings");
        cautions.push(format!("And {more} below."));
    }
    cautions
}

/// Builds whose output has another size than on base. Files have no noise, so that any difference is one.
fn sizes(run: &Run, style: Style) -> Vec<String> {
    let sized = run.cells.iter().filter(|cell| cell.key.metric == Metric::OutputSize);
    let differing = sized.filter_map(|cell| {
        let (base, head) = (cell.base()?, cell.head()?);
        let change = number::signed_percent((head / base - 1.0) * 100.0);
        let [base, head] = [base, head].map(|bytes| number::value(Metric::OutputSize, bytes));
        let entry = style.name(cell.key.entry.as_str());
        let case = label::case_of_entry(cell.key, style);
        (base != head).then(|| format!("The output of {entry}{case} is {head} instead of {base} ({change})."))
    });
    differing.take(WARNINGS).collect()
}

/// The cautions that follow from the results, as opposed to the warnings that the race left in them.
fn own_cautions(run: &Run, style: Style) -> Vec<String> {
    let results = run.results;
    let mut cautions = Vec::new();
    cautions.extend(results.calibration.map(|made| match made.delay_ns {
        None => "A calibration: both sides are the same build.".to_owned(),
        Some(delay) => format!(
            "A calibration: both sides are the same build behind a pass-through, and head's burns {} of CPU time for \
             every request.",
            number::value(Metric::P50, delay as f64 / 1e3)
        ),
    }));
    if let Some(shift) = shift(run) {
        cautions.push(shift);
    }
    if let Some(slot) = run.verdict.slot.filter(|slot| slot.centre.abs() >= NOTICEABLE_SLOT && run.compares()) {
        cautions.push(format!(
            "Who goes second in a pair is {}. Both sides went first equally often, so that no difference comes from it, \
             but it makes the rounds noisier.",
            slot_text(&slot)
        ));
    }
    cautions.extend(disturbance::caution(run));
    let dirty = |side: Side, record: &SideRecord| {
        record.dirty.then(|| format!("The tree of {side} was dirty: what was raced is no commit."))
    };
    cautions.extend(results.base.as_ref().and_then(|base| dirty(Side::Base, base)));
    cautions.extend(dirty(Side::Head, &results.head));
    if run.judged().next().is_some() && run.compares() && !run.verdict.has_control && !results.quick {
        cautions.push("No control was raced, so nothing shows that the machine treats both sides alike.".to_owned());
    }
    cautions.extend(sizes(run, style));
    let edited: Vec<String> = results
        .entries
        .iter()
        .filter(|entry| entry.own_files_changed)
        .map(|entry| style.name(entry.name.as_str()))
        .collect();
    if run.compares() && !edited.is_empty() {
        let shown = edited.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = edited.len().saturating_sub(5);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        cautions.push(format!("The pull request changes the benchmark code itself of {shown}{rest}."));
    }
    cautions
}

/// From here on an effect of order is said right away and not only listed: 1 % in log units.
const NOTICEABLE_SLOT: f64 = 0.01;

/// `worse by 3.0 % (p = 0.0005 over 12 blocks of two rounds)`.
pub(super) fn slot_text(slot: &SlotEffect) -> String {
    let percent = number::percent(number::log_to_percent(slot.centre.abs()));
    let direction = if slot.centre > 0.0 { "worse" } else { "better" };
    let blocks = number::count(slot.blocks, "block of two rounds", "blocks of two rounds");
    format!("{direction} by {percent} (p = {:.4} over {blocks})", slot.p)
}

/// Whether the subjects as a whole lean to one side.
fn shift(run: &Run) -> Option<String> {
    let shift = run.verdict.shift.filter(|_| run.proves())?;
    let percent = number::percent(number::log_to_percent(shift.centre.abs()));
    let direction = if shift.direction == ShiftDirection::Worse { "worse" } else { "better" };
    Some(format!(
        "The whole run is shifted: taken together, head's figures are about {percent} {direction}, round after round \
         (p = {:.4}). A change that touches everything does that, and so does code layout.",
        shift.p,
    ))
}

/// Every warning as plain text, for files.
pub(super) fn all_warnings(run: &Run) -> Vec<String> {
    let mut warnings = own_cautions(run, Style::Plain);
    warnings.extend(run.results.warnings.iter().map(|warning| safe::line(warning, 1_000)));
    warnings
}

/// The warnings that found no room below the headline.
pub(super) fn further_warnings(run: &Run) -> Vec<String> {
    cap(run.results.warnings.iter().skip(WARNINGS).map(|warning| safe::sentence(warning)).collect())
}

/// What fails besides what the headline names.
pub(super) fn failing(run: &Run) -> Vec<String> {
    cap(broken::further(run))
}

/// The first failures of each kind, with their outputs, and how many others there were.
pub(super) fn failures(run: &Run) -> Vec<FailureView> {
    views(&run.results.failures.iter().collect::<Vec<_>>(), label::on)
}

/// Those that kept an entry of head out of the race before its first round.
pub(super) fn failures_of_head_before_the_race(run: &Run) -> Vec<FailureView> {
    let of_head = |failure: &&Failure| failure.round.is_none() && failure.side != Some(Side::Base);
    views(&run.results.failures.iter().filter(of_head).collect::<Vec<_>>(), |_| String::new())
}

fn views(failures: &[&Failure], on: fn(Option<Side>) -> String) -> Vec<FailureView> {
    let mut views: Vec<FailureView> = failures
        .iter()
        .take(LINES)
        .enumerate()
        .map(|(index, failure)| FailureView {
            line: failure_line(failure, on),
            output: match &failure.output {
                Some(output) if index < OUTPUTS && !output.trim().is_empty() => {
                    indent(&safe::fenced(output, OUTPUT_CHARACTERS))
                }
                _ => String::new(),
            },
        })
        .collect();
    if failures.len() > LINES {
        let more = number::count(failures.len() - LINES, "more failure", "more failures");
        views.push(FailureView { line: format!("and {more}."), output: String::new() });
    }
    views
}

/// A block inside a list item is indented by two.
fn indent(block: &str) -> String {
    block.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn failure_line(failure: &Failure, on: fn(Option<Side>) -> String) -> String {
    let round = failure.round.map_or_else(String::new, |round| format!(", round {}", u64::from(round) + 1));
    let scenario =
        failure.scenario.as_ref().map(|name| format!(" in {}", safe::code(name.as_str()))).unwrap_or_default();
    format!(
        "{} {}{scenario}{}{round}: {}",
        safe::code(failure.entry.as_str()),
        label::failure(failure.kind),
        on(failure.side),
        safe::prose(&failure.message),
    )
}

/// What was noticed though it was measured.
pub(super) fn observations(run: &Run) -> Vec<String> {
    let lines = run.results.observations.iter().map(|seen| {
        let times = if seen.times > 1 { format!(", {} times", seen.times) } else { String::new() };
        format!(
            "{} {} ({}{times}): {}",
            safe::code(seen.entry.as_str()),
            label::observation(seen.kind),
            seen.side,
            safe::ended(&safe::prose(&seen.message)),
        )
    });
    cap(lines.collect())
}

/// Entries that only one side has, or that take part in another way than a reader expects.
pub(super) fn lineup(run: &Run) -> Vec<String> {
    let lines = run.results.entries.iter().filter_map(|entry| {
        let name = safe::code(entry.name.as_str());
        match (entry.presence, entry.lineup) {
            (Presence::Gone, _) => Some(format!("{name} is gone: head no longer has it.")),
            (Presence::New, Lineup::Absent) => Some(format!("{name} is new and was not raced.")),
            (Presence::New, _) => Some(format!("{name} is new: there is no base to compare with.")),
            (Presence::Both, Lineup::Absent) => Some(format!("{name} was not raced.")),
            (Presence::Both, Lineup::Control) => {
                let still = if run.verdict.has_control && run.proves() { ", and it did not move" } else { "" };
                let what = entry.copy_of.as_ref().map_or_else(
                    || "one build raced against itself".to_owned(),
                    |of| format!("base's build of {} raced against a second copy of itself", safe::code(of.as_str())),
                );
                Some(format!("{name} is the control: {what}, so its true difference is zero{still}."))
            }
            (Presence::Both, Lineup::OneSided) if run.compares() => {
                Some(format!("{name} was raced on head alone, for the standings."))
            }
            (Presence::Both, _) => None,
        }
    });
    cap(lines.collect())
}

fn cap(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(format!("and {more} more."));
    }
    lines
}
