//! An origin, somebody's work and the clone that a job has, for tests of what events ask for.

use super::decide::of_event;
use super::{Decision, Order};
use crate::build::Repository;
use crate::cli::SelectionArgs;
use crate::commands::CommandError;
use crate::github::Event;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository at `origin`, somebody's work, and the clone that a job has.
pub(super) struct Forge {
    pub(super) folder: tempfile::TempDir,
}

pub(super) fn git(directory: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").arg("-C").arg(directory).args(identity).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Forge {
    /// `main` with commits 1, 2, 3 and `topic`, which left it after 2, with a and b.
    pub(super) fn new() -> Self {
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

    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(super) fn origin(&self) -> PathBuf {
        self.folder.path().join("origin.git")
    }

    pub(super) fn commits(&self, messages: &[&str]) {
        for message in messages {
            fs::write(self.work().join(message), message).unwrap();
            git(&self.work(), &["add", "--all"]);
            git(&self.work(), &["commit", "--quiet", "-m", message]);
        }
    }

    pub(super) fn push(&self, refspec: &str) {
        git(&self.work(), &["push", "--quiet", "--force", "origin", refspec]);
    }

    /// The commit of this message.
    pub(super) fn sha(&self, message: &str) -> String {
        git(&self.work(), &["log", "--all", "--format=%H", "-1", "--grep", &format!("^{message}$")])
    }

    pub(super) fn clone(&self, options: &[&str]) -> Repository {
        let target = self.folder.path().join("clone");
        let origin = format!("file://{}", self.origin().display());
        let arguments = [&["clone", "--quiet"], options, &[origin.as_str(), target.to_str().unwrap()]].concat();
        git(self.folder.path(), &arguments);
        Repository::open(&target).unwrap()
    }

    pub(super) fn pull(&self, action: &str, head: &str, base: &str) -> Event {
        self.pull_with(action, &self.sha(head), &self.sha(base), &json!(repository(4)))
    }

    #[expect(clippy::unused_self, reason = "reads as what the forge sends")]
    pub(super) fn pull_with(&self, action: &str, head: &str, base: &str, head_repository: &Value) -> Event {
        let payload = json!({ "action": action, "label": { "name": "perf" }, "pull_request": {
            "number": 7, "draft": false, "labels": [],
            "head": { "sha": head, "ref": "topic", "repo": head_repository },
            "base": { "sha": base, "ref": "main", "repo": repository(4) },
        }});
        Event::read("pull_request", payload.to_string().as_bytes()).unwrap()
    }
}

pub(super) fn repository(id: u64) -> Value {
    json!({ "id": id, "name": "hello", "owner": { "login": format!("owner{id}") }, "default_branch": "main" })
}

pub(super) fn push(reference: &str, before: &str, after: &str) -> Event {
    let payload = json!({ "ref": reference, "before": before, "after": after, "repository": repository(4) });
    Event::read("push", payload.to_string().as_bytes()).unwrap()
}

pub(super) fn dispatch(inputs: &Value) -> Event {
    let payload = json!({ "inputs": inputs, "ref": "refs/heads/main", "repository": repository(4) });
    Event::read("workflow_dispatch", payload.to_string().as_bytes()).unwrap()
}

pub(super) fn decided(clone: &Repository, event: &Event) -> Result<Decision, CommandError> {
    of_event(clone, event, &SelectionArgs::default())
}

pub(super) fn race(clone: &Repository, event: &Event) -> Order {
    match decided(clone, event) {
        Ok(Decision::Race(order)) => *order,
        other => panic!("{event:?} gives no race: {other:?}"),
    }
}

pub(super) fn not_asked(clone: &Repository, event: &Event) -> (Option<String>, String) {
    match decided(clone, event) {
        Ok(Decision::NotAsked { head, message }) => (head.map(|head| head.to_string()), message),
        other => panic!("{event:?} is asked: {other:?}"),
    }
}

/// Base and head of an order.
pub(super) fn sides(order: &Order) -> (&str, &str) {
    (order.base.as_deref().unwrap(), order.head.as_deref().unwrap())
}

pub(super) const ZERO: &str = "0000000000000000000000000000000000000000";
