//! The inputs of a dispatched workflow, checked as the options that they stand for. All mistakes are told at once.

use super::super::outcome::CommandError;
use crate::cli::{SelectionArgs, SuiteChoice};
use crate::github::{DispatchInputs, EventError};
use crate::model::PullNumber;
use crate::plan::parse_duration;
use clap::ValueEnum;
use std::fmt::Display;

/// What the inputs mean.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) selection: SelectionArgs,
    pub(super) pull: Option<PullNumber>,
}

/// Reads the inputs. What they leave open is as `given` says.
pub(super) fn wanted(inputs: &DispatchInputs, given: &SelectionArgs) -> Result<Wanted, CommandError> {
    let mut mistakes = Vec::new();
    let selection = SelectionArgs {
        variants: list("variants", inputs.variants.as_deref(), &given.variants, &mut mistakes),
        runtimes: list("runtimes", inputs.runtimes.as_deref(), &given.runtimes, &mut mistakes),
        scenarios: list("scenarios", inputs.scenarios.as_deref(), &given.scenarios, &mut mistakes),
        suites: suites(inputs.suites.as_deref(), &given.suites, &mut mistakes),
        budget: match inputs.budget.as_deref().map(parse_duration) {
            None => given.budget,
            Some(Ok(budget)) => Some(budget),
            Some(Err(error)) => {
                mistakes.push(format!("budget: {error}"));
                None
            }
        },
    };
    for (name, rev) in [("base", &inputs.base), ("head", &inputs.head)] {
        if let Some(rev) = rev.as_ref().filter(|rev| !is_revision(rev)) {
            mistakes.push(format!("{name}: `{rev}` can't be a commit, a branch or a tag"));
        }
    }
    let pull = inputs.pull().unwrap_or_else(|error| {
        match error {
            EventError::Inputs(found) => mistakes.extend(found),
            other => mistakes.push(other.to_string()),
        }
        None
    });
    if mistakes.is_empty() {
        return Ok(Wanted { selection, pull });
    }
    Err(CommandError::usage(format!("failed to use the inputs of the workflow:\n  {}", mistakes.join("\n  "))))
}

/// Whether git may be asked for it: no option, no range, no path.
fn is_revision(text: &str) -> bool {
    !text.starts_with('-') && !text.contains("..") && !text.contains(|c: char| c.is_whitespace() || c == ':')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

fn list<T>(input: &str, text: Option<&str>, given: &[T], mistakes: &mut Vec<String>) -> Vec<T>
where
    T: Clone + PartialEq + TryFrom<String>,
    T::Error: Display,
{
    let Some(text) = text else { return given.to_vec() };
    let mut names = Vec::new();
    for word in words(text) {
        match T::try_from(word.to_owned()) {
            Ok(name) if names.contains(&name) => {}
            Ok(name) => names.push(name),
            Err(error) => mistakes.push(format!("{input}: {error}")),
        }
    }
    names
}

fn suites(text: Option<&str>, given: &[SuiteChoice], mistakes: &mut Vec<String>) -> Vec<SuiteChoice> {
    let Some(text) = text else { return given.to_vec() };
    let mut suites = Vec::new();
    for word in words(text) {
        match SuiteChoice::from_str(word, false) {
            Ok(suite) if suites.contains(&suite) => {}
            Ok(suite) => suites.push(suite),
            Err(_) => mistakes.push(format!("suites: there is no suite `{word}`; use http or boot")),
        }
    }
    suites
}
