//! Clones that lack things, and what is fetched for them.

use super::fetch::within;
use super::git::{GitError, Repository, command};
use crate::model::CommitSha;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A bare repository as `origin`, a clone that works, and a clone that lacks things.
struct Places {
    folder: tempfile::TempDir,
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut git = command(directory);
    git.args(["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]);
    let output = git.args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Places {
    /// `main` of 8 commits, and `topic` of 3 that leaves it after the fourth.
    fn new() -> Self {
        let places = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(places.work()).unwrap();
        git(&places.work(), &["init", "--quiet", "--initial-branch=main"]);
        for number in 1..=4 {
            places.commit(&format!("main {number}"));
        }
        git(&places.work(), &["checkout", "--quiet", "-b", "topic"]);
        for number in 1..=3 {
            places.commit(&format!("topic {number}"));
        }
        git(&places.work(), &["checkout", "--quiet", "main"]);
        for number in 5..=8 {
            places.commit(&format!("main {number}"));
        }
        let work = places.work();
        git(&work, &["clone", "--quiet", "--bare", ".", places.path("origin.git").to_str().unwrap()]);
        git(&work, &["remote", "add", "origin", places.path("origin.git").to_str().unwrap()]);
        places
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn work(&self) -> PathBuf {
        self.path("work")
    }

    fn commit(&self, message: &str) {
        git(&self.work(), &["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    fn sha(&self, rev: &str) -> CommitSha {
        CommitSha::new(git(&self.work(), &["rev-parse", rev])).unwrap()
    }

    /// A clone of the tip of `main` alone.
    fn shallow(&self) -> Repository {
        let origin = format!("file://{}", self.path("origin.git").display());
        let path = self.path("shallow");
        git(self.folder.path(), &["clone", "--quiet", "--depth=1", "--branch=main", &origin, path.to_str().unwrap()]);
        Repository::open(&path).unwrap()
    }
}

#[test]
fn a_shallow_clone_gets_what_it_lacks() {
    let places = Places::new();
    let shallow = places.shallow();
    assert!(shallow.is_shallow());
    let topic = places.sha("topic");
    assert!(!shallow.has(&topic));
    shallow.obtain(&topic, &[]).unwrap();
    assert!(shallow.has(&topic));
    let main = shallow.fetch_branch("main").unwrap();
    assert_eq!(main, places.sha("main"));
    assert_eq!(shallow.merge_base(&topic, &main), Some(places.sha("main~4")));
}

#[test]
fn a_parent_and_ancestors_are_found_behind_the_cut() {
    let places = Places::new();
    let shallow = places.shallow();
    let main = places.sha("main");
    assert!(shallow.resolve("HEAD^").is_err(), "the cut is right behind the tip");
    assert_eq!(shallow.parent(&main), Some(places.sha("main~1")));
    let wanted = [places.sha("main~6"), places.sha("main~3"), places.sha("topic"), main.clone()].into();
    assert_eq!(shallow.nearest_ancestor(&main, &wanted), Some(places.sha("main~3")));
    assert_eq!(shallow.nearest_ancestor(&main, &BTreeSet::new()), None);
    assert_eq!(shallow.nearest_ancestor(&main, &[places.sha("topic")].into()), None);
    assert_eq!(shallow.parent(&places.sha("main~7")), None, "a root has no parent however deep one looks");
}

#[test]
fn an_ancestor_on_the_first_parents_is_nearer_than_one_that_was_merged() {
    let places = Places::new();
    git(&places.work(), &["merge", "--quiet", "--no-ff", "-m", "merge", "topic"]);
    let repository = Repository::open(&places.work()).unwrap();
    let merge = places.sha("main");
    let both: BTreeSet<_> = [places.sha("topic"), places.sha("main~3")].into();
    assert_eq!(repository.nearest_ancestor(&merge, &both), Some(places.sha("main~3")));
    assert_eq!(repository.nearest_ancestor(&merge, &[places.sha("topic")].into()), Some(places.sha("topic")));
}

#[test]
fn a_commit_is_found_through_a_reference_when_no_branch_leads_to_it() {
    let places = Places::new();
    let work = places.work();
    let origin = places.path("origin.git");
    let topic = places.sha("topic");
    git(&origin, &["update-ref", "refs/pull/7/head", topic.as_str()]);
    git(&origin, &["branch", "-D", "topic"]);
    let clone = places.path("clone");
    git(places.folder.path(), &["clone", "--quiet", origin.to_str().unwrap(), clone.to_str().unwrap()]);
    // An older server hands out only what it shows: the commit is asked for by the reference's name then.
    let repository = Repository::open(&clone).unwrap();
    repository.obtain(&topic, &["refs/pull/7/head".to_owned()]).unwrap();
    assert!(repository.has(&topic));

    git(&work, &["checkout", "--quiet", "--detach"]);
    places.commit("never pushed");
    let lost = places.sha("HEAD");
    let error = repository.obtain(&lost, &["refs/pull/7/head".to_owned()]).unwrap_err();
    assert!(matches!(error, GitError::NotFetched { .. }), "{error}");
    assert!(error.to_string().contains(lost.short()), "{error}");
}

#[test]
fn a_branch_that_is_not_there_or_could_not_be_is_said() {
    let places = Places::new();
    let repository = Repository::open(&places.work()).unwrap();
    for branch in ["no-such", "a:b", "--upload-pack=x", "a..b", "a b", "*"] {
        let error = repository.fetch_branch(branch).unwrap_err();
        assert!(matches!(error, GitError::NotFetched { .. }) && error.to_string().contains(branch), "{error}");
    }
    assert_eq!(repository.tip("no-such"), None);
}

#[test]
fn credentials_that_a_checkout_left_are_seen() {
    let places = Places::new();
    let repository = Repository::open(&places.work()).unwrap();
    assert!(!repository.holds_credentials());
    git(&places.work(), &["config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x"]);
    assert!(repository.holds_credentials());
}

#[test]
fn a_command_that_hangs_is_ended() {
    let mut sleep = Command::new("sleep");
    let error = within(sleep.arg("60"), Duration::from_millis(50), "wait").unwrap_err().to_string();
    assert!(error.starts_with("failed to wait: git took longer"), "{error}");
}
