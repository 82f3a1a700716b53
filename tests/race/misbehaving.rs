//! Servers that misbehave, one way each: every one gets its own line, the others are measured, nothing is left.

use super::support::{Repository, stderr, stdout};
use serde_json::Value;
use std::path::Path;

fn lines<'a>(results: &'a Value, list: &str, entry: &str) -> Vec<(&'a str, &'a str)> {
    let rows = results[list].as_array().unwrap().iter().filter(|row| row["entry"] == entry);
    rows.map(|row| (row["kind"].as_str().unwrap(), row["message"].as_str().unwrap())).collect()
}

fn has(results: &Value, list: &str, entry: &str, kind: &str, words: &str) {
    let found = lines(results, list, entry);
    let fits = found.iter().any(|(found, message)| *found == kind && message.contains(words));
    assert!(fits, "{entry}: no {kind} with `{words}` in {list}: {found:?}");
}

fn measured_rounds(results: &Value, entry: &str) -> usize {
    let cells = results["cells"].as_array().unwrap().iter();
    cells
        .filter(|cell| cell["entry"] == entry && cell["metric"] == "rps")
        .map(|cell| cell["rounds"].as_array().unwrap().len())
        .max()
        .unwrap_or(0)
}

#[test]
fn each_gets_its_own_line_and_nothing_is_left() {
    let repository = Repository::empty();
    repository.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/misbehaving"));
    let configuration = std::fs::read_to_string(repository.root().join("deadheat.toml")).unwrap();
    assert!(!configuration.contains("[protocol]"), "this test adds its own");
    repository.write("deadheat.toml", &format!("{configuration}\n[protocol]\nconnections = 8\nstart_limit = \"2s\"\n"));
    repository.commit("base");
    repository.write("change.txt", "something that is not ignored\n");
    repository.commit("head");

    let output = repository.run(&["run", "--quick"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = repository.json("quick.json");
    has(&results, "failures", "dies-at-start", "died-at-start", "exit code 3");
    has(&results, "failures", "never-ready", "never-ready", "gave no answer within 2 s");
    has(&results, "failures", "wrong-bytes", "wrong-answer", "body differs");
    has(&results, "failures", "fails-after-1000", "wrong-answer", "status 500 instead of 200");
    has(&results, "failures", "binds-another-port", "another-port", "instead of the one in PORT");
    has(&results, "failures", "prints-endlessly", "printed-too-much", "must be quiet");
    has(&results, "observations", "ignores-sigterm", "ignored-termination", "SIGTERM");
    has(&results, "observations", "forks-a-child", "left-processes", "left a process behind");
    has(&results, "observations", "works-while-idle", "worked-while-idle", "raced one side at a time");
    for entry in ["well-behaved", "ignores-sigterm", "forks-a-child", "leaks-memory", "stalls", "works-while-idle"] {
        assert_eq!(measured_rounds(&results, entry), 2, "{entry} is measured");
    }
    let comment = stdout(&output);
    for entry in
        ["dies-at-start", "never-ready", "wrong-bytes", "fails-after-1000", "binds-another-port", "prints-endlessly"]
    {
        assert!(comment.contains(&format!("`{entry}`")), "{entry} is in the comment:\n{comment}");
    }
    assert_eq!(repository.processes(), Vec::<String>::new());
}
