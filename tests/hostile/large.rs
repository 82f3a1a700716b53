//! As much as a results file may hold: what is published fits, nothing in it is cut in half, and it is made in time.

use super::page::outline;
use deadheat::model::*;
use deadheat::report::{
    Format, TemplateOverrides, check_output, commit_comment, plain_headline, render_judged, short_verdict,
};
use deadheat::verdict::{conclusion, judge, outcome};

const METRICS: [Metric; 5] = [Metric::Rps, Metric::P50, Metric::P99, Metric::CpuPerRequest, Metric::LoadedMemory];
/// A label as long as a report shows one, of characters of which each takes three bytes and each would break something.
const LONG: &str = "漢|`<b>@octocat #1 [l](http://e.example)";

/// A run of `entries` x `scenarios` x five metrics, each with `rounds` rounds that prove a change.
fn run_of(entries: usize, scenarios: usize, rounds: u32) -> Results {
    let mut run: Results = serde_json::from_str(include_str!("../../fixtures/results/failing.json")).unwrap();
    let entry = run.entries[0].clone();
    run.failures.clear();
    run.observations.clear();
    run.gate.clear();
    run.attempts.clear();
    // 64 characters are the most that a name may have.
    let name = |kind: &str, number: usize| format!("{number:04}-{kind}-{}", "x".repeat(52));
    run.entries = (0..entries)
        .map(|number| EntryRecord {
            name: EntryName::new(format!("{}@{}", name("entry", number), name("rt", 1))).unwrap(),
            label: LONG.repeat(20),
            about: (0..20).map(|column| (format!("{column}{LONG}"), LONG.repeat(9))).collect(),
            versions: (0..20).map(|package| (format!("{package}{LONG}"), LONG.repeat(9))).collect(),
            own_files_changed: true,
            ..entry.clone()
        })
        .collect();
    let scenario = |number| ScenarioName::new(name("case", number)).unwrap();
    let mut cells = Vec::new();
    for entry in &run.entries {
        for number in 0..scenarios {
            for metric in METRICS {
                let case = Case::Scenario(scenario(number));
                let key = CellKey { entry: entry.name.clone(), regime: None, suite: Suite::Http, case, metric };
                let values = (0..rounds).map(|round| {
                    let ratio = -0.2 + f64::from(round * 7 % 12) / 1e3;
                    RoundValue { round, base: Some(1e4), head: Some(1e4 * ratio.exp()), log_ratio: Some(ratio) }
                });
                cells.push(CellRecord { key, standing: Standing::Judged, rounds: values.collect() });
            }
        }
    }
    run.cells = cells;
    run.warnings = vec![LONG.repeat(100); 1_000];
    run
}

fn failure(entry: &EntryName, scenario: Option<ScenarioName>, text: &str) -> Failure {
    Failure {
        round: None,
        entry: entry.clone(),
        side: Some(Side::Head),
        scenario,
        phase: Phase::Load,
        kind: FailureKind::WrongAnswer,
        message: text.to_owned(),
        output: Some(text.to_owned()),
    }
}

/// Renders everything that is published, holds it against its limits, and gives the comment.
fn published(run: &Results) -> String {
    let verdict = judge(run);
    let overrides = TemplateOverrides::new();
    let render = |format| render_judged(run, &verdict, format, &overrides).unwrap();
    let (comment, summary) = (render(Format::Markdown), render(Format::Summary));
    let check = conclusion(outcome(run, &verdict), true, false, false);
    let check = check_output(run, &verdict, check, None, &overrides).unwrap();
    let commit = commit_comment(run, &verdict, None, &overrides).unwrap();
    // Characters as GitHub counts them, with room for what a publisher puts before a comment.
    let length = |text: &str| text.encode_utf16().count();
    assert!(length(&comment) <= 65_536 - 4_096, "{}", length(&comment));
    assert!(length(&commit) <= 65_536 - 4_096, "{}", length(&commit));
    assert!(length(&check.summary) <= 65_535, "{}", length(&check.summary));
    assert!(summary.len() <= 1 << 20, "{}", summary.len());
    for text in [&comment, &summary, &check.summary, &commit] {
        outline(text, &[]);
    }
    for line in [check.title, plain_headline(run, &verdict), short_verdict(run, &verdict)] {
        assert!(!line.contains(char::is_control) && line.len() < 10_000, "{line}");
    }
    comment
}

#[test]
fn four_hundred_variants_of_thirty_metrics_fit() {
    let mut run = run_of(400, 6, 12);
    assert_eq!(run.cells.len(), 12_000);
    for number in 0..3_000 {
        run.failures.push(failure(&run.entries[number % 400].name, None, &LONG.repeat(200)));
    }
    let comment = published(&run);
    assert!(comment.contains("Left out to fit: ") && comment.contains("Run it again: "));
    // A run of some that fits as a whole is not cut.
    let mut small = run_of(2, 2, 12);
    small.warnings.truncate(3);
    assert!(!published(&small).contains("Left out to fit"));
}

/// As many cells as may arrive, in a file that may.
fn most() -> Results {
    let mut run = run_of(500, 20, 12);
    for entry in &mut run.entries {
        entry.label.clear();
        entry.about.clear();
        entry.versions.clear();
    }
    run.warnings.clear();
    run
}

/// The results as a publisher gets them.
fn arrived(run: &Results) -> Results {
    deadheat::github::arrived(serde_json::to_string(run).unwrap().as_bytes()).unwrap()
}

#[test]
fn fifty_thousand_cells_that_changed_come_to_an_end() {
    let run = arrived(&most());
    assert_eq!(run.cells.len(), 50_000);
    assert!(published(&run).contains("more findings are in the table below"));
}

/// Every case fails, each for itself, and tens of thousands of failures are searched for the cause of each.
#[test]
fn fifty_thousand_cells_that_fail_come_to_an_end() {
    let mut run = most();
    for cell in &mut run.cells {
        cell.rounds.clear();
    }
    for cell in run.cells.iter().filter(|cell| cell.key.metric == Metric::Rps) {
        let Case::Scenario(scenario) = &cell.key.case else { continue };
        for (side, outcome) in [(Side::Base, GateOutcome::Passed), (Side::Head, GateOutcome::Failed)] {
            let (entry, scenario) = (cell.key.entry.clone(), scenario.clone());
            run.gate.push(GateRecord { entry, side, case: Case::Scenario(scenario), outcome });
        }
    }
    for number in 0..50_000 {
        let elsewhere = ScenarioName::new(format!("elsewhere-{number}")).unwrap();
        let failure = failure(&run.entries[number % 500].name, Some(elsewhere), "x");
        run.failures.push(Failure { output: None, round: Some(1), ..failure });
    }
    let comment = published(&arrived(&run));
    assert!(comment.contains("more failures are listed") && comment.contains("fails the contract on head"));
}

#[test]
fn ten_thousand_cells_of_forty_rounds_come_to_an_end() {
    let mut run = run_of(100, 20, 40);
    run.warnings.clear();
    assert_eq!(run.cells.len(), 10_000);
    published(&arrived(&run));
}
