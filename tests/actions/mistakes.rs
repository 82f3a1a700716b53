//! What the user wrote wrongly: exit code 2, told in the files themselves, and in results for whoever reads those.

use super::job::{Job, SECRETS, annotations};
use github_double::events::workflow_dispatch;

#[test]
fn each_mistake_is_shown_in_its_file_and_line_and_goes_into_the_results() {
    let job = Job::new();
    let main = job.work.git(&["rev-parse", "HEAD"]);
    let wrong = "variants = \"bench\"\ncontract = \"contract\"\n\n[protocol]\nbudget = \"::error::soon\"\nround = 1\n";
    let head = job.commit("topic", &[("deadheat.toml", wrong)]);
    job.clone(&["--branch=topic"]);
    let step = job.run(&job.opened(), &[], &[]);
    assert_eq!(step.code, Some(2), "{}", step.stdout);
    let seen = step.log();
    let places: Vec<_> = seen
        .obeyed
        .iter()
        .filter(|command| command.name == "error")
        .map(|command| (command.properties["file"].as_str(), command.properties["line"].as_str()))
        .collect();
    assert_eq!(places, [("deadheat.toml", "5"), ("deadheat.toml", "6")], "{seen:?}");
    assert!(seen.shown.iter().any(|line| line.contains("::error::soon")), "the text beside: {}", step.stdout);
    assert_eq!(step.sides("results.json"), (main, head));
    let (reason, message) = step.not_raced();
    assert_eq!((reason.as_str(), step.output("verdict")), ("mistakes", "mistakes"));
    assert!(message.contains("deadheat.toml:5") && message.contains("2 mistakes in 1 file"), "{message}");
    assert!(step.file("comment.md").contains("have mistakes"), "{}", step.file("comment.md"));

    let json = job.run(&job.opened(), &["--json"], &[]);
    assert_eq!(json.code, Some(2));
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["not_raced"]["reason"], "mistakes");
    assert!(json.stderr.contains("::error "), "the log is beside the document: {}", json.stderr);
}

#[test]
fn mistakes_in_the_inputs_of_a_dispatch_are_told_and_go_into_the_results() {
    let job = Job::new();
    job.clone(&[]);
    let tells = |inputs: &[(&str, &str)], words: &[&str]| {
        let step = job.run(&workflow_dispatch(&job.double, "deadheat.yml", "main", inputs), &[], &[]);
        assert_eq!(step.code, Some(2), "{}", step.stdout);
        let seen = step.log();
        let [("error", message)] = annotations(&seen)[..] else { panic!("{seen:?}") };
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        let (reason, written) = step.not_raced();
        assert_eq!((reason.as_str(), written.as_str()), ("mistakes", message));
    };
    tells(&[("budget", "soon"), ("variants", "a b"), ("pr", "x")], &["budget", "variants", "pr"]);
    job.commit("topic", &[("lib/more.js", "// more\n")]);
    let inputs = [("head", "topic"), ("variants", "plane"), ("scenarios", "three")];
    tells(&inputs, &["no variant is called `plane`", "no scenario is called `three`"]);
    // Nor can a command line be read without care: it repeats what was typed.
    let step = job.run(
        &workflow_dispatch(&job.double, "deadheat.yml", "main", &[]),
        &["--variants", "::stop-commands::x"],
        &[],
    );
    assert_eq!(step.code, Some(2));
    assert_eq!(step.log().obeyed, []);
}

#[test]
fn credentials_that_a_race_could_read_are_warned_of() {
    let job = Job::new();
    job.commit("topic", &[("lib/more.js", "// more\n")]);
    job.double.pull(7).draft(true);
    let clone = job.clone(&["--branch=topic"]);
    let event = job.opened();
    assert!(annotations(&job.run(&event, &[], &[]).log()).iter().all(|(level, _)| *level == "notice"));
    let config = ["config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic eDp5"];
    assert!(std::process::Command::new("git").arg("-C").arg(&clone).args(config).status().unwrap().success());
    let step = job.run(&event, &[], &SECRETS);
    let seen = step.log();
    let [("warning", environment), ("warning", checkout), ("notice", _)] = annotations(&seen)[..] else {
        panic!("{seen:?}")
    };
    for name in ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN"] {
        assert!(environment.contains(name), "{environment}");
    }
    assert!(checkout.contains("persist-credentials: false"), "{checkout}");
    assert!(SECRETS.iter().all(|(_, value)| !step.stdout.contains(value)), "{}", step.stdout);
}
