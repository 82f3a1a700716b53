//! Results made for the tests of this room.

use super::calibration::blank;
use super::limits::Limits;
use super::looks::Critical;
use super::pairs::Pair;
use crate::model::{
    Attempt, Case, CellKey, CellRecord, EntryName, EntryRecord, GateOutcome, GateRecord, Lineup, Metric, Outcome,
    Presence, Results, Role, RoundValue, RuntimeName, ScenarioName, Side, Standing, Suite, VariantName,
};
use std::collections::BTreeMap;

/// Twelve rounds of a head that is 3 % below base, with two outliers.
pub(crate) const A12: [f64; 12] =
    [-0.031, -0.028, -0.035, -0.024, -0.040, -0.030, -0.027, -0.033, -0.029, 0.004, -0.036, -0.180];
/// Twelve rounds of two equal sides.
pub(crate) const B12: [f64; 12] =
    [0.004, -0.006, 0.009, -0.003, 0.001, -0.008, 0.005, -0.002, 0.007, -0.004, 0.002, -0.005];

/// Limits in plain log units, as the reference values have them.
pub(crate) const PLAIN: Limits = Limits { floor: 0.005, relevant: 0.01, band: 0.03, resolution: 0.0 };

/// One of eight speed cells beside others, at 1 %.
pub(crate) fn reference_critical() -> Critical {
    Critical::new(0.6 / 8.0 * 0.01)
}

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

pub(crate) fn pairs_of(ratios: &[f64]) -> Vec<Pair> {
    (0..).zip(ratios).map(|(round, &ratio)| Pair { round, ratio, base: None, head: None }).collect()
}

pub(crate) fn entry(name: &str) -> EntryName {
    EntryName::new(name).unwrap()
}

pub(crate) fn scenario(name: &str) -> ScenarioName {
    ScenarioName::new(name).unwrap()
}

pub(crate) fn key(entry_name: &str, suite: Suite, case: Case, metric: Metric) -> CellKey {
    CellKey { entry: entry(entry_name), regime: None, suite, case, metric }
}

/// A cell of the closed loop of entry `app` whose base is always `base`.
pub(crate) fn cell(case: &str, metric: Metric, base: f64, ratios: &[f64]) -> CellRecord {
    let key = key("app", Suite::Http, Case::Scenario(scenario(case)), metric);
    CellRecord { key, standing: Standing::Judged, rounds: rounds(base, ratios) }
}

pub(crate) fn boot_cell(metric: Metric, base: f64, ratios: &[f64]) -> CellRecord {
    let key = key("app", Suite::Boot, Case::Start, metric);
    CellRecord { key, standing: Standing::Judged, rounds: rounds(base, ratios) }
}

pub(crate) fn control_cell(metric: Metric, ratios: &[f64]) -> CellRecord {
    let key = key("bare", Suite::Http, Case::Scenario(scenario("get")), metric);
    CellRecord { key, standing: Standing::Control, rounds: rounds(1000.0, ratios) }
}

pub(crate) fn rounds(base: f64, ratios: &[f64]) -> Vec<RoundValue> {
    (0..)
        .zip(ratios)
        .map(|(round, &ratio)| RoundValue {
            round,
            base: Some(base),
            head: Some(base * ratio.exp()),
            log_ratio: Some(ratio),
        })
        .collect()
}

pub(crate) fn entry_record(name: &str, lineup: Lineup) -> EntryRecord {
    EntryRecord {
        name: entry(name),
        variant: VariantName::new(name).unwrap(),
        runtime: RuntimeName::new("node").unwrap(),
        was: Vec::new(),
        label: name.to_owned(),
        role: if lineup == Lineup::Paired { Role::Subject } else { Role::Reference },
        floor: None,
        presence: Presence::Both,
        lineup,
        copy_of: None,
        own_files_changed: false,
        about: BTreeMap::new(),
        versions: BTreeMap::new(),
    }
}

/// A run of the subject `app` and the control `bare` with these cells; its count of rounds is that of the longest cell.
pub(crate) fn results(cells: Vec<CellRecord>) -> Results {
    let rounds = cells.iter().map(|cell| cell.rounds.len()).max().unwrap_or(0);
    Results {
        entries: vec![entry_record("app", Lineup::Paired), entry_record("bare", Lineup::Control)],
        cells,
        rounds: u32::try_from(rounds).unwrap(),
        ..blank()
    }
}

pub(crate) fn attempt(round: u32, base: Outcome, head: Outcome) -> Attempt {
    Attempt {
        round,
        attempt: 0,
        entry: entry("app"),
        regime: None,
        case: Case::Scenario(scenario("get")),
        base,
        head,
        first: None,
        generator_limited: false,
    }
}

pub(crate) fn gate(side: Side, case: &str, outcome: GateOutcome) -> GateRecord {
    GateRecord { entry: entry("app"), side, case: Case::Scenario(scenario(case)), outcome }
}
