//! What the runner sets in the environment of every step.

use super::{Event, EventError};
use crate::model::{RunAttempt, RunId};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;

/// GitHub sends no larger payload than 25 MB.
const LARGEST_PAYLOAD: u64 = 26 << 20;

/// Whether `environment` is that of a step of GitHub Actions.
pub fn in_actions(environment: &BTreeMap<String, String>) -> bool {
    environment.get("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Where in GitHub Actions this process runs.
#[derive(Clone, Debug)]
pub struct ActionsContext {
    /// The event's name, such as `pull_request`.
    pub event_name: String,
    /// The file of its payload.
    pub event_path: Option<PathBuf>,
    /// The run.
    pub run_id: RunId,
    /// The attempt at it.
    pub run_attempt: RunAttempt,
    /// The file that the job's summary is appended to.
    pub step_summary: Option<PathBuf>,
    /// The file that the step's outputs are appended to.
    pub output: Option<PathBuf>,
}

impl ActionsContext {
    /// Reads the variables that Actions sets.
    ///
    /// # Errors
    /// [`EventError`] for the first that is missing without a default, or that can't be what Actions sets.
    pub fn from_environment(environment: &BTreeMap<String, String>) -> Result<Self, EventError> {
        let variables = Variables(environment);
        Ok(Self {
            event_name: variables.required("GITHUB_EVENT_NAME")?.to_owned(),
            event_path: variables.get("GITHUB_EVENT_PATH").map(PathBuf::from),
            run_id: RunId(variables.number("GITHUB_RUN_ID")?),
            run_attempt: RunAttempt(variables.number("GITHUB_RUN_ATTEMPT")?),
            step_summary: variables.get("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: variables.get("GITHUB_OUTPUT").map(PathBuf::from),
        })
    }

    /// Reads the event's payload.
    ///
    /// # Errors
    /// [`EventError`] where there is none, or it lacks what is needed.
    pub fn event(&self) -> Result<Event, EventError> {
        let path = self.event_path.as_ref().ok_or(EventError::MissingVariable("GITHUB_EVENT_PATH"))?;
        let unreadable = |reason: String| EventError::Unreadable { path: path.clone(), reason };
        let mut payload = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST_PAYLOAD + 1).read_to_end(&mut payload))
            .map_err(|error| unreadable(error.to_string()))?;
        if payload.len() as u64 > LARGEST_PAYLOAD {
            return Err(unreadable(format!("it is larger than {LARGEST_PAYLOAD} bytes")));
        }
        Event::read(&self.event_name, &payload)
    }
}

/// Variables, of which an empty one is as good as none.
struct Variables<'a>(&'a BTreeMap<String, String>);

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn required(&self, name: &'static str) -> Result<&str, EventError> {
        self.get(name).ok_or(EventError::MissingVariable(name))
    }

    fn number<T: FromStr>(&self, name: &'static str) -> Result<T, EventError> {
        let value = self.required(name)?;
        let bad = |_| EventError::BadVariable { name, value: value.to_owned(), expected: "a number" };
        value.parse().map_err(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(changes: &[(&str, &str)]) -> BTreeMap<String, String> {
        let usual = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_EVENT_PATH", "/runner/event.json"),
            ("GITHUB_RUN_ID", "1658821493"),
            ("GITHUB_RUN_ATTEMPT", "2"),
            ("GITHUB_OUTPUT", "/runner/output"),
            ("GITHUB_STEP_SUMMARY", "/runner/summary"),
        ];
        usual.iter().chain(changes).map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn variables_are_read_as_actions_sets_them() {
        let context = ActionsContext::from_environment(&environment(&[])).unwrap();
        assert_eq!((context.run_id, context.run_attempt), (RunId(1_658_821_493), RunAttempt(2)));
        assert_eq!(context.event_name, "push");
        assert_eq!(context.output.as_deref(), Some(std::path::Path::new("/runner/output")));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (name, value) in [("GITHUB_EVENT_NAME", ""), ("GITHUB_RUN_ID", "-1"), ("GITHUB_RUN_ATTEMPT", "1.5")] {
            let error = ActionsContext::from_environment(&environment(&[(name, value)])).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        let mut context = ActionsContext::from_environment(&environment(&[])).unwrap();
        assert!(context.event().unwrap_err().to_string().contains("/runner/event.json"));
        context.event_path = None;
        assert!(context.event().unwrap_err().to_string().contains("GITHUB_EVENT_PATH"));
    }

    #[test]
    fn only_the_runner_makes_it_actions() {
        assert!(in_actions(&environment(&[])));
        assert!(!in_actions(&environment(&[("GITHUB_ACTIONS", "false")])));
        assert!(!in_actions(&BTreeMap::new()));
    }
}
