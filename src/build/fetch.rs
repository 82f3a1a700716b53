//! Commits that a shallow or narrow clone lacks: they are fetched from `origin`, and history is deepened.
//!
//! A best effort without credentials of its own, with few tries and a limit of time. A clone of the whole history needs
//! none of it. Known limit: in a history with merges that is still cut off, the best common ancestor that is here may
//! not be the best that there is.

use super::git::{GitError, Repository, command, sha};
use crate::model::CommitSha;
use std::collections::BTreeSet;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The commits that a shallow clone is given of what is new to it.
const FIRST_DEPTH: &str = "--depth=50";
/// How a shallow history grows, try after try.
const DEEPER: [&str; 3] = ["--deepen=100", "--deepen=1000", "--unshallow"];
/// The commits that are looked through for one that was measured.
const MOST_ANCESTORS: &str = "--max-count=2000";
/// The time that one fetch may take.
const LIMIT: Duration = Duration::from_mins(10);

impl Repository {
    /// Whether the commit is here.
    pub fn has(&self, sha: &CommitSha) -> bool {
        self.git(["cat-file", "-e", &format!("{sha}^{{commit}}")], "look for a commit").is_ok()
    }

    /// Whether the history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.git(["rev-parse", "--is-shallow-repository"], "look at the history")
            .is_ok_and(|said| said.trim() == "true")
    }

    /// Whether fetches present credentials that are written down in the configuration, for anybody to read.
    pub fn holds_credentials(&self) -> bool {
        self.git(["config", "--name-only", "--get-regexp", r"^http\..*extraheader$"], "read the configuration").is_ok()
    }

    /// Makes sure that a commit is here: by its own name, or else by a reference of `origin` that may lead to it.
    ///
    /// # Errors
    /// [`GitError::NotFetched`] where it is not here afterwards.
    pub fn obtain(&self, sha: &CommitSha, references: &[String]) -> Result<(), GitError> {
        if self.has(sha) {
            return Ok(());
        }
        let what = format!("fetch the commit {}", sha.short());
        let mut last = None;
        for wanted in std::iter::once(sha.as_str()).chain(references.iter().map(String::as_str)) {
            let mut options = if self.is_shallow() { vec![FIRST_DEPTH] } else { Vec::new() };
            options.extend(["origin", wanted]);
            match self.fetch(&options, &what) {
                _ if self.has(sha) => return Ok(()),
                Ok(()) => {}
                Err(error) => last = last.or(Some(error)),
            }
        }
        let absent = || GitError::NotFetched { what: what.clone(), reason: "origin no longer has it".to_owned() };
        Err(last.unwrap_or_else(absent))
    }

    /// Fetches a branch of `origin`: its tip.
    ///
    /// # Errors
    /// [`GitError::NotFetched`] where there is no such branch, or `origin` can't be reached.
    pub fn fetch_branch(&self, branch: &str) -> Result<CommitSha, GitError> {
        let what = format!("fetch the branch `{branch}`");
        let reference = format!("refs/heads/{branch}");
        self.git(["check-ref-format", &reference], &what).map_err(|_| GitError::NotFetched {
            what: what.clone(),
            reason: "a branch can't be called so".to_owned(),
        })?;
        let known = self.tip(branch).is_some();
        let mut options = if self.is_shallow() && !known { vec![FIRST_DEPTH] } else { Vec::new() };
        let refspec = format!("+{reference}:refs/remotes/origin/{branch}");
        options.extend(["origin", &refspec]);
        self.fetch(&options, &what)?;
        self.tip(branch).ok_or(GitError::NotFetched { what, reason: "it is not there afterwards".to_owned() })
    }

    /// Fetches what a reference of `origin` points at, such as `refs/pull/7/head`; none where there is none, or `origin` can't be
    /// reached.
    pub fn fetched(&self, reference: &str) -> Option<CommitSha> {
        let mut options = if self.is_shallow() { vec![FIRST_DEPTH] } else { Vec::new() };
        options.extend(["origin", reference]);
        self.fetch(&options, "fetch a reference").ok()?;
        self.resolve("FETCH_HEAD").ok()
    }

    /// The commit that somebody's word means: a whole id, a branch or a tag of `origin`, or what it means in this clone.
    /// A commit may also be fetched by way of `references`.
    ///
    /// # Errors
    /// [`GitError`] where it means nothing.
    pub fn find(&self, word: &str, references: &[String]) -> Result<CommitSha, GitError> {
        if let Ok(sha) = CommitSha::new(word.to_ascii_lowercase()) {
            self.obtain(&sha, references)?;
            return Ok(sha);
        }
        if let Ok(tip) = self.fetch_branch(word) {
            return Ok(tip);
        }
        let tag = format!("refs/tags/{word}");
        let is_name = self.git(["check-ref-format", &tag], "check a name").is_ok();
        let fetched = is_name.then(|| self.fetched(&tag)).flatten();
        // HEAD is what is checked out, and not what `origin` calls so.
        let known = || Some(word).filter(|word| *word != "HEAD").and_then(|word| self.tip(word));
        fetched.or_else(known).map_or_else(|| self.resolve(word), Ok)
    }

    /// The tip of a branch of `origin`, as it was when it was last fetched.
    pub fn tip(&self, branch: &str) -> Option<CommitSha> {
        self.resolve(&format!("refs/remotes/origin/{branch}")).ok()
    }

    /// The best common ancestor of two commits; history is deepened as long as there is none.
    pub fn merge_base(&self, one: &CommitSha, other: &CommitSha) -> Option<CommitSha> {
        self.deepening(&[one, other], || {
            let found = self.git(["merge-base", one.as_str(), other.as_str()], "find the merge base").ok()?;
            sha(&found, "find the merge base").ok()
        })
    }

    /// The first parent of a commit, where it has one.
    pub fn parent(&self, commit: &CommitSha) -> Option<CommitSha> {
        self.deepening(&[commit], || self.resolve(&format!("{commit}^")).ok())
    }

    /// The nearest ancestor of `commit` that is one of `wanted`; along first parents if there is one, else any. The commit itself
    /// does not count.
    pub fn nearest_ancestor(&self, commit: &CommitSha, wanted: &BTreeSet<CommitSha>) -> Option<CommitSha> {
        if wanted.is_empty() {
            return None;
        }
        self.deepening(&[commit], || {
            [Some("--first-parent"), None].into_iter().find_map(|how| {
                let mut arguments = vec!["rev-list", MOST_ANCESTORS, "--skip=1"];
                arguments.extend(how);
                arguments.push(commit.as_str());
                let listed = self.git(&arguments, "list the ancestors of a commit").ok()?;
                listed.lines().filter_map(|line| CommitSha::new(line).ok()).find(|sha| wanted.contains(sha))
            })
        })
    }

    /// Asks again with a deeper history of `commits` as long as there is no answer and something is cut off.
    fn deepening<T>(&self, commits: &[&CommitSha], ask: impl Fn() -> Option<T>) -> Option<T> {
        for deeper in DEEPER {
            let answer = ask();
            if answer.is_some() || !self.is_shallow() {
                return answer;
            }
            let mut options = vec![deeper, "origin"];
            options.extend(commits.iter().map(|sha| sha.as_str()));
            if self.fetch(&options, "deepen the history").is_err() {
                return None;
            }
        }
        ask()
    }

    fn fetch(&self, options: &[&str], what: &str) -> Result<(), GitError> {
        let mut command = command(self.root());
        // Housekeeping in the background would run into the race, and a line that is dead should end by itself.
        for setting in ["gc.auto=0", "maintenance.auto=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=60"] {
            command.args(["-c", setting]);
        }
        command.args(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"]).args(options);
        within(&mut command, LIMIT, what)
    }
}

/// Runs a command that may hang.
pub(super) fn within(command: &mut Command, limit: Duration, what: &str) -> Result<(), GitError> {
    let not_fetched = |reason: String| GitError::NotFetched { what: what.to_owned(), reason };
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(GitError::Missing)?;
    let stderr = child.stderr.take();
    let words = std::thread::spawn(move || {
        let mut words = Vec::new();
        // What can't be read is missing from the message alone.
        let _ = stderr.map(|mut stderr| stderr.read_to_end(&mut words));
        String::from_utf8_lossy(&words).trim().to_owned()
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                // What git itself started ends when git's end of its pipe is gone; nobody waits for it.
                let _ = child.kill();
                let _ = child.wait();
                return Err(not_fetched(format!("git took longer than {} s", limit.as_secs())));
            }
            Err(error) => return Err(not_fetched(error.to_string())),
        }
    };
    let words = words.join().unwrap_or_default();
    if status.success() { Ok(()) } else { Err(not_fetched(format!("git says: {words}"))) }
}
