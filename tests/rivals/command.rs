//! `deadheat replay` as a person meets it.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn replay(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results");
    let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
    command.current_dir(directory).arg("replay").args(arguments).env_remove("GITHUB_ACTIONS").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_table_with_the_truth_and_without() {
    let told = replay(&["--unchanged", "unchanged.json", "--slowed", "get-user:10%", "changed.json"]);
    let page = text(&told.stdout);
    assert!(told.status.success() && told.stderr.is_empty(), "{}", text(&told.stderr));
    assert!(page.contains("2\u{a0}runs (1 unchanged, 1 with `get-user` 10\u{a0}% slower)"), "{page}");
    assert!(page.contains("\n| deadheat | 0 of 2 | 1 of 1 |"), "{page}");

    let untold = replay(&["changed.json", "--json"]);
    let document: Value = serde_json::from_slice(&untold.stdout).unwrap();
    assert_eq!(document["groups"][0]["truth"], Value::Null);
    assert_eq!(document["rules"][0]["id"], "deadheat");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let output = replay(&[
        "--unchanged",
        "unchanged.json",
        "./unchanged.json",
        "quick.json",
        "alone.json",
        "missing.json",
        "../../Cargo.toml",
        "--slowed",
        "no-such-scenario",
        "changed.json",
    ]);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    for part in [
        "./unchanged.json: it is named twice",
        "quick.json: it is of a quick run, which judges nothing and is no evidence",
        "alone.json: it holds head's standings alone",
        "missing.json: ",
        "Cargo.toml: it is no results file of deadheat",
        "changed.json: no judged comparison in it is one of the scenario no-such-scenario",
    ] {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
    let none = replay(&[]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("no results file is named"), "{}", text(&none.stderr));
}
