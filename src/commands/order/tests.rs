//! What every event asks for, decided in real clones.

use super::decide::of_event;
use super::*;
use crate::build::Repository;
use crate::cli::{SelectionArgs, SuiteChoice};
use crate::commands::CommandError;
use crate::github::Event;
use crate::plan::GithubSettings;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository at `origin`, somebody's work, and the clone that a job has.
struct Forge {
    folder: tempfile::TempDir,
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").arg("-C").arg(directory).args(identity).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Forge {
    /// `main` with commits 1, 2, 3 and `topic`, which left it after 2, with a and b.
    fn new() -> Self {
        let forge = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(forge.work()).unwrap();
        git(&forge.work(), &["init", "--quiet", "--initial-branch=main"]);
        forge.commits(&["1", "2"]);
        git(&forge.work(), &["checkout", "--quiet", "-b", "topic"]);
        forge.commits(&["a", "b"]);
        git(&forge.work(), &["checkout", "--quiet", "main"]);
        forge.commits(&["3"]);
        git(forge.folder.path(), &["clone", "--quiet", "--bare", "work", "origin.git"]);
        git(&forge.work(), &["remote", "add", "origin", forge.origin().to_str().unwrap()]);
        forge
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn origin(&self) -> PathBuf {
        self.folder.path().join("origin.git")
    }

    fn commits(&self, messages: &[&str]) {
        for message in messages {
            fs::write(self.work().join(message), message).unwrap();
            git(&self.work(), &["add", "--all"]);
            git(&self.work(), &["commit", "--quiet", "-m", message]);
        }
    }

    fn push(&self, refspec: &str) {
        git(&self.work(), &["push", "--quiet", "--force", "origin", refspec]);
    }

    /// The commit of this message.
    fn sha(&self, message: &str) -> String {
        git(&self.work(), &["log", "--all", "--format=%H", "-1", "--grep", &format!("^{message}$")])
    }

    fn clone(&self, options: &[&str]) -> Repository {
        let target = self.folder.path().join("clone");
        let origin = format!("file://{}", self.origin().display());
        let arguments = [&["clone", "--quiet"], options, &[origin.as_str(), target.to_str().unwrap()]].concat();
        git(self.folder.path(), &arguments);
        Repository::open(&target).unwrap()
    }

    fn pull(&self, action: &str, head: &str, base: &str) -> Event {
        self.pull_with(action, &self.sha(head), &self.sha(base), &json!(repository(4)))
    }

    #[expect(clippy::unused_self, reason = "reads as what the forge sends")]
    fn pull_with(&self, action: &str, head: &str, base: &str, head_repository: &Value) -> Event {
        let payload = json!({ "action": action, "label": { "name": "perf" }, "pull_request": {
            "number": 7, "draft": false, "labels": [],
            "head": { "sha": head, "ref": "topic", "repo": head_repository },
            "base": { "sha": base, "ref": "main", "repo": repository(4) },
        }});
        Event::read("pull_request", payload.to_string().as_bytes()).unwrap()
    }
}

fn repository(id: u64) -> Value {
    json!({ "id": id, "name": "hello", "owner": { "login": format!("owner{id}") }, "default_branch": "main" })
}

fn push(reference: &str, before: &str, after: &str) -> Event {
    let payload = json!({ "ref": reference, "before": before, "after": after, "repository": repository(4) });
    Event::read("push", payload.to_string().as_bytes()).unwrap()
}

fn dispatch(inputs: &Value) -> Event {
    let payload = json!({ "inputs": inputs, "ref": "refs/heads/main", "repository": repository(4) });
    Event::read("workflow_dispatch", payload.to_string().as_bytes()).unwrap()
}

fn decided(clone: &Repository, event: &Event) -> Result<Decision, CommandError> {
    of_event(clone, event, &SelectionArgs::default())
}

fn race(clone: &Repository, event: &Event) -> Order {
    match decided(clone, event) {
        Ok(Decision::Race(order)) => *order,
        other => panic!("{event:?} gives no race: {other:?}"),
    }
}

fn not_asked(clone: &Repository, event: &Event) -> (Option<String>, String) {
    match decided(clone, event) {
        Ok(Decision::NotAsked { head, message }) => (head.map(|head| head.to_string()), message),
        other => panic!("{event:?} is asked: {other:?}"),
    }
}

/// Base and head of an order.
fn sides(order: &Order) -> (&str, &str) {
    (order.base.as_deref().unwrap(), order.head.as_deref().unwrap())
}

const ZERO: &str = "0000000000000000000000000000000000000000";

#[test]
fn a_pull_request_is_raced_from_where_it_left_its_base_branch() {
    let forge = Forge::new();
    let (head, left) = (forge.sha("b"), forge.sha("2"));
    for options in [&[][..], &["--depth=1", "--branch=main"], &["--single-branch", "--branch=main"]] {
        let clone = forge.clone(options);
        // What the event calls base is older than what the branch is now, and than where the topic left it.
        for action in ["opened", "synchronize", "reopened", "ready_for_review", "labeled"] {
            let order = race(&clone, &forge.pull(action, "b", "1"));
            assert_eq!(sides(&order), (left.as_str(), head.as_str()), "{action} with {options:?}");
            assert_eq!(order.warnings, [] as [&str; 0]);
            assert!(order.by_event && order.pull.is_some());
            assert_eq!(order.names.head.as_deref(), Some("topic"));
            assert_eq!(order.names.base.as_deref(), Some("main"));
        }
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_base_branch_that_was_merged_into_the_topic_moves_the_base() {
    let forge = Forge::new();
    git(&forge.work(), &["checkout", "--quiet", "topic"]);
    git(&forge.work(), &["merge", "--quiet", "-m", "merged", "main"]);
    forge.push("topic");
    git(&forge.work(), &["checkout", "--quiet", "main"]);
    forge.commits(&["4"]);
    forge.push("main");
    let order = race(&forge.clone(&[]), &forge.pull("synchronize", "merged", "1"));
    assert_eq!(sides(&order), (forge.sha("3").as_str(), forge.sha("merged").as_str()));
}

#[test]
fn other_actions_on_a_pull_request_ask_for_nothing() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    for action in ["closed", "edited", "unlabeled", "assigned", "converted_to_draft"] {
        let (head, message) = not_asked(&clone, &forge.pull(action, "b", "1"));
        assert_eq!(head, Some(forge.sha("b")));
        assert!(message.contains(&format!("`{action}`")), "{message}");
    }
}

#[test]
fn a_forks_head_is_found_through_the_pull_request_and_so_is_that_of_a_fork_that_is_gone() {
    let forge = Forge::new();
    let head = forge.sha("b");
    forge.push("topic:refs/pull/7/head");
    forge.push(":topic");
    for (fork, name) in [(repository(5), "owner5:topic"), (Value::Null, "topic")] {
        let clone = forge.clone(&[]);
        let order = race(&clone, &forge.pull_with("opened", &head, &forge.sha("1"), &fork));
        assert_eq!(sides(&order), (forge.sha("2").as_str(), head.as_str()));
        assert_eq!(order.names.head.as_deref(), Some(name));
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_head_that_was_replaced_is_left_to_the_run_of_what_replaced_it() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    git(&forge.work(), &["checkout", "--quiet", "--detach", "main"]);
    forge.commits(&["lost"]);
    let lost = forge.folder.path().join("lost");
    let gone = git(&forge.work(), &["rev-parse", "HEAD"]);
    forge.push("topic:refs/pull/7/head");
    let event = forge.pull_with("synchronize", &gone, &forge.sha("1"), &json!(repository(4)));
    let (head, message) = not_asked(&clone, &event);
    assert_eq!(head.as_ref(), Some(&gone));
    assert!(message.contains(&gone[..7]) && message.contains(&forge.sha("b")[..7]), "{message}");
    assert!(!lost.exists());

    // Neither the commit nor the pull request is there any more.
    forge.push(":refs/pull/7/head");
    for (fork, words) in [(repository(5), "force-pushed away"), (Value::Null, "the fork that it came from is gone")] {
        let event = forge.pull_with("synchronize", &gone, &forge.sha("1"), &fork);
        let error = decided(&clone, &event).unwrap_err();
        assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains(words)), "{error}");
        assert!(error.to_string().contains("#7"), "{error}");
    }
}

#[test]
fn without_the_base_branch_the_events_base_stands_in_and_it_is_said() {
    let forge = Forge::new();
    let clone = forge.clone(&["--single-branch", "--branch=topic"]);
    git(&forge.origin(), &["symbolic-ref", "HEAD", "refs/heads/topic"]);
    let moved = forge.sha("3");
    git(&forge.origin(), &["update-ref", "refs/keep/3", &moved]);
    forge.push(":main");
    let order = race(&clone, &forge.pull("opened", "b", "3"));
    assert_eq!(sides(&order), (forge.sha("2").as_str(), forge.sha("b").as_str()));
    assert!(matches!(&order.warnings[..], [one] if one.contains("`main`")), "{:?}", order.warnings);

    // A history that has nothing in common with head's.
    git(&forge.work(), &["checkout", "--quiet", "--orphan", "apart"]);
    forge.commits(&["apart"]);
    git(&forge.work(), &["push", "--quiet", "origin", "apart"]);
    let order = race(&clone, &forge.pull("opened", "b", "apart"));
    assert_eq!(sides(&order), (forge.sha("apart").as_str(), forge.sha("b").as_str()));
    assert!(matches!(&order.warnings[..], [one] if one.contains("no common ancestor")), "{:?}", order.warnings);

    let never = "1".repeat(40);
    let error =
        decided(&clone, &forge.pull_with("opened", &forge.sha("b"), &never, &json!(repository(4)))).unwrap_err();
    assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains("fetch-depth: 0")), "{error}");
}

#[test]
fn a_push_is_raced_against_the_nearest_commit_that_was_measured() {
    let forge = Forge::new();
    forge.commits(&["4", "5"]);
    forge.push("main");
    let event = push("refs/heads/main", &forge.sha("3"), &forge.sha("5"));
    for options in [&[][..], &["--depth=1"]] {
        let clone = forge.clone(options);
        let order = race(&clone, &event);
        assert_eq!(sides(&order), (forge.sha("4").as_str(), forge.sha("5").as_str()), "the parent, with {options:?}");
        assert_eq!(order.names.head.as_deref(), Some("main"));
        assert!(order.pull.is_none());
        fs::remove_dir_all(clone.root()).unwrap();
    }
    git(&forge.work(), &["checkout", "--quiet", "--orphan", "data"]);
    git(&forge.work(), &["rm", "-r", "--quiet", "--cached", "."]);
    for measured in ["1", "2", "b", "5"] {
        let sha = forge.sha(measured);
        let path = forge.work().join("runs").join(&sha[..2]);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("{sha}.json")), "{}").unwrap();
    }
    fs::write(forge.work().join("runs/README"), "no commit").unwrap();
    git(&forge.work(), &["add", "runs"]);
    git(&forge.work(), &["commit", "--quiet", "-m", "data"]);
    forge.push("data:deadheat-data");
    for options in [&[][..], &["--depth=1"], &["--single-branch"]] {
        let clone = forge.clone(options);
        let order = race(&clone, &event);
        assert_eq!(sides(&order), (forge.sha("2").as_str(), forge.sha("5").as_str()), "with {options:?}");
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_first_commit_is_raced_alone() {
    let forge = Forge::new();
    let order = race(&forge.clone(&[]), &push("refs/heads/main", ZERO, &forge.sha("1")));
    assert_eq!(sides(&order), ("none", forge.sha("1").as_str()));
}

#[test]
fn pushes_elsewhere_ask_for_nothing() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let (two, b) = (forge.sha("2"), forge.sha("b"));
    for (reference, before, after, about) in [
        ("refs/heads/topic", &two, b.as_str(), &b),
        ("refs/tags/main", &two, b.as_str(), &b),
        ("refs/heads/main", &two, ZERO, &two),
        ("refs/heads/topic", &two, ZERO, &two),
    ] {
        let (head, message) = not_asked(&clone, &push(reference, before, after));
        assert_eq!(head.as_ref(), Some(about), "{reference}");
        assert!(message.contains(&format!("`{reference}`")), "{message}");
    }
}

#[test]
fn a_dispatch_races_what_its_inputs_name() {
    let forge = Forge::new();
    forge.push("topic:refs/pull/7/head");
    git(&forge.work(), &["tag", "v1", &forge.sha("1")]);
    forge.push("v1");
    for options in [&[][..], &["--depth=1", "--branch=main"]] {
        let clone = forge.clone(options);
        for (inputs, base, head, name) in [
            (json!({}), "2", "3", Some("main")),
            (json!({ "head": "topic" }), "2", "b", Some("topic")),
            (json!({ "pr": "7" }), "2", "b", Some("#7")),
            (json!({ "pr": "#7", "head": forge.sha("a") }), "2", "a", None),
            (json!({ "head": "topic", "base": "v1" }), "1", "b", Some("topic")),
            (json!({ "head": "HEAD", "base": forge.sha("2").to_uppercase() }), "2", "3", Some("HEAD")),
        ] {
            let order = race(&clone, &dispatch(&inputs));
            assert_eq!(sides(&order), (forge.sha(base).as_str(), forge.sha(head).as_str()), "{inputs} {options:?}");
            let named = order.names.head.as_deref().filter(|name| name.len() < 40);
            assert_eq!(named, name, "{inputs}");
        }
        let order = race(&clone, &dispatch(&json!({ "base": "none" })));
        assert_eq!(sides(&order), ("none", forge.sha("3").as_str()));
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_dispatch_chooses_out_of_the_configuration() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let inputs =
        json!({ "variants": "a, b,,a", "runtimes": "node", "suites": "http,boot", "scenarios": "x", "budget": "90s" });
    let selection = race(&clone, &dispatch(&inputs)).selection;
    let names = |names: &[String]| names.join(",");
    assert_eq!(names(&selection.variants.iter().map(ToString::to_string).collect::<Vec<_>>()), "a,b");
    assert_eq!(names(&selection.runtimes.iter().map(ToString::to_string).collect::<Vec<_>>()), "node");
    assert_eq!(names(&selection.scenarios.iter().map(ToString::to_string).collect::<Vec<_>>()), "x");
    assert_eq!(selection.suites, [SuiteChoice::Http, SuiteChoice::Boot]);
    assert_eq!(selection.budget, Some(std::time::Duration::from_secs(90)));
    // What the inputs leave open stays as the workflow's own options have it.
    let given = SelectionArgs { suites: vec![SuiteChoice::Boot], ..SelectionArgs::default() };
    let Decision::Race(order) = of_event(&clone, &dispatch(&json!({ "variants": "a" })), &given).unwrap() else {
        panic!()
    };
    assert_eq!((order.selection.suites.len(), order.selection.variants.len()), (1, 1));
}

#[test]
fn mistakes_in_inputs_are_told_all_at_once() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let inputs = json!({ "base": "--upload-pack=x", "head": "a..b", "variants": "ok,-x,y z", "runtimes": "a/b",
        "suites": "http,di", "scenarios": "é", "budget": "soon", "pr": "seven" });
    let error = decided(&clone, &dispatch(&inputs)).unwrap_err();
    assert!(matches!(error, CommandError::Usage(_)));
    insta::assert_snapshot!(error.to_string());
    for (input, rev) in [("head", "no-such-branch"), ("base", "no/such~1")] {
        let error = decided(&clone, &dispatch(&json!({ input: rev }))).unwrap_err();
        assert!(matches!(&error, CommandError::Usage(message) if message.contains(rev)), "{error}");
    }
    let error = decided(&clone, &dispatch(&json!({ "pr": "8" }))).unwrap_err();
    assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains("#8")), "{error}");
}

#[test]
fn events_without_a_race_say_what_is_meant() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let group = json!({ "action": "checks_requested", "merge_group": { "head_sha": forge.sha("b"), "head_ref": "refs/heads/q",
        "base_sha": forge.sha("3"), "base_ref": "refs/heads/main" } });
    let group = Event::read("merge_group", group.to_string().as_bytes()).unwrap();
    assert_eq!(not_asked(&clone, &group).0, Some(forge.sha("b")));
    let (head, message) = not_asked(&clone, &Event::Other("schedule".to_owned()));
    assert_eq!(head, None);
    assert!(message.contains("`schedule`"), "{message}");

    let run = json!({ "action": "completed", "repository": repository(4), "workflow_run": { "id": 1, "run_attempt": 1,
        "event": "push", "head_sha": forge.sha("b"), "html_url": "u" } });
    let comment = json!({ "action": "created", "issue": { "number": 7 }, "comment": { "id": 1 } });
    for (name, payload) in [("workflow_run", run), ("issue_comment", comment)] {
        let event = Event::read(name, payload.to_string().as_bytes()).unwrap();
        let error = decided(&clone, &event).unwrap_err();
        let said = |message: &str| message.contains("deadheat publish") && message.contains(name);
        assert!(matches!(&error, CommandError::Usage(message) if said(message)), "{error}");
    }
    let error = decided(&clone, &Event::Other("pull_request_target".to_owned())).unwrap_err();
    assert!(matches!(&error, CommandError::Usage(message) if message.contains("pull_request instead")), "{error}");
}

#[test]
fn the_configuration_says_which_pull_requests_are_raced() {
    let gate = |action: &str, draft: bool, labels: &[&str]| {
        let labels: Vec<Value> = labels.iter().map(|name| json!({ "name": name })).collect();
        let (added, action) = action.split_once(' ').map_or(("", action), |(action, label)| (label, action));
        let payload = json!({ "action": action, "label": { "name": added }, "pull_request": {
            "number": 7, "draft": draft, "labels": labels,
            "head": { "sha": "1".repeat(40), "ref": "topic", "repo": null },
            "base": { "sha": "2".repeat(40), "ref": "main", "repo": repository(4) },
        }});
        let Event::PullRequest(pull) = Event::read("pull_request", payload.to_string().as_bytes()).unwrap() else {
            panic!()
        };
        PullGate::new(&pull)
    };
    let settings =
        |label: &str, drafts: bool| GithubSettings { label: label.to_owned(), drafts, ..GithubSettings::default() };
    for (action, draft, labels, label, drafts, raced) in [
        ("opened", false, &[][..], "", false, true),
        ("opened", true, &[], "", false, false),
        ("opened", true, &[], "", true, true),
        ("ready_for_review", false, &[], "", false, true),
        ("opened", false, &[], "perf", false, false),
        ("opened", false, &["docs"], "perf", false, false),
        ("opened", false, &["docs", "perf"], "perf", false, true),
        ("synchronize", false, &["perf"], "perf", false, true),
        ("synchronize", true, &["perf"], "perf", false, false),
        ("labeled perf", false, &["perf"], "perf", false, true),
        ("labeled perf", true, &["perf"], "perf", false, false),
        ("labeled docs", false, &["docs", "perf"], "perf", false, false),
        ("labeled docs", false, &["docs"], "", false, false),
        ("labeled perf", false, &["perf"], "", true, false),
    ] {
        let closed = gate(action, draft, labels).closed(&settings(label, drafts));
        assert_eq!(closed.is_none(), raced, "{action} {draft} {labels:?} {label} {drafts}: {closed:?}");
        assert!(closed.is_none_or(|why| why.ends_with('.') && why.starts_with(|c: char| c.is_uppercase())));
    }
    assert!(gate("opened", false, &["perf-accepted"]).bears("perf-accepted"));
    assert!(!gate("opened", false, &[""]).bears(""), "an empty name is no label");
}
