//! An action of GitHub's, pinned to a commit.

use super::{CommitSha, InvalidName};
use std::fmt;
use std::str::FromStr;

const RULE: &str = "use OWNER/REPO@SHA, with the full 40 digits of a commit";

/// An action in a repository, at one commit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedAction {
    repository: String,
    revision: CommitSha,
    release: Option<String>,
}

impl PinnedAction {
    /// The action in `repository`, `OWNER/REPO`, at `revision`.
    ///
    /// # Errors
    /// [`InvalidName`] where the repository is no `OWNER/REPO`, or the commit is not named by 40 digits.
    pub fn new(repository: &str, revision: &str) -> Result<Self, InvalidName> {
        let invalid = || InvalidName { what: "action", text: format!("{repository}@{revision}"), rule: RULE };
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let (owner, name) = repository.split_once('/').ok_or_else(invalid)?;
        let sha = CommitSha::new(revision).map_err(|_| invalid())?;
        // GitHub pins by SHA-1 alone.
        if !plain(owner) || !plain(name) || revision.len() != 40 {
            return Err(invalid());
        }
        Ok(Self { repository: repository.to_owned(), revision: sha, release: None })
    }

    /// The same action, whose commit is that of a release, such as `v0.1.0`. A text that names no release is passed over.
    #[must_use]
    pub fn released_as(self, release: &str) -> Self {
        let mut characters = release.chars();
        let versioned = characters.next() == Some('v')
            && characters.next().is_some_and(|c| c.is_ascii_digit())
            && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
        Self { release: versioned.then(|| release.to_owned()), ..self }
    }

    /// The commit.
    pub fn revision(&self) -> &CommitSha {
        &self.revision
    }

    /// The release that the commit is, if it is one.
    pub fn release(&self) -> Option<&str> {
        self.release.as_deref()
    }
}

impl fmt::Display for PinnedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.repository, self.revision)
    }
}

impl FromStr for PinnedAction {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidName { what: "action", text: text.to_owned(), rule: RULE };
        let (repository, revision) = text.split_once('@').ok_or_else(invalid)?;
        Self::new(repository, revision).map_err(|_| invalid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn an_action_is_a_repository_at_a_full_commit() {
        let action: PinnedAction = format!("some-one/dead.heat_2@{SHA}").parse().unwrap();
        assert_eq!(action.to_string(), format!("some-one/dead.heat_2@{SHA}"));
        assert_eq!((action.revision().as_str(), action.release()), (SHA, None));
        for wrong in [
            String::new(),
            "deadheat/deadheat".to_owned(),
            "deadheat/deadheat@v0.1.0".to_owned(),
            format!("deadheat/deadheat@{}", &SHA[..39]),
            format!("deadheat/deadheat@{SHA}{}", &SHA[..24]),
            format!("deadheat/deadheat@{}", SHA.to_uppercase()),
            format!("deadheat@{SHA}"),
            format!("/deadheat@{SHA}"),
            format!("deadheat/@{SHA}"),
            format!("deadheat/deadheat/action@{SHA}"),
            format!("deadheat/dead heat@{SHA}"),
            format!("deadheat/deadheat@{SHA} # v1\n      run: evil"),
        ] {
            let error = wrong.parse::<PinnedAction>().unwrap_err();
            assert_eq!(error.text, wrong);
        }
    }

    #[test]
    fn only_a_version_is_a_release() {
        let action = PinnedAction::new("deadheat/deadheat", SHA).unwrap();
        assert_eq!(action.clone().released_as("v0.1.0-rc.1").release(), Some("v0.1.0-rc.1"));
        for wrong in ["", "v", "main", "v1 # x", "1.0.0", "vfoo", "v1\nrun: x"] {
            assert_eq!(action.clone().released_as(wrong).release(), None, "{wrong:?}");
        }
    }
}
