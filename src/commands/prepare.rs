//! What `run` and `check` share: from two revisions to everybody on the starting line.
//!
//! One harness for both sides: configuration, manifests and contract are head's, sources are each side's own.

use super::configured::{configuration_at, variant_names};
use super::outcome::{CommandError, stopped};
use super::places::Places;
use super::progress::Display;
use super::sides::Sides;
use super::surroundings::Surroundings;
use crate::build::{Built, StepFailure, Workshop, program_versions, runtime_versions};
use crate::model::{
    Case, EntryName, Failure, GateOutcome, GateRecord, Observation, PerSide, Phase, Presence, Role, Side,
};
use crate::plan::{Configuration, Entry, Scenario, Selection, entries};
use crate::process::{Environment, Supervisor, allowed_cpus};
use crate::race::{Contender, GatedCommand, Question, Stable, Startable};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// With so many CPUs both sides are built at once.
const PARALLEL_BUILDS: usize = 4;

/// An entry with what building and the gate found out.
pub(super) struct Runner {
    pub(super) entry: Entry,
    pub(super) presence: Presence,
    /// A reference whose inputs the pull request changes.
    pub(super) inputs_changed: bool,
    pub(super) own_files_changed: bool,
    pub(super) runs: PerSide<bool>,
    /// How long each side took to start at the gate.
    pub(super) starts: PerSide<Option<Duration>>,
    /// What each side's commands gave at the gate.
    pub(super) commands: PerSide<BTreeMap<Case, GatedCommand>>,
    /// What every version lookup found.
    pub(super) versions: BTreeMap<String, String>,
    pub(super) contender: Contender,
}

/// Variants that only base has.
pub(super) struct Gone(pub(super) Vec<crate::model::VariantName>);

/// Everybody on the starting line, with what went wrong on the way.
pub(super) struct Grid {
    pub(super) configuration: Configuration,
    pub(super) runners: Vec<Runner>,
    pub(super) gone: Gone,
    pub(super) gate: Vec<GateRecord>,
    pub(super) failures: Vec<Failure>,
    pub(super) observations: Vec<Observation>,
    pub(super) warnings: BTreeSet<String>,
    pub(super) toolchains: BTreeMap<String, String>,
    pub(super) build_s: f64,
    pub(super) gate_s: f64,
}

/// Checks head out and reads its configuration.
pub(super) fn head_configuration(
    workshop: &Workshop<'_>,
    sides: &Sides,
    places: &Places,
    color: bool,
) -> Result<Configuration, CommandError> {
    workshop.check_out(Side::Head, &sides.head_tree)?;
    let file = workshop.configuration(Side::Head).join(&places.configuration_file);
    configuration_at(&file, &places.configuration_directory, color)
}

/// Builds what the selection asks for.
pub(super) fn build(
    around: &Surroundings,
    supervisor: &Supervisor,
    workshop: &Workshop<'_>,
    sides: &Sides,
    configuration: Configuration,
    selection: &Selection,
    display: &Display,
) -> Result<Grid, CommandError> {
    let started = std::time::Instant::now();
    let all = entries(&configuration, selection);
    let scratch = Environment::scrubbed(&around.environment, &[], &BTreeMap::new()).map_err(CommandError::usage)?;
    let directory = workshop.directory();
    let versions = program_versions(supervisor, &all, &configuration.build.run, &scratch, directory, &around.cancel);
    if let Some(base) = &sides.base {
        workshop.check_out(Side::Base, &base.sha)?;
    }
    let has = |side: Side, entry: &Entry| {
        (side == Side::Head || sides.base.is_some())
            && workshop.configuration(side).join(&entry.variant.directory).is_dir()
    };
    let (subjects, references): (Vec<&Entry>, Vec<&Entry>) =
        all.iter().partition(|entry| entry.variant.role == Role::Subject);
    let build_side = |side: Side| -> Result<Built, CommandError> {
        let here: Vec<&Entry> = subjects.iter().copied().filter(|entry| has(side, entry)).collect();
        if here.is_empty() {
            return Ok(Built::new());
        }
        Ok(workshop.build_side(side, &configuration.build, &here, &versions, display)?)
    };
    let both_at_once = allowed_cpus().map_or(1, |cpus| cpus.len()) >= PARALLEL_BUILDS;
    let outcomes = if both_at_once {
        std::thread::scope(|scope| {
            let base = scope.spawn(|| build_side(Side::Base));
            let head = build_side(Side::Head);
            let base = base
                .join()
                .unwrap_or_else(|_| Err(CommandError::infrastructure("failed to build base: the build panicked")));
            PerSide { base, head }
        })
    } else {
        PerSide { base: build_side(Side::Base), head: build_side(Side::Head) }
    };
    let PerSide { base, head } = outcomes;
    let outcomes = PerSide { base: base?, head: head? };
    let mut grid = Grid {
        runners: Vec::new(),
        gone: Gone(gone_variants(workshop, sides, &configuration)),
        gate: Vec::new(),
        failures: Vec::new(),
        observations: Vec::new(),
        warnings: BTreeSet::new(),
        toolchains: versions.clone(),
        build_s: 0.0,
        gate_s: 0.0,
        configuration,
    };
    for entry in &subjects {
        let builds = PerSide::from_fn(|side| {
            let directory = workshop.configuration(side).join(&entry.variant.directory);
            outcomes.get(side).get(&entry.name).map(|outcome| (directory, outcome.clone()))
        });
        let presence = if sides.base.is_some() && !has(Side::Base, entry) { Presence::New } else { Presence::Both };
        grid.add(workshop, sides, entry, presence, builds)?;
    }
    for entry in &references {
        let limit = grid.configuration.build.time_limit;
        let (directory, outcome) = workshop.build_reference(&sides.head_tree, entry, limit, &versions, display)?;
        let build = Some((directory, outcome));
        let base = sides.base.is_some().then(|| build.clone()).flatten();
        grid.add(workshop, sides, entry, Presence::Both, PerSide { base, head: build })?;
    }
    let built = grid.runners.iter().filter_map(|runner| {
        let build = runner.contender.builds.head.as_ref()?;
        Some((&runner.entry, build.directory.as_path()))
    });
    let brought = runtime_versions(supervisor, built, &scratch, directory, &around.cancel);
    grid.toolchains.extend(brought);
    grid.build_s = started.elapsed().as_secs_f64();
    Ok(grid)
}

/// The variants that base has below head's directory of variants and head has not.
fn gone_variants(
    workshop: &Workshop<'_>,
    sides: &Sides,
    configuration: &Configuration,
) -> Vec<crate::model::VariantName> {
    if sides.base.is_none() {
        return Vec::new();
    }
    let known: BTreeSet<_> =
        configuration.variants.iter().flat_map(|variant| variant.was.iter().chain([&variant.name])).collect();
    let directory = workshop.configuration(Side::Base).join(&configuration.variants_directory);
    let mut names = variant_names(&directory);
    names.retain(|name| !known.contains(name));
    names
}

type SideBuilt = Option<(PathBuf, Result<(), StepFailure>)>;

impl Grid {
    fn add(
        &mut self,
        workshop: &Workshop<'_>,
        sides: &Sides,
        entry: &Entry,
        presence: Presence,
        builds: PerSide<SideBuilt>,
    ) -> Result<(), CommandError> {
        let environment = workshop.environment(entry, true)?;
        let build_environment = workshop.environment(entry, false)?;
        let reference = entry.variant.role == Role::Reference;
        let directory = builds.head.as_ref().or(builds.base.as_ref()).map(|(directory, _)| directory.clone());
        let versions = directory
            .map(|directory| crate::build::resolved_versions(&directory, &entry.variant.versions))
            .unwrap_or_default();
        for side in Side::BOTH {
            if let Some((_, Err(failed))) = builds.get(side)
                && (side == Side::Head || !reference)
            {
                self.failures.push(Failure {
                    round: None,
                    entry: entry.name.clone(),
                    side: (!reference).then_some(side),
                    scenario: None,
                    phase: Phase::Build,
                    kind: failed.kind,
                    message: failed.message.clone(),
                    output: failed.output.clone(),
                });
            }
        }
        let startable = builds.map(|_, built| match built {
            Some((directory, Ok(()))) => {
                let argv = entry.runtime.start.clone();
                let (environment, build_environment) = (environment.clone(), build_environment.clone());
                Some(Startable { argv, directory, environment, build_environment })
            }
            _ => None,
        });
        let services = self.configuration.services.iter();
        let contender = Contender {
            entry: entry.name.clone(),
            builds: startable,
            pairing: entry.variant.pairing,
            ready: entry.variant.ready.clone(),
            services: services.filter(|service| entry.variant.services.contains(&service.name)).cloned().collect(),
            start_limit: self.configuration.protocol.start_limit,
            runs: entry.variant.runs().into_iter().map(|run| (run.case, run.command)).collect(),
            serves: !entry.runtime.start.is_empty(),
        };
        let inputs = workshop.inputs(entry);
        let touched = |path: &Path| sides.changed.iter().any(|file| Path::new(file).starts_with(path));
        let own = workshop.inputs(&Entry {
            variant: crate::plan::Variant { inputs: vec![PathBuf::from(".")], ..entry.variant.clone() },
            ..entry.clone()
        });
        self.runners.push(Runner {
            entry: entry.clone(),
            presence,
            inputs_changed: reference && inputs.iter().any(|path| touched(path)),
            own_files_changed: own.iter().any(|path| touched(path)),
            runs: PerSide { base: false, head: false },
            starts: PerSide::default(),
            commands: PerSide::default(),
            versions,
            contender,
        });
        Ok(())
    }

    /// The scenarios that the selection asks for.
    pub(super) fn questions(&self, selection: &Selection) -> Vec<Question> {
        let asked = |scenario: &&Scenario| selection.has_scenario(&scenario.name);
        self.configuration.scenarios.iter().filter(asked).cloned().map(Question::new).collect()
    }

    /// Holds every side of every entry against the contract.
    pub(super) fn gate(
        &mut self,
        stable: &mut Stable<'_>,
        selection: &Selection,
        tracks: &super::tracks::Tracks,
        sides: &Sides,
        display: &Display,
    ) -> Result<(), CommandError> {
        let started = std::time::Instant::now();
        let questions = self.questions(selection);
        let questions: Vec<&Question> = questions.iter().collect();
        let Some(track) = tracks.first() else { return Ok(()) };
        for runner in &mut self.runners {
            let ready =
                self.configuration.scenarios.iter().find(|scenario| scenario.name == runner.entry.variant.ready);
            let Some(ready) = ready.cloned().map(Question::new) else { continue };
            let runs: Vec<Case> =
                runner.contender.runs.keys().filter(|case| selection.has_run(case)).cloned().collect();
            let runs: Vec<&Case> = runs.iter().collect();
            let mut works_while_idle = false;
            for side in Side::BOTH {
                let reference = runner.entry.variant.role == Role::Reference;
                if side == Side::Base && (sides.base.is_none() || reference) {
                    continue;
                }
                display.passing(&format!(
                    "gate {} {}",
                    if reference { "reference" } else { side.as_str() },
                    runner.entry.name
                ));
                let gated = stable
                    .gate(&runner.contender, side, &questions, &runs, &ready, track)
                    .map_err(|stop| stopped(stop, None))?;
                *runner.runs.get_mut(side) = gated.runs;
                *runner.starts.get_mut(side) = gated.start;
                if reference {
                    // One build, one gate: what head's does is what base's would.
                    runner.runs.base = gated.runs;
                }
                *runner.commands.get_mut(side) = gated.commands;
                works_while_idle |= gated.works_while_idle;
                self.gate.extend(gated.records);
                self.failures.extend(gated.failures);
                self.observations.extend(gated.observations);
                if let Some(reason) = gated.pinning_refused {
                    self.warnings.insert(format!(
                        "the kernel refused to pin servers to their CPUs ({reason}): noise is larger than it could be"
                    ));
                }
            }
            if works_while_idle {
                runner.contender.pairing = crate::model::Pairing::Apart;
            }
        }
        self.gate_s = started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Whether the gate let a scenario of one side pass.
    pub(super) fn passed(&self, entry: &EntryName, side: Side, scenario: &crate::model::ScenarioName) -> bool {
        self.gate_says(entry, side, &Case::Scenario(scenario.clone()), GateOutcome::Passed)
    }

    /// Whether the gate found `outcome` for a case of one side.
    pub(super) fn gate_says(&self, entry: &EntryName, side: Side, case: &Case, outcome: GateOutcome) -> bool {
        let of = |record: &&GateRecord| record.entry == *entry && record.side == side && record.case == *case;
        self.gate.iter().find(of).is_some_and(|record| record.outcome == outcome)
    }

    /// Whether anything of one side failed at the gate.
    pub(super) fn fails_at_the_gate(&self, entry: &EntryName, side: Side) -> bool {
        self.gate
            .iter()
            .any(|record| record.entry == *entry && record.side == side && record.outcome == GateOutcome::Failed)
    }
}
