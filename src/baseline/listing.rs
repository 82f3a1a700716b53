//! What a store holds, and what became of a record that was put into it.

use super::record::BaselineRecord;
use crate::model::{CommitSha, Fingerprint};
use jiff::Timestamp;

/// One baseline of a list: its head data without figures and samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The commit.
    pub sha: CommitSha,
    /// When its race started.
    pub started: Timestamp,
    /// The ancestor that it was raced against.
    pub against: Option<CommitSha>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Cells with a figure.
    pub cells: usize,
    /// Where it ran.
    pub fingerprint: Fingerprint,
    /// The file's size in bytes.
    pub bytes: u64,
}

impl Listed {
    /// The head data of `record`, whose file has `bytes`.
    pub(super) fn of(record: BaselineRecord, bytes: u64) -> Self {
        Self {
            cells: record.cells.len(),
            sha: record.sha,
            started: record.started,
            against: record.against,
            rounds: record.rounds,
            fingerprint: record.fingerprint,
            bytes,
        }
    }
}

/// A file that is no baseline though it bears the name of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFile {
    /// Where it lies.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

/// All that a store holds, the newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The baselines.
    pub baselines: Vec<Listed>,
    /// The files that could not be read.
    pub broken: Vec<BrokenFile>,
}

impl Listing {
    /// Puts the newest first; of equal ones the smaller id leads, so that every list of a store is the same.
    pub(super) fn sort(&mut self) {
        self.baselines.sort_by(|one, other| other.started.cmp(&one.started).then_with(|| one.sha.cmp(&other.sha)));
        self.broken.sort_by(|one, other| one.place.cmp(&other.place));
    }
}

/// What became of a record that was put into a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is the commit's first.
    Added,
    /// It took the place of an older run's.
    Replaced,
    /// A run that is as new or newer is there already, and was left.
    Left,
    /// Nothing was written: a dry run.
    Noted,
}
