use super::testing::{figures, record, results, sha};
use super::*;
use crate::model::{EntryName, Fingerprint, GeneratorMode, ProtocolRecord, Results, Role, RuntimeName, VariantName};

const EARLIER: &str = "2026-11-02T10:00:00Z";

/// get-user at 1100 and create-user at 950, where the record has 1000; express, a reference, doubled.
fn now(results: &Results) -> Vec<CellFigures> {
    figures(results, |entry, scenario| match (entry, scenario) {
        ("express", _) => Some(2000.0),
        (_, "get-user") => Some(1100.0),
        _ => Some(950.0),
    })
}

fn found(results: &Results, earlier: &BaselineRecord) -> Option<Trend> {
    trend(results, &now(results), earlier)
}

#[test]
fn a_trend_is_the_geometric_mean_over_the_subjects_requests_per_second() {
    let results = results();
    let found = found(&results, &record(sha(1), EARLIER)).unwrap();
    assert_eq!((found.cells, found.commit, found.started.to_string()), (2, sha(1), EARLIER.to_owned()));
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    close(found.ratio, (1.1_f64 * 0.95).sqrt());
    close(found.lowest, 0.95);
    close(found.highest, 1.1);
}

#[test]
fn another_machine_system_toolchain_or_load_has_no_trend() {
    type Print = fn(&mut Fingerprint);
    type Load = fn(&mut ProtocolRecord);
    let prints: [Print; 8] = [
        |print| print.cpu = "another".to_owned(),
        |print| print.cpu = String::new(),
        |print| print.cpus += 1,
        |print| print.kernel += "x",
        |print| print.system += "x",
        |print| print.memory += 1 << 30,
        |print| drop(print.toolchains.insert("node".to_owned(), "v1".to_owned())),
        |print| print.toolchains.clear(),
    ];
    for (index, change) in prints.into_iter().enumerate() {
        let mut results = results();
        change(&mut results.fingerprint);
        assert_eq!(found(&results, &record(sha(1), EARLIER)), None, "change {index}");
    }
    let loads: [Load; 6] = [
        |protocol| protocol.measure_ms *= 2.0,
        |protocol| protocol.warmup_ms *= 2.0,
        |protocol| protocol.slices *= 2,
        |protocol| protocol.regimes[0].connections += 1,
        |protocol| protocol.regimes[0].mode = GeneratorMode::Sleep,
        |protocol| protocol.regimes.clear(),
    ];
    for (index, change) in loads.into_iter().enumerate() {
        let mut results = results();
        change(&mut results.protocol);
        assert_eq!(found(&results, &record(sha(1), EARLIER)), None, "change {index}");
    }
    let mut unknown = (results(), record(sha(1), EARLIER));
    for print in [&mut unknown.0.fingerprint, &mut unknown.1.fingerprint] {
        print.cpu = String::new();
    }
    assert_eq!(found(&unknown.0, &unknown.1), None, "two machines that nobody knows are not the same");
}

#[test]
fn what_changes_no_figure_may_differ() {
    let mut results = results();
    results.fingerprint.memory -= 20 << 20;
    results.protocol.budget_s *= 3.0;
    (results.protocol.rounds_min, results.protocol.rounds_max) = (12, 12);
    assert!(found(&results, &record(sha(1), EARLIER)).is_some());
}

#[test]
fn no_trend_comes_from_the_same_commit_or_a_quick_run() {
    let mut results = results();
    assert_eq!(found(&results, &record(results.head.sha.clone(), EARLIER)), None);
    results.quick = true;
    assert_eq!(found(&results, &record(sha(1), EARLIER)), None);
}

#[test]
fn a_scenario_that_asks_something_else_is_another_scenario() {
    let mut results = results();
    results.scenarios[1].path = "/other".to_owned();
    assert_eq!(found(&results, &record(sha(1), EARLIER)).unwrap().cells, 1);
    results.scenarios[0].method = "POST".to_owned();
    assert_eq!(found(&results, &record(sha(1), EARLIER)), None);
}

#[test]
fn figures_that_have_no_ratio_are_passed_over() {
    let results = results();
    let mut earlier = record(sha(1), EARLIER);
    for cell in &mut earlier.cells {
        cell.figures.head = Some(0.0);
    }
    assert_eq!(found(&results, &earlier), None);
    let odd = figures(&results, |_, scenario| if scenario == "get-user" { Some(-1.0) } else { None });
    assert_eq!(trend(&results, &odd, &record(sha(1), EARLIER)), None);
    let tiny = figures(&results, |_, _| Some(f64::MIN_POSITIVE));
    assert!(trend(&results, &tiny, &record(sha(1), EARLIER)).unwrap().ratio > 0.0);
}

/// The results with fastify under another name, on a runtime of a name, and with earlier names.
fn renamed(name: &str, runtime: &str, was: &[&str]) -> Results {
    let mut results = results();
    let new = EntryName::new(name).unwrap();
    for cell in results.cells.iter_mut().filter(|cell| cell.key.entry.as_str() == "fastify") {
        cell.key.entry = new.clone();
    }
    let entry = results.entries.iter_mut().find(|entry| entry.name.as_str() == "fastify").unwrap();
    entry.name = new;
    entry.variant = VariantName::new(name.split('@').next().unwrap()).unwrap();
    entry.runtime = RuntimeName::new(runtime).unwrap();
    entry.was = was.iter().map(|name| VariantName::new(*name).unwrap()).collect();
    results
}

fn cells(results: &Results) -> Option<usize> {
    found(results, &record(sha(1), EARLIER)).map(|trend| trend.cells)
}

#[test]
fn a_renamed_variant_keeps_its_history() {
    assert_eq!(cells(&renamed("speedy", "node", &[])), None);
    assert_eq!(cells(&renamed("speedy", "node", &["fastify"])), Some(2));
    assert_eq!(cells(&renamed("speedy", "node", &["never", "fastify"])), Some(2));
    assert_eq!(cells(&renamed("speedy", "bun", &["fastify"])), None, "another runtime is another entry");
    // A second runtime adds a suffix to the first one's name.
    assert_eq!(cells(&renamed("fastify@node", "node", &[])), Some(2));
    assert_eq!(cells(&renamed("speedy@node", "node", &["fastify"])), Some(2));
    assert_eq!(cells(&renamed("fastify", "bun", &[])), None);
}

#[test]
fn a_name_that_is_still_used_is_nobodys_past() {
    // express goes on; a subject that claims to have been it has no history there.
    let mut results = renamed("speedy", "node", &["express"]);
    let mut earlier = record(sha(1), EARLIER);
    for entry in &mut earlier.entries {
        entry.role = Role::Subject;
    }
    assert_eq!(found(&results, &earlier), None);
    results.entries.retain(|entry| entry.name.as_str() != "express");
    assert_eq!(found(&results, &earlier).map(|trend| trend.cells), Some(1));
}

#[test]
fn a_reference_that_became_a_subject_has_no_trend() {
    let mut earlier = record(sha(1), EARLIER);
    for entry in &mut earlier.entries {
        entry.role = Role::Reference;
    }
    assert_eq!(found(&results(), &earlier), None);
}
