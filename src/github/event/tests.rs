//! Payloads with the fields that are used, and with those missing.

use super::*;
use crate::github::{Account, Conclusion};
use crate::model::{PullNumber, RunAttempt, RunId};
use serde_json::{Value, json};

const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";
const NONE: &str = "0000000000000000000000000000000000000000";

fn read(name: &str, payload: &Value) -> Result<Event, EventError> {
    Event::read(name, payload.to_string().as_bytes())
}

fn repository(id: u64) -> Value {
    json!({ "id": id, "name": "hello", "owner": { "login": "octo", "name": "octo" }, "default_branch": "main", "x": 1 })
}

fn pull(action: &str, changes: &Value) -> Value {
    let mut payload = json!({ "action": action, "number": 7, "pull_request": {
        "number": 7, "draft": false, "labels": [{ "name": "perf" }, { "name": "docs" }],
        "head": { "sha": ONE, "ref": "topic", "repo": repository(5) },
        "base": { "sha": TWO, "ref": "main", "repo": repository(4) },
    }});
    merge(&mut payload, changes);
    payload
}

fn merge(into: &mut Value, changes: &Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, value) in changes {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, changes) => *into = changes.clone(),
    }
}

#[test]
fn a_pull_request_is_read() {
    let Event::PullRequest(pull_request) = read("pull_request", &pull("opened", &json!({}))).unwrap() else { panic!() };
    assert_eq!(pull_request.action, PullAction::Opened);
    assert_eq!(pull_request.number, PullNumber(7));
    assert_eq!(pull_request.labels, ["perf", "docs"]);
    assert_eq!((pull_request.head.sha.as_str(), pull_request.head.branch.as_str()), (ONE, "topic"));
    assert_eq!((pull_request.base.sha.as_str(), pull_request.base.branch.as_str()), (TWO, "main"));
    assert!(pull_request.is_from_fork());

    let own = json!({ "pull_request": { "draft": true, "head": { "repo": { "id": 4 } } } });
    let Event::PullRequest(pull_request) = read("pull_request", &pull("opened", &own)).unwrap() else { panic!() };
    assert!(pull_request.draft && !pull_request.is_from_fork());

    let gone = json!({ "pull_request": { "head": { "repo": null } } });
    let Event::PullRequest(pull_request) = read("pull_request", &pull("reopened", &gone)).unwrap() else { panic!() };
    assert!(pull_request.head.repository.is_none() && pull_request.is_from_fork());
}

#[test]
fn every_action_on_a_pull_request_has_its_name() {
    for (name, expected) in [
        ("opened", PullAction::Opened),
        ("synchronize", PullAction::Synchronize),
        ("reopened", PullAction::Reopened),
        ("ready_for_review", PullAction::ReadyForReview),
        ("labeled", PullAction::Labeled("bench".to_owned())),
        ("unlabeled", PullAction::Other("unlabeled".to_owned())),
        ("something_new", PullAction::Other("something_new".to_owned())),
    ] {
        let payload = pull(name, &json!({ "label": { "name": "bench" } }));
        let Event::PullRequest(pull_request) = read("pull_request", &payload).unwrap() else { panic!() };
        assert_eq!(pull_request.action, expected);
    }
}

#[test]
fn a_push_knows_new_deleted_and_default_branches() {
    let push = |reference: &str, before: &str, after: &str| {
        let payload = json!({ "ref": reference, "before": before, "after": after, "deleted": after == NONE,
            "forced": false, "repository": repository(4) });
        let Event::Push(push) = read("push", &payload).unwrap() else { panic!() };
        push
    };
    let usual = push("refs/heads/main", ONE, TWO);
    assert_eq!(usual.after.as_ref().unwrap().as_str(), TWO);
    assert!(usual.is_default_branch() && !usual.deleted);
    let new = push("refs/heads/feature/main", NONE, TWO);
    assert_eq!((new.before.as_ref(), new.branch()), (None, Some("feature/main")));
    assert!(!new.is_default_branch());
    let deleted = push("refs/heads/main", ONE, NONE);
    assert!(deleted.deleted && deleted.after.is_none());
    let tag = push("refs/tags/main", NONE, ONE);
    assert_eq!(tag.branch(), None);
    assert!(!tag.is_default_branch());
}

#[test]
fn inputs_are_text_whatever_their_type() {
    let inputs = json!({ "base": " main ", "head": "", "variants": "a,b", "pr": 12, "dry": true, "budget": null });
    let payload = json!({ "inputs": inputs, "ref": "refs/heads/main", "repository": repository(4) });
    let Event::Dispatch(dispatch) = read("workflow_dispatch", &payload).unwrap() else { panic!() };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        dispatch.inputs,
        DispatchInputs {
            base: text("main"),
            variants: text("a,b"),
            pr: text("12"),
            others: [("dry".to_owned(), "true".to_owned())].into(),
            ..DispatchInputs::default()
        }
    );
    assert_eq!(dispatch.inputs.pull().unwrap(), Some(PullNumber(12)));
    assert_eq!(dispatch.default_branch.as_deref(), Some("main"));

    let none = json!({ "inputs": null, "ref": "refs/heads/main" });
    let Event::Dispatch(dispatch) = read("workflow_dispatch", &none).unwrap() else { panic!() };
    assert_eq!(dispatch.inputs, DispatchInputs::default());
    assert_eq!(dispatch.inputs.pull().unwrap(), None);
}

#[test]
fn inputs_that_are_no_line_of_text_are_all_named() {
    let inputs = json!({ "base": "a\nb", "head": ["x"], "suites": "x".repeat(10_001), "budget": "1m" });
    let error = read("workflow_dispatch", &json!({ "inputs": inputs, "ref": "r" })).unwrap_err().to_string();
    for name in ["base", "head", "suites"] {
        assert!(error.contains(name), "{error}");
    }
    assert!(!error.contains("budget"), "{error}");
    for (text, number) in [("12", Some(12)), ("#3", Some(3)), ("0", None), ("+1", None), ("1x", None), ("-1", None)] {
        let inputs = DispatchInputs { pr: Some(text.to_owned()), ..DispatchInputs::default() };
        assert_eq!(inputs.pull().ok().flatten(), number.map(PullNumber), "{text}");
    }
}

fn run(action: &str, changes: &Value) -> Value {
    let mut payload = json!({ "action": action, "repository": repository(4), "workflow_run": {
        "id": 30, "run_attempt": 2, "name": "deadheat", "event": "pull_request", "head_sha": ONE, "head_branch": "topic",
        "head_repository": { "id": 5, "name": "hello", "owner": { "login": "someone" } }, "conclusion": null,
        "path": ".github/workflows/deadheat.yml", "html_url": "https://github.com/octo/hello/actions/runs/30",
    }});
    merge(&mut payload, changes);
    payload
}

#[test]
fn a_run_is_read_while_it_runs_and_afterwards() {
    let Event::WorkflowRun(event) = read("workflow_run", &run("requested", &json!({}))).unwrap() else { panic!() };
    assert_eq!(event.action, RunAction::Requested);
    assert_eq!((event.run.id, event.run.attempt), (RunId(30), RunAttempt(2)));
    assert_eq!(event.run.conclusion, None);
    assert_eq!(event.run.head_repository.unwrap().owner, "someone");
    for (text, conclusion) in [
        ("success", Conclusion::Success),
        ("failure", Conclusion::Failure),
        ("cancelled", Conclusion::Cancelled),
        ("timed_out", Conclusion::TimedOut),
        ("skipped", Conclusion::Skipped),
        ("stale", Conclusion::Stale),
    ] {
        let changes = json!({ "workflow_run": { "conclusion": text, "head_repository": null, "head_branch": null } });
        let Event::WorkflowRun(event) = read("workflow_run", &run("completed", &changes)).unwrap() else { panic!() };
        assert_eq!((event.action, event.run.conclusion), (RunAction::Completed, Some(conclusion)));
        assert_eq!((event.run.head_repository, event.run.head_branch), (None, None));
    }
}

#[test]
fn a_comment_tells_issues_from_pull_requests_and_people_from_bots() {
    let comment = |issue: Value, user: Value| {
        let payload = json!({ "action": "created", "issue": issue,
            "comment": { "id": 9, "body": "/deadheat", "user": user } });
        let Event::IssueComment(comment) = read("issue_comment", &payload).unwrap() else { panic!() };
        comment
    };
    let person =
        comment(json!({ "number": 7, "pull_request": { "url": "u" } }), json!({ "login": "ada", "type": "User" }));
    assert!(person.is_pull_request);
    assert_eq!((person.number, person.comment, person.body.as_str()), (PullNumber(7), 9, "/deadheat"));
    assert_eq!(person.author, Some(Account { login: "ada".to_owned(), is_bot: false }));
    let bot = comment(json!({ "number": 7 }), json!({ "login": "github-actions[bot]", "type": "Bot" }));
    assert!(!bot.is_pull_request && bot.author.unwrap().is_bot);
    assert_eq!(comment(json!({ "number": 7 }), Value::Null).author, None);
}

#[test]
fn a_merge_group_is_read_and_other_events_keep_their_name() {
    let payload = json!({ "action": "checks_requested", "merge_group": { "head_sha": ONE, "head_ref": "refs/heads/q",
        "base_sha": TWO, "base_ref": "refs/heads/main" } });
    let Event::MergeGroup(group) = read("merge_group", &payload).unwrap() else { panic!() };
    assert_eq!((group.head_sha.as_str(), group.base_sha.as_str()), (ONE, TWO));
    assert_eq!(Event::read("schedule", b"no JSON").unwrap(), Event::Other("schedule".to_owned()));
}

#[test]
fn what_a_payload_lacks_is_named() {
    let without = |mut payload: Value, pointer: &str| {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        payload.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
        payload
    };
    let push = json!({ "ref": "r", "before": ONE, "after": TWO, "repository": repository(4) });
    for (event, payload, pointer, named) in [
        ("pull_request", pull("opened", &json!({})), "/pull_request/head/sha", "sha"),
        ("pull_request", pull("opened", &json!({})), "/pull_request/base/repo", "repository"),
        ("pull_request", pull("labeled", &json!({})), "/action", "action"),
        ("push", push.clone(), "/after", "after"),
        ("push", push.clone(), "/repository/default_branch", "default branch"),
        ("workflow_run", run("completed", &json!({})), "/workflow_run/head_sha", "head_sha"),
    ] {
        let error = read(event, &without(payload, pointer)).unwrap_err().to_string();
        assert!(error.contains(event) && error.contains(named), "{pointer}: {error}");
    }
    let error = read("pull_request", &pull("labeled", &json!({}))).unwrap_err().to_string();
    assert!(error.contains("label"), "{error}");
    let short = pull("opened", &json!({ "pull_request": { "head": { "sha": "abc" } } }));
    assert!(read("pull_request", &short).unwrap_err().to_string().contains("commit sha"));
    assert!(Event::read("push", b"{").is_err() && Event::read("push", b"\xff").is_err());
    assert!(read("workflow_run", &run("deleted", &json!({}))).unwrap_err().to_string().contains("deleted"));
}
