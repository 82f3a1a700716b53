//! Who is still in the race, asked after every round.
//!
//! Scenarios leave one by one, and an entry goes on being started while a scenario of it is in or its boot cells are open
//! and suspicious. What is failing leaves as decided: a side that does not answer gives no further rounds worth having. The
//! control never leaves alone, because it watches over every round that subjects race.

use super::context::Context;
use super::decide::Decision;
use super::family::is_speed;
use super::looks::MIN_PAIRS;
use super::pairs::{Pair, pairs};
use super::signed_rank::signed_rank;
use crate::model::{Case, CellKey, CellRecord, EntryName, Metric, RegimeName, Results, ScenarioName, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// From this many pairs on, open cells that are not suspicious hold nobody.
const PATIENCE: usize = 12;
/// An open cell is suspicious below this signed-rank p.
const SUSPICIOUS_P: f64 = 0.05;

/// What of an entry is still raced under a regime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryInRace {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// Whether it is here as a control.
    pub control: bool,
    /// Its scenarios that are still in.
    pub scenarios: BTreeSet<ScenarioName>,
    /// Whether its boot cells need further starts of their own accord.
    pub boot: bool,
    /// Its commands' runs that are still in.
    pub runs: BTreeSet<Case>,
}

impl EntryInRace {
    /// Whether the entry goes on being started.
    pub fn is_in(&self) -> bool {
        self.boot || !self.scenarios.is_empty() || !self.runs.is_empty()
    }
}

/// Who is still in the race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StillRacing {
    /// Every compared entry under every regime, in the order of their names, also where nothing of it is in any more.
    pub entries: Vec<EntryInRace>,
    /// Whether no subject is in any more.
    pub done: bool,
}

impl StillRacing {
    /// The entry under the regime; absent where nothing of it is compared.
    pub fn find(&self, entry: &EntryName, regime: Option<&RegimeName>) -> Option<&EntryInRace> {
        self.entries.iter().find(|found| found.entry == *entry && found.regime.as_ref() == regime)
    }
}

/// How one cell stands.
struct Post<'a> {
    key: &'a CellKey,
    pairs: Vec<Pair>,
    decision: Decision,
    failing: bool,
}

impl<'a> Post<'a> {
    fn of(context: &Context<'_>, cell: &'a CellRecord, standing: Standing, pairs: Vec<Pair>) -> Self {
        let decision = context.decision(standing, &cell.key, &pairs);
        let failing = context.is_failing(&cell.key, pairs.len());
        Self { key: &cell.key, pairs, decision, failing }
    }

    fn is_open(&self) -> bool {
        self.decision == Decision::Undecided
    }

    fn is_suspicious(&self) -> bool {
        let ratios: Vec<f64> = self.pairs.iter().map(|pair| pair.ratio).collect();
        self.is_open() && signed_rank(&ratios).p < SUSPICIOUS_P
    }
}

/// The cells of one entry under one regime.
#[derive(Default)]
struct Group<'a> {
    control: bool,
    scenarios: BTreeMap<&'a ScenarioName, Vec<Post<'a>>>,
    boot: Vec<Post<'a>>,
    runs: BTreeMap<&'a Case, Vec<Post<'a>>>,
}

/// Who is still in, given what has been raced: `results.rounds` is the count of finished rounds. Before `rounds_min`
/// everybody is who can be compared at all, and from `rounds_max` on nobody is.
pub fn still_racing(results: &Results) -> StillRacing {
    still_racing_within(results, &Context::new(results))
}

/// The same for whoever has indexed the results already.
pub(crate) fn still_racing_within(results: &Results, context: &Context<'_>) -> StillRacing {
    let mut groups: BTreeMap<(&EntryName, Option<&RegimeName>), Group<'_>> = BTreeMap::new();
    for cell in &results.cells {
        let standing = context.standing(cell);
        if standing == Standing::Outside {
            continue;
        }
        let group = groups.entry((&cell.key.entry, cell.key.regime.as_ref())).or_default();
        group.control |= standing == Standing::Control;
        let pairs = pairs(cell);
        if context.is_barred(cell, pairs.len()) {
            continue;
        }
        if let (true, Case::Scenario(scenario)) = (context.is_generator_limited(&cell.key), &cell.key.case) {
            // No further round would tell anything about it, and so it holds nobody: the scenario's other cells do.
            group.scenarios.entry(scenario).or_default();
            continue;
        }
        let post = Post::of(context, cell, standing, pairs);
        match &cell.key.case {
            Case::Scenario(scenario) => group.scenarios.entry(scenario).or_default().push(post),
            Case::Start => group.boot.push(post),
            Case::Process(_) | Case::Build(_) => group.runs.entry(&cell.key.case).or_default().push(post),
            Case::Mix(_) | Case::Category(_) => {}
        }
    }
    let raced: BTreeSet<&EntryName> =
        groups.iter().filter(|(_, group)| !group.scenarios.is_empty()).map(|((entry, _), _)| *entry).collect();

    let protocol = &results.protocol;
    let over = results.rounds >= protocol.rounds_max;
    let early = results.rounds < protocol.rounds_min;
    let mut entries: Vec<EntryInRace> = groups
        .into_iter()
        .map(|((entry, regime), group)| {
            // A control is held by the subjects, not by its own cells.
            let held = early || group.control;
            let boot_stays = held || boot_stays(&group.boot, !raced.contains(entry));
            let scenarios = group.scenarios.into_iter().filter(|(_, posts)| held || stays(posts, is_speed));
            let is_wall = |key: &CellKey| key.metric == Metric::Wall;
            let runs = group.runs.into_iter().filter(|(_, posts)| held || stays(posts, is_wall));
            EntryInRace {
                entry: entry.clone(),
                regime: regime.cloned(),
                control: group.control,
                scenarios: scenarios.filter(|_| !over).map(|(scenario, _)| scenario.clone()).collect(),
                boot: !over && !group.boot.is_empty() && boot_stays,
                runs: runs.filter(|_| !over).map(|(case, _)| case.clone()).collect(),
            }
        })
        .collect();

    let done = !entries.iter().any(|entry| !entry.control && entry.is_in());
    if done {
        for entry in &mut entries {
            entry.scenarios.clear();
            entry.boot = false;
            entry.runs.clear();
        }
    }
    StillRacing { entries, done }
}

/// Whether cells that share a case stay in: they leave when a key cell is changed, when all are the same, or with
/// patience when the key cells are decided and no open cell is suspicious. Without key cells all must be decided.
fn stays(posts: &[Post<'_>], is_key: impl Fn(&CellKey) -> bool) -> bool {
    let keys: Vec<&Post<'_>> = posts.iter().filter(|post| is_key(post.key)).collect();
    let keys = if keys.is_empty() { posts.iter().collect() } else { keys };
    if posts.iter().any(|post| post.failing)
        || keys.iter().any(|post| is_key(post.key) && post.decision.is_changed())
        || posts.iter().all(|post| post.decision.is_same())
    {
        return false;
    }
    let decided = keys.iter().all(|post| !post.is_open() && post.pairs.len() >= PATIENCE);
    !decided || posts.iter().any(Post::is_suspicious)
}

/// Whether boot cells need further starts of their own accord. Beside scenarios they do while open and suspicious; an
/// entry that is only booted is held by its cold start as a scenario is by its speed.
fn boot_stays(posts: &[Post<'_>], alone: bool) -> bool {
    if alone {
        return stays(posts, |key| key.metric == Metric::ColdStart);
    }
    let failing = posts.iter().any(|post| post.failing);
    !failing && posts.iter().any(|post| post.is_open() && (post.pairs.len() < MIN_PAIRS || post.is_suspicious()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, attempt, boot_cell, cell, control_cell, gate, results};
    use super::*;
    use crate::model::{GateOutcome, Outcome, Side};

    /// Twelve rounds too wide for any verdict, and not suspicious: half of them up, half down.
    const WIDE: [f64; 12] = [0.3, -0.31, 0.2, -0.21, 0.1, -0.11, 0.25, -0.26, 0.15, -0.16, 0.05, -0.06];
    /// Twelve rounds that lean up too weakly to be proved.
    const LEANING: [f64; 12] = [0.3, 0.31, 0.2, -0.01, 0.1, 0.11, 0.25, 0.26, 0.15, -0.02, 0.05, 0.06];

    fn still_in(cells: Vec<CellRecord>) -> Vec<String> {
        let found = still_racing(&results(cells));
        let subject = found.entries.iter().find(|entry| !entry.control).unwrap();
        assert_eq!(found.done, !subject.is_in());
        let boot = subject.boot.then(|| "boot".to_owned());
        subject.scenarios.iter().map(ToString::to_string).chain(boot).collect()
    }

    #[test]
    fn all_same_leaves_at_eight() {
        let quiet = |case| [Metric::Rps, Metric::P50, Metric::P99].map(|metric| cell(case, metric, 1e3, &B12[..8]));
        let wide = [
            cell("open", Metric::Rps, 1e3, &B12[..8]),
            cell("open", Metric::P50, 1e3, &B12[..8]),
            cell("open", Metric::P99, 1e3, &WIDE[..8]),
        ];
        assert_eq!(still_in(quiet("get").into_iter().chain(wide).collect()), ["open"]);
        assert_eq!(still_in(vec![cell("get", Metric::Rps, 1e3, &B12[..7])]), ["get"]);
    }

    #[test]
    fn a_changed_speed_leaves_at_once() {
        let cells = vec![cell("get", Metric::Rps, 1e3, &A12), cell("get", Metric::P99, 1e3, &LEANING)];
        assert!(still_in(cells).is_empty());
        let other = vec![cell("get", Metric::Rps, 1e3, &WIDE), cell("get", Metric::LoadedMemory, 1e8, &A12)];
        assert_eq!(still_in(other), ["get"]);
    }

    #[test]
    fn from_twelve_on_only_suspicion_holds() {
        let cells = |last: &[f64]| {
            vec![
                cell("get", Metric::Rps, 1e3, &B12[..last.len()]),
                cell("get", Metric::P50, 1e3, &B12[..last.len()]),
                cell("get", Metric::P99, 1e3, last),
            ]
        };
        assert!(still_in(cells(&WIDE)).is_empty());
        assert_eq!(still_in(cells(&WIDE[..11])), ["get"]);
        assert_eq!(still_in(cells(&LEANING)), ["get"]);
        assert_eq!(still_in(vec![cell("get", Metric::Rps, 1e3, &WIDE)]), ["get"]);
    }

    #[test]
    fn boot_holds_an_entry_while_open_and_suspicious() {
        let beside = |boot: &[f64]| {
            let speed = [Metric::Rps, Metric::P50].map(|metric| cell("get", metric, 1e3, &B12));
            still_in(speed.into_iter().chain([boot_cell(Metric::ColdStart, 300.0, boot)]).collect())
        };
        assert_eq!(beside(&LEANING), ["boot"]);
        assert!(beside(&WIDE).is_empty());
        assert!(beside(&B12).is_empty());
        assert_eq!(beside(&WIDE[..6]), ["boot"]);
    }

    #[test]
    fn an_entry_that_is_only_booted_is_held_by_its_cold_start() {
        let alone = |cold: &[f64], memory: &[f64]| {
            still_in(vec![boot_cell(Metric::ColdStart, 300.0, cold), boot_cell(Metric::IdleMemory, 1e8, memory)])
        };
        assert_eq!(alone(&WIDE, &B12), ["boot"]);
        assert!(alone(&B12[..8], &B12[..8]).is_empty());
        assert!(alone(&B12, &WIDE).is_empty());
        assert_eq!(alone(&B12, &LEANING), ["boot"]);
    }

    #[test]
    fn nobody_leaves_before_the_fewest_rounds_and_nobody_stays_past_the_most() {
        let mut run = results(vec![cell("get", Metric::Rps, 1e3, &B12[..8]), cell("post", Metric::Rps, 1e3, &WIDE)]);
        run.protocol.rounds_min = 20;
        assert_eq!(still_racing(&run).entries[0].scenarios.len(), 2);
        run.protocol.rounds_min = 8;
        assert_eq!(still_racing(&run).entries[0].scenarios.len(), 1);
        run.protocol.rounds_max = 12;
        assert!(still_racing(&run).done);
    }

    #[test]
    fn the_control_goes_on_as_long_as_a_subject() {
        let run = |subject: &[f64]| {
            still_racing(&results(vec![cell("get", Metric::Rps, 1e3, subject), control_cell(Metric::Rps, &B12)]))
        };
        let control = |found: &StillRacing| found.entries.iter().find(|entry| entry.control).unwrap().is_in();
        assert!(control(&run(&WIDE)) && !run(&WIDE).done);
        assert!(!control(&run(&B12)) && run(&B12).done);
    }

    #[test]
    fn what_cannot_be_compared_is_not_in() {
        let mut run = results(vec![cell("get", Metric::Rps, 1e3, &[]), cell("post", Metric::Rps, 1e3, &[])]);
        run.gate = vec![
            gate(Side::Base, "get", GateOutcome::Passed),
            gate(Side::Head, "get", GateOutcome::Failed),
            gate(Side::Base, "post", GateOutcome::Passed),
            gate(Side::Head, "post", GateOutcome::Passed),
        ];
        let found = still_racing(&run);
        let app = found.find(&run.entries[0].name, None).unwrap();
        assert_eq!(app.scenarios.iter().map(ScenarioName::as_str).collect::<Vec<_>>(), ["post"]);
    }

    #[test]
    fn speed_that_the_generator_limits_holds_nobody() {
        let run = |cpu: &[f64], limited: u32| {
            let mut run = results(vec![
                cell("get", Metric::Rps, 1e3, &WIDE[..cpu.len()]),
                cell("get", Metric::P50, 1e3, &LEANING[..cpu.len()]),
                cell("get", Metric::CpuPerRequest, 5000.0, cpu),
            ]);
            run.attempts = (0..u32::try_from(cpu.len()).unwrap())
                .map(|round| crate::model::Attempt {
                    generator_limited: round < limited,
                    ..attempt(round, Outcome::Measured, Outcome::Measured)
                })
                .collect();
            still_racing(&run)
        };
        // Half of eight rounds are not most of them.
        assert!(!run(&B12[..8], 4).done);
        assert!(run(&B12[..8], 5).done);
        // Its CPU per request goes on until it is decided, and everybody stays for the fewest rounds.
        assert!(!run(&LEANING, 12).done);
        assert!(!run(&B12[..7], 7).done);
    }

    #[test]
    fn what_is_failing_leaves() {
        let mut run = results(vec![cell("get", Metric::Rps, 1e3, &[])]);
        run.attempts = (0..8).map(|round| attempt(round, Outcome::Measured, Outcome::Failed)).collect();
        run.rounds = 5;
        assert!(!still_racing(&run).done);
        run.rounds = 8;
        assert!(still_racing(&run).done);
    }
}
