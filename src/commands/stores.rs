//! Which store of baselines is meant, and how it is reached.

use super::api::Access;
use super::configured::configuration_file;
use super::outcome::CommandError;
use super::surroundings::Surroundings;
use crate::baseline::{BRANCH, BranchStore, DirectoryStore, Store};
use crate::build::Repository;
use crate::cli::StoreChoice;
use crate::github::{Client, in_actions};
use crate::plan::{BaselineStore, Content, FileText, read_settings};
use std::path::{Path, PathBuf};

/// Below deadheat's own directory, which keeps itself out of git.
const DIRECTORY: &str = ".deadheat/baselines";

/// A store that can be reached.
pub(super) enum OpenStore {
    /// In this directory.
    Directory(PathBuf),
    /// On the branch of this client's repository.
    Branch(Box<Client>),
}

impl OpenStore {
    /// The store.
    pub(super) fn store(&self) -> Store<'_> {
        match self {
            Self::Directory(root) => Store::Directory(DirectoryStore::new(root)),
            Self::Branch(client) => Store::Branch(BranchStore::new(client)),
        }
    }

    /// What people call it.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Directory(root) => root.display().to_string(),
            Self::Branch(client) => format!("the branch {BRANCH} of {}", client.repository()),
        }
    }
}

/// The store that is meant in the directory that a command works in.
pub(super) fn open(around: &Surroundings, asked: StoreChoice) -> Result<OpenStore, CommandError> {
    if let Some(root) = directory(around, asked)? {
        return Ok(OpenStore::Directory(root));
    }
    let client = Access::of(around).and_then(|access| access.client(around, false));
    let explained = |error| CommandError::usage(format!("{error}; or use --store directory"));
    client.map(Box::new).map(OpenStore::Branch).map_err(explained)
}

/// The store's directory, unless it is the branch that is meant.
pub(super) fn directory(around: &Surroundings, asked: StoreChoice) -> Result<Option<PathBuf>, CommandError> {
    let file = match configuration_file(around) {
        Ok(file) => Some(file),
        Err(error) if around.configuration.is_some() => return Err(error),
        Err(_) => None,
    };
    let branch = match asked {
        StoreChoice::Branch => true,
        StoreChoice::Directory => false,
        StoreChoice::Auto => match configured(file.as_deref(), around.color)? {
            BaselineStore::Branch => true,
            BaselineStore::Directory => false,
            BaselineStore::Auto => in_actions(&around.environment),
        },
    };
    Ok((!branch).then(|| home(around, file.as_deref()).join(DIRECTORY)))
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
        Err(mistakes) => Err(CommandError::mistakes(&mistakes, Path::new(""), color)),
    }
}

/// Where deadheat's own directory lies: beside the configuration, else at the top of the repository.
fn home(around: &Surroundings, configuration: Option<&Path>) -> PathBuf {
    let beside = configuration.and_then(Path::parent).map(Path::to_owned);
    beside
        .or_else(|| Some(Repository::open(&around.directory).ok()?.root().to_owned()))
        .unwrap_or_else(|| around.directory.clone())
}
