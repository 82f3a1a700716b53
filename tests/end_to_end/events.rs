//! From an event to what people see: a real repository, raced by the real binary inside Actions' environment, and
//! published by the real binary to the double.

use crate::support::{LIBRARY, Repository, stderr, stdout};
use github_double::events::{Event, PullChange, pull_request, push, workflow_dispatch, workflow_run};
use github_double::{Double, zip_of};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const SLOW: &str = "let waste = 0\nexport function answer(url) {\n  if (url === '/two') for (let i = 0; i < 600000; i++) waste += i % 7\n  return url.slice(1)\n}\n";

/// A repository with an origin, and the double that stands for that origin on GitHub.
struct Project {
    repository: Repository,
    double: Double,
    folder: tempfile::TempDir,
}

impl Project {
    fn new(name: &str) -> Self {
        let repository = Repository::new();
        let folder = tempfile::tempdir().unwrap();
        let origin = folder.path().join("origin.git");
        let cloned =
            Command::new("git").args(["clone", "--quiet", "--bare"]).arg(repository.root()).arg(&origin).status();
        assert!(cloned.unwrap().success());
        repository.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
        let double = Double::start().recorded_as(name);
        let project = Self { repository, double, folder };
        project.push("main");
        let configuration = fs::read(project.repository.root().join("deadheat.toml")).unwrap();
        project.double.branch("main").commit("deadheat.toml", configuration);
        project.double.branch("main").grows_by(&[&project.repository.git(&["rev-parse", "HEAD"])]);
        project
    }

    fn push(&self, branch: &str) -> String {
        self.repository.git(&["push", "--quiet", "--force", "origin", branch]);
        self.repository.git(&["fetch", "--quiet", "origin"]);
        self.repository.git(&["rev-parse", "HEAD"])
    }

    /// Changes the library on a branch of its own, and pushes it; the new commit.
    fn change(&self, branch: &str, library: &str) -> String {
        self.repository.git(&["checkout", "--quiet", "-B", branch]);
        self.repository.write("lib/answer.js", library);
        self.repository.commit("change the library");
        self.push(branch)
    }

    fn in_actions(&self, mut command: Command, event: &Event, run: u64) -> Output {
        let directory = self.runner(run);
        command.envs(event.environment(&self.double, &self.double.run(run), &directory));
        command.output().unwrap()
    }

    fn runner(&self, run: u64) -> PathBuf {
        self.folder.path().join(format!("runner-{run}"))
    }

    /// Races for an event in `run`, and hands the results in as its artifact.
    fn race(&self, event: &Event, run: u64, arguments: &[&str]) -> Output {
        let mut all = vec!["run", "--suites", "http", "--seed", "1"];
        all.extend(arguments);
        let output = self.in_actions(self.repository.deadheat(&all), event, run);
        let results = fs::read(self.repository.out("results.json")).unwrap();
        let ended = if output.status.success() { "success" } else { "failure" };
        self.double.run(run).ended(ended).job("race", ended);
        self.double.run(run).artifact("deadheat-results-1", zip_of("results.json", &results));
        output
    }

    fn publish(&self, event: &Event, run: u64) {
        let mut command = self.repository.deadheat(&["publish"]);
        command.env("GITHUB_TOKEN", "ghs_a_token_of_the_double");
        let output = self.in_actions(command, event, run);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }

    fn published(&self, run: u64) {
        self.publish(&workflow_run(&self.double, run), 900 + run);
    }
}

#[test]
fn a_pull_request_from_its_opening_over_a_push_to_its_merge() {
    let project = Project::new("end-to-end");
    let double = &project.double;
    let base = project.repository.git(&["rev-parse", "HEAD"]);

    // Opened: the slowed route is named, and no other.
    let slow = project.change("topic", SLOW);
    double.pull(7).head(&slow).from_branch("topic").base("main", &base);
    double.run(100).of_pull(7);
    project.published(100);
    assert_eq!(double.checks(&slow)[0].status, "in_progress");
    let output = project.race(&pull_request(double, 7, &PullChange::Opened), 100, &["--rounds", "12"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let outputs = fs::read_to_string(project.runner(100).join("output")).unwrap();
    for name in ["verdict", "regressions", "improvements", "results-path"] {
        assert!(outputs.contains(&format!("{name}<<")), "{outputs}");
    }
    assert!(outputs.contains("\nregression\n"), "{outputs}");
    assert!(fs::read_to_string(project.runner(100).join("summary.md")).unwrap().contains("`two`"));
    project.published(100);
    let comments = double.comments(7);
    assert_eq!(comments.len(), 1);
    let headline = comments[0].body.lines().find(|line| line.contains("slower")).unwrap();
    assert!(headline.contains("`plain` `two`") && !headline.contains("`one`"), "{headline}");
    let check = &double.checks(&slow)[0];
    assert_eq!((check.status.as_str(), check.conclusion.as_deref()), ("completed", Some("neutral")));

    // Synchronize: mended; the same comment is edited, and the last verdict stays as a line.
    let mended = project.change("topic", &format!("// as fast as before\n{LIBRARY}"));
    double.pull(7).head(&mended);
    double.run(101).of_pull(7);
    let event = pull_request(double, 7, &PullChange::Synchronize { before: slow.clone() });
    let output = project.race(&event, 101, &["--rounds", "8"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    project.published(101);
    let edited = double.comments(7);
    assert_eq!((edited.len(), edited[0].id), (1, comments[0].id));
    assert!(edited[0].body.contains(&format!("head={mended} run=101")));
    assert!(edited[0].body.contains(&slow[..7]), "the last verdict is gone: {}", edited[0].body);

    // Pushed to the default branch: a baseline, and no comment on a commit that is no worse.
    project.repository.git(&["checkout", "--quiet", "main"]);
    project.repository.git(&["merge", "--quiet", "--no-edit", "topic"]);
    let merged = project.push("main");
    double.branch("main").grows_by(&[&merged]);
    double.run(102).event("push").head("main", &merged);
    let output = project.race(&push(double, "main", &base), 102, &["--rounds", "8"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    project.published(102);
    assert!(double.files("deadheat-data").contains_key(&format!("runs/{}/{merged}.json", &merged[..2])));
    assert_eq!(double.commit_comments(&merged).len(), 0);
}

#[test]
fn a_dispatched_race_takes_its_inputs_and_publishes_on_the_pull_request_that_it_names() {
    let project = Project::new("end-to-end-dispatch");
    let double = &project.double;
    let base = project.repository.git(&["rev-parse", "HEAD"]);
    let head = project.change("topic", SLOW);
    double.pull(7).fork("stranger").head(&head).base("main", &base);
    double.run(200).event("workflow_dispatch").head("main", &base);
    let inputs = [("base", base.as_str()), ("head", &head), ("variants", "plain"), ("scenarios", "two"), ("pr", "7")];
    let event = workflow_dispatch(double, "deadheat.yml", "main", &inputs);
    let output = project.race(&event, 200, &["--rounds", "2"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let results = project.repository.json("results.json");
    assert_eq!((results["base"]["sha"].as_str(), results["head"]["sha"].as_str()), (Some(&*base), Some(&*head)));
    assert!(results["scenarios"].as_array().unwrap().iter().all(|scenario| scenario["name"] == "two"));
    project.publish(&event, 200);
    let comments = double.comments(7);
    assert_eq!(comments.len(), 1);
    assert!(comments[0].body.to_lowercase().contains("fork"), "{}", comments[0].body);
    assert_eq!(double.checks(&head)[0].conclusion.as_deref(), Some("neutral"));
}

#[test]
fn a_pull_request_that_changes_words_alone_ends_quietly() {
    let project = Project::new("end-to-end-words");
    let double = &project.double;
    let base = project.repository.git(&["rev-parse", "HEAD"]);
    project.repository.git(&["checkout", "--quiet", "-B", "words"]);
    project.repository.write("README.md", "# words\n");
    project.repository.commit("describe it");
    let head = project.push("words");
    double.pull(8).head(&head).from_branch("words").base("main", &base);
    double.run(300).of_pull(8);
    let output = project.race(&pull_request(double, 8, &PullChange::Opened), 300, &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    project.published(300);
    assert_eq!(double.comments(8).len(), 0);
    let check = &double.checks(&head)[0];
    assert_eq!((check.status.as_str(), check.conclusion.as_deref()), ("completed", Some("neutral")));
}
