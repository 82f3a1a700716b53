//! The command line as a person meets it: what it prints, where, and with which exit code.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Those of the fixtures that are no mistakes.
const VALID: [&str; 2] = ["valid-full", "valid-minimal"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn deadheat(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
    // These tests are about a person's terminal, also where a runner of workflows runs them.
    command.current_dir(directory).args(arguments).env_remove("GITHUB_ACTIONS").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_names_every_subcommand_and_hides_the_guard() {
    let output = deadheat(&fixtures(), &["--help"]);
    let help = text(&output.stdout);
    for command in
        ["demo", "init", "check", "run", "report", "replay", "baseline", "load", "calibrate", "schema", "completions"]
    {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is in:\n{help}");
    }
    assert!(!help.contains("guard"), "{help}");
    assert_eq!(deadheat(&fixtures(), &["no-such-command"]).status.code(), Some(2));
}

#[test]
fn every_broken_configuration_is_told_with_file_and_line_and_exit_code_2() {
    let mut seen = 0;
    for entry in std::fs::read_dir(fixtures().join("configurations")).unwrap() {
        let directory = entry.unwrap().path();
        if !directory.join("deadheat.toml").is_file() || VALID.iter().any(|name| directory.ends_with(name)) {
            continue;
        }
        let output = deadheat(&directory, &["check", "--color", "never"]);
        let said = text(&output.stderr);
        seen += 1;
        let name = directory.display();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        let located = said.lines().any(|line| {
            let place = line.trim_start().strip_prefix("--> ").unwrap_or("");
            let mut parts = place.rsplitn(3, ':');
            let numbers =
                [parts.next(), parts.next()].iter().all(|part| part.is_some_and(|part| part.parse::<u32>().is_ok()));
            numbers && parts.next().is_some_and(|file| Path::new(file).extension().is_some())
        });
        assert!(located, "{name} is told with file and line:\n{said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
        assert!(output.stdout.is_empty(), "{name}: nothing is printed as a result");
    }
    assert!(seen >= 20, "{seen} broken configurations");
}

#[test]
fn without_a_configuration_it_says_how_to_get_one() {
    let empty = tempfile::tempdir().unwrap();
    let output = deadheat(empty.path(), &["check"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("deadheat init"), "{}", text(&output.stderr));
    let output = deadheat(empty.path(), &["run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("git repository"), "{}", text(&output.stderr));
}

#[test]
fn what_init_writes_passes_check() {
    let repository = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
        assert!(
            Command::new("git")
                .current_dir(repository.path())
                .args(identity)
                .args(arguments)
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "--quiet"]);
    let cache = repository.path().join("cache");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
        command.current_dir(repository.path()).args(arguments).env_remove("GITHUB_ACTIONS");
        command.env("XDG_CACHE_HOME", &cache).output().unwrap()
    };
    let output = run(&["init"]);
    assert!(
        output.status.success() && text(&output.stdout).contains("wrote deadheat.toml"),
        "{}",
        text(&output.stderr)
    );
    let again = run(&["init"]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again.stderr));
    std::fs::write(repository.path().join(".gitignore"), "cache/\n").unwrap();
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "benchmark"]);
    let output = run(&["check"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("ok      hello: 1 of 1 scenarios"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("holds"), "{}", text(&output.stdout));
}

#[test]
fn stored_results_are_rendered_in_every_format() {
    for format in ["markdown", "summary", "page", "json", "csv"] {
        let output = deadheat(&fixtures().join("results"), &["report", "changed.json", "--format", format]);
        assert!(output.status.success() && output.stdout.len() > 200, "{format}: {}", text(&output.stderr));
    }
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    write("broken.json", "{");
    write("later.json", "{\"schema\": 99}");
    write("other.json", "{\"schema\": 1}");
    for (name, words) in [
        ("missing.json", "failed to read"),
        ("broken.json", "no results file"),
        ("later.json", "schema 99"),
        ("other.json", "missing field"),
    ] {
        let output = deadheat(folder.path(), &["report", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(text(&output.stderr).contains(words), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn a_page_has_its_charts_beside_it_and_refuses_quick_results() {
    let folder = tempfile::tempdir().unwrap();
    let results = |name: &str| fixtures().join("results").join(name).to_str().unwrap().to_owned();
    let page =
        |name: &str| deadheat(folder.path(), &["report", &results(name), "--format", "page", "--out", "my page.md"]);
    let output = page("quick.json");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.contains("failed to render a page: quick results prove nothing"), "{told}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let output = page("changed.json");
    assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(folder.path().join("my page.md")).unwrap();
    for theme in ["light", "dark"] {
        assert!(written.contains(&format!("my%20page-rps.{theme}.svg")), "{written}");
        let picture = std::fs::read_to_string(folder.path().join(format!("my page-rps.{theme}.svg"))).unwrap();
        assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    }
    let output = deadheat(folder.path(), &["report", &results("changed.json"), "--format", "page"]);
    assert!(output.status.success() && !text(&output.stdout).contains("<picture>"));
    assert!(text(&output.stderr).contains("with --out FILE"), "{}", text(&output.stderr));
}

#[test]
fn a_template_can_be_replaced_and_its_mistakes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let results = fixtures().join("results/changed.json");
    let results = results.to_str().unwrap();
    std::fs::write(folder.path().join("comment.hbs"), "only {{> headline}}").unwrap();
    let output = deadheat(folder.path(), &["report", results, "--templates", "."]);
    assert!(output.status.success() && text(&output.stdout).starts_with("only "), "{}", text(&output.stderr));
    std::fs::write(folder.path().join("comment.hbs"), "\n{{no_such_thing}}").unwrap();
    let output = deadheat(folder.path(), &["report", results, "--templates", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("line 2"), "{}", text(&output.stderr));
}

#[test]
fn schemas_and_completions_are_printed() {
    for name in ["configuration", "variant", "contract", "results"] {
        let output = deadheat(&fixtures(), &["schema", name]);
        let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(schema.get("properties").is_some() || schema.get("$ref").is_some(), "{name}");
    }
    let output = deadheat(&fixtures(), &["completions", "bash"]);
    assert!(text(&output.stdout).contains("deadheat"));
}

#[test]
fn the_rule_is_judged_on_simulated_rounds() {
    let run = |more: &[&str]| {
        let arguments = ["calibrate", "--synthetic", "1.6", "--pulls", "30", "--cells", "9", "--seed", "7"];
        deadheat(&fixtures(), &[&arguments, more].concat())
    };
    let document = |more: &[&str]| -> serde_json::Value {
        let output = run(more);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let unchanged = document(&["--json"]);
    for (key, value) in [("pulls", 30.0), ("cells", 9.0), ("sd_pct", 1.6), ("correlation", 0.8), ("seed", 7.0)] {
        assert_eq!(unchanged[key].as_f64(), Some(value), "{key} of {unchanged}");
    }
    assert!(unchanged["found"].is_null() && unchanged["effect_pct"].is_null(), "{unchanged}");
    assert_eq!(unchanged["mean_rounds"], unchanged["mean_rounds_unchanged"]);
    assert_eq!(unchanged, document(&["--json"]), "the same seed gives the same figures");
    let slowed = document(&["--effect", "8", "--noise", "gauss", "--correlation", "-0.8", "--json"]);
    assert_eq!((slowed["found"].as_f64(), slowed["mean_rounds"].as_f64()), (Some(1.0), Some(12.0)), "{slowed}");
    let said = text(&run(&["--effect", "8"]).stdout);
    assert!(said.contains("slowdown found") && said.contains("30 of 30"), "{said}");
}

#[test]
fn options_of_one_calibration_are_refused_by_the_other() {
    for (arguments, word) in [
        (&["--effect", "3"][..], "--synthetic"),
        (&["--noise", "gauss"], "--synthetic"),
        (&["--pulls", "10"], "--synthetic"),
        (&["--synthetic", "1.6", "--rounds", "10"], "--rounds"),
        (&["--synthetic", "1.6", "--budget", "5m"], "--budget"),
        (&["--synthetic", "1.6", "--variants", "a"], "--variants"),
        (&["--synthetic", "1.6", "--slowdown", "5"], "--slowdown"),
        (&["--synthetic", "1.6", "--out", "x"], "--out"),
        (&["--synthetic", "nan"], "above 0"),
        (&["--synthetic", "1.6", "--effect", "0"], "above 0"),
        (&["--synthetic", "1.6", "--correlation", "1.1"], "-1 to 1"),
        (&["--rounds", "7"], "8..=40"),
    ] {
        let output = deadheat(&fixtures(), &[&["calibrate"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(word), "{arguments:?}: {}", text(&output.stderr));
    }
}
