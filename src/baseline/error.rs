//! What can go wrong with a record and with a store.

use crate::github::ApiError;
use crate::model::CommitSha;

/// Why something is no record of a commit. The texts complete "because".
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The run stands for no commit.
    #[error("{0}")]
    NoBaseline(&'static str),
    /// The results name no time.
    #[error("its start is no time, but {0:?}")]
    Started(String),
    /// A record that can't be written.
    #[error("it can't be written as JSON: {0}")]
    Json(serde_json::Error),
    /// The file would be too large.
    #[error(
        "it would have {bytes} bytes without a single sample, and a file may have {most}: race fewer entries or scenarios on the default branch, or keep them in two configurations"
    )]
    TooLarge {
        /// The file's size without samples.
        bytes: usize,
        /// The largest that is written.
        most: usize,
    },
    /// A file that is larger than any that deadheat writes.
    #[error("it has {bytes} bytes, and no baseline has more than {most}")]
    TooLargeToRead {
        /// The file's size.
        bytes: u64,
        /// The largest that is read.
        most: u64,
    },
    /// A later version wrote it.
    #[error("it has schema {schema}, and this deadheat knows {known}; use the version that wrote it, or a later one")]
    Later {
        /// The file's number.
        schema: u32,
        /// The largest number that is known.
        known: u32,
    },
    /// Not what deadheat writes.
    #[error("it is no baseline of deadheat: {0}")]
    Broken(String),
    /// The file is another commit's.
    #[error("it lies under the name of another commit than its own, {0}")]
    OtherCommit(CommitSha),
    /// Samples that can't be unpacked.
    #[error("its samples can't be unpacked: {0}")]
    Samples(String),
    /// There are none.
    #[error("its samples were left out, because they would have made the file {0} bytes larger")]
    SamplesLeftOut(u64),
}

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk.
    #[error("failed to {what}: {error}")]
    Disk {
        /// What was tried, completing "failed to".
        what: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A record of the store.
    #[error("failed to {what}: {error}")]
    Record {
        /// What was tried, completing "failed to".
        what: String,
        /// What is wrong with it.
        error: RecordError,
    },
    /// The branch holds more than GitHub shows of it.
    #[error(
        "failed to read the branch {branch} of {repository}: it has more files than GitHub lists in one answer; remove old ones with git, or rename the branch, and the next push begins a new one"
    )]
    Truncated {
        /// The branch.
        branch: &'static str,
        /// The repository.
        repository: String,
    },
    /// The branch could not be moved.
    #[error(
        "failed to {what}: {tries} tries were refused, the last with: {error}; where a rule protects the branch, let it leave this branch to the token"
    )]
    Refused {
        /// What was tried, completing "failed to".
        what: String,
        /// How often.
        tries: u32,
        /// GitHub's last words.
        error: Box<ApiError>,
    },
    /// GitHub.
    #[error(transparent)]
    Api(Box<ApiError>),
}

impl From<ApiError> for StoreError {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}
