//! A stage for publishing: the double, event files as Actions writes them, and the real binary.

use github_double::events::{Event, workflow_run};
use github_double::{Double, zip_of};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The commit that the fixtures' results have as head, and the one that they have as base.
pub(crate) const HEAD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
pub(crate) const BASE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// The run of the workflow that publishes.
pub(crate) const PUBLISHER: u64 = 900;

/// A `deadheat.toml` of the default branch, with more below it.
pub(crate) fn configuration(more: &str) -> String {
    format!("variants = \"bench/variants\"\ncontract = \"bench/contract\"\n{more}\n")
}

/// The double with a folder for event files.
pub(crate) struct Stage {
    pub(crate) double: Double,
    folder: tempfile::TempDir,
}

/// What a publisher said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Stage {
    /// A repository whose default branch has a usual configuration. Its requests are kept under `name`.
    pub(crate) fn new(name: &str) -> Self {
        let double = Double::start().recorded_as(name);
        double.branch("main").at(BASE);
        let stage = Self { double, folder: tempfile::tempdir().unwrap() };
        stage.configured("");
        stage
    }

    /// The default branch's configuration has more.
    pub(crate) fn configured(&self, more: &str) {
        self.double.branch("main").commit("deadheat.toml", configuration(more));
    }

    /// Runs `deadheat publish` for an event.
    pub(crate) fn publish(&self, event: &Event, arguments: &[&str]) -> Said {
        said(&self.command(event, arguments).output().unwrap())
    }

    /// The command of [`Self::publish`], to be started by the test.
    pub(crate) fn command(&self, event: &Event, arguments: &[&str]) -> Command {
        let run = self.double.run(PUBLISHER);
        let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
        command.arg("publish").args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).env_clear();
        command.envs(event.environment(&self.double, &run, &self.folder.path().join("runner")));
        command.env("PATH", "/usr/bin:/bin").env("GITHUB_TOKEN", "ghs_a_token_of_the_double");
        command
    }

    /// A file beside the event's.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("runner").join(name)
    }

    /// Publishes a run as it stands: that it was asked for, or its end.
    pub(crate) fn follow(&self, run: u64) -> Said {
        self.publish(&workflow_run(&self.double, run), &[])
    }

    /// A run of the pull request as it is now, ended well, with these results.
    pub(crate) fn raced(&self, pull: u64, run: u64, results: &Value) {
        let bytes = serde_json::to_vec(results).unwrap();
        self.double.run(run).of_pull(pull).ended("success").job("race", "success");
        self.double.run(run).artifact("deadheat-results-1", zip_of("results.json", &bytes));
    }

    /// The body of the only comment on a pull request.
    pub(crate) fn only_comment(&self, pull: u64) -> String {
        let mut comments = self.double.comments(pull);
        assert_eq!(comments.len(), 1, "{comments:#?}");
        comments.remove(0).body
    }

    /// The status, conclusion and title of the only check on a commit.
    pub(crate) fn only_check(&self, sha: &str) -> (String, Option<String>, String) {
        let mut checks = self.double.checks(sha);
        assert_eq!(checks.len(), 1, "{checks:#?}");
        let check = checks.remove(0);
        (check.status, check.conclusion, check.title.unwrap_or_default())
    }
}

/// What `output` holds.
pub(crate) fn said(output: &Output) -> Said {
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The results file of known answer of that name.
pub(crate) fn results(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/results").join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Results that say why nothing was raced.
pub(crate) fn not_raced(reason: &str, message: &str) -> Value {
    let mut results = results("unchanged");
    for list in ["entries", "cells", "gate", "attempts", "failures", "scenarios"] {
        results[list] = json!([]);
    }
    results["rounds"] = json!(0);
    results["not_raced"] = json!({ "reason": reason, "message": message });
    results
}
