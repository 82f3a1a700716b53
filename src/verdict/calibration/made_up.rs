//! A run that never was, for cells whose rounds are made up.

use crate::model::{
    Case, CellKey, CellRecord, CommitSha, EntryName, EntryRecord, Fingerprint, JudgingRecord, Lineup, Metric, Presence,
    ProtocolRecord, Results, Role, RuntimeName, SCHEMA_VERSION, ScenarioName, Seed, SelectionRecord, SideRecord,
    Standing, Suite, TimeSpent, VariantName,
};
use crate::verdict::{MAX_PAIRS, MIN_PAIRS};
use std::collections::BTreeMap;

/// The chance of any flag on an unchanged pull request that the rule is told to keep.
const FALSE_ALARMS: f64 = 0.01;

/// The judged metrics of a scenario, in the order in which its measurements are drawn.
pub(super) const METRICS: [Metric; 4] = [Metric::Rps, Metric::P50, Metric::P99, Metric::CpuPerRequest];

const ALLOWED: &str = "a name of this file is one that names are allowed to be";

/// A run of `cells` cells of one entry: scenarios of four metrics, and one of fewer for what is left.
#[expect(clippy::expect_used, reason = "names that are written in this file")]
pub(super) fn run_of(cells: u32) -> Results {
    let mut run = blank();
    let variant = VariantName::new("app").expect(ALLOWED);
    let entry = EntryName::of(&variant, None);
    let cells = 0..usize::try_from(cells).unwrap_or(usize::MAX);
    run.cells = cells
        .map(|index| CellRecord {
            key: CellKey {
                entry: entry.clone(),
                regime: None,
                suite: Suite::Http,
                case: Case::Scenario(ScenarioName::new(format!("s{}", index / METRICS.len())).expect(ALLOWED)),
                metric: METRICS[index % METRICS.len()],
            },
            standing: Standing::Judged,
            rounds: Vec::new(),
        })
        .collect();
    run.entries = vec![EntryRecord {
        name: entry,
        variant,
        runtime: RuntimeName::new("node").expect(ALLOWED),
        was: Vec::new(),
        label: "app".to_owned(),
        role: Role::Subject,
        floor: None,
        presence: Presence::Both,
        lineup: Lineup::Paired,
        copy_of: None,
        own_files_changed: false,
        about: BTreeMap::new(),
        versions: BTreeMap::new(),
    }];
    run
}

/// A run of nobody.
#[expect(clippy::expect_used, reason = "commits that are written in this file")]
pub(crate) fn blank() -> Results {
    let side = |digit: &str| SideRecord {
        sha: CommitSha::new(digit.repeat(40)).expect(ALLOWED),
        dirty: false,
        snapshot: None,
        rev: "HEAD".to_owned(),
    };
    Results {
        schema: SCHEMA_VERSION,
        deadheat: "0.1.0".to_owned(),
        quick: false,
        started: "2026-11-02T10:00:00Z".to_owned(),
        base: Some(side("a")),
        head: side("b"),
        seed: Seed(7),
        selection: SelectionRecord::default(),
        protocol: ProtocolRecord {
            budget_s: 720.0,
            rounds_min: u32::try_from(MIN_PAIRS).unwrap_or(u32::MAX),
            rounds_max: u32::try_from(MAX_PAIRS).unwrap_or(u32::MAX),
            warmup_ms: 500.0,
            measure_ms: 1000.0,
            slices: 16,
            regimes: Vec::new(),
        },
        judging: JudgingRecord { false_alarms: FALSE_ALARMS, relevant: BTreeMap::new(), fail_on_regression: false },
        fingerprint: Fingerprint::default(),
        entries: Vec::new(),
        scenarios: Vec::new(),
        mixes: Vec::new(),
        cells: Vec::new(),
        gate: Vec::new(),
        attempts: Vec::new(),
        failures: Vec::new(),
        observations: Vec::new(),
        machine: None,
        calibration: None,
        configuration: None,
        rounds: 0,
        time: TimeSpent::default(),
        not_raced: None,
        warnings: Vec::new(),
    }
}
