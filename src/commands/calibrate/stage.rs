//! What both races of a calibration share.

use crate::commands::field::Field;
use crate::commands::outcome::CommandError;
use crate::commands::progress::Display;
use crate::commands::run::{keep_steady_observations, leave_servers_cpus};
use crate::commands::scratch_builder::ScratchBuilder;
use crate::model::Results;
use crate::plan::{Lane, LanePlan};
use crate::process::{CancelFlag, Supervisor};
use crate::race::{Course, Journal, LaneCost, Open, Race, Referee, RoundRecord, Setup, Stable, Stop};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the races are run.
pub(super) struct Stage<'a> {
    pub(super) supervisor: &'a Supervisor,
    pub(super) logs: PathBuf,
    pub(super) cancel: CancelFlag,
    pub(super) binary: &'a Path,
    pub(super) out: PathBuf,
    pub(super) builder: &'a ScratchBuilder<'a>,
}

/// How a race is to be run.
pub(super) struct Conditions<'a> {
    pub(super) cost: &'a LaneCost,
    pub(super) budget: Duration,
    pub(super) referee: &'a dyn Referee,
}

impl Stage<'_> {
    /// What starts servers, with ports that follow from `seed`.
    pub(super) fn stable(&self, seed: u64) -> Stable<'_> {
        Stable::new(self.supervisor, seed, self.logs.clone(), self.cancel.clone(), self.builder)
    }

    /// What takes the turns of `setup`.
    pub(super) fn course<'s>(&'s self, setup: &'s Setup, seed: u64) -> Course<'s> {
        leave_servers_cpus(self.supervisor, setup);
        self.stable(seed).course(setup)
    }

    /// Races a field from its first round to its end.
    pub(super) fn race(
        &self,
        field: &Field,
        conditions: &Conditions<'_>,
        display: &mut Display,
    ) -> Result<Results, CommandError> {
        let mut results = field.results.clone();
        let mut course = self.course(&field.setup, results.seed.0);
        let Conditions { cost, budget, referee } = *conditions;
        let race = Race { lanes: &field.lanes, cost, budget, referee };
        race.run(&mut results, &mut course, &mut Unkept, display).map_err(stopped)?;
        keep_steady_observations(&mut results);
        Ok(results)
    }

    /// Writes the results of a race beside the others.
    pub(super) fn keep(&self, name: &str, results: &Results) -> Result<(), CommandError> {
        let path = self.out.join(name);
        let text = serde_json::to_string(results).map_err(CommandError::infrastructure)?;
        std::fs::write(&path, text)
            .map_err(|error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display())))
    }
}

/// The error of a race that can't go on.
pub(super) fn stopped(stop: Stop) -> CommandError {
    match stop {
        Stop::Interrupted => interrupted(),
        Stop::Broken(reason) => CommandError::Infrastructure(reason),
    }
}

/// The error of a calibration that the user ended.
pub(super) fn interrupted() -> CommandError {
    CommandError::Interrupted("interrupted; a calibration is not resumed: start it again".to_owned())
}

/// A calibration is short, and its results are written when a race is over.
struct Unkept;

impl Journal for Unkept {
    fn append(&mut self, _: &RoundRecord) -> Result<(), String> {
        Ok(())
    }
}

/// Lets everybody race every round.
pub(super) struct Everybody<'a>(pub(super) &'a [LanePlan]);

impl Referee for Everybody<'_> {
    fn open(&self, _: &Results) -> BTreeMap<Lane, Open> {
        // Nobody is likelier to be decided than the others: nothing is.
        let open = |plan: &LanePlan| Open {
            scenarios: plan.paired.iter().cloned().collect(),
            rounds_left: BTreeMap::new(),
            boot: plan.boot,
            runs: plan.paired_runs.iter().map(|run| run.case.clone()).collect(),
        };
        self.0.iter().map(|plan| (plan.lane.clone(), open(plan))).collect()
    }
}
