//! Snapshots of every format, and what must hold whatever is reported.

use super::sample::{self, cell, entry_record, key, scenario};
use super::*;
use crate::model::{Lineup, Metric, Results, Role, RoundValue, Standing, Suite};
use proptest::prelude::*;

fn text(results: &Results, format: Format) -> String {
    render(results, format, &TemplateOverrides::new()).unwrap()
}

macro_rules! snapshots {
    ($($name:ident: $($format:ident),*;)*) => {$(
        #[test]
        fn $name() {
            let results = sample::$name();
            $(insta::assert_snapshot!(concat!(stringify!($name), "_", stringify!($format)), text(&results, Format::$format));)*
        }
    )*};
}

snapshots! {
    changed: Markdown, Summary, Json, Csv;
    unchanged: Markdown;
    unusable: Markdown, Json;
    failing: Markdown, Csv;
    alone: Markdown, Summary, Json;
    quick: Markdown;
    mixed: Markdown, Summary;
    hostile: Markdown, Summary;
}

/// `entries` x `cases` cells of the http suite's judged metrics, all of which changed, with `rounds` rounds.
pub(super) fn large(entries: usize, cases: usize, rounds: usize) -> Results {
    const METRICS: [Metric; 5] = [Metric::Rps, Metric::P50, Metric::P99, Metric::CpuPerRequest, Metric::LoadedMemory];
    let mut results = sample::unchanged();
    results.cells.clear();
    results.entries.clear();
    for number in 0..entries {
        let name = format!("variant-{number:03}");
        results.entries.push(entry_record(&name, &name, Role::Subject, Lineup::Paired));
        for case in 0..cases {
            for (place, metric) in METRICS.into_iter().enumerate() {
                let ratios: Vec<f64> = (0..rounds)
                    .map(|round| sample::A12[round % 11] - 0.3 + f64::from(u32::try_from(place).unwrap()) / 100.0)
                    .collect();
                let key = key(&name, Suite::Http, scenario(&format!("scenario-{case}")), metric);
                results.cells.push(cell(key, Standing::Judged, 1_000.0, &ratios));
            }
        }
    }
    results
}

#[test]
fn four_hundred_variants_of_thirty_metrics_fit() {
    let mut results = large(400, 6, 12);
    results.failures = vec![sample::failing().failures[0].clone(); 3_000];
    for failure in &mut results.failures {
        failure.output = Some("x".repeat(10_000));
        failure.message = "`".repeat(1_000);
    }
    results.warnings = vec!["w ".repeat(3_000); 500];
    let comment = text(&results, Format::Markdown);
    assert!(comment.encode_utf16().count() <= 61_440, "{}", comment.len());
    assert!(comment.contains("more findings are in the table below"));
    assert!(comment.contains("Left out to fit: the outputs of what failed, the verdicts of all cells, the standings"));
    assert!(comment.contains("more differences are left out of this table"));
    assert!(comment.contains("Run it again: `deadheat run"));
    let summary = text(&results, Format::Summary);
    assert!(summary.len() <= 1 << 20, "{}", summary.len());
}

#[test]
fn a_template_can_be_replaced_and_its_mistakes_are_located() {
    let with = |name: &str, text: &str| {
        let overrides = TemplateOverrides::from([(name.to_owned(), text.to_owned())]);
        render(&sample::changed(), Format::Markdown, &overrides)
    };
    assert_eq!(
        with("comment", "{{#each headline}}{{#if @first}}{{this}}{{/if}}{{/each}}").unwrap().matches("**").count(),
        2
    );
    for (name, text, message) in [
        ("comment", "fine\n\n{{headlin}}", "template `comment`, line 3: there is no variable `headlin` here"),
        ("footer", "{{#if cutt}}x{{/if}}", "template `footer`, line 1: there is no variable `cutt` here"),
        ("changed", "\n{{#unless a}}x{{/unless}}", "template `changed`, line 2: there is no variable `a` here"),
        (
            "table",
            "{{title}}\n{{#each rows}}\n{{oops}}{{/each}}",
            "template `table`, line 3: there is no variable `oops` here",
        ),
        ("comment", "{{#if changed}}\n", "template `comment`, line 2: invalid handlebars syntax"),
        ("comments", "", "there is no template `comments`; use one of comment, summary, commit, headline"),
        ("footer", &"x".repeat(70_000), "template `comment` gives 71"),
    ] {
        let found = with(name, text).unwrap_err().to_string();
        assert!(found.starts_with(message), "{found}");
    }
}

#[test]
fn the_interface_has_every_promised_field() {
    let document: serde_json::Value = serde_json::from_str(&text(&sample::failing(), Format::Json)).unwrap();
    for field in
        ["schema", "headline", "usable", "rounds", "seed", "fingerprint", "cells", "standings", "warnings", "failures"]
    {
        assert!(!document[field].is_null(), "{field}");
    }
    for field in ["base", "head"] {
        assert!(document["sides"][field]["sha"].is_string() && document["sides"][field]["dirty"].is_boolean());
    }
    let cell = &document["cells"][0];
    for field in [
        "entry",
        "suite",
        "scenario",
        "metric",
        "unit",
        "base",
        "head",
        "change_pct",
        "threshold_pct",
        "rounds",
        "verdict",
    ] {
        assert!(!cell[field].is_null(), "{field}");
    }
    assert_eq!(cell["interval_pct"].as_array().unwrap().len(), 2);
    let words = document["cells"].as_array().unwrap().iter().map(|cell| cell["verdict"].as_str().unwrap());
    assert_eq!(words.filter(|word| *word == "failing").count(), 12);
}

#[test]
fn nothing_is_claimed_where_nothing_may_be() {
    for results in [sample::unusable(), sample::quick()] {
        let document: serde_json::Value = serde_json::from_str(&text(&results, Format::Json)).unwrap();
        let judged = document["cells"].as_array().unwrap().iter().filter(|cell| cell["standing"] == "judged");
        for cell in judged {
            assert!(["undecided", "unmeasured"].contains(&cell["verdict"].as_str().unwrap()), "{cell}");
        }
        let comment = text(&results, Format::Markdown);
        assert!(!comment.contains("**slower**") && !comment.contains("is slower"), "{comment}");
    }
}

#[test]
fn many_slower_scenarios_of_an_entry_are_one_sentence() {
    let headline = text(&large(1, 5, 12), Format::Markdown);
    let first = headline.lines().next().unwrap().replace('\u{a0}', " ");
    assert!(first.starts_with("**`variant-000` is slower in 5 of 5 scenarios, most in `scenario-"), "{first}");
}

fn weird() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-0.0),
        Just(f64::MIN_POSITIVE / 8.0),
        Just(f64::MAX),
        Just(1e-300),
        Just(700.0),
        any::<f64>(),
        0.0..1e4,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_figure_breaks_a_report(values in proptest::collection::vec((weird(), weird(), weird()), 0..20), which in 0usize..3, rest in weird()) {
        let mut results = [sample::changed, sample::alone, sample::mixed][which]();
        for cell in &mut results.cells {
            cell.rounds = values.iter().zip(0..).map(|((base, head, ratio), round)| RoundValue {
                round, base: Some(*base), head: Some(*head), log_ratio: Some(*ratio),
            }).collect();
        }
        results.time.race_s = rest;
        results.protocol.measure_ms = rest;
        results.judging.false_alarms = rest;
        for format in [Format::Markdown, Format::Summary, Format::Json, Format::Csv] {
            let text = text(&results, format);
            prop_assert!(!text.contains("NaN") && !text.contains("inf,"), "{}", text);
        }
    }

    #[test]
    fn no_text_breaks_a_report(evil in "[`|~\\n\\r@#<>&*_\\[\\]() a\u{202e}-]{0,60}|\\PC{0,60}") {
        let mut results = sample::failing();
        results.head.rev.clone_from(&evil);
        results.fingerprint.cpu.clone_from(&evil);
        results.warnings = vec![evil.clone()];
        results.entries[0].label.clone_from(&evil);
        results.failures[0].message.clone_from(&evil);
        results.failures[0].output = Some(evil.clone());
        results.observations[0].message = evil;
        let comment = text(&results, Format::Markdown);
        let plain = text(&sample::failing(), Format::Markdown);
        // Every table keeps its columns, every folded part its end, and no line starts a heading.
        let tables = |text: &str| text.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect::<Vec<_>>();
        prop_assert_eq!(tables(&comment), tables(&plain));
        let outside = |text: &str, what: &str| text.lines().filter(|line| line.starts_with(what)).count();
        for mark in ["<details>", "</details>", "#", "> "] {
            prop_assert_eq!(outside(&comment, mark), outside(&plain, mark) + usize::from(mark == "> ") , "{}", comment);
        }
    }
}

#[test]
fn the_headline_fits_what_was_found() {
    let headline = |results: &Results| plain_headline(results, &crate::verdict::judge(results));
    let rounds = |keep: usize| {
        let mut results = sample::unchanged();
        results.cells.iter_mut().for_each(|cell| cell.rounds.truncate(keep));
        headline(&results)
    };
    assert!(rounds(7).starts_with("No difference proved. All 13 comparisons are undecided: "), "{}", rounds(7));
    assert!(
        rounds(0).starts_with("No difference proved. None of the 13 comparisons is a dead heat; 13 were not measured.")
    );
    let mut results = sample::unchanged();
    results.entries[0].presence = crate::model::Presence::New;
    assert!(headline(&results).contains("Nothing was compared"), "{}", headline(&results));
}

#[test]
fn a_scenario_that_only_head_fails_at_the_gate_is_named() {
    use crate::model::{GateOutcome, GateRecord, ScenarioName, Side};
    let mut results = sample::unchanged();
    let name = ScenarioName::new("create-user").unwrap();
    results.gate = Side::BOTH
        .into_iter()
        .map(|side| GateRecord {
            entry: sample::entry("fastify"),
            side,
            case: crate::model::Case::Scenario(name.clone()),
            outcome: if side == Side::Base { GateOutcome::Passed } else { GateOutcome::Failed },
        })
        .collect();
    let comment = text(&results, Format::Markdown);
    assert!(
        comment.starts_with("**`fastify` `create-user` fails the contract on head, where base passes it.**\n"),
        "{comment}"
    );
}

#[test]
fn what_changes_the_meaning_stands_right_below_the_headline() {
    let mut results = sample::unchanged();
    results.cells.retain(|cell| cell.standing != Standing::Control);
    for cell in results.cells.iter_mut().filter(|cell| cell.standing == Standing::Judged) {
        let worse = if cell.key.metric == Metric::Rps { -0.009 } else { 0.009 };
        for value in &mut cell.rounds {
            value.log_ratio = value.log_ratio.map(|ratio| ratio + worse);
        }
    }
    results.warnings = vec!["pinning was refused".to_owned()];
    results.head.dirty = true;
    let comment = text(&results, Format::Markdown).replace('\u{a0}', " ");
    let start = comment.split("<details>").next().unwrap();
    for caution in [
        "> - The whole run is shifted: taken together, head's figures are about 0.9 % worse, round after round (p = 0.0",
        "> - The tree of head was dirty",
        "> - No control was raced",
        "> - Pinning was refused.",
    ] {
        assert!(start.contains(caution), "{start}");
    }
}

macro_rules! stored {
    ($($name:ident)*) => {
        /// The samples as files, for whoever reads results: a race, a command, a publisher.
        #[test]
        fn the_stored_results_are_the_samples() {
            $(
                let stored: Results =
                    serde_json::from_str(include_str!(concat!("../../fixtures/results/", stringify!($name), ".json"))).unwrap();
                assert!(stored == sample::$name(), "write fixtures/results anew: see `stored_results`");
            )*
        }

        /// Writes what is stored: run it with `--ignored --nocapture`.
        #[test]
        #[ignore = "prints the files"]
        fn stored_results() {
            $(println!("results {} {}", stringify!($name), serde_json::to_string(&sample::$name()).unwrap());)*
        }
    };
}

stored! { changed unchanged unusable failing alone quick mixed hostile }

/// A benchmark, not a test: run it in release with `--ignored --nocapture`.
#[test]
#[ignore = "prints times"]
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock; the room itself does not")]
fn how_long_a_large_run_takes() {
    let mut results = large(50, 20, 40);
    let more: Vec<_> = results.cells.iter().map(|cell| (cell.clone(), Standing::Outside)).collect();
    for (mut cell, standing) in more {
        for metric in [Metric::P90, Metric::Max] {
            cell.key.metric = metric;
            cell.standing = standing;
            results.cells.push(cell.clone());
        }
    }
    let json = serde_json::to_string(&results).unwrap();
    let time = |what: &str, work: &mut dyn FnMut() -> usize| {
        let start = std::time::Instant::now();
        let size = work();
        println!("{what}: {:?}, {size} bytes", start.elapsed());
    };
    time("parse", &mut || serde_json::from_str::<Results>(&json).unwrap().cells.len());
    time("judge", &mut || crate::verdict::judge(&results).cells.len());
    let verdict = crate::verdict::judge(&results);
    for format in [Format::Markdown, Format::Summary, Format::Json, Format::Csv] {
        time(&format!("{format:?}"), &mut || {
            render_judged(&results, &verdict, format, &TemplateOverrides::new()).unwrap().len()
        });
    }
}
