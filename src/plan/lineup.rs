//! Who is raced, and every cell that is expected, fixed before the first round.

use super::{Configuration, Lane, Runtime, Scenario, Variant};
use crate::model::{
    Case, CellKey, CellRecord, EntryName, FigureName, Lineup, Metric, MixRecord, Polarity, Presence, RegimeName, Role,
    RuntimeName, ScenarioName, SelectionRecord, Standing, Suite, VariantName,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the user asked to be raced; everything where a field is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Variants.
    pub variants: Vec<VariantName>,
    /// Runtimes.
    pub runtimes: Vec<RuntimeName>,
    /// Suites; `http` stands for both loops.
    pub suites: Vec<Suite>,
    /// Scenarios.
    pub scenarios: Vec<ScenarioName>,
}

/// A name of a selection that nothing bears.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called `{name}`; there are: {known}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
}

impl Selection {
    /// The selection as the results file records it.
    pub fn record(&self) -> SelectionRecord {
        let Self { variants, runtimes, suites, scenarios } = self.clone();
        SelectionRecord { variants, runtimes, suites, scenarios }
    }

    /// Whether `suite` is measured.
    pub fn has_suite(&self, suite: Suite) -> bool {
        let asked = if suite == Suite::OpenLoop { Suite::Http } else { suite };
        self.suites.is_empty() || self.suites.contains(&asked)
    }

    /// Whether the suite of a command's run is measured.
    pub fn has_run(&self, case: &Case) -> bool {
        case.suite_of_run().is_some_and(|suite| self.has_suite(suite))
    }

    /// Whether `scenario` is measured.
    pub fn has_scenario(&self, scenario: &ScenarioName) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(scenario)
    }

    /// Every name that the configuration doesn't know.
    pub fn unknown_names(&self, configuration: &Configuration) -> Vec<UnknownName> {
        fn check<T: PartialEq + ToString>(what: &'static str, asked: &[T], known: &[T]) -> Vec<UnknownName> {
            let all = known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let unknown = asked.iter().filter(|name| !known.contains(name));
            unknown.map(|name| UnknownName { what, name: name.to_string(), known: all.clone() }).collect()
        }
        let variants: Vec<_> = configuration.variants.iter().map(|variant| variant.name.clone()).collect();
        let runtimes: BTreeSet<_> =
            configuration.variants.iter().flat_map(|variant| &variant.runtimes).map(|r| r.name.clone()).collect();
        let scenarios: Vec<_> = configuration.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        let mut unknown = check("variant", &self.variants, &variants);
        unknown.extend(check("runtime", &self.runtimes, &runtimes.into_iter().collect::<Vec<_>>()));
        unknown.extend(check("scenario", &self.scenarios, &scenarios));
        unknown
    }
}

/// A variant on a runtime, as the configuration has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: EntryName,
    /// Its variant.
    pub variant: Variant,
    /// Its runtime.
    pub runtime: Runtime,
    /// The entry on whose HTTP layer it stands, where that is among the entries.
    pub floor: Option<EntryName>,
}

fn entry_name(variant: &Variant, runtime: &RuntimeName) -> EntryName {
    EntryName::of(&variant.name, (variant.runtimes.len() > 1).then_some(runtime))
}

/// The entries that the selection asks for, in the order of the configuration.
pub fn entries(configuration: &Configuration, selection: &Selection) -> Vec<Entry> {
    let mut entries = Vec::new();
    for variant in &configuration.variants {
        if !selection.variants.is_empty() && !selection.variants.contains(&variant.name) {
            continue;
        }
        for runtime in &variant.runtimes {
            if selection.runtimes.is_empty() || selection.runtimes.contains(&runtime.name) {
                let name = entry_name(variant, &runtime.name);
                entries.push(Entry { name, variant: variant.clone(), runtime: runtime.clone(), floor: None });
            }
        }
    }
    let names: BTreeSet<EntryName> = entries.iter().map(|entry| entry.name.clone()).collect();
    for entry in &mut entries {
        let floor = entry.variant.floor.as_ref();
        let floor = floor.and_then(|floor| configuration.variants.iter().find(|variant| variant.name == *floor));
        let same_runtime = |floor: &&Variant| floor.runtimes.iter().any(|runtime| runtime.name == entry.runtime.name);
        entry.floor = floor
            .filter(same_runtime)
            .map(|floor| entry_name(floor, &entry.runtime.name))
            .filter(|name| names.contains(name));
    }
    entries
}

/// What the gate and the builds found out about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standings {
    /// On which sides the variant exists.
    pub presence: Presence,
    /// Whether base built, started and answered its ready scenario.
    pub base_runs: bool,
    /// Whether head did.
    pub head_runs: bool,
    /// A reference whose inputs the pull request changes is no control.
    pub inputs_changed: bool,
}

/// How an entry takes part. `comparing`: there is a base.
pub fn lineup(role: Role, standings: Standings, comparing: bool) -> Lineup {
    let Standings { presence, base_runs, head_runs, .. } = standings;
    match role {
        _ if presence == Presence::Gone || !head_runs => Lineup::Absent,
        Role::Subject if comparing && presence == Presence::Both && base_runs => Lineup::Paired,
        _ => Lineup::OneSided,
    }
}

/// The reference that is raced as control: the first that runs and whose inputs the pull request leaves alone.
pub fn choose_control<'a>(
    candidates: impl IntoIterator<Item = (&'a EntryName, Role, Standings)>,
) -> Option<&'a EntryName> {
    candidates
        .into_iter()
        .find(|(_, role, found)| *role == Role::Reference && found.head_runs && !found.inputs_changed)
        .map(|(name, ..)| name)
}

/// What of one lane is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LanePlan {
    /// Entry and regime.
    pub lane: Lane,
    /// How the entry takes part.
    pub lineup: Lineup,
    /// Scenarios that both sides answer and that are compared; a control has one.
    pub paired: Vec<ScenarioName>,
    /// Scenarios of which only head is measured: new ones, and those of entries that have no second side.
    pub one_sided: Vec<ScenarioName>,
    /// Whether starts are timed.
    pub boot: bool,
    /// Commands' runs that are compared.
    pub paired_runs: Vec<RunPlan>,
    /// Commands' runs that only head has.
    pub one_sided_runs: Vec<RunPlan>,
}

/// A command's run that is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// Suite and parameters.
    pub case: Case,
    /// The figures that it printed at the gate.
    pub figures: Vec<FigureName>,
}

impl RunPlan {
    fn metrics(&self) -> Vec<Metric> {
        let own: &[Metric] = if matches!(self.case, Case::Build(_)) { &BUILD_METRICS } else { &PROCESS_METRICS };
        own.iter().copied().chain(self.figures.iter().map(|name| Metric::Figure(*name))).collect()
    }
}

impl LanePlan {
    /// Every scenario that is measured at all.
    pub fn measured(&self) -> impl Iterator<Item = &ScenarioName> {
        self.paired.iter().chain(&self.one_sided)
    }
}

/// Metrics of a scenario under a closed loop. Memory is taken for requests that leave the server as it was only: each
/// POST makes it grow, so that a faster server would look fatter.
fn closed_loop_metrics(scenario: &Scenario) -> impl Iterator<Item = Metric> {
    let memory = scenario.request.is_safe();
    [
        Metric::Rps,
        Metric::P50,
        Metric::P90,
        Metric::P99,
        Metric::P999,
        Metric::Max,
        Metric::Mean,
        Metric::Deviation,
        Metric::CpuPerRequest,
        Metric::LoadedMemory,
        Metric::BytesPerSecond,
        Metric::Requests,
        Metric::Bytes,
    ]
    .into_iter()
    .filter(move |metric| memory || *metric != Metric::LoadedMemory)
}

const OPEN_LOOP_METRICS: [Metric; 6] =
    [Metric::P50, Metric::P90, Metric::P99, Metric::P999, Metric::Max, Metric::LateSends];
const PROCESS_METRICS: [Metric; 3] = [Metric::Wall, Metric::Cpu, Metric::PeakMemory];
const BUILD_METRICS: [Metric; 4] = [Metric::Wall, Metric::Cpu, Metric::PeakMemory, Metric::OutputSize];
const BOOT_METRICS: [Metric; 3] = [Metric::ColdStart, Metric::BootCpu, Metric::IdleMemory];

/// Every cell that `lanes` are expected to fill, those of mixes, categories and layers' costs included.
pub fn expected_cells(
    lanes: &[LanePlan],
    scenarios: &[Scenario],
    mixes: &[MixRecord],
    floors: &BTreeMap<EntryName, EntryName>,
    selection: &Selection,
) -> Vec<CellRecord> {
    let mut cells = Vec::new();
    for plan in lanes {
        let mut push = |suite: Suite, case: Case, metric: Metric, compared: bool| {
            let standing = match plan.lineup {
                // Files have no noise: their size is compared exactly, outside of the family.
                _ if metric == Metric::OutputSize => Standing::Outside,
                Lineup::Paired if compared && metric.polarity(suite) != Polarity::Info => Standing::Judged,
                Lineup::Control if compared && metric.polarity(suite) != Polarity::Info => Standing::Control,
                _ => Standing::Outside,
            };
            let Lane { entry, regime } = plan.lane.clone();
            cells.push(CellRecord {
                key: CellKey { entry, regime, suite, case, metric },
                standing,
                rounds: Vec::new(),
            });
        };
        for scenario in scenarios {
            let compared = plan.paired.contains(&scenario.name);
            if !plan.measured().any(|name| *name == scenario.name) || !selection.has_suite(Suite::Http) {
                continue;
            }
            for metric in closed_loop_metrics(scenario) {
                push(Suite::Http, Case::Scenario(scenario.name.clone()), metric, compared);
            }
            if scenario.rate.is_some() {
                for metric in OPEN_LOOP_METRICS {
                    push(Suite::OpenLoop, Case::Scenario(scenario.name.clone()), metric, compared);
                }
            }
            if floors.contains_key(&plan.lane.entry) {
                push(Suite::Http, Case::Scenario(scenario.name.clone()), Metric::LayerCost, false);
            }
        }
        if selection.has_suite(Suite::Http) {
            let floor = floors.get(&plan.lane.entry);
            for mix in mixes.iter().filter(|mix| mix.entries.contains(&plan.lane.entry)) {
                push(Suite::Http, Case::Mix(mix.name.clone()), Metric::Rps, false);
                if floor.is_some_and(|floor| mix.entries.contains(floor)) {
                    push(Suite::Http, Case::Mix(mix.name.clone()), Metric::LayerCost, false);
                }
            }
            for (category, members) in categories(scenarios, plan) {
                push(Suite::Http, Case::Category(category.clone()), Metric::Rps, false);
                if floor.is_some_and(|floor| measures_all(lanes, floor, &plan.lane, &members)) {
                    push(Suite::Http, Case::Category(category), Metric::LayerCost, false);
                }
            }
        }
        if plan.boot {
            for metric in BOOT_METRICS {
                push(Suite::Boot, Case::Start, metric, true);
            }
        }
        for (runs, compared) in [(&plan.paired_runs, true), (&plan.one_sided_runs, false)] {
            for run in runs {
                let Some(suite) = run.case.suite_of_run() else { continue };
                for metric in run.metrics() {
                    push(suite, run.case.clone(), metric, compared);
                }
            }
        }
    }
    cells
}

/// Whether `entry` is measured in all of `scenarios` under the regime of `like`.
fn measures_all(lanes: &[LanePlan], entry: &EntryName, like: &Lane, scenarios: &[ScenarioName]) -> bool {
    lanes.iter().any(|plan| {
        plan.lane.entry == *entry
            && plan.lane.regime == like.regime
            && scenarios.iter().all(|name| plan.measured().any(|measured| measured == name))
    })
}

/// The measured scenarios of each category that has at least two of them.
pub fn categories(scenarios: &[Scenario], plan: &LanePlan) -> BTreeMap<crate::model::CategoryName, Vec<ScenarioName>> {
    let mut by_category: BTreeMap<_, Vec<ScenarioName>> = BTreeMap::new();
    for scenario in scenarios.iter().filter(|scenario| plan.measured().any(|name| *name == scenario.name)) {
        if let Some(category) = &scenario.category {
            by_category.entry(category.clone()).or_default().push(scenario.name.clone());
        }
    }
    by_category.retain(|_, members| members.len() > 1);
    by_category
}

/// The mixes by scenario: a category's weight is divided evenly inside it, and the weights sum to one. A mix holds for the
/// entries that measure every scenario of it.
pub fn mixes(configuration: &Configuration, selection: &Selection, lanes: &[LanePlan]) -> Vec<MixRecord> {
    let mut records = Vec::new();
    for mix in &configuration.mixes {
        let mut scenarios = BTreeMap::new();
        for (category, weight) in &mix.weights {
            let members: Vec<_> = configuration
                .scenarios
                .iter()
                .filter(|scenario| scenario.category.as_ref() == Some(category))
                .collect();
            for member in &members {
                *scenarios.entry(member.name.clone()).or_insert(0.0) += weight / members.len() as f64;
            }
        }
        let total: f64 = scenarios.values().sum();
        if total > 0.0 && scenarios.keys().all(|name| selection.has_scenario(name)) {
            for weight in scenarios.values_mut() {
                *weight /= total;
            }
            let whole =
                |plan: &&LanePlan| scenarios.keys().all(|name| plan.measured().any(|measured| measured == name));
            let entries: BTreeSet<EntryName> = lanes.iter().filter(whole).map(|plan| plan.lane.entry.clone()).collect();
            records.push(MixRecord {
                name: mix.name.clone(),
                categories: mix.weights.clone(),
                entries: entries.into_iter().collect(),
                scenarios,
            });
        }
    }
    records
}

/// The regimes that an entry is raced under: the configuration's, or one without a name.
pub fn regimes(configuration: &Configuration) -> Vec<Option<RegimeName>> {
    if configuration.regimes.is_empty() {
        vec![None]
    } else {
        configuration.regimes.iter().map(|regime| Some(regime.name.clone())).collect()
    }
}
