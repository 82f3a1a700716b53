//! Who takes which part, and which cells are expected of whom.

use super::{
    CommandLine, Configuration, Expect, ExpectedBody, GithubSettings, Judging, Lane, LanePlan, Mix, Protocol, Request,
    Runtime, Scenario, Selection, SideBuild, Standings, Variant, choose_control, entries, expected_cells, lineup,
    mixes, regimes,
};
use crate::model::{
    Case, CategoryName, CellRecord, EntryName, Lineup, Metric, MixName, Pairing, Presence, Role, RuntimeName,
    ScenarioName, Standing, Suite, VariantName,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

fn variant(name: &str, floor: Option<&str>, runtimes: &[&str]) -> Variant {
    let runtime = |name: &&str| Runtime {
        name: RuntimeName::new(*name).unwrap(),
        start: vec!["node".to_owned()],
        build: Vec::<CommandLine>::new(),
    };
    Variant {
        directory: PathBuf::from(name),
        name: VariantName::new(name).unwrap(),
        label: name.to_owned(),
        role: Role::Subject,
        floor: floor.map(|floor| VariantName::new(floor).unwrap()),
        build: Vec::new(),
        inputs: vec![PathBuf::from(".")],
        about: BTreeMap::new(),
        services: Vec::new(),
        pass_env: Vec::new(),
        pairing: Pairing::Together,
        versions: Vec::new(),
        env: BTreeMap::new(),
        was: Vec::new(),
        runtimes: runtimes.iter().map(runtime).collect(),
        ready: ScenarioName::new("read").unwrap(),
        process: None,
        clean_build: None,
    }
}

fn scenario(name: &str, category: &str, method: &str, rate: Option<f64>) -> Scenario {
    Scenario {
        name: ScenarioName::new(name).unwrap(),
        category: Some(CategoryName::new(category).unwrap()),
        request: Request { method: method.to_owned(), path: "/".to_owned(), headers: Vec::new(), body: None },
        expect: Expect { status: 200, media_type: None, headers: BTreeMap::new(), body: ExpectedBody::Anything },
        rate,
    }
}

fn configuration() -> Configuration {
    Configuration {
        variants: vec![
            variant("plain", None, &["node"]),
            variant("frame", Some("plain"), &["node", "bun"]),
            variant("rust", None, &["native"]),
        ],
        scenarios: vec![
            scenario("read", "reads", "GET", Some(100.0)),
            scenario("list", "reads", "GET", None),
            scenario("write", "writes", "POST", None),
        ],
        build: SideBuild { run: Vec::new(), ignore: Vec::new(), time_limit: Duration::from_mins(20) },
        protocol: Protocol::default(),
        judging: Judging {
            false_alarms: 0.01,
            relevant: BTreeMap::new(),
            fail_on_regression: false,
            accepted_label: String::new(),
        },
        regimes: Vec::new(),
        services: Vec::new(),
        mixes: vec![Mix {
            name: MixName::new("api").unwrap(),
            weights: BTreeMap::from([
                (CategoryName::new("reads").unwrap(), 30.0),
                (CategoryName::new("writes").unwrap(), 10.0),
            ]),
        }],
        github: GithubSettings::default(),
        baseline: super::BaselineStore::Auto,
        contract_directory: PathBuf::from("contract"),
        variants_directory: PathBuf::from("variants"),
    }
}

fn names(names: &[&str]) -> Vec<ScenarioName> {
    names.iter().map(|name| ScenarioName::new(*name).unwrap()).collect()
}

fn lane(entry: &str, lineup: Lineup, paired: &[&str], one_sided: &[&str]) -> LanePlan {
    let lane = Lane { entry: EntryName::new(entry).unwrap(), regime: None };
    LanePlan {
        lane,
        lineup,
        paired: names(paired),
        one_sided: names(one_sided),
        boot: true,
        paired_runs: Vec::new(),
        one_sided_runs: Vec::new(),
    }
}

#[test]
fn an_entry_stands_on_the_floor_of_its_own_runtime() {
    let found = entries(&configuration(), &Selection::default());
    let list: Vec<(&str, Option<&str>)> =
        found.iter().map(|entry| (entry.name.as_str(), entry.floor.as_ref().map(EntryName::as_str))).collect();
    // plain has no bun, and a variant with one runtime is called by its own name alone.
    let expected = [("plain", None), ("frame@node", Some("plain")), ("frame@bun", None), ("rust", None)];
    assert_eq!(list, expected);
    let only = Selection { variants: vec![VariantName::new("frame").unwrap()], ..Selection::default() };
    let found = entries(&configuration(), &only);
    assert!(found.iter().all(|entry| entry.floor.is_none()), "a floor that is not raced is none");
    assert_eq!(found[0].name.as_str(), "frame@node", "the name does not depend on the selection");
}

#[test]
fn every_unknown_name_of_a_selection_is_said() {
    let selection = Selection {
        variants: vec![VariantName::new("plain").unwrap(), VariantName::new("palin").unwrap()],
        runtimes: vec![RuntimeName::new("deno").unwrap()],
        suites: Vec::new(),
        scenarios: names(&["read", "wirte"]),
    };
    let unknown: Vec<String> = selection.unknown_names(&configuration()).iter().map(ToString::to_string).collect();
    let expected = [
        "no variant is called `palin`; there are: plain, frame, rust",
        "no runtime is called `deno`; there are: bun, native, node",
        "no scenario is called `wirte`; there are: read, list, write",
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn only_what_runs_on_both_sides_is_paired() {
    let standings =
        |presence, base_runs, head_runs| Standings { presence, base_runs, head_runs, inputs_changed: false };
    let part = |role, presence, base, head| lineup(role, standings(presence, base, head), true);
    assert_eq!(part(Role::Subject, Presence::Both, true, true), Lineup::Paired);
    assert_eq!(part(Role::Subject, Presence::Both, false, true), Lineup::OneSided);
    assert_eq!(part(Role::Subject, Presence::Both, true, false), Lineup::Absent);
    assert_eq!(part(Role::Subject, Presence::New, false, true), Lineup::OneSided);
    assert_eq!(part(Role::Subject, Presence::Gone, true, false), Lineup::Absent);
    assert_eq!(part(Role::Reference, Presence::Both, true, true), Lineup::OneSided);
    assert_eq!(lineup(Role::Subject, standings(Presence::Both, false, true), false), Lineup::OneSided);
}

#[test]
fn the_control_is_the_first_reference_that_the_pull_request_leaves_alone() {
    let entry = |name: &str| EntryName::new(name).unwrap();
    let (subject, changed, broken, good) = (entry("subject"), entry("changed"), entry("broken"), entry("good"));
    let runs = |head_runs, inputs_changed| Standings {
        presence: Presence::Both,
        base_runs: head_runs,
        head_runs,
        inputs_changed,
    };
    let candidates = [
        (&subject, Role::Subject, runs(true, false)),
        (&changed, Role::Reference, runs(true, true)),
        (&broken, Role::Reference, runs(false, false)),
        (&good, Role::Reference, runs(true, false)),
    ];
    assert_eq!(choose_control(candidates), Some(&good));
    assert_eq!(choose_control(candidates[..3].iter().copied()), None);
}

fn count(cells: &[CellRecord], entry: &str, standing: Standing) -> usize {
    cells.iter().filter(|cell| cell.key.entry.as_str() == entry && cell.standing == standing).count()
}

#[test]
fn every_cell_is_listed_before_the_first_round_with_its_standing() {
    let configuration = configuration();
    let lanes = [
        lane("plain", Lineup::Control, &["read"], &["list", "write"]),
        lane("frame@node", Lineup::Paired, &["read", "list"], &["write"]),
        lane("rust", Lineup::OneSided, &[], &["read", "list", "write"]),
    ];
    let selection = Selection::default();
    let mixes = mixes(&configuration, &selection, &lanes);
    let floors = BTreeMap::from([(EntryName::new("frame@node").unwrap(), EntryName::new("plain").unwrap())]);
    let cells = expected_cells(&lanes, &configuration.scenarios, &mixes, &floors, &selection);
    // Judged: rps, p50, p99, CPU and memory of two GET scenarios, p50, p99 and p99.9 of one open loop, three of a start.
    assert_eq!(count(&cells, "frame@node", Standing::Judged), 5 * 2 + 3 + 3);
    // The control: the same of its one scenario.
    assert_eq!(count(&cells, "plain", Standing::Control), 5 + 3 + 3);
    assert_eq!(count(&cells, "plain", Standing::Judged) + count(&cells, "rust", Standing::Judged), 0);
    let has = |entry: &str, metric: Metric, case: &Case| {
        cells.iter().any(|cell| cell.key.entry.as_str() == entry && cell.key.metric == metric && cell.key.case == *case)
    };
    let write = Case::Scenario(ScenarioName::new("write").unwrap());
    assert!(has("rust", Metric::Rps, &write) && !has("rust", Metric::LoadedMemory, &write), "POSTs make memory grow");
    assert!(has("frame@node", Metric::LayerCost, &write) && !has("rust", Metric::LayerCost, &write));
    assert!(has("rust", Metric::Rps, &Case::Mix(MixName::new("api").unwrap())));
    assert!(has("rust", Metric::Rps, &Case::Category(CategoryName::new("reads").unwrap())));
    assert!(
        !has("rust", Metric::Rps, &Case::Category(CategoryName::new("writes").unwrap())),
        "one scenario is no category"
    );

    let boot = Selection { suites: vec![Suite::Boot], ..Selection::default() };
    let cells = expected_cells(&lanes, &configuration.scenarios, &mixes, &floors, &boot);
    assert!(cells.iter().all(|cell| cell.key.suite == Suite::Boot));
    assert_eq!(cells.len(), 3 * 3);
}

#[test]
fn a_mix_is_weighted_by_scenario_and_holds_for_who_answers_all_of_it() {
    let configuration = configuration();
    let lanes =
        [lane("plain", Lineup::Paired, &["read", "list", "write"], &[]), lane("rust", Lineup::Paired, &["read"], &[])];
    let found = mixes(&configuration, &Selection::default(), &lanes);
    // 30 of 40 over two reads, 10 of 40 over one write.
    let weights: Vec<(&str, f64)> = found[0].scenarios.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
    let expected = [("list", 0.375), ("read", 0.375), ("write", 0.25)];
    assert_eq!(weights.len(), 3);
    for ((name, weight), (expected_name, expected)) in weights.iter().zip(expected) {
        assert!(*name == expected_name && (weight - expected).abs() < 1e-12, "{name} {weight}");
    }
    assert_eq!(found[0].entries, [EntryName::new("plain").unwrap()]);
    let part = Selection { scenarios: names(&["read"]), ..Selection::default() };
    assert!(mixes(&configuration, &part, &lanes).is_empty(), "a part of a mix is another number");
    assert_eq!(regimes(&configuration), [None]);
}
