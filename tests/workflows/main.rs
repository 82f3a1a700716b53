//! The workflows of this repository, those that `deadheat init` writes, and the action: what a pull request brings is run
//! without a token, a secret or a cache, and what holds a token runs nothing that a pull request brought.
//!
//! Linters know which patterns are dangerous anywhere; these rules know what the jobs of deadheat are for.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod action;
mod behaviour;
mod broken;
mod broken_publish;
mod broken_race;
mod document;
mod expression;
mod rules;

use document::Document;
use expression::Status;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The commit that the written workflows are pinned to.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn workflows_below(root: &Path) -> Vec<Document> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        found.push(Document::parse(name, &fs::read_to_string(&path).unwrap()).unwrap());
    }
    found.sort_by(|left, right| left.name.cmp(&right.name));
    found
}

/// This repository's own workflows.
fn own() -> Vec<Document> {
    workflows_below(root())
}

/// Those that a user gets.
fn written() -> Vec<Document> {
    let folder = tempfile::tempdir().unwrap();
    let git = Command::new("git").args(["init", "--quiet", "--initial-branch=main"]).arg(folder.path()).status();
    assert!(git.unwrap().success());
    let pin = format!("deadheat/deadheat@{COMMIT}");
    let init = Command::new(env!("CARGO_BIN_EXE_deadheat"))
        .args(["init", "--action", &pin])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    workflows_below(folder.path())
}

fn the_action() -> Document {
    Document::parse("action.yml", &fs::read_to_string(root().join("action.yml")).unwrap()).unwrap()
}

fn all_findings(workflow: &Document) -> Vec<String> {
    let mut found = rules::findings(workflow);
    found.extend(behaviour::findings(workflow));
    found
}

fn named<'a>(workflows: &'a [Document], name: &str) -> &'a Document {
    workflows.iter().find(|workflow| workflow.name == name).unwrap()
}

#[test]
fn workflows_give_a_pull_request_s_code_nothing_and_run_nothing_that_it_brought() {
    let (own, written) = (own(), written());
    let names = |workflows: &[Document]| workflows.iter().map(|workflow| workflow.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&own), ["ci.yml", "deadheat-publish.yml", "deadheat.yml", "release.yml"]);
    assert_eq!(names(&written), ["deadheat-publish.yml", "deadheat.yml"]);
    let found: Vec<String> = own.iter().chain(&written).flat_map(all_findings).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let found = action::findings(&the_action());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_dispatched_run_waits_for_other_publishers_of_its_commit_and_publishes_however_its_race_ended() {
    for workflows in [own(), written()] {
        let (race, publish) = (named(&workflows, "deadheat.yml"), named(&workflows, "deadheat-publish.yml"));
        let [own, followed] = behaviour::publishing_groups(race, publish).unwrap();
        assert_eq!(own, followed);
        for status in [Status::Success, Status::Failure, Status::Cancelled] {
            assert_eq!(behaviour::published_after(race, status), Ok(true), "{status:?}");
        }
    }
}

#[test]
fn a_user_gets_the_workflows_that_this_repository_uses() {
    // What differs is what is raced and where deadheat comes from.
    let but_steps = |workflow: &Document| {
        let mut content = workflow.content.clone();
        for job in content["jobs"].as_object_mut().unwrap().values_mut() {
            job.as_object_mut().unwrap().remove("steps").unwrap();
        }
        content
    };
    let own = own();
    for workflow in written() {
        assert_eq!(but_steps(&workflow), but_steps(named(&own, &workflow.name)), "{}", workflow.name);
        assert!(workflow.text.contains(COMMIT), "{}", workflow.text);
    }
}

#[test]
fn the_inputs_of_a_dispatch_are_those_that_deadheat_reads() {
    for workflows in [own(), written()] {
        let race = named(&workflows, "deadheat.yml");
        let inputs = race.content["on"]["workflow_dispatch"]["inputs"].as_object().unwrap();
        let mut names: Vec<&str> = inputs.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["base", "budget", "head", "pr", "runtimes", "scenarios", "suites", "variants"]);
        for (name, input) in inputs {
            assert_eq!(input["type"], "string", "{name}");
            assert!(input["description"].as_str().is_some_and(|text| text.contains("empty")), "{name}");
        }
    }
}
