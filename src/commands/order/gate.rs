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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::Event;
    use serde_json::{Value, json};

    #[test]
    fn the_configuration_says_which_pull_requests_are_raced() {
        let gate = |action: &str, draft: bool, labels: &[&str]| {
            let labels: Vec<Value> = labels.iter().map(|name| json!({ "name": name })).collect();
            let (added, action) = action.split_once(' ').map_or(("", action), |(action, label)| (label, action));
            let payload = json!({ "action": action, "label": { "name": added }, "pull_request": {
                "number": 7, "draft": draft, "labels": labels,
                "head": { "sha": "1".repeat(40), "ref": "topic", "repo": null },
                "base": { "sha": "2".repeat(40), "ref": "main", "repo": json!({ "id": 4, "name": "hello", "owner": { "login": "octo" } }) },
            }});
            let Event::PullRequest(pull) = Event::read("pull_request", payload.to_string().as_bytes()).unwrap() else {
                panic!()
            };
            PullGate::new(&pull)
        };
        let settings =
            |label: &str, drafts: bool| GithubSettings { label: label.to_owned(), drafts, ..GithubSettings::default() };
        for (action, draft, labels, label, drafts, raced) in [
            ("opened", false, &[][..], "", false, true),
            ("opened", true, &[], "", false, false),
            ("opened", true, &[], "", true, true),
            ("ready_for_review", false, &[], "", false, true),
            ("opened", false, &[], "perf", false, false),
            ("opened", false, &["docs"], "perf", false, false),
            ("opened", false, &["docs", "perf"], "perf", false, true),
            ("synchronize", false, &["perf"], "perf", false, true),
            ("synchronize", true, &["perf"], "perf", false, false),
            ("labeled perf", false, &["perf"], "perf", false, true),
            ("labeled perf", true, &["perf"], "perf", false, false),
            ("labeled docs", false, &["docs", "perf"], "perf", false, false),
            ("labeled docs", false, &["docs"], "", false, false),
            ("labeled perf", false, &["perf"], "", true, false),
        ] {
            let closed = gate(action, draft, labels).closed(&settings(label, drafts));
            assert_eq!(closed.is_none(), raced, "{action} {draft} {labels:?} {label} {drafts}: {closed:?}");
            assert!(closed.is_none_or(|why| why.ends_with('.') && why.starts_with(|c: char| c.is_uppercase())));
        }
        assert!(gate("opened", false, &["perf-accepted"]).bears("perf-accepted"));
        assert!(!gate("opened", false, &[""]).bears(""), "an empty name is no label");
    }
}
