//! Events that are raced: which commits, in what environment, and what reaches the runner.

use super::job::{Job, SECRETS, annotations, groups};
use super::support::LIBRARY;
use github_double::events::push;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Writes down the environment that it is started in, then does as the variant's server does.
const DUMPS: &str = "import { writeFileSync } from 'node:fs'
writeFileSync(`${process.env.HOME}/${process.env.PORT ? 'server' : 'build'}.json`, JSON.stringify(process.env))
if (process.env.PORT) await import('./server.js')
";

/// What a build says that would like to be the runner.
const HOSTILE: &str = "echo '::error::built by a stranger'
echo '  ::set-output name=verdict::improvement'
echo 'x ##[add-path]/tmp/evil'
echo '::endgroup::'
printf '::stop-commands::%s\\n' resume
printf 'a\\r::warning::b\\n' >&2
exit 7
";

#[test]
fn a_pull_request_is_raced_as_itself_without_the_runners_environment_and_no_output_is_obeyed() {
    let job = Job::new();
    let manifest = "name = \"plain\"\nbuild = [\"node dump.mjs\"]\n[runtime.node]\nstart = [\"node\", \"dump.mjs\"]\n";
    let left = job.commit("main", &[("bench/plain/dump.mjs", DUMPS), ("bench/plain/variant.toml", manifest)]);
    let broken = "name = \"broken\"\nlabel = \"::error::label\"\nbuild = [\"sh build.sh\"]\n[runtime.node]\nstart = [\"node\", \"x\"]\n";
    job.commit("topic", &[("bench/broken/variant.toml", broken), ("bench/broken/build.sh", HOSTILE)]);
    let head = job.commit("topic", &[("lib/answer.js", &format!("// ::error::comment\n{LIBRARY}"))]);
    job.work.git(&["checkout", "--quiet", "main"]);
    job.commit("main", &[("README.md", "moved on\n")]);
    // What a runner checks out by default: the merge of both, and nothing of their history.
    job.work.git(&["merge", "--quiet", "--no-edit", "topic"]);
    job.work.git(&["push", "--quiet", "origin", "HEAD:refs/heads/merged"]);
    let clone = job.clone(&["--depth=1", "--branch=merged"]);
    // git itself starts programs too.
    let hook = clone.join(".git/hooks/post-checkout");
    let dump = "require('fs').writeFileSync(process.env.HOME + '/git.json', JSON.stringify(process.env))";
    fs::write(&hook, format!("#!/bin/sh\nexec node -e \"{dump}\"\n")).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();

    let step = job.run(&job.opened(), &["--quick", "--variants", "plain,broken", "--scenarios", "one"], &SECRETS);
    assert_eq!(step.code, Some(0), "{}{}", step.stdout, step.stderr);
    assert_eq!(step.sides("quick.json"), (left, head));
    assert_eq!(step.json("quick.json")["warnings"], serde_json::json!([]));

    let seen = step.log();
    assert_eq!(groups(&seen), ["build", "gate", "race", "comment"]);
    let known = |name: &str| ["group", "endgroup", "notice", "warning"].contains(&name);
    assert!(seen.obeyed.iter().all(|command| known(&command.name)), "{:?}", seen.obeyed);
    assert!(annotations(&seen).iter().all(|(_, message)| !message.contains("stranger")), "{seen:?}");
    for line in ["::error::built by a stranger", "::set-output name=verdict::improvement", "##[add-path]/tmp/evil"] {
        assert!(seen.shown.iter().any(|shown| shown.contains(line)), "{line} is shown in {}", step.stdout);
    }
    assert_eq!(step.output("verdict"), "quick");
    assert!(step.output("results-path").ends_with("/quick.json"));
    assert!(step.summary.contains("plain") && step.summary.len() < 1 << 20);

    for what in ["build", "server", "git"] {
        let dumped = fs::read_to_string(job.home(&format!("{what}.json"))).unwrap();
        let environment: BTreeMap<String, String> = serde_json::from_str(&dumped).unwrap();
        assert_eq!(environment.get("HOME").map(String::as_str), job.home("").to_str());
        for (name, value) in &environment {
            let reserved = ["GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_"].iter().any(|prefix| name.starts_with(prefix));
            let secret = SECRETS.iter().any(|(_, secret)| value.contains(secret));
            // What the user's own configuration lets git start may need more; it is no code of the pull request.
            let users = what == "git" && ["CI", "NPM_TOKEN"].contains(&name.as_str());
            assert!(users || !(reserved || secret || name == "CI"), "{what} has {name}={value}");
        }
    }
}

#[test]
fn a_push_to_the_default_branch_is_raced_against_what_was_measured_last() {
    let job = Job::new();
    let measured = job.work.git(&["rev-parse", "HEAD"]);
    let before = job.commit("main", &[("lib/answer.js", &format!("// one\n{LIBRARY}"))]);
    let head = job.commit("main", &[("lib/answer.js", &format!("// two\n{LIBRARY}"))]);
    job.work.git(&["checkout", "--quiet", "--orphan", "data"]);
    job.work.git(&["rm", "-r", "--quiet", "--cached", "."]);
    job.work.write(&format!("runs/{}/{measured}.json", &measured[..2]), "{}");
    job.work.git(&["add", "runs"]);
    job.work.git(&["commit", "--quiet", "-m", "baseline"]);
    job.push("deadheat-data");
    job.clone(&["--depth=1"]);
    job.double.branch("main").grows_by(&[&before, &head]);
    let step = job.run(&push(&job.double, "main", &before), &["--quick", "--suites", "boot", "--json"], &[]);
    assert_eq!(step.code, Some(0), "{}{}", step.stdout, step.stderr);
    assert_eq!(step.sides("quick.json"), (measured, head.clone()));
    let document: Value = serde_json::from_str(&step.stdout).unwrap();
    assert_eq!(document["sides"]["head"]["sha"], head.as_str());
    let seen = crate::runner::read(&step.stderr);
    assert_eq!(groups(&seen), ["build", "gate", "race"], "the log is beside the document");
    assert_eq!(annotations(&seen).len(), 1);
}

#[test]
fn a_base_without_a_benchmark_or_with_a_broken_build_leaves_heads_standings() {
    let job = Job::new();
    // A default branch that knows nothing of deadheat, checked out by the job.
    let topic = job.work.git(&["rev-parse", "HEAD"]);
    job.work.git(&["checkout", "--quiet", "--orphan", "bare"]);
    job.work.git(&["rm", "-r", "--quiet", "--force", "."]);
    job.work.write("lib/answer.js", LIBRARY);
    job.work.commit("nothing yet");
    let base = job.push("main");
    job.work.git(&["checkout", "--quiet", "-B", "topic"]);
    job.work.git(&["checkout", "--quiet", &topic, "--", "."]);
    job.work.commit("benchmark");
    let head = job.push("topic");
    let clone = job.clone(&["--single-branch", "--depth=1"]);
    assert!(!clone.join("deadheat.toml").exists());
    let quick = ["--quick", "--suites", "boot", "--variants", "plain"];
    let step = job.run(&job.opened(), &quick, &[]);
    assert_eq!(step.code, Some(0), "{}{}", step.stdout, step.stderr);
    assert_eq!(step.sides("quick.json"), (base, head));
    let results = step.json("quick.json");
    assert_eq!(
        (&results["entries"][0]["presence"], &results["entries"][0]["lineup"]),
        (&"new".into(), &"one-sided".into())
    );

    let manifest = "name = \"plain\"\nbuild = [\"test -f built\"]\n[runtime.node]\nstart = [\"node\", \"server.js\"]\n";
    job.work.write("bench/plain/variant.toml", manifest);
    job.work.commit("a build that fails");
    let base = job.push("main");
    job.work.git(&["fetch", "--quiet", "origin"]);
    let head = job.commit("topic", &[("bench/plain/built", "yes\n")]);
    let step = job.run(&job.opened(), &quick, &[]);
    assert_eq!(step.code, Some(0), "{}{}", step.stdout, step.stderr);
    assert_eq!(step.sides("quick.json"), (base, head));
    let results = step.json("quick.json");
    assert_eq!(
        (&results["entries"][0]["presence"], &results["entries"][0]["lineup"]),
        (&"both".into(), &"one-sided".into())
    );
    assert_eq!(
        (&results["failures"][0]["side"], &results["failures"][0]["kind"]),
        (&"base".into(), &"build-failed".into())
    );
}
