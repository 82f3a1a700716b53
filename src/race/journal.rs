//! The journal: one JSON line for the race as it was planned, then one for each finished round, each on the disk before
//! the next round begins. A race that is resumed loses at most the round that was under way.

use super::apply::apply_round;
use super::rounds::Journal;
use super::turn::RoundRecord;
use crate::model::Results;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What kept a journal from being written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The disk.
    #[error("failed to {what} the journal {}: {source}", path.display())]
    Disk {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// Its first line is not a plan.
    #[error("failed to read the journal {}: line 1 holds no plan of a race ({reason}); start anew without --resume", path.display())]
    NoPlan {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// A journal on the disk.
#[derive(Debug)]
pub struct JournalFile {
    file: File,
    path: PathBuf,
}

impl JournalFile {
    /// Begins a journal of a race that has not begun.
    ///
    /// # Errors
    /// [`JournalError::Disk`].
    pub fn create(path: &Path, planned: &Results) -> Result<Self, JournalError> {
        let disk = |source| JournalError::Disk { what: "write", path: path.to_owned(), source };
        let file = File::create(path).map_err(disk)?;
        let mut journal = Self { file, path: path.to_owned() };
        journal.line(planned)?;
        Ok(journal)
    }

    /// Opens the journal of an interrupted race: the race as far as it came, and the journal to go on with. A last line
    /// that was cut short is dropped.
    ///
    /// # Errors
    /// [`JournalError`].
    pub fn resume(path: &Path) -> Result<(Results, Self), JournalError> {
        let disk = |what: &'static str| move |source| JournalError::Disk { what, path: path.to_owned(), source };
        let reader = BufReader::new(File::open(path).map_err(disk("open"))?);
        let mut lines = reader.split(b'\n');
        let first = lines.next().transpose().map_err(disk("read"))?.unwrap_or_default();
        let mut results: Results = serde_json::from_slice(&first)
            .map_err(|error| JournalError::NoPlan { path: path.to_owned(), reason: error.to_string() })?;
        let mut whole = first.len() as u64 + 1;
        for line in lines {
            let line = line.map_err(disk("read"))?;
            let Ok(record) = serde_json::from_slice::<RoundRecord>(&line) else { break };
            if record.round != results.rounds {
                break;
            }
            apply_round(&mut results, &record);
            whole += line.len() as u64 + 1;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(disk("open"))?;
        // A record without its newline was parsed whole, so that the file may be one byte short.
        let length = file.metadata().map_err(disk("read"))?.len();
        let mut journal = Self { file, path: path.to_owned() };
        if length < whole {
            journal.file.write_all(b"\n").map_err(disk("write"))?;
        } else {
            journal.file.set_len(whole).map_err(disk("write"))?;
        }
        Ok((results, journal))
    }

    fn line(&mut self, value: &impl serde::Serialize) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(value).map_err(|error| self.disk(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(|error| self.disk(error))
    }

    fn disk(&self, source: std::io::Error) -> JournalError {
        JournalError::Disk { what: "write", path: self.path.clone(), source }
    }
}

impl Journal for JournalFile {
    fn append(&mut self, round: &RoundRecord) -> Result<(), String> {
        self.line(round).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lane_plan, results, scenario};
    use super::*;
    use crate::model::Lineup;

    fn record(round: u32) -> RoundRecord {
        RoundRecord { round, turns: Vec::new(), elapsed_s: f64::from(round + 1) * 3.25, warnings: Vec::new() }
    }

    fn written(rounds: u32) -> (tempfile::TempDir, PathBuf, Results) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.ndjson");
        let planned = results(&[lane_plan("a", Lineup::Paired, &["read"])], &[scenario("read", "GET")]);
        let mut journal = JournalFile::create(&path, &planned).unwrap();
        for round in 0..rounds {
            journal.append(&record(round)).unwrap();
        }
        (directory, path, planned)
    }

    #[test]
    fn a_journal_that_was_cut_anywhere_resumes_with_its_whole_rounds() {
        let (_directory, path, mut planned) = written(3);
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        for cut in ends[0]..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            // A line counts once all of it but its newline is there.
            let rounds = u32::try_from(ends[1..].iter().filter(|end| cut >= **end).count()).unwrap();
            let (resumed, mut journal) = JournalFile::resume(&path).unwrap();
            assert_eq!(resumed.rounds, rounds, "cut at {cut} of {}", whole.len());
            journal.append(&record(rounds)).unwrap();
            assert_eq!(JournalFile::resume(&path).unwrap().0.rounds, rounds + 1, "goes on after a cut at {cut}");
        }
        for round in 0..3 {
            apply_round(&mut planned, &record(round));
        }
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(JournalFile::resume(&path).unwrap().0, planned);
    }

    #[test]
    fn what_is_no_journal_is_said() {
        let (_directory, path, _) = written(0);
        std::fs::write(&path, "{}\n").unwrap();
        let error = JournalFile::resume(&path).unwrap_err().to_string();
        assert!(error.contains("line 1 holds no plan"), "{error}");
        std::fs::remove_file(&path).unwrap();
        assert!(JournalFile::resume(&path).unwrap_err().to_string().starts_with("failed to open the journal"));
    }
}
