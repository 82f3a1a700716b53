//! What pull requests ask for, decided in real clones.

use super::testing::{Forge, decided, git, not_asked, race, repository, sides};
use crate::commands::CommandError;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_pull_request_is_raced_from_where_it_left_its_base_branch() {
    let forge = Forge::new();
    let (head, left) = (forge.sha("b"), forge.sha("2"));
    for options in [&[][..], &["--depth=1", "--branch=main"], &["--single-branch", "--branch=main"]] {
        let clone = forge.clone(options);
        // What the event calls base is older than what the branch is now, and than where the topic left it.
        for action in ["opened", "synchronize", "reopened", "ready_for_review", "labeled"] {
            let order = race(&clone, &forge.pull(action, "b", "1"));
            assert_eq!(sides(&order), (left.as_str(), head.as_str()), "{action} with {options:?}");
            assert_eq!(order.warnings, [] as [&str; 0]);
            assert!(order.by_event && order.pull.is_some());
            assert_eq!(order.names.head.as_deref(), Some("topic"));
            assert_eq!(order.names.base.as_deref(), Some("main"));
        }
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_base_branch_that_was_merged_into_the_topic_moves_the_base() {
    let forge = Forge::new();
    git(&forge.work(), &["checkout", "--quiet", "topic"]);
    git(&forge.work(), &["merge", "--quiet", "-m", "merged", "main"]);
    forge.push("topic");
    git(&forge.work(), &["checkout", "--quiet", "main"]);
    forge.commits(&["4"]);
    forge.push("main");
    let order = race(&forge.clone(&[]), &forge.pull("synchronize", "merged", "1"));
    assert_eq!(sides(&order), (forge.sha("3").as_str(), forge.sha("merged").as_str()));
}

#[test]
fn other_actions_on_a_pull_request_ask_for_nothing() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    for action in ["closed", "edited", "unlabeled", "assigned", "converted_to_draft"] {
        let (head, message) = not_asked(&clone, &forge.pull(action, "b", "1"));
        assert_eq!(head, Some(forge.sha("b")));
        assert!(message.contains(&format!("`{action}`")), "{message}");
    }
}

#[test]
fn a_forks_head_is_found_through_the_pull_request_and_so_is_that_of_a_fork_that_is_gone() {
    let forge = Forge::new();
    let head = forge.sha("b");
    forge.push("topic:refs/pull/7/head");
    forge.push(":topic");
    for (fork, name) in [(repository(5), "owner5:topic"), (Value::Null, "topic")] {
        let clone = forge.clone(&[]);
        let order = race(&clone, &forge.pull_with("opened", &head, &forge.sha("1"), &fork));
        assert_eq!(sides(&order), (forge.sha("2").as_str(), head.as_str()));
        assert_eq!(order.names.head.as_deref(), Some(name));
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_head_that_was_replaced_is_left_to_the_run_of_what_replaced_it() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    git(&forge.work(), &["checkout", "--quiet", "--detach", "main"]);
    forge.commits(&["lost"]);
    let lost = forge.folder.path().join("lost");
    let gone = git(&forge.work(), &["rev-parse", "HEAD"]);
    forge.push("topic:refs/pull/7/head");
    let event = forge.pull_with("synchronize", &gone, &forge.sha("1"), &json!(repository(4)));
    let (head, message) = not_asked(&clone, &event);
    assert_eq!(head.as_ref(), Some(&gone));
    assert!(message.contains(&gone[..7]) && message.contains(&forge.sha("b")[..7]), "{message}");
    assert!(!lost.exists());

    // Neither the commit nor the pull request is there any more.
    forge.push(":refs/pull/7/head");
    for (fork, words) in [(repository(5), "force-pushed away"), (Value::Null, "the fork that it came from is gone")] {
        let event = forge.pull_with("synchronize", &gone, &forge.sha("1"), &fork);
        let error = decided(&clone, &event).unwrap_err();
        assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains(words)), "{error}");
        assert!(error.to_string().contains("#7"), "{error}");
    }
}

#[test]
fn without_the_base_branch_the_events_base_stands_in_and_it_is_said() {
    let forge = Forge::new();
    let clone = forge.clone(&["--single-branch", "--branch=topic"]);
    git(&forge.origin(), &["symbolic-ref", "HEAD", "refs/heads/topic"]);
    let moved = forge.sha("3");
    git(&forge.origin(), &["update-ref", "refs/keep/3", &moved]);
    forge.push(":main");
    let order = race(&clone, &forge.pull("opened", "b", "3"));
    assert_eq!(sides(&order), (forge.sha("2").as_str(), forge.sha("b").as_str()));
    assert!(matches!(&order.warnings[..], [one] if one.contains("`main`")), "{:?}", order.warnings);

    // A history that has nothing in common with head's.
    git(&forge.work(), &["checkout", "--quiet", "--orphan", "apart"]);
    forge.commits(&["apart"]);
    git(&forge.work(), &["push", "--quiet", "origin", "apart"]);
    let order = race(&clone, &forge.pull("opened", "b", "apart"));
    assert_eq!(sides(&order), (forge.sha("apart").as_str(), forge.sha("b").as_str()));
    assert!(matches!(&order.warnings[..], [one] if one.contains("no common ancestor")), "{:?}", order.warnings);

    let never = "1".repeat(40);
    let error =
        decided(&clone, &forge.pull_with("opened", &forge.sha("b"), &never, &json!(repository(4)))).unwrap_err();
    assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains("fetch-depth: 0")), "{error}");
}

#[test]
fn a_pull_request_that_was_merged_meanwhile_keeps_its_base() {
    let forge = Forge::new();
    git(&forge.work(), &["merge", "--quiet", "--no-ff", "-m", "merged", "topic"]);
    forge.push("main");
    let order = race(&forge.clone(&[]), &forge.pull("opened", "b", "3"));
    assert_eq!(sides(&order), (forge.sha("2").as_str(), forge.sha("b").as_str()));
    assert_eq!(order.warnings, [] as [&str; 0]);
}
