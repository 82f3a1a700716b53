//! What every workflow must be, and what the jobs that race and publish must be besides. Each function gives what it
//! found wrong, in words.

use crate::document::{Document, Job, action, input, text, words};
use crate::expression::{Context, Status, runs};
use serde_json::{Map, Value, json};

/// deadheat as an action, in workflows of others.
const DEADHEAT: &str = "deadheat/deadheat";
const CHECKOUT: &str = "actions/checkout";
const UPLOAD: &str = "actions/upload-artifact";
const INSTALL: &str =
    "cargo install --locked --git \"$GITHUB_SERVER_URL/$GITHUB_REPOSITORY\" --rev \"$GITHUB_WORKFLOW_SHA\" deadheat";

/// Everything that is wrong with a workflow.
pub(crate) fn findings(workflow: &Document) -> Vec<String> {
    let mut found = every_workflow(workflow);
    for job in workflow.jobs() {
        let of_job = match role(workflow, job) {
            Role::Race => race(job),
            Role::Publish => publish(job),
            Role::Other => other(workflow, job),
        };
        found.extend(every_job(job).into_iter().chain(of_job).map(|what| format!("{}: {what}", job.id)));
    }
    found.into_iter().map(|what| format!("{}: {what}", workflow.name)).collect()
}

enum Role {
    Race,
    Publish,
    Other,
}

/// In the workflows of deadheat, what does not race publishes: a job of any other kind is held to a publisher's rules.
fn role(workflow: &Document, job: Job<'_>) -> Role {
    if !workflow.name.starts_with("deadheat") {
        return Role::Other;
    }
    let races = |step: &Map<String, Value>| {
        text(step, "run").contains("deadheat run") || input(step, "command").is_some_and(|command| command == "run")
    };
    if job.steps().into_iter().any(races) { Role::Race } else { Role::Publish }
}

fn keys_but(content: &Map<String, Value>, allowed: &[&str]) -> Vec<String> {
    content.keys().filter(|key| !allowed.contains(&key.as_str())).map(|key| format!("the key `{key}`")).collect()
}

fn every_workflow(workflow: &Document) -> Vec<String> {
    let content = &workflow.content;
    let mut found = keys_but(content, &["name", "on", "permissions", "cache-mode", "concurrency", "jobs"]);
    let on = content.get("on").unwrap_or(&Value::Null);
    let triggers: Vec<&str> = match on {
        Value::Object(map) => map.keys().map(String::as_str).collect(),
        other => words(other),
    };
    let known = ["pull_request", "push", "merge_group", "workflow_dispatch", "workflow_run", "issue_comment"];
    found.extend(triggers.iter().filter(|name| !known.contains(name)).map(|name| format!("the trigger {name}")));
    if let Some(run) = on.get("workflow_run")
        && *run != json!({ "workflows": ["deadheat"], "types": ["requested", "completed"] })
    {
        found.push("follows other runs than those of deadheat".to_owned());
    }
    if content.get("permissions") != Some(&json!({})) {
        found.push("permissions at the top are not none".to_owned());
    }
    if content.get("cache-mode") != Some(&json!("none")) {
        found.push("the cache can be reached".to_owned());
    }
    if !content.get("concurrency").is_some_and(Value::is_object) {
        found.push("no concurrency".to_owned());
    }
    for step in workflow.jobs().into_iter().flat_map(Job::steps).filter(|step| step.contains_key("uses")) {
        let uses = text(step, "uses");
        // What is tested here may be the action of the checkout; nothing else comes from one.
        let local = uses == "./" && workflow.name == "ci.yml";
        let pinned = is_pinned(uses) && is_explained(&workflow.text, uses);
        if !local && !pinned {
            found.push(format!("{uses} is not pinned by a full commit with its version beside it"));
        }
    }
    found
}

/// Whether an action is named `OWNER/REPO@COMMIT`.
fn is_pinned(uses: &str) -> bool {
    let Some((action, commit)) = uses.split_once('@') else { return false };
    let hex = commit.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    action.contains('/') && !action.starts_with(['.', '$']) && !action.contains("://") && commit.len() == 40 && hex
}

/// Whether a version stands beside an action where it is used.
fn is_explained(file: &str, uses: &str) -> bool {
    file.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("- ");
        let comment = line.strip_prefix("uses: ").and_then(|rest| rest.strip_prefix(uses)?.strip_prefix(" # "));
        comment.is_some_and(|version| version.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn every_job(job: Job<'_>) -> Vec<String> {
    let content = job.content;
    let allowed =
        ["name", "if", "needs", "strategy", "runs-on", "timeout-minutes", "permissions", "concurrency", "env", "steps"];
    let mut found = keys_but(content, &allowed);
    if !content.contains_key("timeout-minutes") {
        found.push("no timeout".to_owned());
    }
    if !content.get("permissions").is_some_and(Value::is_object) {
        found.push("permissions are not listed".to_owned());
    }
    if words(&Value::Object(content.clone())).iter().any(|word| word.contains("secrets")) {
        found.push("reads secrets".to_owned());
    }
    for step in job.steps() {
        found.extend(keys_but(step, &["name", "id", "if", "uses", "with", "env", "run"]));
        if text(step, "run").contains("${{") {
            found.push("a script is filled by an expression".to_owned());
        }
        if action(step) == CHECKOUT && input(step, "persist-credentials") != Some(&json!(false)) {
            found.push("a checkout leaves its token behind".to_owned());
        }
        if action(step).contains("cache") || input(step, "cache").is_some() {
            found.push("uses a cache".to_owned());
        }
    }
    found
}

fn other(workflow: &Document, job: Job<'_>) -> Vec<String> {
    let expected = match (workflow.name.as_str(), job.id) {
        ("release.yml", "provenance") => json!({ "attestations": "write", "id-token": "write" }),
        ("release.yml", "release") => json!({ "contents": "write" }),
        _ => json!({ "contents": "read" }),
    };
    permissions_but(job, &expected)
}

fn permissions_but(job: Job<'_>, expected: &Value) -> Vec<String> {
    let given = job.content.get("permissions").unwrap_or(&Value::Null);
    if given == expected { Vec::new() } else { vec![format!("may do {given}, and should {expected}")] }
}

/// The job that runs what a pull request brings.
fn race(job: Job<'_>) -> Vec<String> {
    let mut found = permissions_but(job, &json!({ "contents": "read" }));
    let content = Value::Object(job.content.clone());
    if words(&content).iter().any(|word| ["token", "_TOKEN", "toJSON"].iter().any(|name| word.contains(name))) {
        found.push("holds a token".to_owned());
    }
    let steps = job.steps();
    let uses = |name: &str| steps.iter().copied().filter(|step| action(step) == name).collect::<Vec<_>>();
    let foreign = steps.iter().map(|step| action(step)).find(|name| !["", CHECKOUT, UPLOAD, DEADHEAT].contains(name));
    found.extend(foreign.map(|name| format!("uses {name}")));
    match uses(CHECKOUT)[..] {
        [step] => {
            let head = json!("${{ github.event.pull_request.head.sha || inputs.head || github.sha }}");
            if input(step, "ref") != Some(&head) || input(step, "fetch-depth") != Some(&json!(0)) {
                found.push("does not check out head with its history".to_owned());
            }
        }
        _ => found.push("does not check out once".to_owned()),
    }
    match uses(UPLOAD)[..] {
        [step] => {
            let expected = json!({
                "name": "deadheat-results-${{ github.run_attempt }}",
                "path": "${{ runner.temp }}/deadheat/results.json",
                "if-no-files-found": "warn",
            });
            if step.get("with") != Some(&expected) {
                found.push("uploads something else than the results".to_owned());
            }
            let failed = Context { names: json!({}), status: Status::Failure };
            if runs(step.get("if").and_then(Value::as_str), &failed) != Ok(true) {
                found.push("uploads nothing after a failure".to_owned());
            }
        }
        _ => found.push("does not upload once".to_owned()),
    }
    found
}

/// A job that holds a token: a fixed list of steps, of which none brings anything onto the disk but deadheat itself.
fn publish(job: Job<'_>) -> Vec<String> {
    let allowed = ["name", "if", "needs", "runs-on", "timeout-minutes", "permissions", "concurrency", "steps"];
    let mut found = keys_but(job.content, &allowed);
    if !text(job.content, "runs-on").starts_with("ubuntu-") {
        found.push("runs on a machine that others may have used".to_owned());
    }
    let (writer, reader) = ("write", "read");
    let expected = match job.id {
        "push" => json!({ "actions": reader, "checks": writer, "contents": writer }),
        "comment" => json!({ "actions": writer, "contents": reader, "pull-requests": writer }),
        _ => json!({ "actions": reader, "checks": writer, "contents": reader, "pull-requests": writer }),
    };
    found.extend(permissions_but(job, &expected));
    let mut published = 0;
    for step in job.steps() {
        let keys: Vec<&str> = step.keys().map(String::as_str).filter(|key| *key != "name").collect();
        let good = match keys[..] {
            ["run"] => text(step, "run") == INSTALL,
            ["env", "run"] => {
                published += 1;
                let environment = step.get("env") == Some(&json!({ "GITHUB_TOKEN": "${{ github.token }}" }));
                environment && text(step, "run") == "deadheat publish --config fixtures/frameworks/deadheat.toml"
            }
            ["uses", "with"] => {
                published += 1;
                let inputs = step.get("with").and_then(Value::as_object);
                let known = ["command", "config", "sha256", "token", "version"];
                action(step) == DEADHEAT
                    && inputs.is_some_and(|inputs| keys_but(inputs, &known).is_empty())
                    && input(step, "command") == Some(&json!("publish"))
                    && input(step, "token") == Some(&json!("${{ github.token }}"))
                    && input(step, "version") != Some(&json!("path"))
            }
            _ => false,
        };
        if !good {
            found.push(format!("the step `{}` is none that a publisher may have", text(step, "name")));
        }
    }
    if published != 1 {
        found.push(format!("publishes {published} times"));
    }
    found
}
