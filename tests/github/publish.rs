//! What is published of a run, by the real binary, to the double.

use crate::stage::{BASE, HEAD, PUBLISHER, Stage, not_raced, results};
use github_double::events::{workflow_dispatch, workflow_run};
use github_double::zip_of;
use serde_json::{Value, json};

fn check(conclusion: &str) -> (String, Option<String>) {
    ("completed".to_owned(), Some(conclusion.to_owned()))
}

#[test]
fn a_pull_request_gets_one_comment_and_one_check_that_goes_from_begun_to_done() {
    let stage = Stage::new("pull-request");
    stage.double.pull(7).head(HEAD);
    stage.double.run(100).of_pull(7);
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.only_check(HEAD).0, "in_progress");
    assert_eq!(stage.double.comments(7).len(), 0);

    stage.raced(7, 100, &results("changed"));
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let body = stage.only_comment(7);
    assert!(body.starts_with(&format!("<!-- deadheat:deadheat.toml head={HEAD} run=100 attempt=1 -->\n")), "{body}");
    assert!(body.contains("/actions/runs/100"), "{body}");
    let (status, conclusion, title) = stage.only_check(HEAD);
    // A regression is proved, and the configuration lets none fail.
    assert_eq!((status, conclusion), check("neutral"));
    assert!(!title.is_empty());
}

#[test]
fn the_next_push_edits_the_same_comment_and_keeps_the_last_verdict_as_a_line() {
    let stage = Stage::new("synchronize");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    assert_eq!(stage.follow(100).code, Some(0));
    let first = stage.double.comments(7)[0].id;
    let next = "c".repeat(40);
    stage.double.pull(7).head(&next);
    let mut results = results("unchanged");
    results["head"]["sha"] = json!(next);
    stage.raced(7, 101, &results);
    assert_eq!(stage.follow(101).code, Some(0));
    let comments = stage.double.comments(7);
    assert_eq!((comments.len(), comments[0].id), (1, first));
    let body = &comments[0].body;
    assert!(body.contains(&format!("head={next} run=101")), "{body}");
    assert!(body.contains("bbbbbbb") && body.contains("/actions/runs/100"), "the last verdict is not there: {body}");
    assert_eq!(stage.only_check(&next).0, "completed");
    assert_eq!(stage.only_check(HEAD).0, "completed");
}

#[test]
fn figures_of_a_fork_are_labelled_and_its_check_is_neutral_whatever_they_say() {
    for (name, fixture) in [("fork-changed", "changed"), ("fork-unchanged", "unchanged")] {
        let stage = Stage::new(name);
        stage.configured("[verdict]\nfail_on = \"regression\"");
        stage.double.pull(7).fork("stranger").head(HEAD);
        stage.raced(7, 100, &results(fixture));
        let said = stage.follow(100);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        assert!(stage.only_comment(7).to_lowercase().contains("fork"), "{}", stage.only_comment(7));
        assert_eq!(stage.only_check(HEAD).1.as_deref(), Some("neutral"));
    }
}

#[test]
fn a_proved_regression_fails_the_check_only_where_it_may_and_nobody_accepted_it() {
    for (settings, label, expected) in [
        ("", None, "neutral"),
        ("[verdict]\nfail_on = \"regression\"", None, "failure"),
        ("[verdict]\nfail_on = \"regression\"", Some("perf-accepted"), "neutral"),
        ("[verdict]\nfail_on = \"regression\"", Some("other"), "failure"),
    ] {
        let stage = Stage::new("conclusion-regression");
        stage.configured(settings);
        stage.double.pull(7).head(HEAD);
        if let Some(label) = label {
            stage.double.pull(7).label(label);
        }
        // What the results say of the settings was written by the pull request's job.
        let mut results = results("changed");
        results["judging"]["fail_on_regression"] = json!(settings.is_empty());
        stage.raced(7, 100, &results);
        assert_eq!(stage.follow(100).code, Some(0));
        assert_eq!(stage.only_check(HEAD).1.as_deref(), Some(expected), "{settings} {label:?}");
    }
}

#[test]
fn the_check_is_completed_whatever_became_of_the_run() {
    let cases: [(&str, Option<Value>, &str); 9] = [
        ("cancelled", None, "cancelled"),
        ("timed_out", None, "timed out"),
        ("success", None, "no results"),
        ("failure", None, "no results"),
        ("success", Some(not_raced("nothing-to-compare", "nothing to compare: only README.md changed")), ""),
        ("success", Some(not_raced("not-asked", "the pull request is a draft")), ""),
        ("failure", Some(not_raced("mistakes", "deadheat.toml:3: no such key `budgget`")), ""),
        ("success", Some(results("unusable")), ""),
        ("success", Some(results("quick")), ""),
    ];
    for (ended, results, title) in cases {
        let stage = Stage::new("check-always-completed");
        stage.double.pull(7).head(HEAD);
        stage.double.run(100).of_pull(7);
        assert_eq!(stage.follow(100).code, Some(0));
        if let Some(results) = &results {
            stage.raced(7, 100, results);
        }
        stage.double.run(100).ended(ended);
        let said = stage.follow(100);
        assert_eq!(said.code, Some(0), "{ended}: {}", said.stderr);
        let check = stage.only_check(HEAD);
        assert_eq!(check.1.as_deref(), Some("neutral"), "{ended} {check:?}");
        assert!(check.2.contains(title), "{ended} {check:?}");
        let raced = results.as_ref().is_some_and(|results| results["not_raced"].is_null() && results["quick"] != true);
        let mistakes = results.is_some_and(|results| results["not_raced"]["reason"] == "mistakes");
        assert_eq!(stage.double.comments(7).len(), usize::from(raced || mistakes), "{ended}");
    }
}

#[test]
fn a_merge_queue_gets_a_check_that_can_be_required() {
    let stage = Stage::new("merge-queue");
    let queue = "d".repeat(40);
    stage.double.run(100).event("merge_group").head("gh-readonly-queue/main/pr-7-1", &queue).ended("success");
    let mut results = not_raced("not-asked", "a merge queue races nothing");
    results["head"]["sha"] = json!(queue);
    let zip = zip_of("results.json", &serde_json::to_vec(&results).unwrap());
    stage.double.run(100).artifact("deadheat-results-1", zip);
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.only_check(&queue).1.as_deref(), Some("neutral"));
}

#[test]
fn a_push_keeps_a_baseline_and_one_commit_comment_where_it_is_proved_worse() {
    let stage = Stage::new("push");
    stage.double.branch("main").grows_by(&[HEAD]);
    stage.double.run(100).event("push").head("main", HEAD).ended("success");
    let zip = zip_of("results.json", &serde_json::to_vec(&results("changed")).unwrap());
    stage.double.run(100).artifact("deadheat-results-1", zip);
    for _ in 0..2 {
        let said = stage.follow(100);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let files = stage.double.files("deadheat-data");
    assert_eq!(files.keys().collect::<Vec<_>>(), [&format!("runs/bb/{HEAD}.json")]);
    let comments = stage.double.commit_comments(HEAD);
    assert_eq!(comments.len(), 1, "{comments:#?}");
    assert_eq!(stage.only_check(HEAD).0, "completed");

    // A pull request on top of it says how it stands to that baseline, as a trend.
    let mut later = results("unchanged");
    later["head"]["sha"] = json!("e".repeat(40));
    later["base"]["sha"] = json!(HEAD);
    stage.double.pull(8).head(&"e".repeat(40));
    stage.raced(8, 101, &later);
    assert_eq!(stage.follow(101).code, Some(0));
    let body = stage.only_comment(8).to_lowercase();
    assert!(body.contains("trend"), "{body}");
}

#[test]
fn a_push_that_is_not_worse_gets_no_comment_and_a_push_elsewhere_no_baseline() {
    let stage = Stage::new("push-quiet");
    stage.double.branch("main").grows_by(&[HEAD]);
    let zip = zip_of("results.json", &serde_json::to_vec(&results("unchanged")).unwrap());
    stage.double.run(100).event("push").head("main", HEAD).ended("success");
    stage.double.run(100).artifact("deadheat-results-1", zip.clone());
    assert_eq!(stage.follow(100).code, Some(0));
    assert_eq!(stage.double.commit_comments(HEAD).len(), 0);
    assert_eq!(stage.double.files("deadheat-data").len(), 1);

    let other = Stage::new("push-elsewhere");
    other.double.run(100).event("push").head("topic", HEAD).ended("success");
    other.double.run(100).artifact("deadheat-results-1", zip);
    assert_eq!(other.follow(100).code, Some(0));
    assert_eq!(other.double.files("deadheat-data").len(), 0);
}

#[test]
fn a_dispatched_run_is_published_by_its_own_second_job() {
    let stage = Stage::new("dispatch");
    stage.double.pull(7).head(HEAD);
    stage.double.run(PUBLISHER).event("workflow_dispatch").head("main", BASE);
    let zip = zip_of("results.json", &serde_json::to_vec(&results("changed")).unwrap());
    stage.double.run(PUBLISHER).artifact("deadheat-results-1", zip);
    let dispatch = |pull| workflow_dispatch(&stage.double, "deadheat.yml", "main", &[("pr", pull)]);
    let said = stage.publish(&dispatch(""), &[]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.double.comments(7).len(), 0);
    let summary = std::fs::read_to_string(stage.file("summary.md")).unwrap();
    assert!(summary.contains("slower"), "{summary}");

    let said = stage.publish(&dispatch("7"), &[]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(stage.only_comment(7).contains("run=900"));
    assert_eq!(stage.only_check(HEAD).0, "completed");

    // The same run seen by the other workflow is not published twice.
    let said = stage.follow(PUBLISHER);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("second job"), "{}", said.stdout);
}

#[test]
fn results_of_a_head_that_was_pushed_over_change_no_comment() {
    let stage = Stage::new("moved-head");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    let event = workflow_run(&stage.double, 100);
    stage.double.pull(7).head(&"c".repeat(40));
    let said = stage.publish(&event, &[]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.double.comments(7).len(), 0);
    assert_eq!(stage.only_check(HEAD).0, "completed");
}

#[test]
fn a_deleted_fork_has_a_friendly_end() {
    let stage = Stage::new("deleted-fork");
    stage.double.pull(7).fork("stranger").head(HEAD);
    stage.raced(7, 100, &results("unchanged"));
    stage.double.pull(7).fork_deleted();
    stage.double.run(100).of_pull(7);
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("gone"), "{}", said.stdout);
    assert_eq!(stage.only_check(HEAD).1.as_deref(), Some("neutral"));
}

#[test]
fn a_forged_commit_is_refused() {
    let stage = Stage::new("forged");
    stage.double.pull(7).head(HEAD);
    stage.double.pull(8).head(&"e".repeat(40));
    let mut forged = results("changed");
    forged["head"]["sha"] = json!("e".repeat(40));
    forged["pull_request"] = json!(8);
    stage.raced(7, 100, &forged);
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.double.comments(7).len() + stage.double.comments(8).len(), 0);
    assert_eq!(stage.only_check(HEAD).1.as_deref(), Some("neutral"));
    assert!(stage.only_check(HEAD).2.contains("another commit"));
}

#[test]
fn a_dry_run_prints_the_requests_and_sends_none_of_them() {
    let stage = Stage::new("dry-run");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    let said = stage.publish(&workflow_run(&stage.double, 100), &["--dry-run"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("POST /repos/octo/engine/issues/7/comments"), "{}", said.stdout);
    assert!(said.stdout.contains("POST /repos/octo/engine/check-runs"), "{}", said.stdout);
    assert!(
        stage.double.requests().iter().all(|request| request.method == "GET" || request.target.ends_with("/graphql"))
    );
}

#[test]
fn settings_and_templates_are_the_default_branchs() {
    let stage = Stage::new("authority");
    stage.configured("[github]\ncomment = \"changed\"");
    stage.double.branch("main").commit("templates/footer.hbs", "A footer of our own.\n");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("unchanged"));
    assert_eq!(stage.follow(100).code, Some(0));
    assert_eq!(stage.double.comments(7).len(), 0, "nothing is proved, so nothing is said");
    stage.raced(7, 101, &results("changed"));
    let said = stage.publish(&workflow_run(&stage.double, 101), &["--templates", "templates"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(stage.only_comment(7).contains("A footer of our own."));
}

#[test]
fn a_run_is_published_again_by_its_number_and_a_file() {
    let stage = Stage::new("by-hand");
    stage.double.pull(7).head(HEAD);
    stage.double.run(100).of_pull(7).ended("success");
    let file = stage.file("results.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, results("changed").to_string()).unwrap();
    let mut command =
        stage.command(&workflow_run(&stage.double, 100), &["--run", "100", "--results", file.to_str().unwrap()]);
    for name in ["GITHUB_ACTIONS", "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"] {
        command.env_remove(name);
    }
    let said = crate::stage::said(&command.output().unwrap());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    stage.only_comment(7);
}

#[test]
fn a_failed_publication_says_how_to_publish_again_and_still_completes_the_check() {
    let stage = Stage::new("publish-fails");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    stage
        .double
        .on("POST", "issues/*/comments")
        .always()
        .fails(github_double::Fault::Status(403, "Resource not accessible by integration"));
    let said = stage.follow(100);
    assert_eq!(said.code, Some(4), "{}", said.stderr);
    let all = format!("{}{}", said.stdout, said.stderr);
    assert!(all.contains("again") && all.contains("artifact"), "{all}");
    assert!(all.contains("pull-requests") || all.contains("issues"), "{all}");
    assert_eq!(stage.only_check(HEAD).0, "completed");
}

/// Results of known answer with one cell that was never measured.
fn with_a_missing_cell() -> Value {
    let mut results = results("unchanged");
    let cells = results["cells"].as_array_mut().unwrap();
    let judged = cells.iter_mut().find(|cell| cell["standing"] == "judged" && cell["metric"] == "rps").unwrap();
    judged["rounds"] = json!([]);
    results
}

/// Results of known answer in which a subject ran on head alone, because base did not build.
fn with_a_broken_base() -> Value {
    let mut results = results("unchanged");
    let entries = results["entries"].as_array_mut().unwrap();
    let subject = entries.iter_mut().find(|entry| entry["lineup"] == "paired").unwrap();
    subject["lineup"] = json!("one-sided");
    let name = subject["name"].clone();
    for cell in results["cells"].as_array_mut().unwrap().iter_mut().filter(|cell| cell["entry"] == name) {
        cell["standing"] = json!("outside");
        for round in cell["rounds"].as_array_mut().unwrap() {
            let head = round["head"].clone();
            *round = json!({ "round": round["round"], "head": head });
        }
    }
    results
}

#[test]
fn the_check_concludes_what_the_run_proves_and_head_is_shown_all_the_same() {
    let cases = [
        ("unchanged", results("unchanged"), "success", "success"),
        ("proved regression", results("changed"), "neutral", "failure"),
        ("broken head", results("failing"), "neutral", "failure"),
        ("broken base", with_a_broken_base(), "neutral", "neutral"),
        ("missing cell", with_a_missing_cell(), "neutral", "neutral"),
        ("unusable", results("unusable"), "neutral", "neutral"),
        ("nothing to compare", not_raced("nothing-to-compare", "only README.md changed"), "neutral", "neutral"),
    ];
    for (what, results, never, regression) in cases {
        for (fail_on, expected) in [("never", never), ("regression", regression)] {
            let stage = Stage::new("conclusions");
            stage.configured(&format!("[verdict]\nfail_on = \"{fail_on}\""));
            stage.double.pull(7).head(HEAD);
            stage.raced(7, 100, &results);
            assert_eq!(stage.follow(100).code, Some(0), "{what}");
            assert_eq!(stage.only_check(HEAD).1.as_deref(), Some(expected), "{what}, fail_on {fail_on}");
            let comments = stage.double.comments(7);
            let raced = results["not_raced"].is_null();
            assert_eq!(comments.len(), usize::from(raced), "{what}");
            assert!(!raced || comments[0].body.contains("Standings of head"), "{what}: {}", comments[0].body);
        }
    }
}

#[test]
fn comments_of_a_repository_that_wants_none_are_not_written() {
    let stage = Stage::new("comment-never");
    stage.configured("[github]\ncomment = \"never\"");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    assert_eq!(stage.follow(100).code, Some(0));
    assert_eq!(stage.double.comments(7).len(), 0);
    assert_eq!(stage.only_check(HEAD).0, "completed");
}

#[test]
fn a_label_that_starts_no_race_does_not_lift_a_failure_and_the_accepting_one_does() {
    let stage = Stage::new("label");
    stage.configured("[verdict]\nfail_on = \"regression\"");
    stage.double.pull(7).head(HEAD);
    stage.raced(7, 100, &results("changed"));
    assert_eq!(stage.follow(100).code, Some(0));
    let latest = || stage.double.checks(HEAD).last().unwrap().conclusion.clone();
    assert_eq!(latest().as_deref(), Some("failure"));
    for (run, label, expected) in [(101, "documentation", "failure"), (102, "perf-accepted", "neutral")] {
        stage.double.pull(7).label(label);
        stage.double.run(run).of_pull(7);
        assert_eq!(stage.follow(run).code, Some(0));
        stage.raced(7, run, &not_raced("not-asked", "no race is asked for by that label"));
        assert_eq!(stage.follow(run).code, Some(0));
        assert_eq!(latest().as_deref(), Some(expected), "{label}");
    }
    assert!(stage.only_comment(7).contains("run=100"), "the comment still says what was raced");
}

#[test]
fn a_label_during_a_race_does_not_hide_what_the_race_proves() {
    let stage = Stage::new("label-during-race");
    stage.configured("[verdict]\nfail_on = \"regression\"");
    stage.double.pull(7).head(HEAD);
    stage.double.run(100).of_pull(7);
    stage.follow(100);
    stage.double.run(101).of_pull(7);
    stage.follow(101);
    stage.raced(7, 101, &not_raced("not-asked", "no race is asked for by that label"));
    assert_eq!(stage.follow(101).code, Some(0));
    assert_eq!(stage.only_check(HEAD).0, "in_progress");
    stage.raced(7, 100, &results("changed"));
    assert_eq!(stage.follow(100).code, Some(0));
    assert_eq!(stage.only_check(HEAD).1.as_deref(), Some("failure"));
}

#[test]
fn what_an_attempt_left_begun_is_completed_by_the_next_whatever_became_of_it() {
    let stage = Stage::new("attempts");
    stage.double.pull(7).head(HEAD);
    stage.double.run(100).of_pull(7);
    assert_eq!(stage.follow(100).code, Some(0));
    // Nobody published the first attempt's end; the second is cancelled.
    stage.double.run(100).attempt(2).ended("cancelled");
    assert_eq!(stage.follow(100).code, Some(0));
    let latest = stage.double.checks(HEAD).pop().unwrap();
    assert_eq!((latest.status.as_str(), latest.conclusion.as_deref()), ("completed", Some("neutral")));
}

#[test]
fn a_push_keeps_what_its_workflow_selects_and_nothing_of_a_short_race() {
    let stage = Stage::new("push-part");
    stage.double.branch("main").grows_by(&[HEAD]);
    let mut part = results("unchanged");
    part["selection"] = json!({ "variants": ["fastify"] });
    stage.double.run(100).event("push").head("main", HEAD).ended("success");
    stage.double.run(100).artifact("deadheat-results-1", zip_of("results.json", &serde_json::to_vec(&part).unwrap()));
    part["rounds"] = json!(7);
    stage.double.run(101).event("push").head("main", HEAD).ended("success");
    stage.double.run(101).artifact("deadheat-results-1", zip_of("results.json", &serde_json::to_vec(&part).unwrap()));
    let short = stage.follow(101);
    assert!(short.stdout.contains("8 rounds are needed and 7 were raced"), "{}", short.stdout);
    assert_eq!(stage.double.files("deadheat-data").len(), 0);
    let said = stage.follow(100);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(stage.double.files("deadheat-data").len(), 1, "{}", said.stdout);
}
