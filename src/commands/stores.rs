//! Which store of baselines is meant, and how it is reached.

use super::configured::configuration_file;
use super::outcome::CommandError;
use super::progress::note;
use super::surroundings::Surroundings;
use crate::baseline::{BRANCH, BranchStore, DirectoryStore, Store, StoreError};
use crate::build::Repository;
use crate::cli::StoreChoice;
use crate::github::{Client, ClientSettings, RealPace, RepositoryName, Token, in_actions};
use crate::plan::{BaselineStore, Content, FileText, read_settings};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    if branch {
        return client(around).map(Box::new).map(OpenStore::Branch);
    }
    Ok(OpenStore::Directory(home(around, file.as_deref()).join(DIRECTORY)))
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

fn client(around: &Surroundings) -> Result<Client, CommandError> {
    let variable = |name: &str, meaning: &str| {
        around.environment.get(name).filter(|value| !value.is_empty()).cloned().ok_or_else(|| {
            CommandError::usage(format!(
                "failed to reach the branch {BRANCH}: {name} is not set; set it to {meaning}, or use --store directory"
            ))
        })
    };
    let named = variable("GITHUB_REPOSITORY", "the repository, owner/name")?;
    let repository = RepositoryName::parse(&named).ok_or_else(|| {
        CommandError::usage(format!(
            "failed to reach the branch {BRANCH}: GITHUB_REPOSITORY is `{named}`, not owner/name"
        ))
    })?;
    let token =
        variable("GITHUB_TOKEN", "a token that may read the repository's contents, and to prune also write them")?;
    let api = variable("GITHUB_API_URL", "").unwrap_or_else(|_| "https://api.github.com".to_owned());
    let show = around.show;
    let pace = RealPace::announcing(Arc::new(move |text| note(show, text)));
    let settings = ClientSettings::new(api, repository, Some(Token::new(token)));
    Client::new(settings, Arc::new(pace)).map_err(CommandError::usage)
}

/// Waits for what a store does.
pub(super) fn wait<T>(work: impl Future<Output = Result<T, StoreError>>) -> Result<T, CommandError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CommandError::infrastructure)?;
    runtime.block_on(work).map_err(CommandError::infrastructure)
}
