//! What the workflows of deadheat do for an event: which jobs run, in which group, and what that cancels.

use crate::document::Document;
use crate::expression::{Context, Status, fill, runs, truthy};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An event with what it is called.
struct Event {
    name: &'static str,
    github: Value,
    inputs: Value,
    /// The jobs that run.
    jobs: &'static [&'static str],
}

fn event(name: &'static str, jobs: &'static [&'static str], event_name: &str, run: u32, payload: Value) -> Event {
    let repository = json!({ "repository": { "default_branch": "main" } });
    let mut payload = payload;
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, repository) {
        payload.extend(more);
    }
    let github = json!({ "event_name": event_name, "run_id": run, "sha": "tip", "event": payload });
    Event { name, github, inputs: Value::Null, jobs }
}

fn pull(name: &'static str, run: u32, action: &str, number: u32) -> Event {
    let payload = json!({ "action": action, "pull_request": { "number": number }, "label": { "name": "fast" } });
    event(name, &["race"], "pull_request", run, payload)
}

fn racing_events() -> Vec<Event> {
    let mut dispatched = event("dispatch", &["publish", "race"], "workflow_dispatch", 7, json!({}));
    dispatched.inputs = json!({ "head": "abc", "budget": "2h" });
    let mut relabelled = pull("relabelled", 4, "labeled", 1);
    relabelled.github["event"]["label"]["name"] = json!("other");
    vec![
        pull("opened", 1, "opened", 1),
        pull("synchronized", 2, "synchronize", 1),
        pull("another's", 3, "synchronize", 2),
        relabelled,
        pull("labelled", 5, "labeled", 1),
        event("push", &["race"], "push", 6, json!({})),
        event("next push", &["race"], "push", 8, json!({})),
        dispatched,
        event("queue", &[], "merge_group", 9, json!({})),
    ]
}

fn finished(name: &'static str, jobs: &'static [&'static str], of: &str, branch: &str, sha: &str) -> Event {
    let run = json!({ "event": of, "head_branch": branch, "head_sha": sha });
    event(name, jobs, "workflow_run", 1, json!({ "workflow_run": run }))
}

fn commented(name: &'static str, jobs: &'static [&'static str], id: u32, body: &str, pull: &Value) -> Event {
    let payload = json!({ "comment": { "id": id, "body": body }, "issue": { "pull_request": pull } });
    event(name, jobs, "issue_comment", 1, payload)
}

fn publishing_events() -> Vec<Event> {
    let pull = json!({ "url": "..." });
    vec![
        finished("pull", &["pull-request"], "pull_request", "topic", "abc"),
        finished("pull again", &["pull-request"], "pull_request", "topic", "abc"),
        finished("other pull", &["pull-request"], "pull_request", "main", "def"),
        finished("queue", &["pull-request"], "merge_group", "gh-readonly-queue/main/pr-1", "ghi"),
        finished("push", &["push"], "push", "main", "jkl"),
        finished("push elsewhere", &[], "push", "topic", "mno"),
        finished("dispatched", &[], "workflow_dispatch", "main", "pqr"),
        commented("command", &["comment"], 1, "/deadheat budget=20m", &pull),
        commented("other command", &["comment"], 2, "/deadheat", &pull),
        commented("talk", &[], 3, "have you tried /deadheat ?", &pull),
        commented("quote", &[], 4, "> /deadheat", &pull),
        commented("on an issue", &[], 5, "/deadheat", &Value::Null),
    ]
}

/// Everything that a workflow of deadheat does wrong.
pub(crate) fn findings(workflow: &Document) -> Vec<String> {
    let (events, together): (_, &[[&str; 2]]) = match workflow.name.as_str() {
        "deadheat.yml" => (racing_events(), &[["opened", "synchronized"]]),
        "deadheat-publish.yml" => (publishing_events(), &[["pull", "pull again"]]),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for event in &events {
        match happens(workflow, event) {
            Err(error) => found.push(format!("{}: {error}", event.name)),
            Ok(happening) => {
                if happening.jobs != event.jobs {
                    found.push(format!("{}: runs {:?}, and should {:?}", event.name, happening.jobs, event.jobs));
                }
                let may_cancel = event.github["event_name"] == "pull_request";
                if happening.cancels != may_cancel {
                    found.push(format!("{}: cancels, or does not", event.name));
                }
                if event.github["event_name"] == "workflow_run" && !happening.keeps_all {
                    found.push(format!("{}: a waiting run is dropped", event.name));
                }
                groups.entry(happening.group).or_default().push(event.name);
            }
        }
    }
    let shared: Vec<Vec<&str>> = groups.into_values().filter(|names| names.len() > 1).collect();
    if shared != together {
        found.push(format!("share a group: {shared:?}, and should {together:?}"));
    }
    found.into_iter().map(|what| format!("{}: {what}", workflow.name)).collect()
}

struct Happening {
    jobs: Vec<String>,
    group: String,
    cancels: bool,
    /// Whether all that wait get their turn, and not the newest alone.
    keeps_all: bool,
}

fn happens(workflow: &Document, event: &Event) -> Result<Happening, String> {
    let names = json!({ "github": event.github, "inputs": event.inputs });
    let context = Context { names, status: Status::Success };
    let mut jobs = Vec::new();
    for job in workflow.jobs() {
        if runs(job.content.get("if").and_then(Value::as_str), &context)? {
            jobs.push(job.id.to_owned());
        }
        let minutes = match job.content.get("timeout-minutes") {
            Some(Value::String(text)) => fill(text, &context)?,
            other => other.cloned().unwrap_or(Value::Null),
        };
        if !minutes.as_u64().is_some_and(|minutes| (1..=360).contains(&minutes)) {
            return Err(format!("{} has {minutes} minutes", job.id));
        }
    }
    let concurrency = workflow.content.get("concurrency").ok_or("no concurrency")?;
    let filled = |key: &str| match concurrency.get(key) {
        Some(Value::String(text)) => fill(text, &context),
        other => Ok(other.cloned().unwrap_or(Value::Null)),
    };
    let group = filled("group")?.as_str().ok_or("the group is no text")?.to_owned();
    Ok(Happening {
        jobs,
        cancels: truthy(&filled("cancel-in-progress")?),
        keeps_all: concurrency.get("queue") == Some(&json!("max")),
        group,
    })
}

/// The group that a dispatched run publishes in, and the one in which a run for `abc` is published after it.
pub(crate) fn publishing_groups(race: &Document, publish: &Document) -> Result<[Value; 2], String> {
    let dispatched = racing_events().into_iter().find(|event| event.name == "dispatch").ok_or("no dispatch")?;
    let job = race.jobs().into_iter().find(|job| job.id == "publish").ok_or("no job publish")?;
    let concurrency = job.content.get("concurrency").ok_or("publish has no concurrency")?;
    let names = json!({ "github": dispatched.github, "inputs": dispatched.inputs });
    let text = concurrency.get("group").and_then(Value::as_str).ok_or("publish has no group")?;
    let own = fill(text, &Context { names, status: Status::Success })?;
    if concurrency.get("queue") != Some(&json!("max")) || concurrency.get("cancel-in-progress") != Some(&json!(false)) {
        return Err("publish may be cancelled".to_owned());
    }
    let event = finished("pull", &[], "pull_request", "topic", "abc");
    Ok([own, Value::String(happens(publish, &event)?.group)])
}

/// What a dispatched run does after its race ended like this.
pub(crate) fn published_after(race: &Document, status: Status) -> Result<bool, String> {
    let dispatched = racing_events().into_iter().find(|event| event.name == "dispatch").ok_or("no dispatch")?;
    let job = race.jobs().into_iter().find(|job| job.id == "publish").ok_or("no job publish")?;
    let names = json!({ "github": dispatched.github, "inputs": dispatched.inputs });
    runs(job.content.get("if").and_then(Value::as_str), &Context { names, status })
}
