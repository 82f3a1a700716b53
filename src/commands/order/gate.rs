//! Whether a pull request is one that the configuration wants to be raced.

use crate::github::{PullAction, PullRequest};
use crate::plan::GithubSettings;

/// What is asked of a pull request once its configuration is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct PullGate {
    action: PullAction,
    draft: bool,
    labels: Vec<String>,
}

impl PullGate {
    /// The gate of this pull request.
    pub(super) fn new(pull: &PullRequest) -> Self {
        Self { action: pull.action.clone(), draft: pull.draft, labels: pull.labels.clone() }
    }

    /// Whether it bears a label.
    pub(in crate::commands) fn bears(&self, label: &str) -> bool {
        !label.is_empty() && self.labels.iter().any(|own| own == label)
    }

    /// Why it is not raced, where it is not.
    pub(in crate::commands) fn closed(&self, settings: &GithubSettings) -> Option<String> {
        let wanted = settings.label.as_str();
        if let PullAction::Labeled(added) = &self.action
            && added != wanted
        {
            return Some(if wanted.is_empty() {
                "A label was added, and no label is configured to ask for a race.".to_owned()
            } else {
                format!("Another label than {} was added, which alone asks for a race.", quoted(wanted))
            });
        }
        if !wanted.is_empty() && !self.bears(wanted) {
            return Some(format!(
                "This pull request does not bear the label {}, which asks for a race.",
                quoted(wanted)
            ));
        }
        if self.draft && !settings.drafts {
            return Some("This pull request is a draft; it is raced when it is ready for review.".to_owned());
        }
        None
    }
}

/// A name between backticks.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}
