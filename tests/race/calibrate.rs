//! A real calibration of a small repository, and what it leaves.

use super::support::{Repository, stderr, stdout};
use serde_json::Value;
use std::fs;

fn file(repository: &Repository, name: &str) -> String {
    fs::read_to_string(repository.root().join(".deadheat/calibration").join(name)).unwrap()
}

fn figure(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[test]
fn a_slowdown_that_is_made_is_measured_and_the_page_says_what_the_document_says() {
    let repository = Repository::new();
    let output =
        repository.run(&["calibrate", "--rounds", "8", "--slowdown", "50", "--budget", "1m", "--seed", "3", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(repository.processes_after_a_while(), Vec::<String>::new());
    assert_eq!(stdout(&output), file(&repository, "calibration.json"));
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();

    // Subjects alone are raced where nobody is named, each against itself.
    assert_eq!(found["entries"], serde_json::json!(["plain"]));
    assert_eq!((&found["rounds"]["asked"], &found["rounds"]["raced"]), (&8.into(), &8.into()));
    let identical: Value = serde_json::from_str(&file(&repository, "aa.json")).unwrap();
    assert_eq!(identical["base"]["sha"], identical["head"]["sha"]);
    assert_eq!((&identical["calibration"], &identical["rounds"]), (&serde_json::json!({}), &8.into()));
    let slowed: Value = serde_json::from_str(&file(&repository, "slowed.json")).unwrap();
    assert_eq!(slowed["calibration"]["delay_ns"], found["slowdown"]["delay_ns"]);
    assert_eq!(slowed["protocol"]["regimes"][0]["server_cpus"].as_array().unwrap().len(), 1);

    // Half as much again is known; the machine may be busy with other tests, so the margins are wide.
    let metrics = found["slowdown"]["metrics"].as_array().unwrap();
    let metric = |name: &str| metrics.iter().find(|metric| metric["metric"] == name).unwrap();
    let known = figure(&metric("cpu-per-request")["known_pct"]);
    assert!((25.0..90.0).contains(&known), "known {known} %");
    assert!((figure(&metric("rps")["known_pct"]) + 100.0 * known / (100.0 + known)).abs() < 0.1);
    let cpu = figure(&metric("cpu-per-request")["measured_pct"]);
    assert!((20.0..100.0).contains(&cpu), "CPU per request {cpu} %");
    let rps = figure(&metric("rps")["measured_pct"]);
    assert!((-60.0..-8.0).contains(&rps), "requests per second {rps} %");

    let page = file(&repository, "calibration.md");
    assert!(page.starts_with("# What this machine can prove\n"), "{page}");
    let delay = figure(&found["slowdown"]["delay_ns"]) / 1e3;
    assert!(delay > 0.1 && page.contains("burnt"), "{page}");
    for row in found["provable"].as_array().unwrap() {
        assert!(page.contains(&format!("| `plain` | `{}` |", row["scenario"].as_str().unwrap())), "{page}");
    }
    assert_eq!(page.contains("That was found after"), found["slowdown"]["found"].as_bool().unwrap());

    // Neither is a run for anybody who publishes or keeps one.
    let aa = repository.root().join(".deadheat/calibration/aa.json");
    let report = repository.run(&["report", aa.to_str().unwrap()]);
    assert!(stdout(&report).contains("A calibration: both sides are the same build"), "{}", stdout(&report));
    assert!(stdout(&report).contains("Run it again: `deadheat calibrate --seed 3"), "{}", stdout(&report));
    assert!(!repository.root().join(".deadheat/baselines").exists());
}

#[test]
fn what_can_not_be_calibrated_is_said() {
    let repository = Repository::new();
    repository.write("lib/answer.js", "process.exit(1)\n");
    repository.commit("broken");
    let output = repository.run(&["calibrate", "--rounds", "8"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing that was chosen builds, starts and answers"), "{}", stderr(&output));
    assert_eq!(repository.processes_after_a_while(), Vec::<String>::new());
}
