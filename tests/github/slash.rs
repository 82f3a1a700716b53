//! What a comment sets in motion.

use crate::publisher::{BOT, PULL, Publisher, double, sha};
use deadheat::github::{Account, Answered, ApiError, Budget, CommentAction, IssueComment, Posted, answer_comment};
use deadheat::model::PullNumber;
use deadheat::plan::parse_duration;
use github_double::{Fault, GitHub};
use proptest::prelude::*;
use serde_json::json;

/// A new comment of that author's, as its event tells it.
fn comment(github: &GitHub, author: &str, body: &str) -> IssueComment {
    IssueComment {
        action: CommentAction::Created,
        is_pull_request: true,
        number: PULL,
        comment: github.comment(PULL.0, author, body),
        body: body.to_owned(),
        author: Some(Account { login: author.to_owned(), is_bot: author.ends_with("[bot]") }),
    }
}

fn answer(github: &GitHub, event: &IssueComment) -> Result<Answered, ApiError> {
    Publisher::new(github).wait_for(|client| async move { answer_comment(client, event).await })
}

fn reaction(content: &str) -> (String, String) {
    (BOT.to_owned(), content.to_owned())
}

#[test]
fn a_writers_command_dispatches_the_exact_commits() {
    for (role, from_fork) in [("admin", false), ("maintain", false), ("write", true)] {
        let double = double("slash-dispatch");
        if from_fork {
            double.pull(PULL.0).fork("stranger").head(sha('b').as_str());
        }
        let inputs = ["base", "head", "pr", "variants", "runtimes", "suites", "scenarios", "budget"];
        double.workflow("deadheat.yml", &inputs).role("octocat", role);
        let base = double.branch("main").tip().unwrap();
        // The base branch has gone on since, and the pull request does not know it.
        double.branch("main").commit("README.md", "later");
        let event = comment(&double, "octocat", "/deadheat variants=a,b suites=http budget=20m\n\nplease");
        let answered = answer(&double, &event).unwrap();
        let Answered::Dispatched { head, base: Some(answered_base) } = answered else { panic!("{answered:?}") };
        assert_eq!((head, answered_base.as_str()), (sha('b'), base.as_str()));
        let dispatches = double.dispatches();
        assert_eq!(dispatches.len(), 1);
        assert_eq!((dispatches[0].workflow.as_str(), dispatches[0].branch.as_str()), ("deadheat.yml", "main"));
        let expected = json!({
            "base": base, "head": sha('b').as_str(), "pr": "7", "variants": "a,b", "suites": "http", "budget": "20m",
        });
        assert_eq!(json!(dispatches[0].inputs), expected);
        assert_eq!(double.reactions(event.comment), [reaction("eyes")]);
        assert_eq!(double.comments(PULL.0).len(), 1);
    }
}

#[test]
fn without_write_access_there_is_a_reaction_and_nothing_else() {
    for role in ["triage", "read", "none", "unknown"] {
        for body in ["/deadheat", "/deadheat nonsense"] {
            let double = double("slash-refused");
            double.role("stranger", role);
            let event = comment(&double, "stranger", body);
            assert_eq!(answer(&double, &event).unwrap(), Answered::NotAllowed, "{role}");
            assert_eq!(double.reactions(event.comment), [reaction("confused")], "{role}");
            assert_eq!((double.comments(PULL.0).len(), double.dispatches().len()), (1, 0), "{role}");
        }
    }
}

#[test]
fn what_is_no_command_sends_no_request() {
    let double = double("slash-none");
    double.role("octocat", "admin");
    let command = comment(&double, "octocat", "/deadheat");
    for event in [
        comment(&double, "octocat", "> /deadheat\n\nwhat does this do?"),
        comment(&double, "octocat", "```\n/deadheat\n```"),
        comment(&double, "octocat", "/deadheatx"),
        comment(&double, "octocat", "try\n/deadheat"),
        comment(&double, "dependabot[bot]", "/deadheat"),
        IssueComment { action: CommentAction::Edited, ..command.clone() },
        IssueComment { action: CommentAction::Deleted, ..command.clone() },
        IssueComment { is_pull_request: false, ..command.clone() },
        IssueComment { author: None, ..command },
    ] {
        assert_eq!(answer(&double, &event).unwrap(), Answered::NoCommand, "{event:?}");
    }
    assert_eq!(double.requests().len(), 0);
}

#[test]
fn a_closed_pull_request_is_not_raced() {
    let double = double("slash-closed");
    double.role("octocat", "admin").pull(PULL.0).closed();
    let event = comment(&double, "octocat", "/deadheat");
    assert_eq!(answer(&double, &event).unwrap(), Answered::Closed);
    assert_eq!(double.reactions(event.comment), [reaction("confused")]);
    let missing = IssueComment { number: PullNumber(99), ..event };
    assert_eq!(answer(&double, &missing).unwrap(), Answered::Closed);
    assert_eq!(double.dispatches().len(), 0);
}

#[test]
fn a_mistake_gets_one_reply_to_its_author() {
    for fault in [None, Some(Fault::BadGatewayAfterWriting), Some(Fault::CutBody)] {
        let double = double("slash-mistake");
        double.role("octocat", "write");
        if let Some(fault) = fault {
            double.on("POST", "issues/*/comments").fails(fault);
        }
        let event = comment(&double, "octocat", "/deadheat variants=`@team`");
        assert!(matches!(answer(&double, &event).unwrap(), Answered::Mistaken(Posted::Created(_))));
        assert!(matches!(answer(&double, &event).unwrap(), Answered::Mistaken(Posted::There(_))));
        let comments = double.comments(PULL.0);
        assert_eq!(comments.len(), 2);
        let start = format!("<!-- deadheat-reply:{} -->\n@octocat `'@team'` can't be the name", event.comment);
        assert!(comments[1].body.starts_with(&start), "{}", comments[1].body);
        assert_eq!((double.dispatches().len(), double.reactions(event.comment).len()), (0, 0));

        // Another mistake is answered by itself.
        let event = comment(&double, "octocat", "/deadheat nonsense");
        assert!(matches!(answer(&double, &event).unwrap(), Answered::Mistaken(Posted::Created(_))));
    }
}

#[test]
fn a_dispatch_that_fails_is_seen_and_never_sent_twice() {
    for (fault, dispatched) in [
        (Fault::BadGatewayAfterWriting, 1),
        (Fault::BadGateway, 0),
        (Fault::Status(404, "Not Found"), 0),
        (Fault::Unprocessable, 0),
    ] {
        let double = double("slash-dispatch-fails");
        double.role("octocat", "write");
        double.on("POST", "actions/workflows/*/dispatches").fails(fault);
        let event = comment(&double, "octocat", "/deadheat");
        assert!(answer(&double, &event).is_err());
        assert_eq!(double.dispatches().len(), dispatched);
        assert_eq!(double.reactions(event.comment), [reaction("eyes"), reaction("confused")]);
    }
}

proptest! {
    /// What a comment may ask for as a budget is what `--budget` takes.
    #[test]
    fn a_budget_is_a_duration(text in "[0-9]{0,7}(h|m|s|ms)?[0-9]{0,3}(m|s)?[0-9]{0,3}s?|\\PC{0,8}") {
        if let Some(budget) = Budget::parse(&text) {
            let duration = parse_duration(budget.as_str()).unwrap();
            prop_assert!((1..=6 * 3600).contains(&duration.as_secs()), "{text}");
        }
    }
}
