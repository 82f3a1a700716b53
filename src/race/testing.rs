//! What tests of this room build their races from.

use super::LaneCost;
use crate::model::{
    CommitSha, EntryName, EntryRecord, Fingerprint, GeneratorMode, JudgingRecord, Lineup, Pairing, Presence,
    ProtocolRecord, RegimeRecord, Results, Role, RuntimeName, ScenarioName, ScenarioRecord, Seed, SelectionRecord,
    SideRecord, TimeSpent, VariantName,
};
use crate::plan::{Expect, ExpectedBody, Lane, LanePlan, Protocol, Request, Scenario, Selection, expected_cells};
use std::collections::BTreeMap;

pub(super) fn name(text: &str) -> ScenarioName {
    ScenarioName::new(text).unwrap()
}

pub(super) fn scenario(text: &str, method: &str) -> Scenario {
    Scenario {
        name: name(text),
        category: None,
        request: Request { method: method.to_owned(), path: "/".to_owned(), headers: Vec::new(), body: None },
        expect: Expect { status: 200, media_type: None, headers: BTreeMap::new(), body: ExpectedBody::Anything },
        rate: None,
    }
}

pub(super) fn protocol() -> Protocol {
    Protocol::default()
}

pub(super) fn lane_plan(entry: &str, lineup: Lineup, paired: &[&str]) -> LanePlan {
    LanePlan {
        lane: Lane { entry: EntryName::new(entry).unwrap(), regime: None },
        lineup,
        paired: paired.iter().map(|text| name(text)).collect(),
        one_sided: Vec::new(),
        boot: lineup != Lineup::OneSided,
        paired_runs: Vec::new(),
        one_sided_runs: Vec::new(),
    }
}

pub(super) fn results(lanes: &[LanePlan], scenarios: &[Scenario]) -> Results {
    let side = SideRecord {
        sha: CommitSha::new("a".repeat(40)).unwrap(),
        dirty: false,
        snapshot: None,
        rev: "HEAD".to_owned(),
    };
    let regime = RegimeRecord {
        name: None,
        connections: 64,
        pipelining: 1,
        server_cpus: vec![0],
        load_cpus: vec![1],
        mode: GeneratorMode::Spin,
        pairing: Pairing::Together,
    };
    let entries = lanes.iter().map(|plan| EntryRecord {
        name: plan.lane.entry.clone(),
        variant: VariantName::new(plan.lane.entry.as_str()).unwrap(),
        runtime: RuntimeName::new("node").unwrap(),
        was: Vec::new(),
        label: plan.lane.entry.to_string(),
        role: Role::Subject,
        floor: None,
        presence: Presence::Both,
        lineup: plan.lineup,
        copy_of: None,
        own_files_changed: false,
        about: BTreeMap::new(),
        versions: BTreeMap::new(),
    });
    Results {
        schema: crate::model::SCHEMA_VERSION,
        deadheat: "0".to_owned(),
        quick: false,
        started: "2026-01-01T00:00:00Z".to_owned(),
        base: Some(side.clone()),
        head: side,
        seed: Seed(5),
        selection: SelectionRecord::default(),
        protocol: ProtocolRecord {
            budget_s: 720.0,
            rounds_min: 8,
            rounds_max: 40,
            warmup_ms: 500.0,
            measure_ms: 1000.0,
            slices: 16,
            regimes: vec![regime],
        },
        judging: JudgingRecord { false_alarms: 0.01, relevant: BTreeMap::new(), fail_on_regression: false },
        fingerprint: Fingerprint::default(),
        entries: entries.collect(),
        scenarios: scenarios
            .iter()
            .map(|scenario| ScenarioRecord {
                name: scenario.name.clone(),
                category: None,
                method: scenario.request.method.clone(),
                path: scenario.request.path.clone(),
                rate: None,
            })
            .collect(),
        mixes: Vec::new(),
        cells: expected_cells(lanes, scenarios, &[], &BTreeMap::new(), &Selection::default()),
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

#[test]
fn a_round_costs_what_its_protocol_says() {
    let cost = LaneCost::new(&protocol(), &[scenario("read", "GET")], true, BTreeMap::new());
    // Two starts of 0.15 s, 0.5 s idle, and 0.5 s + 1.08 s on each side.
    let one = lane_plan("a", Lineup::Paired, &["read"]);
    assert!((cost.round_s(std::slice::from_ref(&one)) - 3.96).abs() < 1e-9);
    let mut alone = lane_plan("b", Lineup::OneSided, &[]);
    alone.one_sided = vec![name("read")];
    let both = [one, alone];
    assert!((cost.round_s(&both) - 3.96).abs() < 1e-9);
    assert!((cost.one_sided_round_s(&both) - 1.73).abs() < 1e-9);
}
