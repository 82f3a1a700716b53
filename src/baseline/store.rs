//! Either store, asked alike.

use super::branch::BranchStore;
use super::directory::DirectoryStore;
use super::error::StoreError;
use super::listing::{Listing, Stored};
use super::record::BaselineRecord;
use crate::model::CommitSha;
use std::collections::BTreeSet;

/// A store of baselines.
pub enum Store<'c> {
    /// In a directory.
    Directory(DirectoryStore),
    /// On a branch of a repository on GitHub.
    Branch(BranchStore<'c>),
}

impl Store<'_> {
    /// All baselines, the newest first, and the files that could not be read.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn list(&self) -> Result<Listing, StoreError> {
        match self {
            Self::Directory(store) => store.list(),
            Self::Branch(store) => store.list().await,
        }
    }

    /// The baseline of `sha`.
    ///
    /// # Errors
    /// [`StoreError`], also where its file can't be read.
    pub async fn get(&self, sha: &CommitSha) -> Result<Option<BaselineRecord>, StoreError> {
        match self {
            Self::Directory(store) => store.get(sha),
            Self::Branch(store) => store.get(sha).await,
        }
    }

    /// Keeps `record`, unless a run of its commit that is as new or newer is there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn put(&self, record: &BaselineRecord) -> Result<Stored, StoreError> {
        match self {
            Self::Directory(store) => store.put(record),
            Self::Branch(store) => store.put(record).await,
        }
    }

    /// Removes the files of `commits` and returns those that had one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remove(&self, commits: &[CommitSha]) -> Result<Vec<CommitSha>, StoreError> {
        match self {
            Self::Directory(store) => store.remove(commits),
            Self::Branch(store) => store.remove(commits).await,
        }
    }

    /// The commits that have a file, which may turn out to be broken.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn measured(&self) -> Result<BTreeSet<CommitSha>, StoreError> {
        match self {
            Self::Directory(store) => store.measured(),
            Self::Branch(store) => store.measured().await,
        }
    }
}
