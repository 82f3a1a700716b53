//! How a command reaches GitHub: by the variables that Actions sets, or that somebody sets as it does.

use super::outcome::CommandError;
use super::progress::note;
use super::surroundings::Surroundings;
use crate::baseline::StoreError;
use crate::github::{ApiError, Client, ClientSettings, RealPace, RepositoryName, Token};
use std::future::Future;
use std::sync::Arc;

/// The repository and the token to reach it with.
pub(super) struct Access {
    api: String,
    graphql: Option<String>,
    repository: RepositoryName,
    token: Token,
}

impl Access {
    /// Reads the variables.
    ///
    /// # Errors
    /// A sentence that names the one that is missing or wrong.
    pub(super) fn of(around: &Surroundings) -> Result<Self, CommandError> {
        let variable = |name: &str| around.environment.get(name).filter(|value| !value.is_empty()).cloned();
        let required = |name: &str, meaning: &str| {
            variable(name).ok_or_else(|| {
                CommandError::usage(format!("failed to reach GitHub: {name} is not set; set it to {meaning}"))
            })
        };
        let named = required("GITHUB_REPOSITORY", "the repository, owner/name")?;
        let repository = RepositoryName::parse(&named).ok_or_else(|| {
            CommandError::usage(format!("failed to reach GitHub: GITHUB_REPOSITORY is `{named}`, not owner/name"))
        })?;
        let token = Token::new(required("GITHUB_TOKEN", "a token of the repository")?);
        let api = variable("GITHUB_API_URL").unwrap_or_else(|| "https://api.github.com".to_owned());
        Ok(Self { api, graphql: variable("GITHUB_GRAPHQL_URL"), repository, token })
    }

    /// A client that announces long waits on standard error.
    pub(super) fn client(self, around: &Surroundings, dry_run: bool) -> Result<Client, CommandError> {
        let show = around.show;
        let pace = RealPace::announcing(Arc::new(move |text| note(show, text)));
        let settings = ClientSettings::new(self.api, self.repository, Some(self.token));
        let settings = ClientSettings { graphql: self.graphql, dry_run, ..settings };
        Client::new(settings, Arc::new(pace)).map_err(CommandError::usage)
    }
}

/// Waits for what is done on the network.
pub(super) fn wait<T, E>(work: impl Future<Output = Result<T, E>>) -> Result<T, CommandError>
where
    CommandError: From<E>,
{
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CommandError::infrastructure)?;
    runtime.block_on(work).map_err(CommandError::from)
}

impl From<ApiError> for CommandError {
    fn from(error: ApiError) -> Self {
        Self::infrastructure(error)
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::infrastructure(error)
    }
}
