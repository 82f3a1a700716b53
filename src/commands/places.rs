//! Where a repository's configuration lies, and where its logs and builds go.

use super::configured::configuration_file;
use super::load_configuration::CONFIGURATION_NAME;
use super::outcome::CommandError;
use super::surroundings::Surroundings;
use crate::build::{Premises, Repository};
use crate::model::ConfigurationPath;
use std::path::{Path, PathBuf};

/// Where things are.
pub(super) struct Places {
    /// The directory of `deadheat.toml`, relative to the repository's root.
    pub(super) configuration_directory: PathBuf,
    /// Its file name.
    pub(super) configuration_file: PathBuf,
    /// Where logs go.
    pub(super) logs: PathBuf,
}

impl Places {
    /// The places of a repository's configuration.
    pub(super) fn find(around: &Surroundings, repository: &Repository, logs: PathBuf) -> Result<Self, CommandError> {
        let file = match configuration_file(around) {
            Ok(file) => file,
            // A runner checks out what it likes; the configuration is that of the commit that is raced.
            Err(_) if around.show.log.is_actions() => return Ok(Self::not_checked_out(around, repository, logs)),
            Err(error) => return Err(error),
        };
        let absolute = file
            .canonicalize()
            .map_err(|error| CommandError::usage(format!("failed to open {}: {error}", file.display())))?;
        let root = repository.root().canonicalize().map_err(CommandError::infrastructure)?;
        let relative = absolute.strip_prefix(&root).map_err(|_| {
            CommandError::usage(format!(
                "failed to use {}: it lies outside the repository {}; the configuration is versioned with what it races",
                absolute.display(),
                root.display()
            ))
        })?;
        Ok(Self {
            configuration_directory: relative.parent().unwrap_or(Path::new("")).to_owned(),
            configuration_file: PathBuf::from(relative.file_name().unwrap_or_default()),
            logs,
        })
    }

    /// The places of a configuration that may be in the commit that is raced, though not in what is checked out.
    fn not_checked_out(around: &Surroundings, repository: &Repository, logs: PathBuf) -> Self {
        let named = around.configuration.as_deref().and_then(|file| file.strip_prefix(repository.root()).ok());
        let relative = named.unwrap_or(Path::new(CONFIGURATION_NAME));
        Self {
            configuration_directory: relative.parent().unwrap_or(Path::new("")).to_owned(),
            configuration_file: PathBuf::from(relative.file_name().unwrap_or_default()),
            logs,
        }
    }

    /// The configuration as whoever runs the race again names it, from the repository's root; nothing where that finds it
    /// without being told.
    pub(super) fn recorded(&self) -> Option<ConfigurationPath> {
        let path = self.configuration_directory.join(&self.configuration_file);
        let text = path.to_str().filter(|text| *text != CONFIGURATION_NAME)?;
        ConfigurationPath::new(text).ok()
    }

    /// What a workshop needs.
    pub(super) fn premises(&self, around: &Surroundings) -> Premises {
        Premises {
            cache: around.cache(),
            logs: self.logs.clone(),
            configuration: self.configuration_directory.clone(),
            parent: around.environment.clone(),
        }
    }
}
