//! The store in a directory, for machines of one's own: no service is needed.
//!
//! A file appears whole or not at all, and what is compared with what is there happens under a lock: of any number of
//! writers none is lost, and of two runs of one commit the newer stays.

use super::error::StoreError;
use super::file::{DIRECTORY, file_of, sha_of};
use super::listing::{BrokenFile, Listed, Listing, Stored};
use super::record::{BaselineRecord, READ_UP_TO};
use crate::model::CommitSha;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A store in a directory.
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    root: PathBuf,
}

impl DirectoryStore {
    /// The store in `root`, which is made when something is put into it.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it lies.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All baselines, the newest first.
    ///
    /// # Errors
    /// [`StoreError`] where the directory itself can't be read.
    pub fn list(&self) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for sha in self.measured()? {
            let path = self.path(&sha);
            match self.read(&sha) {
                Ok(Some((record, bytes))) => listing.baselines.push(Listed::of(record, bytes)),
                // Removed meanwhile.
                Ok(None) => {}
                Err(error) => listing.broken.push(BrokenFile {
                    place: path.display().to_string(),
                    reason: match error {
                        StoreError::Record { error, .. } => error.to_string(),
                        other => other.to_string(),
                    },
                }),
            }
        }
        listing.sort();
        Ok(listing)
    }

    /// The baseline of `sha`.
    ///
    /// # Errors
    /// [`StoreError`] where its file can't be read.
    pub fn get(&self, sha: &CommitSha) -> Result<Option<BaselineRecord>, StoreError> {
        Ok(self.read(sha)?.map(|(record, _)| record))
    }

    /// The commits that have a file.
    ///
    /// # Errors
    /// [`StoreError`] where the directory can't be read.
    pub fn measured(&self) -> Result<BTreeSet<CommitSha>, StoreError> {
        let top = self.root.join(DIRECTORY);
        let mut found = BTreeSet::new();
        for directory in names(&top)? {
            for file in names(&top.join(&directory))? {
                found.extend(sha_of(&format!("{DIRECTORY}/{directory}/{file}")));
            }
        }
        Ok(found)
    }

    /// Keeps `record`, unless a run of its commit that is as new or newer is there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn put(&self, record: &BaselineRecord) -> Result<Stored, StoreError> {
        let what = || format!("keep the baseline of {}", record.sha.short());
        let text = record.to_text().map_err(|error| StoreError::Record { what: what(), error })?;
        let path = self.path(&record.sha);
        let directory = path.parent().unwrap_or(&self.root);
        let failed = |error| StoreError::Disk { what: format!("{} in {}", what(), path.display()), error };
        fs::create_dir_all(directory).map_err(failed)?;
        let _lock = self.lock()?;
        // A file that can't be read is worth less than any run.
        let stored = match self.read(&record.sha) {
            Ok(Some((there, _))) if there.started >= record.started => return Ok(Stored::Left),
            Ok(None) => Stored::Added,
            Ok(Some(_)) | Err(_) => Stored::Replaced,
        };
        // Pruning may have removed the directory before the lock was had.
        fs::create_dir_all(directory).map_err(failed)?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(directory).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(stored)
    }

    /// Removes the files of `commits` and returns those that had one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove(&self, commits: &[CommitSha]) -> Result<Vec<CommitSha>, StoreError> {
        let mut removed = Vec::new();
        if !self.root.exists() {
            return Ok(removed);
        }
        let _lock = self.lock()?;
        for sha in commits {
            let path = self.path(sha);
            match fs::remove_file(&path) {
                Ok(()) => removed.push(sha.clone()),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::Disk { what: format!("remove {}", path.display()), error }),
            }
            if let Some(directory) = path.parent() {
                // Only where nothing else is in it.
                let _ = fs::remove_dir(directory);
            }
        }
        Ok(removed)
    }

    fn path(&self, sha: &CommitSha) -> PathBuf {
        self.root.join(file_of(sha))
    }

    fn read(&self, sha: &CommitSha) -> Result<Option<(BaselineRecord, u64)>, StoreError> {
        let path = self.path(sha);
        let what = || format!("read {}", path.display());
        let text = match bounded(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::Disk { what: what(), error }),
        };
        let record = BaselineRecord::read(sha, &text).map_err(|error| StoreError::Record { what: what(), error })?;
        Ok(Some((record, text.len() as u64)))
    }

    /// Held while it lives, and given back by the system should the process end.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.root.join(".lock");
        let locked = File::create(&path).and_then(|file| match file.lock() {
            // Some file systems have no locks; then the last of two runs of one commit stays, and nothing else is lost.
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(file),
            locked => locked.map(|()| file),
        });
        locked.map_err(|error| StoreError::Disk { what: format!("lock {}", path.display()), error })
    }
}

/// A file's content, one byte past the limit at most.
fn bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?.take(READ_UP_TO + 1).read_to_end(&mut content)?;
    Ok(content)
}

/// The names in a directory; none where it is missing or no directory.
fn names(directory: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |error| StoreError::Disk { what: format!("list {}", directory.display()), error };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    Ok(names.collect::<io::Result<Vec<_>>>().map_err(failed)?.into_iter().flatten().collect())
}
