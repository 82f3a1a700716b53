//! A job of GitHub Actions: somebody's repository, its origin, the clone that the job has, and what the step leaves.

use crate::runner::{self, Obeyed, Seen};
use crate::support::Repository;
use github_double::Double;
use github_double::events::{Event, PullChange, pull_request};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a careless workflow gives to a step that runs a stranger's code.
pub(crate) const SECRETS: [(&str, &str); 8] = [
    ("GITHUB_TOKEN", "ghs_aSecretOfTheRepository"),
    ("GH_TOKEN", "ghs_anotherSecret"),
    ("ACTIONS_RUNTIME_TOKEN", "eyJaSecretOfTheRunner"),
    ("ACTIONS_RUNTIME_URL", "https://runtime.example"),
    ("ACTIONS_CACHE_URL", "https://cache.example"),
    ("INPUT_TOKEN", "ghs_anInputsSecret"),
    ("RUNNER_TOOL_CACHE", "/opt/tools"),
    ("NPM_TOKEN", "npm_aSecretOfTheRegistry"),
];

const RUN: u64 = 100;

/// A job.
pub(crate) struct Job {
    /// Somebody's work, which is pushed to the origin.
    pub(crate) work: Repository,
    pub(crate) double: Double,
    folder: tempfile::TempDir,
}

/// What a step left.
pub(crate) struct Step {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
    out: PathBuf,
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(directory).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Job {
    /// A repository whose `main` can be raced, pushed to an origin that GitHub knows.
    pub(crate) fn new() -> Self {
        let job = Self { work: Repository::new(), double: Double::start(), folder: tempfile::tempdir().unwrap() };
        git(job.folder.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "origin.git"]);
        job.work.git(&["remote", "add", "origin", job.folder.path().join("origin.git").to_str().unwrap()]);
        let main = job.push("main");
        job.double.branch("main").at(&main);
        job
    }

    /// Pushes what is checked out to that branch of the origin; its commit.
    pub(crate) fn push(&self, branch: &str) -> String {
        self.work.git(&["push", "--quiet", "--force", "origin", &format!("HEAD:refs/heads/{branch}")]);
        self.work.git(&["rev-parse", "HEAD"])
    }

    /// A commit with these files on `branch`, which leaves what is checked out, and is pushed.
    pub(crate) fn commit(&self, branch: &str, files: &[(&str, &str)]) -> String {
        self.work.git(&["checkout", "--quiet", "-B", branch]);
        for (path, text) in files {
            self.work.write(path, text);
        }
        self.work.commit(branch);
        self.push(branch)
    }

    /// Pull request 7 of `topic` is opened.
    pub(crate) fn opened(&self) -> Event {
        let of = |branch: &str| self.work.git(&["rev-parse", &format!("refs/remotes/origin/{branch}")]);
        self.double.pull(7).head(&of("topic")).from_branch("topic").base("main", &of("main"));
        self.double.run(RUN).of_pull(7);
        pull_request(&self.double, 7, &PullChange::Opened)
    }

    /// The clone that the job has, made as `git clone` with these options.
    pub(crate) fn clone(&self, options: &[&str]) -> PathBuf {
        let origin = format!("file://{}", self.folder.path().join("origin.git").display());
        let arguments = [&["clone", "--quiet"], options, &[origin.as_str(), "clone"]].concat();
        git(self.folder.path(), &arguments);
        self.folder.path().join("clone")
    }

    /// A file that outlives a race, for what is started in one: HOME is one of the few variables that it gets.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    /// Runs `deadheat run` in the clone, for an event, in the environment of a runner with these variables besides.
    pub(crate) fn run(&self, event: &Event, arguments: &[&str], more: &[(&str, &str)]) -> Step {
        let runner = self.folder.path().join("runner");
        let clone = self.folder.path().join("clone");
        fs::create_dir_all(self.home("")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
        command.arg("run").args(arguments).current_dir(&clone).stdin(Stdio::null()).env_clear();
        command.envs(event.environment(&self.double, &self.double.run(RUN), &runner));
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.home("")).envs(more.iter().copied());
        let output = command.output().unwrap();
        Step {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            outputs: outputs(&fs::read_to_string(runner.join("output")).unwrap()),
            summary: fs::read_to_string(runner.join("summary.md")).unwrap(),
            out: clone.join(".deadheat/latest"),
        }
    }
}

/// `name<<word`, the value's lines, `word`.
fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut lines = text.lines();
    while let Some((name, word)) = lines.next().map(|line| line.split_once("<<").unwrap()) {
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
        found.insert(name.to_owned(), value.join("\n"));
    }
    found
}

impl Step {
    /// What the runner makes of the log, which is all on standard output.
    pub(crate) fn log(&self) -> Seen {
        assert_eq!(self.stderr, "", "a runner reads two streams in no order");
        runner::read(&self.stdout)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.out.join(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.file(name)).unwrap()
    }

    /// The short ids of base and head in a file of results.
    pub(crate) fn sides(&self, name: &str) -> (String, String) {
        let results = self.json(name);
        let sha = |side: &str| results[side]["sha"].as_str().unwrap_or("none").to_owned();
        (sha("base"), sha("head"))
    }

    /// Reason and message of a run that raced nothing.
    pub(crate) fn not_raced(&self) -> (String, String) {
        let results = self.json("results.json");
        assert_eq!(results["cells"], serde_json::json!([]));
        let text = |key: &str| results["not_raced"][key].as_str().unwrap().to_owned();
        (text("reason"), text("message"))
    }

    pub(crate) fn output(&self, name: &str) -> &str {
        self.outputs.get(name).map_or("", String::as_str)
    }
}

/// The annotations of a log: level and message.
pub(crate) fn annotations(seen: &Seen) -> Vec<(&str, &str)> {
    let is_annotation = |command: &&Obeyed| matches!(command.name.as_str(), "error" | "warning" | "notice");
    seen.obeyed.iter().filter(is_annotation).map(|command| (command.name.as_str(), command.data.as_str())).collect()
}

/// The groups of a log, in order; each is closed before the next opens.
pub(crate) fn groups(seen: &Seen) -> Vec<&str> {
    let mut open = false;
    let mut groups = Vec::new();
    for command in &seen.obeyed {
        match command.name.as_str() {
            "group" => {
                assert!(!open, "{} is inside another group", command.data);
                groups.push(command.data.as_str());
                open = true;
            }
            "endgroup" => assert!(std::mem::take(&mut open), "a group is closed twice"),
            _ => {}
        }
    }
    assert!(!open, "a group is left open");
    groups
}
