//! What the runner sets in the environment of every step.

use super::{Event, EventError};
use crate::github::{RepositoryName, Token};
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
    /// The REST API's root, without a slash at its end.
    pub api_url: String,
    /// Where people look at the repository, without a slash at its end.
    pub server_url: String,
    /// Where GraphQL is asked.
    pub graphql_url: String,
    /// The repository.
    pub repository: RepositoryName,
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
    /// The token, where the step was given one.
    pub token: Option<Token>,
}

impl ActionsContext {
    /// Reads the variables that Actions sets.
    ///
    /// # Errors
    /// [`EventError`] for the first that is missing without a default, or that can't be what Actions sets.
    pub fn from_environment(environment: &BTreeMap<String, String>) -> Result<Self, EventError> {
        let variables = Variables(environment);
        let api_url = variables.address("GITHUB_API_URL", "https://api.github.com");
        // A server of one's own has its API below /api/v3 and GraphQL beside it; both are set there, in truth.
        let graphql = api_url.strip_suffix("/v3").map_or_else(|| api_url.clone(), str::to_owned) + "/graphql";
        Ok(Self {
            server_url: variables.address("GITHUB_SERVER_URL", "https://github.com"),
            graphql_url: variables.address("GITHUB_GRAPHQL_URL", &graphql),
            api_url,
            repository: variables.repository()?,
            event_name: variables.required("GITHUB_EVENT_NAME")?.to_owned(),
            event_path: variables.get("GITHUB_EVENT_PATH").map(PathBuf::from),
            run_id: RunId(variables.number("GITHUB_RUN_ID")?),
            run_attempt: RunAttempt(variables.number("GITHUB_RUN_ATTEMPT")?),
            step_summary: variables.get("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: variables.get("GITHUB_OUTPUT").map(PathBuf::from),
            token: variables.get("GITHUB_TOKEN").map(Token::new),
        })
    }

    /// The address of the run's page.
    pub fn run_url(&self) -> String {
        let RepositoryName { owner, name } = &self.repository;
        format!("{}/{owner}/{name}/actions/runs/{}/attempts/{}", self.server_url, self.run_id, self.run_attempt)
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

    fn address(&self, name: &str, default: &str) -> String {
        self.get(name).unwrap_or(default).trim_end_matches('/').to_owned()
    }

    fn number<T: FromStr>(&self, name: &'static str) -> Result<T, EventError> {
        let value = self.required(name)?;
        let bad = |_| EventError::BadVariable { name, value: value.to_owned(), expected: "a number" };
        value.parse().map_err(bad)
    }

    fn repository(&self) -> Result<RepositoryName, EventError> {
        let name = "GITHUB_REPOSITORY";
        let value = self.required(name)?;
        // What goes into paths of the API.
        let plain = |part: &str| {
            let characters = part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
            !part.is_empty() && characters && !matches!(part, "." | "..")
        };
        match value.split_once('/') {
            Some((owner, repository)) if plain(owner) && plain(repository) => {
                Ok(RepositoryName { owner: owner.to_owned(), name: repository.to_owned() })
            }
            _ => Err(EventError::BadVariable { name, value: value.to_owned(), expected: "owner/name" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(changes: &[(&str, &str)]) -> BTreeMap<String, String> {
        let usual = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_REPOSITORY", "octo-org/hello.world"),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_EVENT_PATH", "/work/event.json"),
            ("GITHUB_RUN_ID", "1658821493"),
            ("GITHUB_RUN_ATTEMPT", "2"),
            ("GITHUB_OUTPUT", "/work/output"),
            ("GITHUB_STEP_SUMMARY", "/work/summary"),
            ("GITHUB_TOKEN", "ghs_secret"),
        ];
        usual.iter().chain(changes).map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn variables_are_read_as_actions_sets_them() {
        let context = ActionsContext::from_environment(&environment(&[])).unwrap();
        assert_eq!(context.repository, RepositoryName { owner: "octo-org".into(), name: "hello.world".into() });
        assert_eq!((context.run_id, context.run_attempt), (RunId(1_658_821_493), RunAttempt(2)));
        assert_eq!(context.api_url, "https://api.github.com");
        assert_eq!(context.graphql_url, "https://api.github.com/graphql");
        assert_eq!(context.run_url(), "https://github.com/octo-org/hello.world/actions/runs/1658821493/attempts/2");
        assert!(!format!("{context:?}").contains("ghs_secret"), "a token is never shown");

        let own =
            environment(&[("GITHUB_API_URL", "https://git.corp/api/v3/"), ("GITHUB_SERVER_URL", "https://git.corp")]);
        let context = ActionsContext::from_environment(&own).unwrap();
        assert_eq!(context.api_url, "https://git.corp/api/v3");
        assert_eq!(context.graphql_url, "https://git.corp/api/graphql");
        assert!(context.run_url().starts_with("https://git.corp/octo-org/"));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (name, value) in [
            ("GITHUB_REPOSITORY", ""),
            ("GITHUB_REPOSITORY", "hello"),
            ("GITHUB_REPOSITORY", "a/b/c"),
            ("GITHUB_REPOSITORY", "a/.."),
            ("GITHUB_REPOSITORY", "a/b?c"),
            ("GITHUB_EVENT_NAME", ""),
            ("GITHUB_RUN_ID", "-1"),
            ("GITHUB_RUN_ATTEMPT", "1.5"),
        ] {
            let error = ActionsContext::from_environment(&environment(&[(name, value)])).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        let mut context = ActionsContext::from_environment(&environment(&[])).unwrap();
        assert!(context.event().unwrap_err().to_string().contains("/work/event.json"));
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
