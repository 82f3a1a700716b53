//! `deadheat init`: writes a first configuration, variant and contract that race as they are, and the workflows that race
//! and publish on GitHub.

use super::init_workflows::WorkflowSetting;
use crate::model::PinnedAction;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Each file of the first configuration with its text.
const FILES: [(&str, &str); 5] = [
    ("deadheat.toml", include_str!("../../templates/init/deadheat.toml")),
    ("bench/variants/hello/variant.toml", include_str!("../../templates/init/variant.toml")),
    ("bench/variants/hello/server.mjs", include_str!("../../templates/init/server.mjs")),
    ("bench/contract/first.toml", include_str!("../../templates/init/first.toml")),
    ("bench/contract/golden/hello.json", include_str!("../../templates/init/hello.json")),
];

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// Files are there already; nothing was written.
    #[error("failed to write a first configuration, because these files exist already: {}", listed(files))]
    Exists {
        /// They, relative to the directory.
        files: Vec<PathBuf>,
    },
    /// A file could not be written.
    #[error("failed to write {}", file.display())]
    Write {
        /// It.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn listed(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What `init` did.
#[derive(Clone, Debug)]
pub struct Initialised {
    /// The files that it wrote.
    written: Vec<PathBuf>,
    /// Files that were there already, and were left as they are.
    kept: Vec<PathBuf>,
    /// What it did about workflows.
    workflows: WorkflowsOutcome,
}

/// What `init` did about workflows.
#[derive(Clone, Debug)]
enum WorkflowsOutcome {
    /// They are there, race what is on this branch, and give pull requests this check.
    There { branch: String, check: String, built_with_cargo: bool },
    /// This build knows no revision to pin the action to, and none was given.
    NoRevision,
    /// The configuration's path or the branch's name can't stand in a workflow.
    NoName,
}

/// Writes the files of a first configuration into a directory, and the workflows into the repository around it. Never
/// overwrites: where one of the configuration's files exists, none of them is written, and a workflow that exists is left.
///
/// # Errors
/// [`InitError`] where files exist already and nothing was written, or one can't be written.
pub fn init(directory: &Path, action: Option<&PinnedAction>) -> Result<Initialised, InitError> {
    let mut kept: Vec<PathBuf> =
        FILES.iter().map(|(path, _)| PathBuf::from(path)).filter(|path| is_there(&directory.join(path))).collect();
    let mut written = Vec::new();
    if kept.is_empty() {
        for (path, text) in FILES {
            write_new(&directory.join(path), text)?;
            written.push(PathBuf::from(path));
        }
    }
    let workflows = match (action, WorkflowSetting::find(directory)) {
        (None, _) => WorkflowsOutcome::NoRevision,
        (Some(_), None) => WorkflowsOutcome::NoName,
        (Some(action), Some(setting)) => {
            for (path, text) in setting.workflows(action) {
                let file = setting.place(path);
                let named = setting.seen_from_directory(path);
                if is_there(&file) {
                    kept.push(named);
                } else {
                    write_new(&file, &text)?;
                    written.push(named);
                }
            }
            let branch = setting.branch().to_owned();
            WorkflowsOutcome::There {
                branch,
                check: setting.check_name(),
                built_with_cargo: action.release().is_none(),
            }
        }
    };
    if written.is_empty() {
        Err(InitError::Exists { files: kept })
    } else {
        Ok(Initialised { written, kept, workflows })
    }
}

fn is_there(file: &Path) -> bool {
    // A broken symbolic link counts as a file that is there.
    file.symlink_metadata().is_ok()
}

fn write_new(file: &Path, text: &str) -> Result<(), InitError> {
    let write = || {
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::File::create_new(file)?.write_all(text.as_bytes())
    };
    write().map_err(|source| InitError::Write { file: file.to_owned(), source })
}

/// What was written and what to do next, for people. Ends with a newline.
pub fn init_message(done: &Initialised) -> String {
    let mut message = String::new();
    // Writing to a string never fails.
    for file in &done.written {
        let _ = writeln!(message, "wrote {}", file.display());
    }
    for file in &done.kept {
        let _ = writeln!(message, "left  {} as it is", file.display());
    }
    message.push_str(
        "\nNext:\n  deadheat check    build the variant and hold its answers against the contract\n  \
         then put your own variants beside bench/variants/hello, and your routes into bench/contract/first.toml\n",
    );
    message.push_str("\nOn GitHub:\n");
    match &done.workflows {
        WorkflowsOutcome::There { branch, check, built_with_cargo } => {
            let _ = writeln!(
                message,
                "  - Commit the workflows to {branch}: GitHub takes deadheat-publish.yml from the default branch alone, so that the\n    \
                 next pull request is the first with a comment. Where {branch} is not the default branch, change deadheat.yml.\n  \
                 - No secret is needed: each job asks for its permissions, and the one that runs a pull request's code may only\n    \
                 read. Where only selected actions may run, allow those that the workflows use.\n  \
                 - To hold back what is proved slower, set fail_on = \"regression\" in deadheat.toml, and require the check\n    \
                 `{check}` (not the job `race`) in the rules of {branch}.\n  \
                 - A comment `/deadheat` on a pull request, by somebody who may write here, races it again."
            );
            if *built_with_cargo {
                message.push_str(
                    "  - This deadheat is no release: the jobs build it with cargo at its commit, which takes some minutes.\n",
                );
            }
        }
        WorkflowsOutcome::NoRevision => {
            message.push_str(
                "  No workflow was written, because this build of deadheat doesn't know its own commit to pin the action to.\n  \
                 `deadheat init --action OWNER/REPO@SHA` writes them, with a full commit of the repository of deadheat.\n",
            );
        }
        WorkflowsOutcome::NoName => {
            message.push_str(
                "  No workflow was written, because the path of deadheat.toml or the name of the default branch can't stand in\n  \
                 one: it is not UTF-8, or holds control characters or `${{`.\n",
            );
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::load_configuration;

    fn action() -> PinnedAction {
        PinnedAction::new("deadheat/deadheat", &"0123456789".repeat(4)).unwrap()
    }

    fn repository(branch: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let initial = format!("--initial-branch={branch}");
        let made = std::process::Command::new("git").args(["init", "--quiet", &initial]).arg(root.path()).status();
        assert!(made.unwrap().success());
        root
    }

    #[test]
    fn what_is_written_is_a_configuration() {
        let root = tempfile::tempdir().unwrap();
        let done = init(root.path(), None).unwrap();
        let loaded = load_configuration(&root.path().join("deadheat.toml")).unwrap();
        assert_eq!(loaded.configuration.variants.len(), 1);
        assert_eq!(loaded.configuration.scenarios.len(), 1);
        assert!(!root.path().join(".github").exists(), "without a revision there is nothing to pin");
        insta::assert_snapshot!("init_message", init_message(&done));
    }

    #[test]
    fn workflows_are_written_at_the_root_of_the_repository() {
        let root = repository("trunk");
        let below = root.path().join("bench marks");
        fs::create_dir(&below).unwrap();
        let done = init(&below, Some(&action())).unwrap();
        assert!(below.join("deadheat.toml").exists() && !below.join(".github").exists());
        let read = |name: &str| fs::read_to_string(root.path().join(".github/workflows").join(name)).unwrap();
        let race = read("deadheat.yml");
        assert!(race.contains("    branches: [trunk]\n"), "{race}");
        for text in [race, read("deadheat-publish.yml")] {
            assert!(text.contains("          config: \"bench marks/deadheat.toml\"\n"), "{text}");
            let pin = format!(
                "uses: deadheat/deadheat@{} # {}, before its release\n",
                action().revision(),
                env!("CARGO_PKG_VERSION")
            );
            assert!(text.contains(&pin), "{text}");
            assert!(text.contains(&format!("          version: {}\n", action().revision())), "{text}");
            assert!(!text.contains(['<']), "every placeholder is filled: {text}");
        }
        insta::assert_snapshot!("init_message_workflows", init_message(&done));
    }

    #[test]
    fn a_released_action_brings_its_own_release() {
        let root = repository("main");
        init(root.path(), Some(&action().released_as("v0.1.0"))).unwrap();
        let text = fs::read_to_string(root.path().join(".github/workflows/deadheat.yml")).unwrap();
        assert!(text.contains(&format!("uses: {} # v0.1.0\n", action())), "{text}");
        assert!(!text.contains("version:"), "{text}");
    }

    #[test]
    fn a_configuration_gets_its_workflows_later() {
        let root = repository("main");
        init(root.path(), None).unwrap();
        let mine = root.path().join(".github/workflows/deadheat.yml");
        fs::create_dir_all(mine.parent().unwrap()).unwrap();
        fs::write(&mine, "mine").unwrap();
        let message = init_message(&init(root.path(), Some(&action())).unwrap());
        assert!(
            message.starts_with("wrote .github/workflows/deadheat-publish.yml\nleft  deadheat.toml as it is\n"),
            "{message}"
        );
        assert!(message.contains("left  .github/workflows/deadheat.yml as it is\n"), "{message}");
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        let error = init(root.path(), Some(&action())).unwrap_err();
        assert!(matches!(error, InitError::Exists { files } if files.len() == 7));
    }

    #[test]
    fn names_that_a_workflow_would_evaluate_are_refused() {
        let root = repository("main");
        let below = root.path().join("${{ github.token }}");
        fs::create_dir(&below).unwrap();
        let message = init_message(&init(&below, Some(&action())).unwrap());
        assert!(message.contains("No workflow was written, because the path"), "{message}");
        assert!(!root.path().join(".github").exists());
    }

    #[test]
    fn nothing_is_overwritten() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("deadheat.toml"), "mine").unwrap();
        let error = init(root.path(), None).unwrap_err().to_string();
        assert!(error.ends_with("exist already: deadheat.toml"), "{error}");
        assert_eq!(fs::read_to_string(root.path().join("deadheat.toml")).unwrap(), "mine");
        assert!(!root.path().join("bench").exists());
    }
}
