//! Commits that a shallow or narrow clone lacks: they are fetched from `origin`, and history is deepened.
//!
//! A best effort without credentials of its own, with few tries and a limit of time. A clone of the whole history needs
//! none of it.

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
fn within(command: &mut Command, limit: Duration, what: &str) -> Result<(), GitError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

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
            git(
                self.folder.path(),
                &["clone", "--quiet", "--depth=1", "--branch=main", &origin, path.to_str().unwrap()],
            );
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
}
