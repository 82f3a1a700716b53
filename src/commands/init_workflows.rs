//! The workflows that `deadheat init` writes for GitHub Actions.
//!
//! They stand at the root of the repository, wherever the configuration is, because GitHub reads them only there.

use crate::build::Repository;
use crate::github::ConfigurationPath;
use crate::model::PinnedAction;
use std::path::{Component, Path, PathBuf};

const RACE: &str = include_str!("../../templates/init/workflows/deadheat.yml");
const PUBLISH: &str = include_str!("../../templates/init/workflows/deadheat-publish.yml");

/// What the workflows are written from.
#[derive(Clone, Debug)]
pub(super) struct WorkflowSetting {
    /// The top of the work tree.
    root: PathBuf,
    /// The configuration relative to the root, with `/`.
    configuration: ConfigurationPath,
    /// The default branch.
    branch: String,
}

impl WorkflowSetting {
    /// Finds the repository around `directory`; without one the directory is taken for its root. Nothing is given where
    /// a name can't be written into a workflow as it is.
    pub(super) fn find(directory: &Path) -> Option<Self> {
        let repository = Repository::open(directory).ok();
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let root = repository.as_ref().map_or_else(|| directory.clone(), |found| found.root().to_owned());
        let below = directory.strip_prefix(&root).ok()?;
        let mut parts = Vec::new();
        for part in below.components() {
            let Component::Normal(name) = part else { return None };
            parts.push(name.to_str()?);
        }
        parts.push("deadheat.toml");
        let configuration = ConfigurationPath::new(&parts.join("/")).ok()?;
        let branch = repository.and_then(|found| found.main_branch()).unwrap_or_else(|| "main".to_owned());
        let plain = |text: &str| !text.contains("${{") && !text.chars().any(char::is_control);
        (plain(configuration.as_str()) && plain(&branch)).then_some(Self { root, configuration, branch })
    }

    /// Where a file of the repository is.
    pub(super) fn place(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// How a file of the repository is named from the directory that the configuration is in.
    pub(super) fn seen_from_directory(&self, path: &str) -> PathBuf {
        let up = self.configuration.as_str().matches('/').map(|_| "..");
        up.collect::<PathBuf>().join(path)
    }

    /// The default branch.
    pub(super) fn branch(&self) -> &str {
        &self.branch
    }

    /// The name of the check that pull requests get.
    pub(super) fn check_name(&self) -> String {
        self.configuration.check_name()
    }

    /// Each workflow's path below the root, with its text.
    pub(super) fn workflows(&self, action: &PinnedAction) -> [(&'static str, String); 2] {
        let (uses, version) = match action.release() {
            // The action takes the release that it belongs to, so that one line is enough to bring a new one.
            Some(release) => (format!("{action} # {release}"), String::new()),
            None => (
                format!("{action} # {}, before its release", env!("CARGO_PKG_VERSION")),
                format!("          version: {}\n", action.revision()),
            ),
        };
        let written = |template: &str| {
            template
                .replace("<action>", &uses)
                .replace("<version>", &version)
                .replace("<branch>", &quoted(&escaped_pattern(&self.branch)))
                .replace("<config>", &quoted(self.configuration.as_str()))
        };
        [
            (".github/workflows/deadheat.yml", written(RACE)),
            (".github/workflows/deadheat-publish.yml", written(PUBLISH)),
        ]
    }
}

/// A text as a YAML scalar, bare where it can be read as nothing else.
fn quoted(text: &str) -> String {
    let bare = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str());
    // JSON's strings are YAML's double-quoted scalars.
    if bare { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A branch's name as the pattern that only it matches.
fn escaped_pattern(branch: &str) -> String {
    let mut pattern = String::new();
    for c in branch.chars() {
        if matches!(c, '*' | '?' | '+' | '[' | ']' | '!' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The action of this build, where the build knows the commit that it is made from.
pub fn action_of_this_build() -> Option<PinnedAction> {
    let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
    let action = PinnedAction::new(repository, option_env!("DEADHEAT_REVISION")?).ok()?;
    Some(action.released_as(option_env!("DEADHEAT_RELEASE").unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_matches_its_branch_alone() {
        assert_eq!(escaped_pattern("release/1.x"), "release/1.x");
        assert_eq!(escaped_pattern("c++!"), "c\\+\\+\\!");
    }

    #[test]
    fn a_debug_build_pins_nothing_unless_it_is_told() {
        let known = option_env!("DEADHEAT_REVISION").is_some();
        assert_eq!(action_of_this_build().is_some(), known);
    }

    proptest! {
        #[test]
        fn a_quoted_text_is_read_as_it_was(text in "([a-zA-Z0-9./_ -]|\\PC){1,24}") {
            let read: serde_json::Value = serde_saphyr::from_str(&format!("- {}\n", quoted(&text))).unwrap();
            prop_assert_eq!(&read[0], &text);
        }
    }

    #[test]
    fn words_that_yaml_has_a_meaning_for_are_quoted() {
        for word in
            ["true", "No", "null", "on", "~", "1.0", "-", ".nan", "a: b", "a #b", "", "[x]", "&x", "*x", "!x", "0x1f"]
        {
            let read: serde_json::Value = serde_saphyr::from_str(&format!("- {}\n", quoted(word))).unwrap();
            assert_eq!(read[0], word);
            assert!(quoted(word).starts_with('"'), "{word}");
        }
        assert_eq!(quoted("bench/deadheat.toml"), "bench/deadheat.toml");
    }
}
