//! Events that ask for no race: the run ends well, and its files say why.

use super::job::{Job, Step, annotations, groups};
use github_double::events::{Event, PullChange, branch_deleted, merge_group, pull_request, push, workflow_run};

/// Runs where nothing is to be raced; its files agree on why.
fn idle(job: &Job, event: &Event, reason: &str) -> Step {
    let step = job.run(event, &[], &[]);
    assert_eq!(step.code, Some(0), "{}{}", step.stdout, step.stderr);
    let (found, message) = step.not_raced();
    assert_eq!(found, reason, "{message}");
    assert_eq!(step.output("verdict"), reason);
    assert_eq!((step.output("regressions"), step.output("improvements")), ("0", "0"));
    assert!(step.output("results-path").ends_with("/.deadheat/latest/results.json"), "{:?}", step.outputs);
    let seen = step.log();
    assert_eq!(annotations(&seen), [("notice", message.as_str())]);
    assert_eq!(groups(&seen), ["comment"]);
    assert!(step.file("comment.md").starts_with("**Nothing was raced.**"), "{}", step.file("comment.md"));
    assert!(step.summary.contains("Nothing was raced."), "{}", step.summary);
    step
}

#[test]
fn a_change_of_words_alone_is_compared_with_nothing_whatever_its_files_are_called() {
    let job = Job::new();
    let base = job.commit("main", &[("deadheat.toml", &with(&job, "[build]\nignore = [\"*.md\"]\n"))]);
    let head = job.commit("topic", &[("a::error::b ##[add-path]x.md", "words\n")]);
    job.clone(&["--branch=topic"]);
    let step = idle(&job, &job.opened(), "nothing-to-compare");
    assert_eq!(step.sides("results.json"), (base, head));
    assert!(step.not_raced().1.contains("a::error::b ##[add-path]x.md"), "{}", step.not_raced().1);

    // The same files under another commit.
    job.work.git(&["commit", "--quiet", "--allow-empty", "-m", "again"]);
    job.work.git(&["push", "--quiet", "--force", "origin", "HEAD^:refs/heads/main", "HEAD:refs/heads/topic"]);
    let step = idle(&job, &job.opened(), "nothing-to-compare");
    assert!(step.not_raced().1.contains("the same files"), "{}", step.not_raced().1);
}

/// The configuration with more below it.
fn with(job: &Job, more: &str) -> String {
    std::fs::read_to_string(job.work.root().join("deadheat.toml")).unwrap() + more
}

#[test]
fn drafts_and_pull_requests_without_the_label_are_left_alone() {
    let job = Job::new();
    let head = job.commit(
        "topic",
        &[("lib/more.js", "// more\n"), ("deadheat.toml", &with(&job, "[github]\nlabel = \"perf\"\n"))],
    );
    job.clone(&["--branch=topic"]);
    let step = idle(&job, &job.opened(), "not-asked");
    assert!(step.not_raced().1.contains("`perf`"), "{}", step.not_raced().1);
    assert_eq!(step.sides("results.json").1, head);

    job.double.pull(7).label("perf").label("docs").draft(true);
    let step = idle(&job, &pull_request(&job.double, 7, &PullChange::Labeled("perf".to_owned())), "not-asked");
    assert!(step.not_raced().1.contains("draft"), "{}", step.not_raced().1);

    job.double.pull(7).draft(false);
    let step = idle(&job, &pull_request(&job.double, 7, &PullChange::Labeled("docs".to_owned())), "not-asked");
    assert!(step.not_raced().1.contains("Another label"), "{}", step.not_raced().1);

    job.double.pull(7).closed();
    let step = idle(&job, &pull_request(&job.double, 7, &PullChange::Closed), "not-asked");
    assert!(step.not_raced().1.contains("`closed`"), "{}", step.not_raced().1);
}

#[test]
fn deleted_branches_other_branches_and_queues_are_not_raced() {
    let job = Job::new();
    let main = job.work.git(&["rev-parse", "HEAD"]);
    let topic = job.commit("topic", &[("lib/more.js", "// more\n")]);
    job.clone(&[]);
    job.double.branch("topic").at(&topic);
    let step = idle(&job, &push(&job.double, "topic", &main), "not-asked");
    assert_eq!(step.sides("results.json"), ("none".to_owned(), topic.clone()));
    job.opened();
    let queued = merge_group(&job.double, 7);
    let step = idle(&job, &queued, "not-asked");
    assert_eq!(step.sides("results.json").1, queued.sha);
    let step = idle(&job, &branch_deleted(&job.double, "topic", &topic), "not-asked");
    assert_eq!(step.sides("results.json").1, topic);
    assert!(step.not_raced().1.contains("was deleted"), "{}", step.not_raced().1);
}

#[test]
fn what_publish_is_for_is_said() {
    let job = Job::new();
    job.clone(&[]);
    job.commit("topic", &[("lib/more.js", "// more\n")]);
    job.opened();
    let step = job.run(&workflow_run(&job.double, 100), &[], &[]);
    assert_eq!(step.code, Some(2));
    let seen = step.log();
    let [(level, message)] = annotations(&seen)[..] else { panic!("{seen:?}") };
    assert!(level == "error" && message.contains("deadheat publish"), "{message}");
}
