//! The configuration of a checkout, with its mistakes as an error of a command.

use super::load_configuration::{LoadError, find_configuration, load_configuration};
use super::outcome::CommandError;
use super::surroundings::Surroundings;
use crate::model::VariantName;
use crate::plan::Configuration;
use std::path::{Path, PathBuf};

/// The file that the user named, or the nearest `deadheat.toml`.
pub(super) fn configuration_file(around: &Surroundings) -> Result<PathBuf, CommandError> {
    match &around.configuration {
        Some(file) if file.is_file() => Ok(file.clone()),
        Some(file) => Err(CommandError::usage(LoadError::NoSuchFile { file: file.clone() })),
        None => find_configuration(&around.directory)
            .ok_or_else(|| CommandError::usage(LoadError::NotFound { start: around.directory.clone() })),
    }
}

/// Reads `file`, which lies in `directory` of the repository, and everything it names.
pub(super) fn configuration_at(file: &Path, directory: &Path, color: bool) -> Result<Configuration, CommandError> {
    match load_configuration(file) {
        Ok(loaded) => Ok(loaded.configuration),
        Err(LoadError::Mistakes(mistakes)) => Err(CommandError::mistakes(&mistakes, directory, color)),
        Err(error @ LoadError::NoSuchFile { .. }) => {
            Err(CommandError::usage(format!("{error}. It is read from the commit that is raced: is it committed?")))
        }
        Err(error) => Err(CommandError::usage(error)),
    }
}

/// The names in the manifests right below `directory`, as far as they can be read: base's files may be of any age.
pub(super) fn variant_names(directory: &Path) -> Vec<VariantName> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<VariantName> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            // Where a name begins with a dot no variant is looked for: a build from clean may have left its copy there.
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                return None;
            }
            let text = std::fs::read_to_string(entry.path().join("variant.toml")).ok()?;
            let manifest: toml::Table = text.parse().ok()?;
            VariantName::new(manifest.get("name")?.as_str()?).ok()
        })
        .collect();
    names.sort();
    names
}
