//! Where publishing happens: the client, the repository, and what the default branch says.

use super::authority::{self, Authority};
use crate::github::{ApiError, Client, ConfigurationPath};
use crate::plan::BaselineStore;

/// Everything that publishing needs besides the run.
pub(super) struct Office {
    pub(super) client: Client,
    /// The repository's id.
    pub(super) repository: u64,
    pub(super) default_branch: String,
    /// The configuration's path in the repository.
    pub(super) configuration: ConfigurationPath,
    pub(super) authority: Authority,
}

impl Office {
    /// Asks GitHub for the repository and the default branch for its settings.
    pub(super) async fn open(
        client: Client,
        configuration: ConfigurationPath,
        templates: Option<&str>,
    ) -> Result<Self, ApiError> {
        let facts = client.repository_facts().await?;
        let authority = authority::read(&client, &facts.default_branch, configuration.as_str(), templates).await?;
        Ok(Self { client, repository: facts.id, default_branch: facts.default_branch, configuration, authority })
    }

    /// Whether baselines are kept on the branch.
    pub(super) fn keeps_baselines(&self) -> bool {
        matches!(self.authority.settings.baseline, BaselineStore::Auto | BaselineStore::Branch)
    }

    /// The check's name.
    pub(super) fn check_name(&self) -> String {
        self.configuration.check_name()
    }
}
