//! What is kept of a commit.

use super::error::RecordError;
use super::samples::Samples;
use super::wire::{self, WireRecord};
use crate::model::{
    CellKey, CommitSha, EntryName, EntryRecord, Fingerprint, ProtocolRecord, Results, Role, RuntimeName,
    ScenarioRecord, VariantName,
};
use jiff::Timestamp;

/// Samples are kept in a file up to this size; a git repository holds every version of a file for ever.
const SAMPLES_UP_TO: usize = 1024 * 1024;
/// The largest file that is written.
const WRITTEN_UP_TO: usize = 4 * 1024 * 1024;
/// The largest file that is read: a later version may write larger ones.
pub(super) const READ_UP_TO: u64 = 16 * 1024 * 1024;

/// What the verdict's figures of a cell are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellFigures {
    /// Valid pairs.
    pub rounds: u32,
    /// The median of base's values.
    pub base: Option<f64>,
    /// The median of head's values.
    pub head: Option<f64>,
    /// The difference, in log units.
    pub centre: Option<f64>,
}

/// An entry of a record: what is needed to find it again under a later name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineEntry {
    /// Its name.
    pub name: EntryName,
    /// The variant.
    pub variant: VariantName,
    /// The runtime.
    pub runtime: RuntimeName,
    /// Subject or reference.
    pub role: Role,
}

/// A cell of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineCell {
    /// Which cell.
    pub key: CellKey,
    /// Its figures; head's are the commit's own.
    pub figures: CellFigures,
}

/// The baseline of a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineRecord {
    /// Version of deadheat that raced it.
    pub deadheat: String,
    /// The commit.
    pub sha: CommitSha,
    /// When the race started.
    pub started: Timestamp,
    /// The ancestor that it was raced against; absent where it ran alone.
    pub against: Option<CommitSha>,
    /// Where it ran.
    pub fingerprint: Fingerprint,
    /// How it was run.
    pub protocol: ProtocolRecord,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Who was raced.
    pub entries: Vec<BaselineEntry>,
    /// What was asked.
    pub scenarios: Vec<ScenarioRecord>,
    /// Every cell with a figure of the commit's own.
    pub cells: Vec<BaselineCell>,
    /// Every sample.
    pub samples: Samples,
}

impl BaselineRecord {
    /// The record of the commit that `results` has as head, with the verdict's `figures` of its cells, in their order.
    ///
    /// # Errors
    /// [`RecordError`] where the results stand for no commit: a quick run, a calibration, uncommitted changes, nothing raced.
    pub fn from_results(results: &Results, figures: &[CellFigures]) -> Result<Self, RecordError> {
        if results.quick {
            return Err(RecordError::NoBaseline("a quick run measures too little"));
        }
        if results.calibration.is_some() {
            return Err(RecordError::NoBaseline("a calibration raced one build against itself and is no run"));
        }
        if results.head.dirty {
            return Err(RecordError::NoBaseline("what was raced has uncommitted changes and is no commit"));
        }
        // A second copy of base says nothing of the commit.
        let is_heads = |name: &EntryName| results.entries.iter().all(|e| e.copy_of.is_none() || e.name != *name);
        let cells: Vec<BaselineCell> = results
            .cells
            .iter()
            .zip(figures)
            .filter(|(cell, figures)| figures.head.is_some_and(f64::is_finite) && is_heads(&cell.key.entry))
            .map(|(cell, figures)| BaselineCell { key: cell.key.clone(), figures: *figures })
            .collect();
        if cells.is_empty() {
            return Err(RecordError::NoBaseline("nothing of the commit was measured"));
        }
        let entry = |entry: &EntryRecord| BaselineEntry {
            name: entry.name.clone(),
            variant: entry.variant.clone(),
            runtime: entry.runtime.clone(),
            role: entry.role,
        };
        let mut record = Self {
            deadheat: results.deadheat.clone(),
            sha: results.head.sha.clone(),
            started: results.started.parse().map_err(|_| RecordError::Started(results.started.clone()))?,
            against: results.base.as_ref().filter(|base| !base.dirty).map(|base| base.sha.clone()),
            fingerprint: results.fingerprint.clone(),
            protocol: results.protocol.clone(),
            rounds: results.rounds,
            entries: results.entries.iter().filter(|entry| entry.copy_of.is_none()).map(entry).collect(),
            scenarios: results.scenarios.clone(),
            cells,
            samples: Samples::Kept(String::new()),
        };
        let without = wire::to_text(&record)?.len();
        record.samples = Samples::pack(results, SAMPLES_UP_TO.saturating_sub(without))?;
        Ok(record)
    }

    /// The file's text.
    ///
    /// # Errors
    /// [`RecordError::TooLarge`].
    pub fn to_text(&self) -> Result<String, RecordError> {
        let text = wire::to_text(self)?;
        if text.len() > WRITTEN_UP_TO {
            return Err(RecordError::TooLarge { bytes: text.len(), most: WRITTEN_UP_TO });
        }
        Ok(text)
    }

    /// Reads the file of `sha`.
    ///
    /// # Errors
    /// [`RecordError`] where the text is no record, a later version's, or another commit's.
    pub fn read(sha: &CommitSha, text: &[u8]) -> Result<Self, RecordError> {
        if text.len() as u64 > READ_UP_TO {
            return Err(RecordError::TooLargeToRead { bytes: text.len() as u64, most: READ_UP_TO });
        }
        let record = WireRecord::read(text)?;
        if record.sha == *sha { Ok(record) } else { Err(RecordError::OtherCommit(record.sha)) }
    }
}
