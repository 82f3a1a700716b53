//! The field of a page: who did what, with all of head's rounds, and what may be said of it.

use super::super::cells::{Cell, Run};
use super::names::Names;
use super::series::Series;
use crate::model::{Case, EntryName, Metric, Outcome, Polarity, RegimeName, Suite};
use crate::verdict::{UnmeasuredReason, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Why nothing is claimed of an entry's speed in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// The load generator was the limit.
    GeneratorLimited,
    /// It failed more often than chance, or too often.
    Failing,
}

/// What one entry did in a case.
pub(super) struct Lane<'a> {
    /// The entry.
    pub(super) entry: &'a EntryName,
    /// Its values by metric.
    pub(super) figures: BTreeMap<Metric, Series>,
    /// Why its speed stands for nothing.
    pub(super) doubt: Option<Doubt>,
}

impl Lane<'_> {
    /// The median of `metric`.
    pub(super) fn median(&self, metric: Metric) -> Option<f64> {
        self.figures.get(&metric)?.median()
    }
}

/// What entries did in one case under one regime.
pub(super) struct Heat<'a> {
    /// The suite.
    pub(super) suite: Suite,
    /// The regime.
    pub(super) regime: Option<&'a RegimeName>,
    /// What they did.
    pub(super) case: &'a Case,
    /// The entries, the best by [`Heat::lead`] first.
    pub(super) lanes: Vec<Lane<'a>>,
}

impl Heat<'_> {
    /// The metric that the entries are sorted by.
    pub(super) fn lead(&self) -> Metric {
        lead(self.suite)
    }

    /// The entries with a figure of `metric`, the best first.
    pub(super) fn ranked(&self, metric: Metric) -> Vec<(&Lane<'_>, &Series)> {
        let mut ranked: Vec<_> =
            self.lanes.iter().filter_map(|lane| Some((lane, lane.figures.get(&metric)?))).collect();
        let value = |series: &Series| series.median().unwrap_or(f64::NAN);
        let up = metric.polarity(self.suite) == Polarity::Up;
        ranked.sort_by(|(_, a), (_, b)| if up { value(b).total_cmp(&value(a)) } else { value(a).total_cmp(&value(b)) });
        ranked
    }

    /// The metrics that some entry has, in the order in which reports show them.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let present: BTreeSet<Metric> = self.lanes.iter().flat_map(|lane| lane.figures.keys().copied()).collect();
        let known = Metric::ALL.into_iter().filter(|metric| present.contains(metric));
        let printed = present.iter().copied().filter(|metric| !Metric::ALL.contains(metric));
        printed.chain(known).collect()
    }

    /// Whether nothing may be claimed of `metric` here, because of what one of the entries went through.
    pub(super) fn doubt(&self, metric: Metric) -> Option<Doubt> {
        let own = matches!(metric, Metric::CpuPerRequest | Metric::LoadedMemory);
        self.lanes
            .iter()
            .filter_map(|lane| lane.doubt)
            .filter(|doubt| !(own && *doubt == Doubt::GeneratorLimited))
            .max()
    }

    /// The entry that is better than every other, where each of them is apart from it.
    pub(super) fn leader(&self, metric: Metric) -> Option<&Lane<'_>> {
        if self.doubt(metric).is_some() {
            return None;
        }
        let ranked = self.ranked(metric);
        let ((first, own), others) = ranked.split_first()?;
        (!others.is_empty() && others.iter().all(|(_, other)| own.is_apart_from(other))).then_some(*first)
    }
}

fn lead(suite: Suite) -> Metric {
    match suite {
        Suite::Http => Metric::Rps,
        Suite::OpenLoop => Metric::P99,
        Suite::Boot => Metric::ColdStart,
        Suite::Process | Suite::Build => Metric::Wall,
    }
}

/// All of a run that a page is made of.
pub(super) struct Field<'a> {
    /// The run.
    pub(super) run: &'a Run<'a>,
    /// How entries are called.
    pub(super) names: Names<'a>,
    /// What they did, in the order of the results.
    pub(super) heats: Vec<Heat<'a>>,
}

impl<'a> Field<'a> {
    /// Sorts the cells of `run` into heats.
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        // A second copy of base is there to be raced against itself; what it stands for has a place of its own.
        let copies: BTreeSet<&EntryName> =
            run.results.entries.iter().filter(|entry| entry.copy_of.is_some()).map(|entry| &entry.name).collect();
        let doubts = doubts(run);
        let mut heats: Vec<Heat<'a>> = Vec::new();
        let mut places: BTreeMap<(Suite, Option<&RegimeName>, &Case), usize> = BTreeMap::new();
        let mut lanes: BTreeMap<(usize, &EntryName), usize> = BTreeMap::new();
        for cell in
            run.cells.iter().filter(|cell| cell.key.metric != Metric::LayerCost && !copies.contains(&cell.key.entry))
        {
            let figures = Series::of(cell.record);
            if figures.len() == 0 {
                continue;
            }
            let key: &'a crate::model::CellKey = cell.key;
            let place = *places.entry((key.suite, key.regime.as_ref(), &key.case)).or_insert_with(|| {
                heats.push(Heat { suite: key.suite, regime: key.regime.as_ref(), case: &key.case, lanes: Vec::new() });
                heats.len() - 1
            });
            let Some(heat) = heats.get_mut(place) else { continue };
            let lane = *lanes.entry((place, &key.entry)).or_insert_with(|| {
                let doubt = doubts.get(&(&key.entry, key.regime.as_ref(), &key.case)).copied();
                heat.lanes.push(Lane { entry: &key.entry, figures: BTreeMap::new(), doubt });
                heat.lanes.len() - 1
            });
            if let Some(lane) = heat.lanes.get_mut(lane) {
                lane.figures.insert(key.metric, figures);
            }
        }
        for heat in &mut heats {
            sort(heat);
        }
        Self { run, names: Names::new(run.results), heats }
    }

    /// The heats of a suite whose case `wanted` accepts.
    pub(super) fn of(&self, suite: Suite, wanted: impl Fn(&Case) -> bool) -> Vec<&Heat<'a>> {
        self.heats.iter().filter(|heat| heat.suite == suite && wanted(heat.case)).collect()
    }
}

fn sort(heat: &mut Heat) {
    let metric = heat.lead();
    let order: Vec<EntryName> = heat.ranked(metric).into_iter().map(|(lane, _)| lane.entry.clone()).collect();
    let place = |lane: &Lane| order.iter().position(|entry| entry == lane.entry).unwrap_or(usize::MAX);
    heat.lanes.sort_by_key(place);
}

type Doubts<'a> = BTreeMap<(&'a EntryName, Option<&'a RegimeName>, &'a Case), Doubt>;

/// Where an entry's figures stand for nothing. What is made of several scenarios is as doubtful as each of them.
fn doubts<'a>(run: &'a Run<'a>) -> Doubts<'a> {
    let doubt = |cell: &Cell| {
        let limited = cell.verdict.unmeasured == Some(UnmeasuredReason::GeneratorLimited);
        let failing = cell.verdict.word == Word::Failing;
        if failing { Some(Doubt::Failing) } else { limited.then_some(Doubt::GeneratorLimited) }
    };
    let mut doubts = limited(run);
    for cell in &run.cells {
        if let Some(doubt) = doubt(cell) {
            let key: &'a crate::model::CellKey = cell.key;
            let place = doubts.entry((&key.entry, key.regime.as_ref(), &key.case)).or_insert(doubt);
            *place = (*place).max(doubt);
        }
    }
    let scenarios = doubts.clone();
    for cell in run.cells.iter().filter(|cell| matches!(cell.key.case, Case::Mix(_) | Case::Category(_))) {
        let key: &'a crate::model::CellKey = cell.key;
        let part = |(entry, regime, case): &(&EntryName, Option<&RegimeName>, &Case)| {
            let Case::Scenario(name) = case else { return false };
            *entry == &key.entry && *regime == key.regime.as_ref() && is_part(run, &key.case, name)
        };
        if let Some(doubt) = scenarios.iter().filter(|(place, _)| part(place)).map(|(_, doubt)| *doubt).max() {
            doubts.entry((&key.entry, key.regime.as_ref(), &key.case)).or_insert(doubt);
        }
    }
    doubts
}

/// Where the load generator was the limit of head in more than half of the rounds that measured it, whether base was raced or
/// not; of a comparison the verdict knows it, too.
fn limited<'a>(run: &'a Run<'a>) -> Doubts<'a> {
    let mut rounds: BTreeMap<_, BTreeMap<u32, bool>> = BTreeMap::new();
    for attempt in run.results.attempts.iter().filter(|attempt| attempt.head == Outcome::Measured) {
        let place = (&attempt.entry, attempt.regime.as_ref(), &attempt.case);
        // The first attempt that was measured is the one that gives the round its values.
        rounds.entry(place).or_default().entry(attempt.round).or_insert(attempt.generator_limited);
    }
    let is_limited =
        |rounds: &BTreeMap<u32, bool>| rounds.values().filter(|limited| **limited).count() * 2 > rounds.len();
    rounds
        .into_iter()
        .filter(|(_, rounds)| is_limited(rounds))
        .map(|(place, _)| (place, Doubt::GeneratorLimited))
        .collect()
}

fn is_part(run: &Run, case: &Case, scenario: &crate::model::ScenarioName) -> bool {
    match case {
        Case::Mix(name) => {
            run.results.mixes.iter().any(|mix| mix.name == *name && mix.scenarios.contains_key(scenario))
        }
        Case::Category(name) => {
            run.results.scenarios.iter().any(|of| of.name == *scenario && of.category.as_ref() == Some(name))
        }
        _ => false,
    }
}
