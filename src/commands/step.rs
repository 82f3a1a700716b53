//! The step of GitHub Actions that a run is: its summary, its outputs, what it says on the run's page.

use super::log::Log;
use super::outcome::CommandError;
use super::surroundings::Surroundings;
use crate::build::Repository;
use crate::github::{ActionsContext, Annotation, AnnotationLevel, append_outputs, append_summary, in_actions};
use crate::model::Results;
use crate::report::plain_headline;
use crate::verdict::{RunOutcome, RunVerdict};
use std::path::Path;

/// Tokens that a step can be given without being asked.
const TOKENS: [&str; 5] =
    ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "INPUT_TOKEN"];

/// A step of GitHub Actions.
pub(super) struct Step {
    pub(super) context: ActionsContext,
    log: Log,
}

impl Step {
    /// The step that this process is, where it is one.
    pub(super) fn of(around: &Surroundings) -> Result<Option<Self>, CommandError> {
        if !in_actions(&around.environment) {
            return Ok(None);
        }
        let context = ActionsContext::from_environment(&around.environment).map_err(CommandError::usage)?;
        Ok(Some(Self { context, log: around.show.log }))
    }

    /// Warns of credentials that the code which is raced could read.
    pub(super) fn warn_of_credentials(&self, around: &Surroundings, repository: &Repository) {
        let set = |name: &&str| around.environment.get(*name).is_some_and(|value| !value.is_empty());
        let found: Vec<&str> = TOKENS.into_iter().filter(|name| set(name)).collect();
        if !found.is_empty() {
            self.warn(&format!(
                "this step executes the code that is raced, and its environment holds {}: take it away; only \
                 `deadheat publish` needs a token, in a job of its own",
                found.join(" and ")
            ));
        }
        if repository.holds_credentials() {
            self.warn(
                "the checkout left its token in git's configuration, where the code that is raced can read it: check out \
                 with persist-credentials: false",
            );
        }
    }

    fn warn(&self, message: &str) {
        self.annotate(AnnotationLevel::Warning, message.to_owned());
    }

    fn annotate(&self, level: AnnotationLevel, message: String) {
        self.log.annotate(&Annotation { level, title: "deadheat".to_owned(), message, place: None });
    }

    /// Gives the runner what a run found: the summary, the outputs, and the headline on the run's page.
    pub(super) fn conclude(
        &self,
        results: &Results,
        verdict: &RunVerdict,
        ending: &Ending<'_>,
    ) -> Result<(), CommandError> {
        let failed = |what: &str, file: &Path, error: &std::io::Error| {
            CommandError::infrastructure(format!("failed to write the {what} to {}: {error}", file.display()))
        };
        if let Some(file) = &self.context.step_summary {
            let summary = super::report::summary(results)?;
            append_summary(file, &summary).map_err(|error| failed("job summary", file, &error))?;
        }
        if let Some(file) = &self.context.output {
            let mut outputs = outputs(ending.outcome, verdict);
            outputs.push(("results-path", ending.file.display().to_string()));
            append_outputs(file, &outputs).map_err(|error| failed("outputs", file, &error))?;
        }
        if let Some(message) = ending.message(results, verdict) {
            self.annotate(ending.level(), message);
        }
        Ok(())
    }
}

/// What later steps are told of a verdict.
pub(super) fn outputs(outcome: RunOutcome, verdict: &RunVerdict) -> Vec<(&'static str, String)> {
    vec![
        ("verdict", outcome.to_string()),
        ("regressions", verdict.counts.regressions.to_string()),
        ("improvements", verdict.counts.improvements.to_string()),
    ]
}

/// How a run ended, for the page of the run.
pub(super) struct Ending<'a> {
    pub(super) outcome: RunOutcome,
    pub(super) file: &'a Path,
    /// Whether it fails.
    pub(super) fails: bool,
    /// The label that accepts a regression, where the pull request bears it.
    pub(super) accepted_by: Option<&'a str>,
}

impl Ending<'_> {
    fn level(&self) -> AnnotationLevel {
        match self.outcome {
            _ if self.fails => AnnotationLevel::Error,
            RunOutcome::Regression
            | RunOutcome::BrokenHead
            | RunOutcome::BrokenBase
            | RunOutcome::MissingCells
            | RunOutcome::Unusable => AnnotationLevel::Warning,
            RunOutcome::NotRaced(_)
            | RunOutcome::Quick
            | RunOutcome::Standings
            | RunOutcome::Undecided
            | RunOutcome::Improvement
            | RunOutcome::Same => AnnotationLevel::Notice,
        }
    }

    /// The headline; none where mistakes say more, each in its place.
    fn message(&self, results: &Results, verdict: &RunVerdict) -> Option<String> {
        if let Some(not_raced) = &results.not_raced {
            let mistakes = not_raced.reason == crate::model::NotRacedReason::Mistakes;
            return (!mistakes).then(|| not_raced.message.clone());
        }
        let headline = plain_headline(results, verdict);
        let accepted = self.accepted_by.filter(|_| self.outcome.is_regression());
        Some(match accepted {
            Some(label) => format!("{headline} The label {label} accepts it."),
            None => headline,
        })
    }
}
