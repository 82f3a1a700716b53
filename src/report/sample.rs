//! Hand-made results for the tests: figures whose verdicts are known from the decision rule's reference values.

use crate::model::*;
use std::collections::BTreeMap;

/// The decision rule's A12: a change of about -3 % in log units.
pub(super) const A12: [f64; 12] =
    [-0.031, -0.028, -0.035, -0.024, -0.040, -0.030, -0.027, -0.033, -0.029, 0.004, -0.036, -0.180];
/// The decision rule's B12: the same.
pub(super) const B12: [f64; 12] =
    [0.004, -0.006, 0.009, -0.003, 0.001, -0.008, 0.005, -0.002, 0.007, -0.004, 0.002, -0.005];
/// Too scattered for either.
pub(super) const WILD: [f64; 12] = [0.05, -0.06, 0.09, -0.03, 0.01, -0.08, 0.05, -0.02, 0.07, -0.04, 0.02, -0.05];

pub(super) fn entry(name: &str) -> EntryName {
    EntryName::new(name).unwrap()
}

pub(super) fn scenario(name: &str) -> Case {
    Case::Scenario(ScenarioName::new(name).unwrap())
}

/// Shifts a series by `by` log units.
pub(super) fn moved(series: &[f64], by: f64) -> Vec<f64> {
    series.iter().map(|value| value + by).collect()
}

pub(super) fn key(name: &str, suite: Suite, case: Case, metric: Metric) -> CellKey {
    CellKey { entry: entry(name), regime: None, suite, case, metric }
}

/// A cell whose base is always `base` and whose log-ratios are `ratios`.
pub(super) fn cell(key: CellKey, standing: Standing, base: f64, ratios: &[f64]) -> CellRecord {
    let round = |(round, ratio): (usize, &f64)| RoundValue {
        round: u32::try_from(round).unwrap(),
        base: Some(base),
        head: Some(base * ratio.exp()),
        log_ratio: Some(*ratio),
    };
    CellRecord { key, standing, rounds: ratios.iter().enumerate().map(round).collect() }
}

/// A cell of head alone.
pub(super) fn one_sided(key: CellKey, head: f64) -> CellRecord {
    let round = |round| RoundValue { round, base: None, head: Some(head), log_ratio: None };
    CellRecord { key, standing: Standing::Outside, rounds: (0..3).map(round).collect() }
}

pub(super) fn entry_record(name: &str, label: &str, role: Role, lineup: Lineup) -> EntryRecord {
    let (variant, runtime) = name.split_once('@').unwrap_or((name, "node"));
    EntryRecord {
        name: entry(name),
        variant: VariantName::new(variant).unwrap(),
        runtime: RuntimeName::new(runtime).unwrap(),
        was: Vec::new(),
        label: label.to_owned(),
        role,
        floor: None,
        presence: Presence::Both,
        lineup,
        copy_of: None,
        own_files_changed: false,
        about: BTreeMap::from([("router".to_owned(), "find-my-way".to_owned())]),
        versions: BTreeMap::from([(variant.to_owned(), "5.12.8".to_owned())]),
    }
}

/// What the http suite measures of a scenario, with its base value and the sign by which it follows a slowdown.
const HTTP: [(Metric, f64, f64); 5] = [
    (Metric::Rps, 18_420.0, 1.0),
    (Metric::P50, 412.0, -1.0),
    (Metric::P99, 1_240.0, 0.0),
    (Metric::CpuPerRequest, 52.1, -1.0),
    (Metric::LoadedMemory, 61.5 * 1_048_576.0, 0.0),
];

/// All cells of one scenario; rps, p50 and CPU follow `ratios`, the rest stays the same.
pub(super) fn http(name: &str, case: &str, standing: Standing, ratios: &[f64]) -> Vec<CellRecord> {
    let follow = |sign: f64| -> Vec<f64> {
        if sign == 0.0 { B12.to_vec() } else { ratios.iter().map(|ratio| ratio * sign).collect() }
    };
    HTTP.iter()
        .map(|&(metric, base, sign)| {
            cell(key(name, Suite::Http, scenario(case), metric), standing, base, &follow(sign))
        })
        .chain([cell(
            key(name, Suite::Http, scenario(case), Metric::BytesPerSecond),
            Standing::Outside,
            3.5 * 1_048_576.0,
            ratios,
        )])
        .collect()
}

/// The boot suite's cells.
pub(super) fn boot(name: &str, ratios: &[f64]) -> Vec<CellRecord> {
    [(Metric::ColdStart, 182.0), (Metric::BootCpu, 160.0), (Metric::IdleMemory, 43.6 * 1_048_576.0)]
        .into_iter()
        .map(|(metric, base)| cell(key(name, Suite::Boot, Case::Start, metric), Standing::Judged, base, ratios))
        .collect()
}

pub(super) fn side(digit: char, rev: &str) -> SideRecord {
    SideRecord {
        sha: CommitSha::new(digit.to_string().repeat(40)).unwrap(),
        dirty: false,
        snapshot: None,
        rev: rev.to_owned(),
    }
}

/// A run of fastify (raced in pairs) and express (the control) in which nothing changed: two scenarios and the start.
pub(super) fn unchanged() -> Results {
    let mut cells = http("fastify", "get-user", Standing::Judged, &B12);
    cells.extend(http("fastify", "create-user", Standing::Judged, &B12));
    cells.extend(boot("fastify", &B12));
    cells.extend(http("express", "get-user", Standing::Control, &B12));
    Results {
        schema: SCHEMA_VERSION,
        deadheat: "0.1.0".to_owned(),
        quick: false,
        started: "2026-11-30T14:42:00Z".to_owned(),
        base: Some(side('a', "main")),
        head: side('b', "faster-router"),
        seed: Seed(42),
        selection: SelectionRecord::default(),
        protocol: ProtocolRecord {
            budget_s: 720.0,
            rounds_min: 8,
            rounds_max: 40,
            warmup_ms: 500.0,
            measure_ms: 1000.0,
            slices: 16,
            regimes: vec![RegimeRecord {
                name: None,
                connections: 64,
                pipelining: 1,
                server_cpus: vec![0],
                load_cpus: vec![1],
                mode: GeneratorMode::Spin,
                pairing: Pairing::Together,
            }],
        },
        judging: JudgingRecord { false_alarms: 0.01, relevant: BTreeMap::new(), fail_on_regression: false },
        fingerprint: Fingerprint {
            cpu: "AMD EPYC 7763 64-Core Processor".to_owned(),
            cpus: 4,
            memory: 16_770_338_816,
            kernel: "6.11.0-1018-azure".to_owned(),
            system: "Ubuntu 24.04.3 LTS".to_owned(),
            toolchains: BTreeMap::from([("node".to_owned(), "v24.22.3".to_owned())]),
        },
        entries: vec![
            entry_record("fastify", "Fastify", Role::Subject, Lineup::Paired),
            entry_record("express", "Express", Role::Reference, Lineup::Control),
        ],
        scenarios: ["get-user", "create-user"]
            .into_iter()
            .map(|name| ScenarioRecord {
                name: ScenarioName::new(name).unwrap(),
                category: None,
                method: "GET".to_owned(),
                path: "/users/1".to_owned(),
                rate: None,
            })
            .collect(),
        mixes: Vec::new(),
        attempts: attempts(&cells, |_, _| Outcome::Measured),
        cells,
        gate: Vec::new(),
        failures: Vec::new(),
        observations: Vec::new(),
        machine: None,
        calibration: None,
        configuration: None,
        rounds: 12,
        time: TimeSpent {
            build_s: 64.0,
            gate_s: 3.2,
            race_s: 400.0,
            warmup_s: 60.0,
            slices_s: 220.0,
            boot_s: 70.0,
            runs_s: 0.0,
        },
        not_raced: None,
        warnings: Vec::new(),
    }
}

/// One attempt per round and case, ending for head as `head` says.
pub(super) fn attempts(cells: &[CellRecord], head: impl Fn(&CellKey, u32) -> Outcome) -> Vec<Attempt> {
    let mut seen = std::collections::BTreeSet::new();
    let mut attempts = Vec::new();
    for cell in cells.iter().filter(|cell| cell.standing != Standing::Outside) {
        if !seen.insert((cell.key.entry.clone(), cell.key.case.clone())) {
            continue;
        }
        attempts.extend((0..12).map(|round| Attempt {
            round,
            attempt: 0,
            entry: cell.key.entry.clone(),
            regime: cell.key.regime.clone(),
            case: cell.key.case.clone(),
            base: Outcome::Measured,
            head: head(&cell.key, round),
            first: None,
            generator_limited: false,
        }));
    }
    attempts
}

/// `get-user` is slower by A12 and 7 % more, the rest the same; one cell is undecided.
pub(super) fn changed() -> Results {
    let mut results = unchanged();
    let mut cells = http("fastify", "get-user", Standing::Judged, &moved(&A12, -0.07));
    cells.extend(http("fastify", "create-user", Standing::Judged, &B12));
    cells[8] = cell(cells[8].key.clone(), Standing::Judged, 1_240.0, &WILD.map(|value| value * 6.0));
    cells.extend(results.cells.split_off(12));
    results.cells = cells;
    results
}

/// The control moved as much as A12.
pub(super) fn unusable() -> Results {
    let mut results = changed();
    let start = results.cells.len() - 6;
    results.cells.truncate(start);
    results.cells.extend(http("express", "get-user", Standing::Control, &A12));
    results
}

/// Head fails `create-user` in five of twelve rounds, and hono did not build.
pub(super) fn failing() -> Results {
    let mut results = unchanged();
    let case = scenario("create-user");
    for cell in results.cells.iter_mut().filter(|cell| cell.key.case == case) {
        cell.rounds.retain(|value| value.round % 12 < 7);
    }
    results.attempts =
        attempts(
            &results.cells,
            |key, round| {
                if key.case == case && round >= 7 { Outcome::Failed } else { Outcome::Measured }
            },
        );
    let failure = |entry: &str, side, phase, kind, message: &str| Failure {
        round: Some(7),
        entry: self::entry(entry),
        side: Some(side),
        scenario: None,
        phase,
        kind,
        message: message.to_owned(),
        output: None,
    };
    results.failures = vec![
        Failure {
            round: None,
            output: Some("src/index.ts(3,7): error TS2322\nnpm error code 2\n".to_owned()),
            ..failure(
                "hono",
                Side::Head,
                Phase::Build,
                FailureKind::BuildFailed,
                "`npm run build` ended with exit code 2",
            )
        },
        Failure {
            scenario: Some(ScenarioName::new("create-user").unwrap()),
            ..failure(
                "fastify",
                Side::Head,
                Phase::Load,
                FailureKind::WrongAnswer,
                "answer 1,001 has status 500 where 201 is expected",
            )
        },
    ];
    let mut hono = entry_record("hono", "Hono", Role::Subject, Lineup::Absent);
    hono.own_files_changed = true;
    results.entries.push(hono);
    results.gate = Side::BOTH
        .into_iter()
        .map(|side| GateRecord {
            entry: entry("hono"),
            side,
            case: Case::Scenario(ScenarioName::new("get-user").unwrap()),
            outcome: if side == Side::Base { GateOutcome::Passed } else { GateOutcome::NotAsked },
        })
        .collect();
    for mut cell in http("hono", "get-user", Standing::Judged, &B12) {
        cell.rounds.clear();
        results.cells.push(cell);
    }
    results.observations = vec![Observation {
        entry: entry("fastify"),
        side: Side::Head,
        kind: ObservationKind::IgnoredTermination,
        message: "it was killed 2 s after SIGTERM".to_owned(),
        times: 12,
    }];
    results
}

/// Head alone, with three one-sided references and a layer.
pub(super) fn alone() -> Results {
    let mut results = unchanged();
    results.base = None;
    results.cells.clear();
    results.attempts.clear();
    let mut nest = entry_record("nestjs-fastify", "NestJS (Fastify)", Role::Reference, Lineup::OneSided);
    nest.floor = Some(entry("fastify"));
    results.entries = vec![
        entry_record("express", "Express", Role::Reference, Lineup::OneSided),
        entry_record("fastify", "Fastify", Role::Subject, Lineup::OneSided),
        nest,
    ];
    for (name, rps, start) in
        [("express", 24_000.0, 150.0), ("fastify", 62_901.0, 182.0), ("nestjs-fastify", 48_369.0, 640.0)]
    {
        for (metric, value) in [
            (Metric::Rps, rps),
            (Metric::P50, 64e6 / rps),
            (Metric::P99, 200e6 / rps),
            (Metric::CpuPerRequest, 1e6 / rps),
            (Metric::LoadedMemory, 64e6),
        ] {
            results.cells.push(one_sided(key(name, Suite::Http, scenario("get-user"), metric), value));
        }
        results.cells.push(one_sided(key(name, Suite::Boot, Case::Start, Metric::ColdStart), start));
        results.cells.push(one_sided(key(name, Suite::Boot, Case::Start, Metric::IdleMemory), 46e6));
    }
    results.cells.push(one_sided(key("nestjs-fastify", Suite::Http, scenario("get-user"), Metric::LayerCost), 0.231));
    results
}

/// Two regimes, an open loop, a mix and a faster boot.
pub(super) fn mixed() -> Results {
    let mut results = unchanged();
    results.protocol.regimes[0].name = Some(RegimeName::new("one-core").unwrap());
    let mut second = results.protocol.regimes[0].clone();
    second.name = Some(RegimeName::new("pipelined").unwrap());
    second.pipelining = 16;
    second.mode = GeneratorMode::Sleep;
    results.protocol.regimes.push(second);
    let mut cells = Vec::new();
    for regime in ["one-core", "pipelined"] {
        for mut cell in http("fastify", "get-user", Standing::Judged, if regime == "one-core" { &B12 } else { &A12 }) {
            cell.key.regime = Some(RegimeName::new(regime).unwrap());
            cells.push(cell);
        }
    }
    for (metric, base) in [(Metric::P50, 300.0), (Metric::P99, 9_000.0), (Metric::P999, 91_000.0)] {
        cells.push(cell(key("fastify", Suite::OpenLoop, scenario("get-user"), metric), Standing::Judged, base, &B12));
    }
    cells.extend(boot("fastify", &moved(&A12, -0.1)));
    let mix = Case::Mix(MixName::new("saas").unwrap());
    cells.push(cell(key("fastify", Suite::Http, mix, Metric::Rps), Standing::Outside, 15_000.0, &B12));
    cells.extend(results.cells.split_off(15));
    results.cells = cells;
    results
}

/// Whatever text the model lets through is hostile.
pub(super) fn hostile() -> Results {
    const EVIL: &str = "@octocat </details> | `x` ``y`` [a](http://e.vil) #1 \u{202e}gnp.exe\u{200b}\n\n# Title";
    let mut results = failing();
    results.head.rev = EVIL.to_owned();
    results.deadheat = EVIL.to_owned();
    results.started = EVIL.to_owned();
    results.warnings = vec![EVIL.to_owned(); 9];
    results.fingerprint.cpu = EVIL.to_owned();
    results.fingerprint.kernel = EVIL.to_owned();
    results.fingerprint.system = EVIL.to_owned();
    results.fingerprint.toolchains = BTreeMap::from([(EVIL.to_owned(), EVIL.to_owned())]);
    for entry in &mut results.entries {
        entry.label = EVIL.to_owned();
        entry.about = BTreeMap::from([(EVIL.to_owned(), EVIL.to_owned())]);
        entry.versions = entry.about.clone();
    }
    for failure in &mut results.failures {
        failure.message = EVIL.to_owned();
        failure.output = Some(format!("```\n{EVIL}\n~~~~\n`````\n</details>\n\u{1b}[31mred"));
    }
    for seen in &mut results.observations {
        seen.message = EVIL.to_owned();
    }
    results
}

/// A quick run on shared CPUs, of a dirty tree, without a control.
pub(super) fn quick() -> Results {
    let mut results = changed();
    results.quick = true;
    results.head.dirty = true;
    results.rounds = 1;
    results.cells.retain(|cell| cell.standing != Standing::Control);
    for cell in &mut results.cells {
        cell.rounds.truncate(1);
    }
    results.warnings = vec!["servers and load generator share CPU 0".to_owned()];
    results
}
