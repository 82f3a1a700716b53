//! The questions that deadheat asks git, through the `git` program.
//!
//! Limits: no credentials are ever asked for, so that a private submodule without stored credentials fails at once.

use crate::model::CommitSha;
use crate::process::is_reserved;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tokens that GitHub's own tools look for under other names than the runner's.
const TOKENS: [&str; 2] = ["GH_TOKEN", "GH_ENTERPRISE_TOKEN"];

/// A git command that failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// git could not be started.
    #[error("failed to start git: {0}; install git, or put it on PATH")]
    Missing(std::io::Error),
    /// git answered with an error.
    #[error("failed to {what}: git says: {message}")]
    Failed {
        /// What was tried, completing "failed to".
        what: String,
        /// git's own words.
        message: String,
    },
    /// git answered with something unexpected.
    #[error("failed to {what}: git printed `{output}`")]
    Unexpected {
        /// What was tried.
        what: String,
        /// What it printed.
        output: String,
    },
    /// Something could not be fetched.
    #[error("failed to {what}: {reason}")]
    NotFetched {
        /// What was tried.
        what: String,
        /// git's own words, or the limit that was passed, and what can be done.
        reason: String,
    },
    /// The directory is in no repository.
    #[error("failed to find a git repository at {}: deadheat compares two commits, so run it inside one, or name one with -C", .0.display())]
    NoRepository(PathBuf),
    /// There is no commit to compare with.
    #[error(
        "failed to choose a base for {head}: it has no parent and is on the default branch; name one with --base REV, or use --base none"
    )]
    NoBase {
        /// Head's commit.
        head: CommitSha,
    },
}

/// A git repository with a work tree.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// The repository that `directory` is in.
    ///
    /// # Errors
    /// [`GitError::NoRepository`], or git itself is missing.
    pub fn open(directory: &Path) -> Result<Self, GitError> {
        let found = git(directory, ["rev-parse", "--show-toplevel"], "find the repository");
        match found {
            Ok(root) => Ok(Self { root: PathBuf::from(root.trim_end_matches('\n')) }),
            Err(GitError::Missing(error)) => Err(GitError::Missing(error)),
            // It is one, which belongs to another user: git says itself how to trust it.
            Err(error @ GitError::Failed { .. }) if error.to_string().contains("dubious ownership") => Err(error),
            Err(_) => Err(GitError::NoRepository(directory.to_owned())),
        }
    }

    /// The top of its work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commit that `rev` names.
    ///
    /// # Errors
    /// [`GitError`] where it names none.
    pub fn resolve(&self, rev: &str) -> Result<CommitSha, GitError> {
        let what = format!("find the commit `{rev}`");
        let commit = format!("{rev}^{{commit}}");
        let found =
            self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], &what).map_err(|error| {
                match error {
                    GitError::Failed { what, message } if message.is_empty() => GitError::Failed {
                        what,
                        message: "no such commit here; fetch it first, or check its name".to_owned(),
                    },
                    other => other,
                }
            })?;
        sha(&found, &what)
    }

    /// The base of `head`: the merge base with the default branch, or head's parent where head is on that branch.
    ///
    /// # Errors
    /// [`GitError::NoBase`] where head is a root commit of the default branch.
    pub fn default_base(&self, head: &CommitSha) -> Result<CommitSha, GitError> {
        if let Some(branch) = self.default_branch()
            && let Ok(base) = self.git(["merge-base", head.as_str(), &branch], "find the merge base")
        {
            let base = sha(&base, "find the merge base")?;
            if base != *head {
                return Ok(base);
            }
        }
        self.resolve(&format!("{head}^")).map_err(|_| GitError::NoBase { head: head.clone() })
    }

    /// The name of the default branch, or of the branch that is checked out where there is no commit yet.
    pub fn main_branch(&self) -> Option<String> {
        let full = self.default_branch().or_else(|| {
            let head = self.git(["symbolic-ref", "--quiet", "HEAD"], "find the branch that is checked out").ok()?;
            Some(head.trim().to_owned())
        })?;
        let name = full.strip_prefix("refs/remotes/origin/").or_else(|| full.strip_prefix("refs/heads/"))?;
        Some(name.to_owned())
    }

    pub(super) fn default_branch(&self) -> Option<String> {
        let remote = self.git(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], "find the default branch");
        let configured = self.git(["config", "--get", "init.defaultBranch"], "find the default branch").ok();
        let configured = configured.map(|name| format!("refs/heads/{}", name.trim()));
        let known = ["refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"];
        remote
            .ok()
            .map(|name| name.trim().to_owned())
            .into_iter()
            .chain(known.into_iter().map(str::to_owned))
            .chain(configured)
            .find(|name| self.resolve(name).is_ok())
    }

    /// Whether tracked files differ from HEAD or untracked ones lie about that git doesn't ignore.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        let status =
            self.git(["status", "--porcelain", "--untracked-files=normal"], "read the state of the work tree")?;
        Ok(!status.trim().is_empty())
    }

    /// A commit of the work tree as it is, with untracked files that git doesn't ignore; neither the index nor any branch
    /// is touched.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn snapshot(&self, scratch: &Path) -> Result<CommitSha, GitError> {
        let what = "take a snapshot of the work tree";
        let index = scratch.join(format!("snapshot-index-{}", std::process::id()));
        let run = |arguments: &[&str]| {
            let mut command = command(&self.root);
            command.env("GIT_INDEX_FILE", &index).args([
                "-c",
                "user.name=deadheat",
                "-c",
                "user.email=deadheat@localhost",
            ]);
            // A fixed date makes the snapshot of equal files an equal commit, so that its build is found again.
            command.env("GIT_AUTHOR_DATE", "2000-01-01T00:00:00Z").env("GIT_COMMITTER_DATE", "2000-01-01T00:00:00Z");
            output(command.args(arguments), what)
        };
        let taken = run(&["read-tree", "HEAD"])
            .and_then(|_| run(&["add", "--all", "."]))
            .and_then(|_| run(&["write-tree"]))
            .and_then(|tree| run(&["commit-tree", tree.trim(), "-p", "HEAD", "-m", "snapshot of a dirty work tree"]));
        // The scratch index is of no use to anybody once the commit exists.
        let _ = std::fs::remove_file(&index);
        sha(&taken?, what)
    }

    /// The files that differ between two commits, relative to the root.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn changed_files(&self, base: &CommitSha, head: &CommitSha) -> Result<Vec<String>, GitError> {
        let arguments = ["diff", "--name-only", "--no-renames", "-z", base.as_str(), head.as_str()];
        let listed = self.git(arguments, "list the changed files")?;
        Ok(listed.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// What `sha` holds below `paths`: one line per file with its mode and content id. Equal text means equal files.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn contents(&self, sha: &CommitSha, paths: &[&Path]) -> Result<String, GitError> {
        let mut arguments: Vec<&OsStr> =
            ["ls-tree", "-r", "--full-tree", "-z", sha.as_str(), "--"].map(OsStr::new).to_vec();
        arguments.extend(paths.iter().filter(|path| !path.as_os_str().is_empty()).map(|path| path.as_os_str()));
        self.git(arguments, "list the files of a commit")
    }

    /// The files that `sha` holds below `paths`, relative to the root.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn files(&self, sha: &CommitSha, paths: &[&Path]) -> Result<Vec<String>, GitError> {
        let listed = self.contents(sha, paths)?;
        let names = listed.split('\0').filter_map(|line| line.split_once('\t'));
        Ok(names.map(|(_, name)| name.to_owned()).collect())
    }

    /// Puts `sha` into the work tree at `path`, which is made where it is missing. Whatever else lay there is removed,
    /// ignored files too.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn check_out(&self, sha: &CommitSha, path: &Path) -> Result<(), GitError> {
        let what = format!("check out {}", sha.short());
        if path.join(".git").exists() {
            let reset = git(path, ["checkout", "--quiet", "--force", "--detach", sha.as_str()], &what)
                .and_then(|_| git(path, ["clean", "--quiet", "-ffdx"], &what));
            if reset.is_ok() {
                return self.update_submodules(path);
            }
        }
        // What is there is no usable work tree, left by an interrupted run or a removed repository.
        let _ = std::fs::remove_dir_all(path);
        self.git(["worktree", "prune"], &what)?;
        let arguments = [
            "worktree".as_ref(),
            "add".as_ref(),
            "--quiet".as_ref(),
            "--force".as_ref(),
            "--detach".as_ref(),
            path.as_os_str(),
            sha.as_str().as_ref(),
        ];
        self.git::<[&OsStr; 7], _>(arguments, &what)?;
        self.update_submodules(path)
    }

    #[expect(clippy::unused_self, reason = "a question to the repository that the work tree belongs to")]
    fn update_submodules(&self, path: &Path) -> Result<(), GitError> {
        if path.join(".gitmodules").exists() {
            git(path, ["submodule", "update", "--quiet", "--init", "--recursive"], "initialise submodules")?;
        }
        Ok(())
    }

    /// Writes the files of `sha` below `paths` into `directory`, which is no work tree then.
    ///
    /// # Errors
    /// [`GitError`].
    pub fn export(&self, sha: &CommitSha, paths: &[&Path], directory: &Path) -> Result<(), GitError> {
        let what = format!("export the files of {}", sha.short());
        let index = directory.with_extension(format!("index-{}", std::process::id()));
        let mut prefix = directory.as_os_str().to_owned();
        prefix.push("/");
        let run = |arguments: &[&OsStr], input: &str| {
            let mut command = command(&self.root);
            command.env("GIT_INDEX_FILE", &index).args(arguments);
            output_with_input(&mut command, input, &what)
        };
        let names = self.files(sha, paths)?.join("\0");
        let done = run(&["read-tree".as_ref(), sha.as_str().as_ref()], "").and_then(|_| {
            let mut option = OsStr::new("--prefix=").to_owned();
            option.push(&prefix);
            let arguments: [&OsStr; 5] =
                ["checkout-index".as_ref(), "--force".as_ref(), "-z".as_ref(), "--stdin".as_ref(), &option];
            run(&arguments, &names)
        });
        let _ = std::fs::remove_file(&index);
        done.map(drop)
    }

    pub(super) fn git<I, S>(&self, arguments: I, what: &str) -> Result<String, GitError>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        git(&self.root, arguments, what)
    }
}

pub(super) fn sha(text: &str, what: &str) -> Result<CommitSha, GitError> {
    CommitSha::new(text.trim())
        .map_err(|_| GitError::Unexpected { what: what.to_owned(), output: text.trim().to_owned() })
}

pub(super) fn command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").stdin(Stdio::null());
    // Hooks and filters run inside git, and a runner's variables are no business of theirs.
    for (name, _) in std::env::vars_os() {
        let theirs = name.to_str().is_some_and(|name| is_reserved(name) || TOKENS.contains(&name));
        if theirs {
            command.env_remove(name);
        }
    }
    // These point a git that runs inside a hook at the hook's repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
}

fn git<I, S>(directory: &Path, arguments: I, what: &str) -> Result<String, GitError>
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    output(command(directory).args(arguments), what)
}

fn output(command: &mut Command, what: &str) -> Result<String, GitError> {
    finished(&command.output().map_err(GitError::Missing)?, what)
}

fn output_with_input(command: &mut Command, input: &str, what: &str) -> Result<String, GitError> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(GitError::Missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A git that ended early says why itself.
        let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    }
    finished(&child.wait_with_output().map_err(GitError::Missing)?, what)
}

fn finished(output: &std::process::Output, what: &str) -> Result<String, GitError> {
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(GitError::Failed { what: what.to_owned(), message })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn repository() -> (tempfile::TempDir, Repository) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        git(path, ["init", "--quiet", "--initial-branch=main"], "init").unwrap();
        for (key, value) in [("user.name", "Tester"), ("user.email", "tester@example.com")] {
            git(path, ["config", key, value], "config").unwrap();
        }
        fs::write(path.join("a.txt"), "one").unwrap();
        fs::create_dir(path.join("sub")).unwrap();
        fs::write(path.join("sub/b.txt"), "two").unwrap();
        commit(path, "first");
        let repository = Repository::open(path).unwrap();
        (directory, repository)
    }

    fn commit(path: &Path, message: &str) {
        git(path, ["add", "--all"], "add").unwrap();
        git(path, ["commit", "--quiet", "-m", message], "commit").unwrap();
    }

    #[test]
    fn the_base_is_the_merge_base_or_the_parent_on_the_default_branch() {
        let (directory, repository) = repository();
        let root = repository.resolve("HEAD").unwrap();
        assert!(matches!(repository.default_base(&root), Err(GitError::NoBase { .. })));
        git(directory.path(), ["checkout", "--quiet", "-b", "topic"], "branch").unwrap();
        fs::write(directory.path().join("a.txt"), "topic").unwrap();
        commit(directory.path(), "topic");
        let topic = repository.resolve("HEAD").unwrap();
        git(directory.path(), ["checkout", "--quiet", "main"], "checkout").unwrap();
        fs::write(directory.path().join("a.txt"), "main moved").unwrap();
        commit(directory.path(), "main moved");
        let main = repository.resolve("HEAD").unwrap();
        assert_eq!(repository.default_base(&topic).unwrap(), root);
        assert_eq!(repository.default_base(&main).unwrap(), root);
    }

    #[test]
    fn the_main_branch_is_the_remote_s_then_a_usual_name_then_the_one_checked_out() {
        let empty = tempfile::tempdir().unwrap();
        git(empty.path(), ["init", "--quiet", "--initial-branch=trunk"], "init").unwrap();
        assert_eq!(Repository::open(empty.path()).unwrap().main_branch().as_deref(), Some("trunk"));
        let (directory, repository) = repository();
        git(directory.path(), ["checkout", "--quiet", "-b", "topic"], "branch").unwrap();
        assert_eq!(repository.main_branch().as_deref(), Some("main"));
        let (head, remote) = ("refs/remotes/origin/HEAD", "refs/remotes/origin/release/next");
        git(directory.path(), ["update-ref", remote, "HEAD"], "make a remote's branch").unwrap();
        git(directory.path(), ["symbolic-ref", head, remote], "name the remote's default branch").unwrap();
        assert_eq!(repository.main_branch().as_deref(), Some("release/next"));
    }

    #[test]
    fn a_dirty_tree_is_snapshotted_without_touching_it() {
        let (directory, repository) = repository();
        let scratch = tempfile::tempdir().unwrap();
        assert!(!repository.is_dirty().unwrap());
        fs::write(directory.path().join("new.txt"), "untracked").unwrap();
        fs::write(directory.path().join("a.txt"), "changed").unwrap();
        assert!(repository.is_dirty().unwrap());
        let before = git(directory.path(), ["status", "--porcelain"], "status").unwrap();
        let snapshot = repository.snapshot(scratch.path()).unwrap();
        assert_eq!(snapshot, repository.snapshot(scratch.path()).unwrap(), "equal files give an equal commit");
        assert_eq!(git(directory.path(), ["status", "--porcelain"], "status").unwrap(), before);
        let head = repository.resolve("HEAD").unwrap();
        assert_eq!(repository.changed_files(&head, &snapshot).unwrap(), ["a.txt", "new.txt"]);
        let tree = scratch.path().join("head");
        repository.check_out(&snapshot, &tree).unwrap();
        assert_eq!(fs::read_to_string(tree.join("new.txt")).unwrap(), "untracked");
    }

    #[test]
    fn a_check_out_leaves_nothing_of_the_one_before() {
        let (_directory, repository) = repository();
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().join("base");
        let head = repository.resolve("HEAD").unwrap();
        repository.check_out(&head, &tree).unwrap();
        fs::write(tree.join("left.txt"), "over").unwrap();
        fs::write(tree.join("a.txt"), "edited").unwrap();
        repository.check_out(&head, &tree).unwrap();
        assert!(!tree.join("left.txt").exists());
        assert_eq!(fs::read_to_string(tree.join("a.txt")).unwrap(), "one");
        fs::remove_dir_all(&tree).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("junk"), "no work tree").unwrap();
        repository.check_out(&head, &tree).unwrap();
        assert!(!tree.join("junk").exists());
    }

    #[test]
    fn an_export_holds_the_named_paths_only() {
        let (_directory, repository) = repository();
        let scratch = tempfile::tempdir().unwrap();
        let head = repository.resolve("HEAD").unwrap();
        let target = scratch.path().join("reference");
        repository.export(&head, &[Path::new("sub")], &target).unwrap();
        assert_eq!(fs::read_to_string(target.join("sub/b.txt")).unwrap(), "two");
        assert!(!target.join("a.txt").exists());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "the scratch index is gone");
    }

    #[test]
    fn what_does_not_exist_is_said() {
        let (_directory, repository) = repository();
        let error = repository.resolve("no-such-branch").unwrap_err().to_string();
        assert!(error.starts_with("failed to find the commit `no-such-branch`"), "{error}");
        let error = repository.resolve("--help").unwrap_err().to_string();
        assert!(error.contains("--help"), "{error}");
        let outside = tempfile::tempdir().unwrap();
        assert!(matches!(Repository::open(outside.path()), Err(GitError::NoRepository(_))));
    }
}
