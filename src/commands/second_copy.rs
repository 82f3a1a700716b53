//! The control of a race in which everybody is a subject: base's build of the cheapest subject, raced against itself.

use super::prepare::{Grid, Runner};
use super::roster::entry_record;
use crate::model::{Case, EntryName, EntryRecord, Lineup, PerSide, Role, RuntimeName, ScenarioName, Side, VariantName};
use crate::plan::{Lane, LanePlan, RunPlan};
use crate::race::Contender;
use std::time::Duration;

/// What is put behind the name of the subject.
const SUFFIX: &str = "-again";
/// A name's longest part.
const LONGEST: usize = 64;

/// The second copy.
pub(super) struct SecondCopy<'a> {
    of: &'a Runner,
    /// The scenario or the command that it is raced on.
    does: Case,
    name: EntryName,
}

/// The second copy of the subject among `candidates` whose base starts fastest, or of `earlier` in a race that is gone on
/// with. It is raced on a scenario; where no server is started (`servers`: some are), on the quickest command; none where base does neither anywhere.
pub(super) fn second_copy<'a>(
    grid: &'a Grid,
    candidates: impl Iterator<Item = &'a Runner>,
    scenarios: &[ScenarioName],
    servers: bool,
    earlier: Option<&EntryName>,
) -> Option<SecondCopy<'a>> {
    let answered = |runner: &Runner| {
        let ready = &runner.entry.variant.ready;
        let passes = |scenario: &&ScenarioName| grid.passed(&runner.entry.name, Side::Base, scenario);
        scenarios.iter().find(|name| *name == ready).filter(passes).or_else(|| scenarios.iter().find(passes)).cloned()
    };
    let quickest = |runner: &Runner| {
        let (case, given) = runner.commands.base.iter().min_by_key(|(_, given)| given.wall)?;
        Some((case.clone(), given.wall))
    };
    let does = |runner: &Runner| match answered(runner).filter(|_| servers) {
        Some(name) => {
            let start = runner.starts.base.or(runner.starts.head).unwrap_or(Duration::MAX);
            Some((Case::Scenario(name), start))
        }
        None => quickest(runner),
    };
    let taken = |name: &EntryName| grid.runners.iter().any(|runner| runner.entry.name == *name);
    let mut found: Vec<(&Runner, (Case, Duration))> =
        candidates.filter_map(|runner| Some((runner, does(runner)?))).collect();
    found.sort_by_key(|(runner, (case, time))| (earlier != Some(&runner.entry.name), case.is_run(), *time));
    let (of, (does, _)) = found.into_iter().next()?;
    let name = free_name(&of.entry.name, taken)?;
    Some(SecondCopy { of, does, name })
}

/// `fastify-again`, or `fastify-again@bun`; with a number where that is taken.
fn free_name(of: &EntryName, taken: impl Fn(&EntryName) -> bool) -> Option<EntryName> {
    let (variant, runtime) = of.as_str().split_once('@').map_or((of.as_str(), None), |(v, r)| (v, Some(r)));
    let runtime = runtime.and_then(|runtime| RuntimeName::new(runtime).ok());
    let numbered = |number: u32| {
        let suffix = if number == 1 { SUFFIX.to_owned() } else { format!("{SUFFIX}-{number}") };
        let kept = variant.get(..LONGEST.saturating_sub(suffix.len())).unwrap_or(variant);
        let variant = VariantName::new(format!("{kept}{suffix}")).ok()?;
        Some(EntryName::of(&variant, runtime.as_ref()))
    };
    (1..1_000).filter_map(numbered).find(|name| !taken(name))
}

impl SecondCopy<'_> {
    /// Its part in the race: one scenario, and starts where these are timed; of who has no server, one command.
    pub(super) fn plan(&self, regime: Option<crate::model::RegimeName>, http: bool, boot: bool) -> LanePlan {
        let scenario = match &self.does {
            Case::Scenario(name) if http => Some(name.clone()),
            _ => None,
        };
        let run = self
            .of
            .commands
            .base
            .get(&self.does)
            .map(|given| RunPlan { case: self.does.clone(), figures: given.figures.clone() });
        LanePlan {
            lane: Lane { entry: self.name.clone(), regime },
            lineup: Lineup::Control,
            paired: scenario.into_iter().collect(),
            one_sided: Vec::new(),
            boot: boot && self.of.contender.serves,
            paired_runs: run.into_iter().collect(),
            one_sided_runs: Vec::new(),
        }
    }

    /// How the results name it.
    pub(super) fn record(&self) -> EntryRecord {
        EntryRecord {
            name: self.name.clone(),
            label: format!("{} (base, second copy)", self.of.entry.variant.label),
            role: Role::Reference,
            was: Vec::new(),
            floor: None,
            copy_of: Some(self.of.entry.name.clone()),
            own_files_changed: false,
            ..entry_record(self.of, Lineup::Control)
        }
    }

    /// What is started: base's build under both sides.
    pub(super) fn contender(&self) -> Contender {
        let base = self.of.contender.builds.base.clone();
        let builds = PerSide { head: base.clone(), base };
        Contender { entry: self.name.clone(), builds, ..self.of.contender.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(of: &str, taken: &[&str]) -> String {
        let found = free_name(&EntryName::new(of).unwrap(), |name| taken.contains(&name.as_str()));
        found.unwrap().to_string()
    }

    #[test]
    fn its_name_is_nobody_elses() {
        assert_eq!(name("fastify", &["fastify"]), "fastify-again");
        assert_eq!(name("fastify@bun", &["fastify@bun"]), "fastify-again@bun");
        assert_eq!(name("a", &["a-again", "a-again-2"]), "a-again-3");
        let long = "x".repeat(64);
        assert_eq!(name(&long, &[]), format!("{}-again", "x".repeat(58)));
    }
}
