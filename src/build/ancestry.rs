//! Where a commit stands among others.

use super::git::{GitError, Repository, sha};
use crate::model::CommitSha;

impl Repository {
    /// `commit` and what it descends from, the newest first, at most `limit` of them; of a shallow clone what it holds.
    ///
    /// # Errors
    /// [`GitError`] where there is no such commit.
    pub fn ancestors(&self, commit: &CommitSha, limit: usize) -> Result<Vec<CommitSha>, GitError> {
        let what = format!("list the ancestors of {}", commit.short());
        let most = format!("--max-count={limit}");
        let listed = self.git(["rev-list", &most, commit.as_str(), "--"], &what)?;
        listed.lines().map(|line| sha(line, &what)).collect()
    }

    /// Whether the default branch holds `commit`. Where there is no such branch, nothing does.
    pub fn is_on_default_branch(&self, commit: &CommitSha) -> bool {
        let is_below = |branch: String| {
            self.git(
                ["merge-base", "--is-ancestor", commit.as_str(), &branch],
                "look for the commit on the default branch",
            )
        };
        self.default_branch().is_some_and(|branch| is_below(branch).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn git(path: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
        let status = Command::new("git").arg("-C").arg(path).args(identity).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    #[test]
    fn ancestors_come_nearest_first_and_a_topic_is_not_on_the_default_branch() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        git(path, &["init", "--quiet", "--initial-branch=main"]);
        for message in ["first", "second", "third"] {
            git(path, &["commit", "--quiet", "--allow-empty", "-m", message]);
        }
        git(path, &["checkout", "--quiet", "-b", "topic"]);
        git(path, &["commit", "--quiet", "--allow-empty", "-m", "topic"]);
        let repository = Repository::open(path).unwrap();
        let named = |rev: &str| repository.resolve(rev).unwrap();
        let topic = named("topic");
        let line = [topic.clone(), named("main"), named("main^"), named("main^^")];
        assert_eq!(repository.ancestors(&topic, 100).unwrap(), line);
        assert_eq!(repository.ancestors(&topic, 2).unwrap(), line[..2]);
        assert!(line[1..].iter().all(|sha| repository.is_on_default_branch(sha)));
        assert!(!repository.is_on_default_branch(&topic));
        let nowhere = CommitSha::new("0".repeat(40)).unwrap();
        assert!(repository.ancestors(&nowhere, 1).is_err());
        assert!(!repository.is_on_default_branch(&nowhere));
    }

    #[test]
    fn without_a_default_branch_nothing_is_on_it() {
        let directory = tempfile::tempdir().unwrap();
        git(directory.path(), &["init", "--quiet", "--initial-branch=unusual"]);
        git(directory.path(), &["config", "init.defaultBranch", "another"]);
        git(directory.path(), &["commit", "--quiet", "--allow-empty", "-m", "first"]);
        let repository = Repository::open(directory.path()).unwrap();
        assert!(!repository.is_on_default_branch(&repository.resolve("HEAD").unwrap()));
    }
}
