//! Figures and structures that no race gives: whatever a verdict and a report are made of, both come to an end and say
//! nothing that is no number.

use super::page::outline_of_odd_figures;
use deadheat::model::*;
use deadheat::report::{
    Format, TemplateOverrides, check_output, commit_comment, plain_headline, render_judged, short_verdict,
};
use deadheat::verdict::{conclusion, judge, outcome, still_racing};

/// A stream of numbers without a pattern (the constants of Knuth's MMIX).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn seldom(&mut self) -> bool {
        self.below(8) == 0
    }

    fn small(&mut self) -> u32 {
        u32::try_from(self.below(50)).unwrap()
    }

    /// Zeros, the smallest and the largest floats, what is no number, and now and then something plain.
    fn figure(&mut self) -> f64 {
        const ODD: [f64; 16] = [
            0.0,
            -0.0,
            5e-324,
            -5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e15,
            -1.0,
            1.0,
            709.9,
            -745.2,
            1e-17,
        ];
        match self.below(3) {
            0 => self.one_of(&ODD),
            1 => f64::from_bits(u64::try_from(self.below(1 << 31)).unwrap() << 33 | 1),
            _ => 1.0 + f64::from(self.small()) / 100.0,
        }
    }

    fn ratio(&mut self) -> f64 {
        match self.below(4) {
            0 => self.figure(),
            1 => -0.3,
            _ => (f64::from(self.small()) - 25.0) / 400.0,
        }
    }
}

fn name(numbers: &mut Numbers) -> EntryName {
    // The last is among nobody's entries.
    EntryName::new(numbers.one_of(&["a", "b", "c@node", "c@bun", "d", "nobody"])).unwrap()
}

fn case(numbers: &mut Numbers) -> Case {
    let name = numbers.one_of(&["get", "post", "x"]);
    match numbers.below(5) {
        0 => Case::Start,
        1 => Case::Mix(MixName::new(name).unwrap()),
        2 => Case::Category(CategoryName::new(name).unwrap()),
        _ => Case::Scenario(ScenarioName::new(name).unwrap()),
    }
}

fn regime(numbers: &mut Numbers) -> Option<RegimeName> {
    numbers.seldom().then(|| RegimeName::new("one-core").unwrap())
}

fn rounds(numbers: &mut Numbers) -> Vec<RoundValue> {
    let count = numbers.one_of(&[0, 1, 7, 8, 12, 13, 40, 90]);
    // Half of them plausible, so that something is proved.
    let tame = numbers.below(2) == 0;
    let drift = numbers.ratio();
    (0..count)
        .map(|round| {
            let mut value = RoundValue { round, base: Some(1000.0), head: Some(1000.0), log_ratio: Some(drift) };
            if !tame {
                value.round = if numbers.seldom() { u32::MAX - numbers.small() } else { numbers.small() };
                value.base = (!numbers.seldom()).then(|| numbers.figure());
                value.head = (!numbers.seldom()).then(|| numbers.figure());
                value.log_ratio = (!numbers.seldom()).then(|| numbers.ratio());
            }
            value
        })
        .collect()
}

const STANDINGS: [Standing; 4] = [Standing::Judged, Standing::Judged, Standing::Control, Standing::Outside];
const OUTCOMES: [Outcome; 3] = [Outcome::Measured, Outcome::Failed, Outcome::Skipped];
const GATE: [GateOutcome; 4] = [GateOutcome::Passed, GateOutcome::Passed, GateOutcome::Failed, GateOutcome::NotAsked];

/// Results in which hardly anything fits.
fn anything(seed: u64) -> Results {
    let mut numbers = Numbers(seed);
    let n = &mut numbers;
    let mut run: Results = serde_json::from_str(include_str!("../../fixtures/results/failing.json")).unwrap();
    let entry = run.entries[0].clone();
    run.entries = (0..n.below(7))
        .map(|_| EntryRecord {
            name: name(n),
            floor: n.seldom().then(|| name(n)),
            role: n.one_of(&[Role::Subject, Role::Reference]),
            presence: n.one_of(&[Presence::Both, Presence::Both, Presence::New, Presence::Gone]),
            lineup: n.one_of(&[Lineup::Paired, Lineup::Control, Lineup::OneSided, Lineup::Absent]),
            runtime: RuntimeName::new(n.one_of(&["node", "native"])).unwrap(),
            own_files_changed: n.seldom(),
            ..entry.clone()
        })
        .collect();
    run.cells = (0..n.below(60))
        .map(|_| {
            let suite = n.one_of(&[Suite::Http, Suite::Http, Suite::OpenLoop, Suite::Boot]);
            let metric = n.one_of(&Metric::ALL);
            let key = CellKey { entry: name(n), regime: regime(n), suite, case: case(n), metric };
            CellRecord { key, standing: n.one_of(&STANDINGS), rounds: rounds(n) }
        })
        .collect();
    let side = n.one_of(&Side::BOTH);
    run.gate = (0..n.below(20))
        .map(|_| GateRecord {
            entry: name(n),
            side: n.one_of(&Side::BOTH),
            case: Case::Scenario(ScenarioName::new(n.one_of(&["get", "post"])).unwrap()),
            outcome: n.one_of(&GATE),
        })
        .collect();
    run.attempts = (0..n.below(200))
        .map(|_| Attempt {
            round: n.small(),
            attempt: n.small(),
            entry: name(n),
            regime: regime(n),
            case: case(n),
            base: n.one_of(&OUTCOMES),
            head: n.one_of(&OUTCOMES),
            first: n.seldom().then_some(side),
            generator_limited: n.seldom(),
        })
        .collect();
    for failure in &mut run.failures {
        failure.entry = name(n);
        failure.side = n.seldom().then_some(side);
        failure.round = n.seldom().then_some(u32::MAX);
    }
    if n.seldom() {
        run.base = None;
    }
    run.quick = n.seldom();
    if n.seldom() {
        run.protocol.regimes.clear();
    }
    run.rounds = n.one_of(&[0, 1, 12, u32::MAX]);
    run.protocol.rounds_max = n.one_of(&[0, 12, 40, u32::MAX]);
    run.protocol.rounds_min = n.one_of(&[0, 8, u32::MAX]);
    run.protocol.slices = n.one_of(&[0, 16, u32::MAX]);
    for figure in [&mut run.protocol.budget_s, &mut run.protocol.measure_ms, &mut run.protocol.warmup_ms] {
        *figure = n.figure();
    }
    run.judging.false_alarms = if n.seldom() { n.figure() } else { 0.01 };
    if n.seldom() {
        run.judging.relevant.insert(Metric::Rps, n.figure());
    }
    let time = &mut run.time;
    for figure in [
        &mut time.build_s,
        &mut time.gate_s,
        &mut time.race_s,
        &mut time.warmup_s,
        &mut time.slices_s,
        &mut time.boot_s,
    ] {
        *figure = n.figure();
    }
    run.machine = (!n.seldom()).then(|| MachineRecord {
        slice_pairs: n.one_of(&[0, 16, u32::MAX]),
        repeated: n.one_of(&[0, 3, u32::MAX]),
        disturbed: n.one_of(&[0, 3, u32::MAX]),
        watched_s: n.figure(),
        steal_s: n.figure(),
        foreign_s: n.figure(),
        pressure_s: n.seldom().then(|| n.figure()),
        thermal_throttles: n.seldom().then_some(u64::MAX),
        quota_throttled_s: (!n.seldom()).then(|| n.figure()),
    });
    run.fingerprint.memory = n.one_of(&[0, u64::MAX]);
    run.fingerprint.cpus = n.one_of(&[0, usize::MAX]);
    run.seed = Seed(n.one_of(&[0, u64::MAX]));
    run
}

fn no_figure_is_none(text: &str, run: u64) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        assert!(!["nan", "inf", "infinity"].contains(&word.to_ascii_lowercase().as_str()), "run {run}: {text}");
    }
}

/// Everything that is made of results.
fn everything(results: &Results, run: u64) {
    let verdict = judge(results);
    assert_eq!(verdict.cells.len(), results.cells.len());
    let _ = still_racing(results);
    let overrides = TemplateOverrides::new();
    let render = |format| render_judged(results, &verdict, format, &overrides).unwrap();
    let document: serde_json::Value = serde_json::from_str(&render(Format::Json)).unwrap();
    assert_eq!(document["cells"].as_array().map(Vec::len), Some(results.cells.len()));
    let check = conclusion(outcome(results, &verdict), true, false, false);
    let check = check_output(results, &verdict, check, None, &overrides).unwrap();
    let commit = commit_comment(results, &verdict, None, &overrides).unwrap();
    let comment = render(Format::Markdown);
    let summary = render(Format::Summary);
    for text in [&comment, &summary, &check.summary, &commit] {
        outline_of_odd_figures(text);
    }
    let plain = [check.title, plain_headline(results, &verdict), short_verdict(results, &verdict), render(Format::Csv)];
    for text in plain.iter().chain([&comment, &summary]) {
        no_figure_is_none(text, run);
    }
    assert!(comment.encode_utf16().count() <= 65_536 - 4_096 && check.summary.encode_utf16().count() <= 65_535);
}

#[test]
fn nothing_is_too_odd_to_be_judged_and_shown() {
    for run in 0..200 {
        everything(&anything(run), run);
    }
}
