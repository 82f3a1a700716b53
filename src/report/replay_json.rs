//! The same for scripts. Fields are added, never renamed.

use super::render::ReportError;
use super::replay::{ReplayGroup, rules};
use crate::model::{CellKey, EntryName};
use crate::verdict::rivals::{Finding, Reason, Truth};
use serde::Serialize;

/// Version of this form; raised when a field changes its meaning.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    rules: Vec<RuleRow>,
    groups: Vec<GroupRow<'a>>,
}

#[derive(Serialize)]
struct RuleRow {
    id: &'static str,
    name: &'static str,
    source: &'static str,
    rule: &'static str,
}

#[derive(Serialize)]
struct GroupRow<'a> {
    /// `unchanged` or `slowed`; null where nothing is known.
    truth: Option<&'static str>,
    /// The entry whose scenario is slower; null for every entry's, or where none is.
    entry: Option<&'a str>,
    scenario: Option<&'a str>,
    percent: Option<f64>,
    /// In the order of `rules`.
    totals: Vec<Total>,
    runs: Vec<RunRow<'a>>,
}

/// A rule over the runs of a group.
#[derive(Serialize)]
struct Total {
    rule: &'static str,
    runs: usize,
    runs_with_a_flag: usize,
    /// Runs with a false flag; null where the truth is not known.
    false_alarms: Option<usize>,
    /// Runs in which the slower scenario is found; null where none is slower.
    found: Option<usize>,
    flags: usize,
    /// Flags that are false; null where the truth is not known.
    false_flags: Option<usize>,
    not_judged: usize,
}

#[derive(Serialize)]
struct RunRow<'a> {
    file: &'a str,
    /// Whether deadheat's controls held; where they did not, it flags nothing.
    usable: bool,
    comparisons: Vec<ComparisonRow<'a>>,
}

#[derive(Serialize)]
struct ComparisonRow<'a> {
    #[serde(flatten)]
    cell: &'a CellKey,
    rounds: usize,
    /// What each rule says, in the order of `rules`.
    findings: Vec<FindingRow>,
}

#[derive(Serialize)]
struct FindingRow {
    finding: &'static str,
    /// Why the rule can't judge it.
    reason: Option<Reason>,
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        let (finding, reason) = match finding {
            Finding::Worse => ("worse", None),
            Finding::Better => ("better", None),
            Finding::NotFlagged => ("not-flagged", None),
            Finding::CannotJudge(reason) => ("cannot-judge", Some(reason)),
        };
        Self { finding, reason }
    }
}

/// The document.
///
/// # Errors
/// [`ReportError`] where it can't be written.
pub fn replay_json(groups: &[ReplayGroup]) -> Result<String, ReportError> {
    let document = Document {
        schema: SCHEMA,
        rules: rules()
            .map(|rule| RuleRow { id: rule.id, name: rule.name, source: rule.source, rule: rule.rule })
            .collect(),
        groups: groups.iter().map(group_row).collect(),
    };
    serde_json::to_string_pretty(&document)
        .map(|text| text + "\n")
        .map_err(|error| ReportError::Write { format: "JSON", reason: error.to_string() })
}

fn group_row(group: &ReplayGroup) -> GroupRow<'_> {
    let slowed = match &group.truth {
        Some(Truth::Slowed(slowed)) => Some(slowed),
        _ => None,
    };
    let told = group.truth.is_some();
    let scores = group.scores();
    let totals = rules().enumerate().map(|(place, rule)| {
        let runs = || scores.iter().filter_map(|run| run.get(place));
        Total {
            rule: rule.id,
            runs: runs().count(),
            runs_with_a_flag: runs().filter(|score| score.flags > 0).count(),
            false_alarms: told.then(|| runs().filter(|score| score.false_flags > 0).count()),
            found: slowed.map(|_| runs().filter(|score| score.finds > 0).count()),
            flags: runs().map(|score| score.flags).sum(),
            false_flags: told.then(|| runs().map(|score| score.false_flags).sum()),
            not_judged: runs().map(|score| score.refused).sum(),
        }
    });
    let runs = group.runs.iter().map(|run| {
        let comparisons = run.replay.cells.iter().zip(&run.replay.rounds).enumerate();
        RunRow {
            file: &run.file,
            usable: run.replay.usable,
            comparisons: comparisons
                .map(|(place, (cell, &rounds))| ComparisonRow {
                    cell,
                    rounds,
                    findings: run
                        .replay
                        .rules
                        .iter()
                        .filter_map(|rule| Some((*rule.findings.get(place)?).into()))
                        .collect(),
                })
                .collect(),
        }
    });
    GroupRow {
        truth: group.truth.as_ref().map(|truth| if *truth == Truth::Unchanged { "unchanged" } else { "slowed" }),
        entry: slowed.and_then(|slowed| slowed.entry.as_ref()).map(EntryName::as_str),
        scenario: slowed.map(|slowed| slowed.scenario.as_str()),
        percent: group.percent,
        totals: totals.collect(),
        runs: runs.collect(),
    }
}
