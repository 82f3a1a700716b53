//! The store on a branch of the repository, through the git data API.
//!
//! The branch is only ever moved forward: whoever finds it moved reads it again and builds on what is there, so that of
//! any number of writers none is lost. Whoever loses has seen somebody else win, so there are as many tries as there may
//! be writers; a branch that refuses without having moved is given up soon. A push takes seven requests and a list one
//! for each commit.

use super::contest::Contest;
use super::error::{RecordError, StoreError};
use super::file::{file_of, sha_of};
use super::listing::{BrokenFile, Listed, Listing, Stored};
use super::record::{BaselineRecord, READ_UP_TO};
use crate::github::{ApiError, BlobSha, Client, TreeChange, TreeEntryKind, TreeSha, Written};
use crate::model::CommitSha;
use std::collections::{BTreeMap, BTreeSet};

/// The branch; no other is ever written.
pub const BRANCH: &str = "deadheat-data";

/// A store on a branch.
#[derive(Clone, Copy)]
pub struct BranchStore<'c> {
    client: &'c Client,
}

/// The branch at one moment.
#[derive(Default)]
struct Moment {
    tip: Option<(CommitSha, TreeSha)>,
    files: BTreeMap<CommitSha, BranchFile>,
}

struct BranchFile {
    blob: BlobSha,
    bytes: u64,
}

/// How an attempt to move the branch ended.
enum Moved {
    Done,
    /// A dry run.
    Noted,
    /// Somebody else was faster, or the branch is protected.
    Refused(ApiError),
}

impl<'c> BranchStore<'c> {
    /// The store of the client's repository.
    pub fn new(client: &'c Client) -> Self {
        Self { client }
    }

    /// All baselines, the newest first, a request for each.
    ///
    /// # Errors
    /// [`StoreError`] where the branch can't be read.
    pub async fn list(&self) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for (sha, file) in &self.read().await?.files {
            match self.record(sha, file).await {
                Ok(record) => listing.baselines.push(Listed::of(record, file.bytes)),
                Err(StoreError::Record { error, .. }) => {
                    listing.broken.push(BrokenFile { place: place(sha), reason: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        listing.sort();
        Ok(listing)
    }

    /// The baseline of `sha`.
    ///
    /// # Errors
    /// [`StoreError`], also where its file can't be read.
    pub async fn get(&self, sha: &CommitSha) -> Result<Option<BaselineRecord>, StoreError> {
        match self.read().await?.files.get(sha) {
            Some(file) => self.record(sha, file).await.map(Some),
            None => Ok(None),
        }
    }

    /// The commits that have a file.
    ///
    /// # Errors
    /// [`StoreError`] where the branch can't be read.
    pub async fn measured(&self) -> Result<BTreeSet<CommitSha>, StoreError> {
        Ok(self.read().await?.files.into_keys().collect())
    }

    /// Keeps `record`, unless a run of its commit that is as new or newer is there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn put(&self, record: &BaselineRecord) -> Result<Stored, StoreError> {
        let what = || format!("keep the baseline of {} on the branch {BRANCH}", record.sha.short());
        let text = record.to_text().map_err(|error| StoreError::Record { what: what(), error })?;
        let message = format!("baseline of {}", record.sha.short());
        let mut contest = Contest::new(what());
        let mut mine: Option<(BlobSha, Stored)> = None;
        loop {
            let now = self.read().await?;
            let there = now.files.get(&record.sha);
            let stored = match (there, &mine) {
                // A try whose answer was lost had won.
                (Some(file), Some((blob, stored))) if file.blob == *blob => return Ok(*stored),
                (Some(file), _) if self.is_newer(record, file).await? => return Ok(Stored::Left),
                (Some(_), _) => Stored::Replaced,
                (None, _) => Stored::Added,
            };
            let blob = match mine {
                Some((blob, _)) => blob,
                None => match self.client.create_blob(text.as_bytes()).await? {
                    Written::Done(blob) => blob,
                    // What would follow holds the ids that GitHub would have given.
                    Written::Noted => return Ok(Stored::Noted),
                },
            };
            let change = [TreeChange::Put(file_of(&record.sha), blob.clone())];
            mine = Some((blob, stored));
            match self.advance(&now, &message, &change).await? {
                Moved::Done => return Ok(stored),
                Moved::Noted => return Ok(Stored::Noted),
                Moved::Refused(error) => contest.lost(self.client.pace(), now.tip.map(|(tip, _)| tip), error).await?,
            }
        }
    }

    /// Removes the files of `commits`, in one commit, and returns those that had one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn remove(&self, commits: &[CommitSha]) -> Result<Vec<CommitSha>, StoreError> {
        let mut contest = Contest::new(format!("remove baselines from the branch {BRANCH}"));
        let mut removed: BTreeSet<CommitSha> = BTreeSet::new();
        loop {
            let now = self.read().await?;
            let there: Vec<&CommitSha> = commits.iter().filter(|sha| now.files.contains_key(sha)).collect();
            if !there.is_empty() {
                removed.extend(there.iter().copied().cloned());
                let changes: Vec<TreeChange> = there.iter().map(|sha| TreeChange::Remove(file_of(sha))).collect();
                let count = changes.len();
                let message =
                    if count == 1 { "remove a baseline".to_owned() } else { format!("remove {count} baselines") };
                if let Moved::Refused(error) = self.advance(&now, &message, &changes).await? {
                    contest.lost(self.client.pace(), now.tip.map(|(tip, _)| tip), error).await?;
                    continue;
                }
            }
            return Ok(removed.into_iter().collect());
        }
    }

    async fn read(&self) -> Result<Moment, StoreError> {
        let Some(tip) = self.client.branch_tip(BRANCH).await? else { return Ok(Moment::default()) };
        let top = self.client.commit_tree(&tip).await?;
        let tree = self.client.tree(&top, true).await?;
        if tree.truncated {
            return Err(StoreError::Truncated { branch: BRANCH, repository: self.client.repository().to_string() });
        }
        let files = tree.entries.into_iter().filter(|entry| entry.kind == TreeEntryKind::Blob).filter_map(|entry| {
            let file = BranchFile { blob: BlobSha::new(entry.sha)?, bytes: entry.size.unwrap_or(0) };
            Some((sha_of(&entry.path)?, file))
        });
        Ok(Moment { files: files.collect(), tip: Some((tip, top)) })
    }

    async fn record(&self, sha: &CommitSha, file: &BranchFile) -> Result<BaselineRecord, StoreError> {
        let failed = |error| StoreError::Record { what: format!("read {}", place(sha)), error };
        if file.bytes > READ_UP_TO {
            return Err(failed(RecordError::TooLargeToRead { bytes: file.bytes, most: READ_UP_TO }));
        }
        BaselineRecord::read(sha, &self.client.blob(&file.blob).await?).map_err(failed)
    }

    /// Whether what is there is of a run as new as `record` or newer. A file that can't be read is worth less than any run.
    async fn is_newer(&self, record: &BaselineRecord, file: &BranchFile) -> Result<bool, StoreError> {
        match self.record(&record.sha, file).await {
            Ok(there) => Ok(there.started >= record.started),
            Err(StoreError::Record { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Commits the changes on top of what was read, and moves the branch there if it is still where it was.
    async fn advance(&self, from: &Moment, message: &str, changes: &[TreeChange]) -> Result<Moved, StoreError> {
        let (client, tip) = (self.client, from.tip.as_ref());
        let Written::Done(tree) = client.create_tree(tip.map(|(_, tree)| tree), changes).await? else {
            return Ok(Moved::Noted);
        };
        let parents: Vec<&CommitSha> = tip.iter().map(|(commit, _)| commit).collect();
        let Written::Done(commit) = client.create_commit(message, &tree, &parents).await? else {
            return Ok(Moved::Noted);
        };
        let moved = match tip {
            Some(_) => client.advance_branch(BRANCH, &commit).await,
            None => client.create_branch(BRANCH, &commit).await,
        };
        match moved {
            Ok(Written::Done(())) => Ok(Moved::Done),
            Ok(Written::Noted) => Ok(Moved::Noted),
            Err(error) if error.is_conflict() => Ok(Moved::Refused(error)),
            Err(error) => Err(error.into()),
        }
    }
}

fn place(sha: &CommitSha) -> String {
    format!("{BRANCH}:{}", file_of(sha))
}
