//! Which store of baselines is meant, and how it is reached.

use super::configured::configuration_file;
use super::outcome::CommandError;
use super::surroundings::Surroundings;
use crate::baseline::{DirectoryStore, Store, StoreError};
use crate::build::Repository;
use crate::cli::StoreChoice;
use crate::plan::{BaselineStore, Content, FileText, read_settings};
use std::future::Future;
use std::path::{Path, PathBuf};

/// Below deadheat's own directory, which keeps itself out of git.
const DIRECTORY: &str = ".deadheat/baselines";

/// A store with the words for it.
pub(super) struct OpenStore {
    /// The store.
    pub(super) store: Store,
    /// What people call it.
    pub(super) place: String,
}

/// The store that is meant in the directory that a command works in.
pub(super) fn open(around: &Surroundings, asked: StoreChoice) -> Result<OpenStore, CommandError> {
    let file = match (configuration_file(around), asked) {
        (Ok(file), _) => Some(file),
        (Err(error), _) if around.configuration.is_some() => return Err(error),
        (Err(_), _) => None,
    };
    let branch = match asked {
        StoreChoice::Branch => true,
        StoreChoice::Directory => false,
        StoreChoice::Auto => match configured(file.as_deref(), around.color)? {
            BaselineStore::Branch => true,
            BaselineStore::Directory => false,
            BaselineStore::Auto => in_actions(around),
        },
    };
    if branch {
        return Err(CommandError::usage("failed to open the branch deadheat-data"));
    }
    let root = home(around, file.as_deref()).join(DIRECTORY);
    Ok(OpenStore { place: root.display().to_string(), store: Store::Directory(DirectoryStore::new(root)) })
}

/// What `[baseline]` says, where there is a file.
fn configured(file: Option<&Path>, color: bool) -> Result<BaselineStore, CommandError> {
    let Some(file) = file else { return Ok(BaselineStore::default()) };
    let content = match std::fs::read(file) {
        Ok(bytes) => Content::Bytes(bytes),
        Err(error) => Content::Unreadable(error.to_string()),
    };
    let text = FileText { path: file.display().to_string(), content };
    match read_settings(&text) {
        Ok(settings) => Ok(settings.baseline),
        Err(mistakes) => Err(CommandError::Mistakes(mistakes.render(color))),
    }
}

/// Where deadheat's own directory lies: beside the configuration, else at the top of the repository.
fn home(around: &Surroundings, configuration: Option<&Path>) -> PathBuf {
    let beside = configuration.and_then(Path::parent).map(Path::to_owned);
    beside
        .or_else(|| Some(Repository::open(&around.directory).ok()?.root().to_owned()))
        .unwrap_or_else(|| around.directory.clone())
}

fn in_actions(around: &Surroundings) -> bool {
    around.environment.get("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Waits for what a store does.
pub(super) fn wait<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, CommandError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CommandError::infrastructure)?;
    runtime.block_on(work).map_err(CommandError::infrastructure)
}
