//! The page and the document of made-up calibrations.

use super::*;
use crate::model::*;
use crate::report::sample::{self, A12, B12, cell, entry_record, key, scenario};

/// A race of identical builds: two scenarios and the starts of one entry.
fn identical() -> Results {
    let mut results = sample::unchanged();
    results.entries = vec![
        entry_record("fastify", "Fastify", Role::Subject, Lineup::Paired),
        entry_record("broken", "Broken", Role::Subject, Lineup::Absent),
    ];
    let http = |case: &str, metric, base, ratios: &[f64]| {
        cell(key("fastify", Suite::Http, scenario(case), metric), Standing::Judged, base, ratios)
    };
    let boot =
        |metric, base| cell(key("fastify", Suite::Boot, Case::Start, metric), Standing::Judged, base, &sample::WILD);
    results.cells = vec![
        http("get-user", Metric::Rps, 20_000.0, &B12),
        http("get-user", Metric::P50, 3_000.0, &B12),
        http("get-user", Metric::P99, 5_000.0, &sample::WILD),
        http("hello", Metric::Rps, 24_000.0, &sample::WILD),
        http("hello", Metric::P50, 2_500.0, &B12),
        boot(Metric::ColdStart, 80.0),
    ];
    results.rounds = 12;
    results.base = Some(results.head.clone());
    results.calibration = Some(CalibrationRecord::default());
    results
}

/// A known slowdown of 5 %, measured as the reference values of the rule: about -3 %.
fn slowed() -> Results {
    let mut results = identical();
    results.entries.truncate(1);
    let known = |metric, base, ratios: &[f64]| {
        cell(key("fastify", Suite::Http, scenario("get-user"), metric), Standing::Judged, base, ratios)
    };
    let up: Vec<f64> = A12.iter().map(|ratio| -ratio).collect();
    results.cells = vec![
        known(Metric::Rps, 20_000.0, &A12),
        known(Metric::P50, 3_000.0, &up),
        known(Metric::CpuPerRequest, 40.0, &B12),
    ];
    results.calibration = Some(CalibrationRecord { delay_ns: Some(2_000) });
    results
}

fn parts() -> Vec<RoundPart> {
    let part = |case: &str, seconds| RoundPart {
        entry: sample::entry("fastify"),
        regime: None,
        case: scenario(case),
        seconds,
    };
    vec![part("get-user", 7.0), part("hello", 9.0)]
}

fn provable() -> Vec<ProvableSlowdown> {
    let known = |case: &str, rounds, share| ProvableSlowdown {
        entry: sample::entry("fastify"),
        regime: None,
        case: scenario(case),
        rounds,
        share,
    };
    // A round takes 16 s: 5 minutes hold 18, 10 minutes 37, 20 minutes the most.
    vec![
        known("get-user", 18, Some(0.023)),
        known("get-user", 37, Some(0.017)),
        known("get-user", 40, Some(0.016)),
        known("hello", 18, None),
        known("hello", 37, Some(0.31)),
        known("hello", 40, Some(0.28)),
    ]
}

const DRAWN: Resampled = Resampled { pulls: 1_000, flagged: 4, flagged_pct: 0.4, interval_pct: [0.109, 1.021] };

fn known<'a>(results: &'a Results, scenario: &'a ScenarioName, entry: &'a EntryName) -> SlowedInput<'a> {
    SlowedInput { results, entry, scenario, delay_ns: 2_000, request_us: 40.0, busy: Some(0.97) }
}

/// A calibration in which everything was found out.
fn whole(change: impl FnOnce(&mut Results, &mut Results)) -> Calibration {
    let (mut identical, mut slowed) = (identical(), slowed());
    change(&mut identical, &mut slowed);
    let (scenario, entry) = (ScenarioName::new("get-user").unwrap(), sample::entry("fastify"));
    describe_calibration(&CalibrationInput {
        identical: &identical,
        asked_rounds: 12,
        parts: &parts(),
        resampled: Some(DRAWN),
        provable: &provable(),
        slowed: Ok(known(&slowed, &scenario, &entry)),
    })
}

#[test]
fn the_page_and_the_document_of_a_whole_calibration() {
    let machine = MachineRecord {
        slice_pairs: 960,
        repeated: 7,
        disturbed: 1,
        watched_s: 200.0,
        steal_s: 0.4,
        foreign_s: 1.0,
        ..MachineRecord::default()
    };
    let calibration = whole(|identical, slowed| {
        identical.machine = Some(machine);
        slowed.machine = Some(machine);
    });
    insta::assert_snapshot!("calibration_page", calibration_page(&calibration));
    insta::assert_json_snapshot!("calibration_document", calibration);
}

#[test]
fn a_page_of_bad_news() {
    let (mut identical, reason) = (identical(), "behind a pass-through the server failed: died");
    // Identical builds that differ all the same, in a race that was cut short on a noisy machine.
    identical.cells[0] = cell(identical.cells[0].key.clone(), Standing::Judged, 20_000.0, &A12);
    identical.head.dirty = true;
    identical.warnings.push("the kernel refused to pin servers".to_owned());
    let mut parts = parts();
    parts[0].seconds = 60.0;
    let calibration = describe_calibration(&CalibrationInput {
        identical: &identical,
        asked_rounds: 20,
        parts: &parts,
        resampled: None,
        provable: &[],
        slowed: Err(reason.to_owned()),
    });
    insta::assert_snapshot!("calibration_bad_news", calibration_page(&calibration));
}

#[test]
fn what_is_not_found_is_not_called_found() {
    let calibration = whole(|_, slowed| {
        for cell in &mut slowed.cells {
            let key = cell.key.clone();
            *cell = sample::cell(key, Standing::Judged, 20_000.0, &B12);
        }
    });
    let known = calibration.slowdown.as_ref().unwrap();
    assert_eq!((known.found, known.found_after), (false, None));
    let page = calibration_page(&calibration);
    assert!(page.contains("That was not found within 12"), "{page}");
    // Faster is not slower.
    let faster = whole(|_, slowed| {
        let up: Vec<f64> = A12.iter().map(|ratio| -ratio).collect();
        slowed.cells[0] = cell(slowed.cells[0].key.clone(), Standing::Judged, 20_000.0, &up);
        slowed.cells[1] = cell(slowed.cells[1].key.clone(), Standing::Judged, 20_000.0, &B12);
    });
    assert!(!faster.slowdown.unwrap().found);
}

#[test]
fn names_and_warnings_can_not_break_the_page() {
    let calibration = whole(|identical, _| {
        identical.fingerprint.cpu = "<b>@all</b> | ![x](http://x)".to_owned();
        identical.warnings.push("see https://x.example and @everybody".to_owned());
    });
    let page = calibration_page(&calibration);
    assert!(page.contains("`<b>@all</b> ¦ ![x](http://x)`"), "{page}");
    assert!(page.contains("- `see https://x.example and @everybody`"), "{page}");
}

#[test]
fn rounds_that_a_budget_holds() {
    for (minutes, seconds, rounds) in
        [(5, 16.0, 18), (5, 300.0, 1), (5, 301.0, 0), (20, 1.0, 40), (5, 0.0, 40), (5, f64::NAN, 0), (5, -1.0, 0)]
    {
        assert_eq!(rounds_held(minutes, seconds), rounds, "{minutes} min of {seconds} s");
    }
}

#[test]
fn the_shape_of_the_document_can_be_described() {
    let schema = serde_json::to_value(schemars::schema_for!(Calibration)).unwrap();
    let document = serde_json::to_value(whole(|_, _| {})).unwrap();
    let known: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    for name in document.as_object().unwrap().keys() {
        assert!(known.contains(&name), "{name}");
    }
}
