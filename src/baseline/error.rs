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
    #[error("its start is no time, but `{0}`")]
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
    /// GitHub.
    #[error(transparent)]
    Api(#[from] ApiError),
}
