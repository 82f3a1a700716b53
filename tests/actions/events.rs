//! Every kind of event as GitHub sends it, read from the files that a runner writes.

use deadheat::github::{ActionsContext, CommentAction, Event, PullAction, RunAction};
use github_double::Double;
use github_double::events::{self, CommentChange, PullChange};

const BASE: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const HEAD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// The double with pull request 7, which goes from `topic` to `main` in run 100.
fn double() -> Double {
    let double = Double::start();
    double.branch("main").at(BASE);
    double.pull(7).head(HEAD).from_branch("topic").base("main", BASE);
    double.run(100).of_pull(7);
    double
}

fn read(double: &Double, event: &events::Event) -> Event {
    let folder = tempfile::tempdir().unwrap();
    let environment = event.environment(double, &double.run(100), folder.path());
    let context = ActionsContext::from_environment(&environment).unwrap();
    assert_eq!((context.event_name.as_str(), context.run_id.0), (event.name, 100));
    context.event().unwrap()
}

#[test]
fn pull_requests() {
    let double = double();
    double.pull(7).label("perf");
    for (change, action) in [
        (PullChange::Opened, PullAction::Opened),
        (PullChange::Synchronize { before: BASE.to_owned() }, PullAction::Synchronize),
        (PullChange::Reopened, PullAction::Reopened),
        (PullChange::ReadyForReview, PullAction::ReadyForReview),
        (PullChange::Labeled("perf".to_owned()), PullAction::Labeled("perf".to_owned())),
        (PullChange::Closed, PullAction::Other("closed".to_owned())),
    ] {
        if change == PullChange::Closed {
            double.pull(7).closed();
        }
        let sent = events::pull_request(&double, 7, &change);
        let Event::PullRequest(pull) = read(&double, &sent) else { panic!("{sent:?}") };
        assert_eq!((pull.action, pull.number.0), (action, 7));
        assert_eq!((pull.head.sha.as_str(), pull.head.branch.as_str()), (HEAD, "topic"));
        assert_eq!((pull.base.sha.as_str(), pull.base.branch.as_str()), (BASE, "main"));
        assert_ne!(sent.sha, HEAD, "a runner is started for the merge commit");
        assert_eq!(pull.labels, ["perf"]);
        assert_eq!(pull.base.repository.id, double.repository_id());
    }
    let double = self::double();
    let fork = |double: &Double| {
        let Event::PullRequest(pull) = read(double, &events::pull_request(double, 7, &PullChange::Opened)) else {
            panic!()
        };
        (pull.is_from_fork(), pull.head.repository.map(|repository| repository.owner))
    };
    assert!(!fork(&double).0);
    double.pull(7).fork("stranger");
    assert_eq!(fork(&double), (true, Some("stranger".to_owned())));
    double.pull(7).fork_deleted();
    assert_eq!(fork(&double), (true, None));
    double.pull(7).draft(true);
    let Event::PullRequest(pull) = read(&double, &events::pull_request(&double, 7, &PullChange::Opened)) else {
        panic!()
    };
    assert!(pull.draft);
}

#[test]
fn pushes() {
    let double = double();
    let pushed = |event: &events::Event| {
        let Event::Push(push) = read(&double, event) else { panic!("{event:?}") };
        let sha = |sha: Option<deadheat::model::CommitSha>| sha.map(|sha| sha.to_string());
        (push.is_default_branch(), sha(push.before), sha(push.after), push.forced, push.deleted)
    };
    let commit = |sha: &str| Some(sha.to_owned());
    double.branch("main").at(HEAD);
    assert_eq!(pushed(&events::push(&double, "main", BASE)), (true, commit(BASE), commit(HEAD), false, false));
    assert_eq!(pushed(&events::forced_push(&double, "main", BASE)), (true, commit(BASE), commit(HEAD), true, false));
    double.branch("topic").at(HEAD);
    assert_eq!(pushed(&events::branch_created(&double, "topic")), (false, None, commit(HEAD), false, false));
    assert_eq!(pushed(&events::tag_push(&double, "main", HEAD)), (false, None, commit(HEAD), false, false));
    assert_eq!(pushed(&events::branch_deleted(&double, "topic", HEAD)), (false, commit(HEAD), None, false, true));
}

#[test]
fn dispatches_runs_comments_and_queues() {
    let double = double();
    let inputs = [("variants", "a,b"), ("pr", "7"), ("base", ""), ("own", "x")];
    let Event::Dispatch(dispatch) = read(&double, &events::workflow_dispatch(&double, "deadheat.yml", "main", &inputs))
    else {
        panic!()
    };
    assert_eq!(dispatch.inputs.variants.as_deref(), Some("a,b"));
    assert_eq!(dispatch.inputs.pull().unwrap().map(|number| number.0), Some(7));
    assert_eq!((dispatch.inputs.base.as_ref(), dispatch.inputs.others.len()), (None, 1));
    assert_eq!(dispatch.default_branch.as_deref(), Some("main"));

    double.run(100).ended("success");
    let Event::WorkflowRun(event) = read(&double, &events::workflow_run(&double, 100)) else { panic!() };
    assert_eq!((event.action, event.run.id.0, event.run.head_sha.as_str()), (RunAction::Completed, 100, HEAD));
    assert_eq!(event.run.event, "pull_request");

    let id = double.comment(7, "ada", "/deadheat");
    let sent = events::issue_comment(&double, id, &CommentChange::Created);
    let Event::IssueComment(comment) = read(&double, &sent) else { panic!() };
    assert_eq!((comment.action, comment.comment, comment.number.0), (CommentAction::Created, id, 7));
    assert!(comment.is_pull_request && comment.author.is_some_and(|author| author.login == "ada" && !author.is_bot));

    let queued = events::merge_group(&double, 7);
    let Event::MergeGroup(group) = read(&double, &queued) else { panic!() };
    assert_eq!(group.head_sha.as_str(), queued.sha);
}
