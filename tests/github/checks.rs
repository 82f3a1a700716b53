//! Check runs and commit comments, whatever GitHub answers.

use crate::publisher::{BOT, FOREVER, Publisher, double, marker, sha};
use deadheat::github::{
    CheckResult, CheckTopic, Checked, Conclusion, Posted, RunKey, begin_check, comment_on_commit, complete_check,
};
use deadheat::model::{RunAttempt, RunId};
use github_double::{CheckRecord, Fault, GitHub};

fn topic(run: u64) -> CheckTopic {
    CheckTopic {
        head: sha('b'),
        name: "deadheat".to_owned(),
        key: RunKey { run: RunId(run), attempt: RunAttempt(1) },
        details_url: format!("https://github.com/octo/engine/actions/runs/{run}"),
    }
}

fn begin(publisher: &Publisher, run: u64) -> Checked {
    publisher.wait_for(|client| async move { begin_check(client, &topic(run)).await.unwrap() })
}

fn complete(publisher: &Publisher, run: u64, conclusion: Conclusion) -> Checked {
    let result = CheckResult { conclusion, title: format!("run {run}"), summary: "x".repeat(70_000) };
    publisher.wait_for(|client| async move { complete_check(client, &topic(run), &result).await.unwrap() })
}

fn checks(github: &GitHub) -> Vec<CheckRecord> {
    github.checks(sha('b').as_str())
}

fn faults() -> [(&'static str, Fault); 7] {
    [
        ("bad gateway", Fault::BadGateway),
        ("bad gateway after writing", Fault::BadGatewayAfterWriting),
        ("hang after writing", Fault::HangAfter(FOREVER)),
        ("cut body", Fault::CutBody),
        ("closed after writing", Fault::CloseAfterWriting),
        ("429", Fault::TooManyRequests { retry_after: None }),
        ("secondary limit", Fault::SecondaryLimit { retry_after: None }),
    ]
}

#[test]
fn one_check_goes_from_begun_to_done_whatever_becomes_of_the_requests() {
    for (name, fault) in faults() {
        let double = double("check-faults");
        let publisher = Publisher::new(&double);
        double.on("POST", "check-runs").fails(fault.clone());
        double.on("PATCH", "check-runs/*").fails(fault);
        assert!(matches!(begin(&publisher, 1), Checked::Created(_)), "{name}");
        assert_eq!(checks(&double)[0].status, "in_progress", "{name}");
        assert!(matches!(complete(&publisher, 1, Conclusion::Success), Checked::Completed(_)), "{name}");
        let checks = checks(&double);
        assert_eq!(checks.len(), 1, "{name}: {checks:#?}");
        let check = &checks[0];
        assert_eq!((check.status.as_str(), check.conclusion.as_deref()), ("completed", Some("success")), "{name}");
        assert_eq!((check.external_id.as_deref(), check.title.as_deref()), (Some("1/1"), Some("run 1")), "{name}");
        assert!(check.summary.as_ref().unwrap().len() <= 65_535, "{name}");
    }
}

#[test]
fn a_check_that_never_began_is_made_completed_once() {
    for (name, fault) in faults() {
        let double = double("check-completed");
        double.on("POST", "check-runs").fails(fault);
        complete(&Publisher::new(&double), 1, Conclusion::Failure);
        let checks = checks(&double);
        assert_eq!((checks.len(), checks[0].conclusion.as_deref()), (1, Some("failure")), "{name}");
    }
}

#[test]
fn an_older_run_does_not_replace_a_later_ones_check() {
    let double = double("check-older");
    let publisher = Publisher::new(&double);
    begin(&publisher, 1);
    begin(&publisher, 2);
    complete(&publisher, 2, Conclusion::Failure);
    assert_eq!(complete(&publisher, 1, Conclusion::Success), Checked::KeptNewer);
    assert_eq!(begin(&publisher, 1), Checked::KeptNewer);
    let shown: Vec<_> =
        checks(&double).into_iter().map(|check| (check.status, check.conclusion, check.title)).collect();
    let check = |title: &str| ("completed".to_owned(), Some("failure".to_owned()), Some(title.to_owned()));
    assert_eq!(shown, [check("Superseded by a later run"), check("run 2")]);
}

#[test]
fn begun_and_completed_at_once_it_is_completed() {
    let double = double("check-at-once");
    std::thread::scope(|scope| {
        scope.spawn(|| begin(&Publisher::patient(&double), 1));
        scope.spawn(|| complete(&Publisher::patient(&double), 1, Conclusion::Success));
    });
    for check in checks(&double) {
        assert_eq!((check.status.as_str(), check.conclusion.as_deref()), ("completed", Some("success")), "{check:?}");
    }
}

#[test]
fn a_commit_gets_one_comment_whatever_becomes_of_the_post() {
    for (name, fault) in faults() {
        let double = double("commit-comment");
        double.on("POST", "commits/*/comments").fails(fault);
        let comment = |run| {
            let (publisher, marker) = (Publisher::new(&double), marker(run));
            publisher.wait_for(|client| async move { comment_on_commit(client, &marker, "slower").await.unwrap() })
        };
        assert!(matches!(comment(1), Posted::Created(_)), "{name}");
        assert!(matches!(comment(2), Posted::There(_)), "{name}");
        let comments = double.commit_comments(sha('b').as_str());
        assert_eq!((comments.len(), comments[0].author.as_str()), (1, BOT), "{name}");
        assert_eq!(comments[0].body, format!("{}\nslower", marker(1)), "{name}");
    }
}

#[test]
fn a_commit_gets_one_comment_from_many_at_once() {
    let double = double("commit-comment-many");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let publisher = Publisher::patient(&double);
                publisher
                    .wait_for(|client| async move { comment_on_commit(client, &marker(1), "slower").await.unwrap() })
            });
        }
    });
    assert_eq!(double.commit_comments(sha('b').as_str()).len(), 1);
}
