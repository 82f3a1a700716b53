//! A page of results of known answer, what it claims and what not, and what must hold whatever is reported.

use super::super::cells::Run;
use super::super::render::ReportError;
use super::super::sample::{self, B12, entry_record, key, scenario};
use super::super::templates::TemplateOverrides;
use super::chart::Theme;
use super::field::Field;
use super::*;
use crate::model::*;
use crate::verdict::judge;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A cell of head alone over twelve rounds around `middle`; the noise of each `turn` comes in another order.
fn cell(name: &str, suite: Suite, case: Case, metric: Metric, middle: f64, turn: usize) -> CellRecord {
    let value = |round: usize| middle * B12[(round + turn * 5) % B12.len()].exp();
    let rounds = (0..B12.len()).map(|round| RoundValue {
        round: u32::try_from(round).unwrap(),
        base: None,
        head: Some(value(round)),
        log_ratio: None,
    });
    CellRecord { key: key(name, suite, case, metric), standing: Standing::Outside, rounds: rounds.collect() }
}

const MEBI: f64 = 1_048_576.0;

/// Fastify, Express and NestJS on Fastify with two scenarios, a mix, a start, a process of two cases and a build; Hono did
/// not pass the gate. Express has about half of Fastify's requests per second, and NestJS 23 % less than Fastify.
fn raced() -> Results {
    let mut results = sample::alone();
    results.cells.clear();
    results.rounds = 12;
    let mut hono = entry_record("hono", "Hono", Role::Reference, Lineup::Absent);
    hono.about = BTreeMap::from([("di".to_owned(), "none".to_owned()), ("http".to_owned(), "node:http".to_owned())]);
    results.entries[0].role = Role::Reference;
    results.entries.push(hono);
    let create = Metric::Figure(FigureName::new("create_ms").unwrap());
    let run = |providers: u32| CaseName::new(format!("providers={providers}")).unwrap();
    let mix = || Case::Mix(MixName::new("api").unwrap());
    for (turn, (name, rps, start)) in
        [("express", 31_000.0, 150.0), ("fastify", 62_000.0, 182.0), ("nestjs-fastify", 47_740.0, 640.0)]
            .into_iter()
            .enumerate()
    {
        let mut add =
            |suite, case: Case, metric, middle| results.cells.push(cell(name, suite, case, metric, middle, turn));
        for (case, share) in [("get-user", 1.0), ("create-user", 0.5)] {
            let rps = rps * share;
            for (metric, middle) in [
                (Metric::Rps, rps),
                (Metric::P50, 60e6 / rps),
                (Metric::P90, 90e6 / rps),
                (Metric::P99, 200e6 / rps),
                (Metric::P999, 400e6 / rps),
                (Metric::Mean, 64e6 / rps),
                (Metric::Requests, rps / 4.0),
                (Metric::BytesPerSecond, rps * 180.0),
                (Metric::CpuPerRequest, 1e6 / rps),
                (Metric::LoadedMemory, 60.0 * MEBI + start * 1e5),
            ] {
                add(Suite::Http, scenario(case), metric, middle);
            }
        }
        add(Suite::Http, mix(), Metric::Rps, rps * 0.75);
        add(Suite::Boot, Case::Start, Metric::ColdStart, start);
        add(Suite::Boot, Case::Start, Metric::IdleMemory, 40.0 * MEBI + start * 1e5);
        for providers in [100, 1_000] {
            add(Suite::Process, Case::Process(run(providers)), create, start * f64::from(providers) / 1_000.0);
            add(Suite::Process, Case::Process(run(providers)), Metric::Wall, start * 4.0);
            add(Suite::Process, Case::Process(run(providers)), Metric::PeakMemory, 90.0 * MEBI);
        }
        add(Suite::Build, Case::Build(CaseName::once()), Metric::Wall, start * 10.0);
        add(Suite::Build, Case::Build(CaseName::once()), Metric::OutputSize, 20_000.0);
    }
    results.mixes = vec![MixRecord {
        name: MixName::new("api").unwrap(),
        categories: BTreeMap::new(),
        scenarios: ["get-user", "create-user"].map(|name| (ScenarioName::new(name).unwrap(), 0.5)).into(),
        entries: Vec::new(),
    }];
    let gate = |entry: &str, outcome| GateRecord {
        entry: sample::entry(entry),
        side: Side::Head,
        case: scenario("get-user"),
        outcome,
    };
    results.gate = vec![
        gate("express", GateOutcome::Passed),
        gate("fastify", GateOutcome::Passed),
        gate("nestjs-fastify", GateOutcome::Passed),
        gate("hono", GateOutcome::Failed),
    ];
    results.failures = vec![Failure {
        round: None,
        entry: sample::entry("hono"),
        side: Some(Side::Head),
        scenario: Some(ScenarioName::new("get-user").unwrap()),
        phase: Phase::Gate,
        kind: FailureKind::WrongAnswer,
        message: "the body differs at byte 7: `{\"id\":2` where `{\"id\":1` is expected".to_owned(),
        output: None,
    }];
    results
}

fn markdown(results: &Results) -> String {
    page(results, Some("page"), &TemplateOverrides::new()).unwrap().markdown.replace('\u{a0}', " ")
}

fn claims_of(results: &Results) -> Vec<String> {
    let verdict = judge(results);
    let run = Run::new(results, &verdict);
    claims::claims(&Field::new(&run)).into_iter().map(|claim| claim.replace('\u{a0}', " ")).collect()
}

/// Multiplies every value of a cell.
fn scaled(results: &mut Results, name: &str, case: &Case, metric: Metric, by: f64) {
    let cells = results
        .cells
        .iter_mut()
        .filter(|cell| cell.key.entry.as_str() == name && cell.key.case == *case && cell.key.metric == metric);
    for value in cells.flat_map(|cell| &mut cell.rounds) {
        value.head = value.head.map(|head| head * by);
    }
}

#[test]
fn a_page() {
    insta::assert_snapshot!("page", markdown(&raced()));
}

#[test]
fn a_page_of_a_comparison_shows_heads_values() {
    let text = markdown(&sample::changed());
    assert!(text.contains("Two commits were raced; the figures here are head's."), "{text}");
    assert!(text.contains("nothing was measured") || text.contains("## Requests per second and latency"));
}

#[test]
fn what_proves_nothing_makes_no_page() {
    let refused = |change: &dyn Fn(&mut Results)| {
        let mut results = raced();
        change(&mut results);
        page(&results, None, &TemplateOverrides::new()).unwrap_err()
    };
    let quick = refused(&|results| results.quick = true);
    assert_eq!(quick, ReportError::NoPage(NoPage::Quick));
    assert!(quick.to_string().starts_with("failed to render a page: quick results prove nothing"), "{quick}");
    let calibration = refused(&|results| results.calibration = Some(CalibrationRecord::default()));
    assert_eq!(calibration, ReportError::NoPage(NoPage::Calibration));
    let not_raced = refused(&|results| {
        results.not_raced = Some(NotRaced { reason: NotRacedReason::NotAsked, message: "a draft".to_owned() });
    });
    assert_eq!(not_raced, ReportError::NoPage(NoPage::NotRaced));
    assert_eq!(refused(&|results| results.cells.clear()), ReportError::NoPage(NoPage::NoFigures));
}

#[test]
fn every_multiple_is_said_with_its_interval() {
    let claims = claims_of(&raced());
    // 62,000 over 47,740 is 1.2987, and 62,000 over 31,000 is 2; the intervals are those of a calculation apart.
    assert!(claims[0].starts_with("Mix `api`: **Fastify** answered 1.30 times (1.29 to 1.31) as many requests per second as NestJS (Fastify), the next, and 2.00 times (1.98 to 2.02) as many as Express, the last."), "{}", claims[0]);
    assert!(
        claims.iter().any(|claim| claim == "Of 2 scenarios, by requests per second: Fastify leads in 2."),
        "{claims:?}"
    );
    // The layer keeps 0.77.
    assert!(
        claims.iter().any(|claim| claim.contains("requests per second: 23 % (22.3 to 23.7 %) in mix `api`")),
        "{claims:?}"
    );
    for claim in claims {
        assert_eq!(claim.matches("times").count(), claim.matches("times (").count(), "{claim}");
    }
}

#[test]
fn what_overlaps_is_claimed_by_nobody() {
    let mix = Case::Mix(MixName::new("api").unwrap());
    let mut results = raced();
    // NestJS now comes within a thousandth of Fastify.
    scaled(&mut results, "nestjs-fastify", &mix, Metric::Rps, 62.0 / 47.74 * 0.999);
    let claim = claims_of(&results).remove(0);
    assert!(
        claim.starts_with("Mix `api`: at the top, Fastify and NestJS (Fastify) can't be told apart, 1.00"),
        "{claim}"
    );
    assert!(!claim.contains("answered"), "{claim}");
    let layer = claims_of(&results).into_iter().find(|claim| claim.starts_with("The layer")).unwrap();
    assert!(layer.contains("no cost could be shown in mix `api`"), "{layer}");
    let text = markdown(&results);
    assert!(!text.contains("**Fastify** answered"));
    // And all of them alike.
    scaled(&mut results, "express", &mix, Metric::Rps, 2.0);
    let claim = claims_of(&results).remove(0);
    assert!(
        claim.starts_with("Mix `api`: ")
            && claim.contains("can't be told apart; between the first and the last of them"),
        "{claim}"
    );
}

#[test]
fn few_rounds_claim_nothing() {
    let mut results = raced();
    results.cells.iter_mut().for_each(|cell| cell.rounds.truncate(5));
    assert_eq!(claims_of(&results), Vec::<String>::new());
    let text = markdown(&results);
    assert!(text.contains("All figures come from fewer than six rounds"), "{text}");
    assert!(text.contains("- Fastify: nowhere."), "{text}");
}

#[test]
fn who_has_too_few_rounds_is_left_aside_and_hides_nobody() {
    let mut results = raced();
    let mix = Case::Mix(MixName::new("api").unwrap());
    let whole = claims_of(&results).remove(0);
    for (entry, kept, aside) in [("express", 5, "Express"), ("fastify", 1, "Fastify")] {
        results = raced();
        let of = |cell: &&mut crate::model::CellRecord| cell.key.entry.as_str() == entry && cell.key.case == mix;
        results.cells.iter_mut().filter(of).for_each(|cell| cell.rounds.truncate(kept));
        let claim = claims_of(&results).remove(0);
        assert!(claim.starts_with(&format!("Mix `api`, {aside} left aside for too few rounds: **")), "{claim}");
        assert!(!claim.contains("told apart"), "{claim}");
        assert_ne!(claim, whole);
        // No multiple without its interval.
        assert_eq!(claim.matches("times").count(), claim.matches("times (").count(), "{claim}");
    }
}

#[test]
fn a_limit_of_the_generator_is_no_speed_of_a_server() {
    let mut results = raced();
    let attempt = |round, case: &str| Attempt {
        round,
        attempt: 0,
        entry: sample::entry("fastify"),
        regime: None,
        case: scenario(case),
        base: Outcome::Skipped,
        head: Outcome::Measured,
        first: None,
        generator_limited: true,
    };
    results.attempts = (0..12).map(|round| attempt(round, "get-user")).collect();
    let claims = claims_of(&results);
    // The mix holds the scenario.
    assert_eq!(
        claims[0],
        "Mix `api`: the load generator, not the server, was the limit of Fastify, so nothing is claimed."
    );
    assert!(!claims.iter().any(|claim| claim.contains("answered")), "{claims:?}");
    let text = markdown(&results);
    assert!(
        text.contains("Fastify †") && text.contains("The load generator was the limit of Fastify in `get-user`"),
        "{text}"
    );
}

#[test]
fn who_is_ahead_is_ahead_of_everyone() {
    let text = markdown(&raced());
    assert!(
        text.contains("- Express: cold start; idle memory;") || text.contains("- Express: memory under load"),
        "{text}"
    );
    assert!(text.contains("- NestJS (Fastify): nowhere."));
    assert!(!text.contains("- Hono:"), "who was not measured is not in that list");
    assert!(text.contains("`{\"id\":2` where `{\"id\":1` is expected"));
}

#[test]
fn many_places_are_counted_and_not_listed() {
    let mut results = raced();
    results.cells.clear();
    for scenario_number in 0..12 {
        for (turn, (name, rps)) in [("express", 30_000.0), ("fastify", 60_000.0)].into_iter().enumerate() {
            // The last two are a tie.
            let rps = if scenario_number >= 10 { 60_000.0 } else { rps };
            let case = scenario(&format!("s{scenario_number}"));
            results.cells.push(cell(name, Suite::Http, case, Metric::Rps, rps, turn));
        }
    }
    let text = markdown(&results);
    assert!(text.contains("- Fastify: req/s everywhere but in `s10` and `s11`."), "{text}");
    assert!(
        text.contains(
            "- Of 12 scenarios, by requests per second: Fastify leads in 10 and in 2 none can be told to lead."
        ),
        "{text}"
    );
    for number in [0, 1] {
        scaled(&mut results, "express", &scenario(&format!("s{number}")), Metric::Rps, 4.0);
    }
    let text = markdown(&results);
    assert!(text.contains("- Fastify: req/s in `s2`, `s3`, `s4`, `s5`, `s6`, `s7`, `s8` and `s9`."), "{text}");
    assert!(text.contains("- Express: req/s in `s0` and `s1`."), "{text}");
}

fn pictures(results: &Results) -> Vec<Picture> {
    page(results, Some("my page"), &TemplateOverrides::new()).unwrap().pictures
}

/// Whether a picture can be shown by itself: well formed, named, without anything from elsewhere.
fn check(picture: &Picture) {
    let document = roxmltree::Document::parse(&picture.svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert!(root.attribute("aria-label").is_some_and(|label| label.starts_with("Bar chart.")));
    let width: f64 = root.attribute("width").unwrap().parse().unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let tag = node.tag_name().name();
        assert!(["svg", "rect", "text", "polyline"].contains(&tag), "{tag}");
        assert!(node.attributes().all(|attribute| !attribute.name().contains("href")));
        if let Some(font) = node.attribute("font-family") {
            assert_eq!(font, "system-ui, sans-serif");
        }
        if let (Some(x), Some(wide)) = (node.attribute("x"), node.attribute("width")) {
            let (x, wide): (f64, f64) = (x.parse().unwrap(), wide.parse().unwrap());
            assert!(x >= 0.0 && wide >= 0.0 && x + wide <= width, "{x} {wide}");
        }
    }
}

#[test]
fn charts_are_drawn_for_both_themes_and_linked() {
    let results = raced();
    let pictures = pictures(&results);
    let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
    for kind in ["rps", "p99", "layers", "start", "process", "build"] {
        for theme in ["light", "dark"] {
            assert!(names.contains(&format!("my page-{kind}.{theme}.svg").as_str()), "{names:?}");
        }
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    pictures.iter().for_each(check);
    insta::assert_snapshot!(
        "layers_light",
        pictures.iter().find(|picture| picture.name == "my page-layers.light.svg").unwrap().svg
    );
    let page = page(&results, Some("my page"), &TemplateOverrides::new()).unwrap();
    for name in names {
        assert!(page.markdown.contains(&name.replace(' ', "%20")), "{name}");
    }
    let bare = super::page(&results, None, &TemplateOverrides::new()).unwrap();
    assert!(
        bare.pictures.is_empty() && !bare.markdown.contains("<picture>") && !bare.markdown.contains("In the charts")
    );
}

/// Relative luminance and contrast as the accessibility guidelines define them.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |colour: &str| {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.039_28 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn texts_and_bars_stand_out_from_the_ground() {
    let results = raced();
    let verdict = judge(&results);
    let run = Run::new(&results, &verdict);
    let chart = charts::throughput(&Field::new(&run)).unwrap();
    for theme in [Theme::Light, Theme::Dark] {
        let svg = chart.svg(theme).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let fills = |tag: &'static str| {
            document
                .descendants()
                .filter(move |node| node.has_tag_name(("http://www.w3.org/2000/svg", tag)))
                .map(|node| node.attribute("fill").unwrap().to_owned())
                .collect::<Vec<String>>()
        };
        let rectangles = fills("rect");
        let ground = &rectangles[0];
        assert!(fills("text").iter().all(|fill| contrast(fill, ground) >= 7.0), "{theme:?}");
        let bars: BTreeSet<&String> = rectangles[1..].iter().collect();
        // A hue for each of the two roles.
        assert_eq!(bars.len(), 2);
        assert!(bars.iter().all(|fill| contrast(fill, ground) >= 3.0), "{theme:?} {bars:?}");
    }
}

/// The page as a browser gets it.
fn html(markdown: &str) -> String {
    let mut options = comrak::Options::default();
    options.extension.table = true;
    options.render.r#unsafe = true;
    comrak::markdown_to_html(markdown, &options)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_name_breaks_a_page(
        evil in "[`| \\n@#<>a\u{202e}\u{200b}\\\\\"'&*_\\[\\]()!-]{0,40}|\\PC{0,60}|[\u{0}-\u{1f}\u{fffe}\u{ffff}<>\"]{0,20}"
    ) {
        let mut results = raced();
        let calm = html(&page(&results, Some("page"), &TemplateOverrides::new()).unwrap().markdown);
        results.head.rev.clone_from(&evil);
        results.deadheat.clone_from(&evil);
        results.started.clone_from(&evil);
        results.fingerprint.cpu.clone_from(&evil);
        results.fingerprint.toolchains = BTreeMap::from([(evil.clone(), evil.clone())]);
        results.scenarios[0].path.clone_from(&evil);
        results.failures[0].message.clone_from(&evil);
        for entry in &mut results.entries {
            entry.label.clone_from(&evil);
            entry.about = BTreeMap::from([(evil.clone(), evil.clone())]);
            entry.versions = entry.about.clone();
        }
        let made = page(&results, Some("page"), &TemplateOverrides::new()).unwrap();
        made.pictures.iter().for_each(check);
        let seen = html(&made.markdown);
        let count = |text: &str, tag: &str| text.matches(tag).count();
        for tag in ["<h1", "<h2", "<table", "<tr", "<picture>", "<img ", "<details>", "</details>", "<source "] {
            prop_assert_eq!(count(&seen, tag), count(&calm, tag), "{}: {}", tag, made.markdown);
        }
        for tag in ["<a ", "<script", "<em>", "<hr", "<blockquote"] {
            prop_assert_eq!(count(&seen, tag), 0, "{}: {}", tag, made.markdown);
        }
    }

    #[test]
    fn no_figure_breaks_a_page(bits in proptest::collection::vec(any::<u64>(), 1..40)) {
        let mut results = raced();
        let mut values = bits.iter().cycle().map(|bits| f64::from_bits(*bits));
        for value in results.cells.iter_mut().flat_map(|cell| &mut cell.rounds) {
            value.head = values.next();
        }
        if let Ok(made) = page(&results, Some("page"), &TemplateOverrides::new()) {
            made.pictures.iter().for_each(check);
            let lower = made.markdown.to_lowercase();
            prop_assert!(!lower.contains("nan") && !lower.contains("inf "), "{}", lower);
        }
    }
}
