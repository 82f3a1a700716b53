//! Handing over what a run found: files, standard output, and in Actions what the runner is given.

use super::announce::time_text;
use super::outcome::{CommandError, Finish};
use super::own_directory::hide_from_git;
use super::progress::note;
use super::step::{Ending, Step};
use super::surroundings::Surroundings;
use crate::model::{NotRacedReason, Results};
use crate::report::Publication;
use crate::verdict::{RunVerdict, judge, outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a run hands over what it found.
pub(super) struct Delivery {
    /// The output directory.
    pub(super) out: PathBuf,
    /// Whether standard output gets JSON.
    pub(super) json: bool,
    /// The step of Actions that it is.
    pub(super) step: Option<Step>,
}

impl Delivery {
    /// Makes the output directory. One inside `.deadheat` keeps itself out of git.
    pub(super) fn open(out: PathBuf, json: bool, step: Option<Step>) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::infrastructure(format!("failed to create {}: {error}", out.display()))
        };
        fs::create_dir_all(out.join("logs")).map_err(failed)?;
        hide_from_git(&out).map_err(failed)?;
        Ok(Self { out, json, step })
    }

    /// The journal of the race.
    pub(super) fn journal(&self) -> PathBuf {
        self.out.join("journal.ndjson")
    }

    /// Writes why nothing was raced, and says it.
    pub(super) fn deliver_reason(&self, around: &mut Surroundings, results: &Results) -> Result<Finish, CommandError> {
        self.deliver(around, results, &judge(results), None, &Publication::default())
    }

    /// Writes results and says them. `accepted_by` is the label that accepts a regression, where the pull request bears it.
    pub(super) fn deliver(
        &self,
        around: &mut Surroundings,
        results: &Results,
        verdict: &RunVerdict,
        accepted_by: Option<&str>,
        publication: &Publication,
    ) -> Result<Finish, CommandError> {
        let comment = super::report::markdown(results, verdict, publication)?;
        let file = self.write_files(results, &comment)?;
        let outcome = outcome(results, verdict);
        match &results.not_raced {
            _ if self.json => around.print_json(&super::report::json(results)?)?,
            // Mistakes are told by the error that the command ends with.
            Some(not_raced) if not_raced.reason == NotRacedReason::Mistakes => {}
            Some(not_raced) => around.print_text("comment", &format!("{}\n", not_raced.message))?,
            None => around.print_text("comment", &comment)?,
        }
        let time = if results.not_raced.is_none() { format!("\n{}\n", time_text(results)) } else { String::new() };
        note(around.show, &format!("{time}results: {}", file.display()));
        let fail_on = results.judging.fail_on_regression;
        if let Some(step) = &self.step {
            let fails = outcome.fails(fail_on, accepted_by.is_some());
            step.conclude(results, verdict, &Ending { outcome, file: &file, fails, accepted_by })?;
        }
        Ok(Finish::of(outcome, fail_on, accepted_by.is_some()))
    }

    fn write_files(&self, results: &Results, comment: &str) -> Result<PathBuf, CommandError> {
        let file = self.out.join(if results.quick { "quick.json" } else { "results.json" });
        write(&file, &serde_json::to_string(results).map_err(CommandError::infrastructure)?)?;
        write(&self.out.join("comment.md"), comment)?;
        Ok(file)
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    fs::write(path, text)
        .map_err(|error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display())))
}
