//! The client against the double of GitHub, which holds every request against GitHub's own description.

use super::testing::{client_of, run, settings};
use super::{
    CheckContent, CheckOutput, CheckStatus, Client, Comment, Conclusion, Permission, Reaction, RepositoryName,
    TreeChange, Written,
};
use crate::model::{CommitSha, PullNumber, RunAttempt, RunId};
use github_double::{Double, Fault, zip_of};
use std::collections::BTreeMap;
use std::time::Duration;

const SEVEN: PullNumber = PullNumber(7);

fn client(double: &Double) -> Client {
    let mut settings = settings(&double.url());
    settings.repository = RepositoryName::parse(&double.repository()).unwrap();
    settings.timeouts.total = Duration::from_millis(500);
    client_of(settings).0
}

fn commit(text: &str) -> CommitSha {
    CommitSha::new(text).unwrap()
}

fn done<T>(written: Written<T>) -> T {
    written.done().unwrap()
}

/// What deadheat's own comments are found by elsewhere; here only that there is one.
fn bodies(double: &Double) -> Vec<String> {
    double.comments(7).into_iter().map(|comment| comment.body).collect()
}

#[test]
fn a_comment_is_written_changed_and_deleted() {
    let double = Double::start().recorded_as("client-comments");
    let head = "1".repeat(40);
    double.pull(7).head(&head);
    let client = client(&double);
    run(async {
        let made = done(client.create_issue_comment(SEVEN, "one").await.unwrap());
        assert!(made.author.is_bot);
        assert_eq!(client.viewer_login().await.unwrap().as_deref(), Some("github-actions[bot]"));
        done(client.react(made.id, Reaction::Eyes).await.unwrap());
        done(client.react(made.id, Reaction::Eyes).await.unwrap());
        assert_eq!(double.reactions(made.id.0).len(), 1);
        done(client.update_issue_comment(made.id, "two").await.unwrap());
        assert_eq!(bodies(&double), ["two"]);
        done(client.delete_issue_comment(made.id).await.unwrap());
        done(client.delete_issue_comment(made.id).await.unwrap());
        assert_eq!(client.issue_comments(SEVEN).await.unwrap(), []);
        assert!(client.update_issue_comment(made.id, "three").await.unwrap_err().is_not_found());

        done(client.create_commit_comment(&commit(&head), "slower").await.unwrap());
        let found = client.commit_comments(&commit(&head)).await.unwrap();
        assert_eq!(found.iter().map(|comment| comment.body.as_str()).collect::<Vec<_>>(), ["slower"]);
    });
}

#[test]
fn the_last_of_many_comments_is_found() {
    let double = Double::start();
    double.pull(7);
    for number in 1..=135 {
        double.comment(7, "someone", &format!("comment {number}"));
    }
    let found: Vec<Comment> = run(client(&double).issue_comments(SEVEN)).unwrap();
    assert_eq!((found.len(), found[132].body.as_str()), (135, "comment 133"));
    assert!(!found[132].author.is_bot);
}

#[test]
fn a_comment_whose_answer_is_lost_is_there_once() {
    for fault in [
        Fault::BadGatewayAfterWriting,
        Fault::CloseAfterWriting,
        Fault::CutBody,
        Fault::HangAfter(Duration::from_secs(5)),
    ] {
        let double = Double::start();
        double.pull(7);
        double.on("POST", "issues/*/comments").fails(fault.clone());
        let error = run(client(&double).create_issue_comment(SEVEN, "one")).unwrap_err();
        assert!(error.is_uncertain(), "{fault:?}: {error}");
        assert_eq!(bodies(&double), ["one"], "{fault:?}");
    }
    for fault in [
        Fault::SecondaryLimit { retry_after: None },
        Fault::SecondaryLimit { retry_after: Some(3) },
        Fault::TooManyRequests { retry_after: None },
        Fault::PrimaryLimit { reset_in: 60 },
    ] {
        let double = Double::start();
        double.pull(7);
        double.on("POST", "issues/*/comments").times(2).fails(fault.clone());
        done(run(client(&double).create_issue_comment(SEVEN, "one")).unwrap());
        assert_eq!(bodies(&double), ["one"], "{fault:?}");
    }
    // A change is sent again whatever became of the first.
    for fault in [Fault::BadGateway, Fault::BadGatewayAfterWriting, Fault::CutBody, Fault::Close] {
        let double = Double::start();
        double.pull(7);
        let id = double.comment(7, "github-actions[bot]", "one");
        double.on("PATCH", "issues/comments/*").times(2).fails(fault.clone());
        done(run(client(&double).update_issue_comment(super::CommentId(id), "two")).unwrap());
        assert_eq!(bodies(&double), ["two"], "{fault:?}");
    }
}

#[test]
fn a_check_goes_from_begun_to_done() {
    let double = Double::start().recorded_as("client-checks");
    let head = "1".repeat(40);
    double.pull(7).head(&head);
    let client = client(&double);
    let mut content = CheckContent {
        name: "deadheat".to_owned(),
        head_sha: commit(&head),
        status: CheckStatus::InProgress,
        conclusion: None,
        details_url: Some("https://github.com/octo/engine/actions/runs/1".to_owned()),
        external_id: Some("1".to_owned()),
        output: None,
    };
    run(async {
        let made = done(client.create_check_run(&content).await.unwrap());
        content.status = CheckStatus::Completed;
        content.conclusion = Some(Conclusion::Neutral);
        content.output =
            Some(CheckOutput { title: "T".to_owned(), summary: "S".to_owned(), text: Some("X".to_owned()) });
        done(client.update_check_run(made.id, &content).await.unwrap());
        let found = client.check_runs(&commit(&head), "deadheat").await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].status, found[0].conclusion), (CheckStatus::Completed, Some(Conclusion::Neutral)));
        assert_eq!(found[0].external_id, "1");
        assert_eq!(client.check_runs(&commit(&head), "another").await.unwrap(), []);
    });
    let checks = double.checks(&head);
    assert_eq!((checks.len(), checks[0].summary.as_deref(), checks[0].text.as_deref()), (1, Some("S"), Some("X")));
}

#[test]
fn a_file_is_committed_to_a_branch_of_its_own() {
    let double = Double::start().recorded_as("client-git");
    let client = client(&double);
    run(async {
        assert_eq!(client.branch_tip("deadheat-data").await.unwrap(), None);
        let put = async |parent: Option<&CommitSha>, path: &str, contents: &[u8]| {
            let base = match parent {
                Some(parent) => Some(client.commit_tree(parent).await.unwrap()),
                None => None,
            };
            let blob = done(client.create_blob(contents).await.unwrap());
            let changes = [TreeChange::Put(path.to_owned(), blob)];
            let tree = done(client.create_tree(base.as_ref(), &changes).await.unwrap());
            done(client.create_commit("Add a run", &tree, &Vec::from_iter(parent)).await.unwrap())
        };
        let first = put(None, "runs/ab/one.json", b"{}\x00\xff").await;
        done(client.create_branch("deadheat-data", &first).await.unwrap());
        assert!(client.create_branch("deadheat-data", &first).await.unwrap_err().is_conflict());
        let second = put(Some(&first), "runs/cd/two.json", b"[]").await;
        let aside = put(Some(&first), "runs/ef/three.json", b"[]").await;
        done(client.advance_branch("deadheat-data", &second).await.unwrap());
        // Neither back nor aside; where it is already is well.
        assert!(client.advance_branch("deadheat-data", &aside).await.unwrap_err().is_conflict());
        done(client.advance_branch("deadheat-data", &second).await.unwrap());
        assert_eq!(client.branch_tip("deadheat-data").await.unwrap(), Some(second.clone()));

        let tree = client.tree(&client.commit_tree(&second).await.unwrap(), true).await.unwrap();
        assert!(!tree.truncated);
        let paths: Vec<_> =
            tree.entries.iter().map(|entry| entry.path.as_str()).filter(|path| path.ends_with("json")).collect();
        assert_eq!(paths, ["runs/ab/one.json", "runs/cd/two.json"]);
        let one = client.file("runs/ab/one.json", "deadheat-data").await.unwrap();
        assert_eq!(one.as_deref(), Some(&b"{}\x00\xff"[..]));
        assert_eq!(client.file("runs/ab/none.json", "deadheat-data").await.unwrap(), None);
        assert_eq!(client.file("runs/ab", "deadheat-data").await.unwrap(), None);
        assert_eq!(client.ancestors(&second, 1).await.unwrap(), [second.clone(), first]);
    });
    assert_eq!(double.files("deadheat-data").keys().collect::<Vec<_>>(), ["runs/ab/one.json", "runs/cd/two.json"]);
}

#[test]
fn a_run_and_what_it_left_is_read() {
    let double = Double::start().recorded_as("client-runs");
    double.pull(7).head(&"1".repeat(40)).fork("stranger").from_branch("speed/up").label("bench");
    let archive = zip_of("results.json", b"{}");
    let run_of = double.run(5);
    run_of.of_pull(7).attempt(2).job("race", "success").ended("success");
    run_of.artifact("deadheat-results-2", archive.clone());
    let client = client(&double);
    run(async {
        let found = client.workflow_run(RunId(5)).await.unwrap();
        assert_eq!((found.attempt, found.conclusion), (RunAttempt(2), Some(Conclusion::Success)));
        let fork = found.head_repository.unwrap();
        assert_eq!((fork.owner.as_str(), found.head_branch.as_deref()), ("stranger", Some("speed/up")));
        let jobs = client.jobs(RunId(5), RunAttempt(2)).await.unwrap();
        assert_eq!((jobs.len(), jobs[0].name.as_str()), (1, "race"));
        let artifacts = client.artifacts(RunId(5)).await.unwrap();
        assert_eq!(artifacts[0].name, "deadheat-results-2");
        assert_eq!(client.download_artifact(artifacts[0].id, archive.len()).await.unwrap(), archive);
        assert!(client.download_artifact(artifacts[0].id, archive.len() - 1).await.is_err());

        let pulls = client.open_pulls_of("stranger", "speed/up").await.unwrap();
        assert_eq!((pulls.len(), pulls[0].number, pulls[0].labels.len()), (1, SEVEN, 1));
        assert_eq!(pulls[0].head.repository.as_ref().map(|repository| repository.id), Some(fork.id));
        assert_eq!(client.open_pulls_of("stranger", "other").await.unwrap(), []);
        double.pull(7).fork_deleted();
        assert_eq!(client.pull(SEVEN).await.unwrap().unwrap().head.repository, None);
        assert_eq!(client.pull(PullNumber(8)).await.unwrap(), None);
        run_of.artifacts_expired();
        assert!(client.download_artifact(artifacts[0].id, 1 << 20).await.unwrap_err().is_not_found());
    });
}

#[test]
fn a_workflow_is_started_for_those_who_may() {
    let double = Double::start().recorded_as("client-repository");
    double.workflow("deadheat.yml", &["pr"]).role("maria", "maintain").role("rita", "triage").role("nemo", "unknown");
    let client = client(&double);
    run(async {
        let facts = client.repository_facts().await.unwrap();
        assert_eq!((facts.id, facts.default_branch.as_str()), (double.repository_id(), "main"));
        assert_eq!(client.permission("maria").await.unwrap(), Permission::Write);
        assert_eq!(client.permission("rita").await.unwrap(), Permission::Read);
        assert_eq!(client.permission("nemo").await.unwrap(), Permission::None);
        let inputs = BTreeMap::from([("pr".to_owned(), "7".to_owned())]);
        done(client.dispatch_workflow("deadheat.yml", "main", &inputs).await.unwrap());
        let root = double.branch("main").tip().unwrap();
        let head = double.branch("topic").at(&"2".repeat(40)).tip().unwrap();
        let newer = double.branch("main").commit("x", "y");
        assert_eq!(client.merge_base("main", &head).await.unwrap(), Some(commit(&root)));
        assert_eq!(client.merge_base(&head, &newer).await.unwrap(), Some(commit(&root)));
        assert_eq!(client.merge_base("main", &"9".repeat(40)).await.unwrap(), None);
    });
    assert_eq!(double.dispatches().len(), 1);
    assert_eq!(double.dispatches()[0].inputs["pr"], "7");
}

#[test]
fn below_an_enterprise_root_everything_is_the_same() {
    let double = Double::start().recorded_as("client-enterprise");
    double.pull(7);
    let mut settings = settings(&double.enterprise_url());
    settings.repository = RepositoryName::parse(&double.repository()).unwrap();
    let (client, _) = client_of(settings);
    run(async {
        done(client.create_issue_comment(SEVEN, "one").await.unwrap());
        assert_eq!(client.viewer_login().await.unwrap().as_deref(), Some("github-actions[bot]"));
    });
    assert_eq!(bodies(&double), ["one"]);
}

#[test]
fn a_token_that_only_reads_is_told_what_it_needs() {
    let double = Double::start();
    double.pull(7);
    double.token_reads_only();
    let error = run(client(&double).create_issue_comment(SEVEN, "one")).unwrap_err();
    assert!(error.to_string().contains("the token needs"), "{error}");
    assert_eq!(bodies(&double), Vec::<String>::new());
}
