//! Resampling, held against the synthetic model and against what the rule says of the same rounds.

use super::draws::Draws;
use super::made_up::{METRICS, run_of};
use super::noise::{Noise, NoiseKind};
use super::{Place, Simulation, Slowdown, Tally, Trial, resampled, simulated, smallest_provable};
use crate::model::{Case, CellKey, Metric, Results, RoundValue, ScenarioName, Seed, Standing, Suite};
use crate::verdict::judge;
use crate::verdict::testing::{B12, boot_cell, cell, control_cell, results};
use proptest::prelude::*;

const SD: f64 = 0.016;

/// A race of base against itself with Gaussian noise: eight scenarios of four metrics; `offset` is added to every ratio.
fn real(number: u32, rounds: u32, offset: f64) -> Results {
    let mut run = run_of(32);
    let (mut draws, mut noise) = (Draws::new(Seed(99), number), Noise::new(NoiseKind::Gauss, SD, 0.8));
    for round in 0..rounds {
        for cells in run.cells.chunks_mut(METRICS.len()) {
            for (cell, ratio) in cells.iter_mut().zip(noise.scenario(&mut draws)) {
                let ratio = ratio + offset;
                let (base, head) = (Some(1000.0), Some(1000.0 * ratio.exp()));
                cell.rounds.push(RoundValue { round, base, head, log_ratio: Some(ratio) });
            }
        }
    }
    run.rounds = rounds;
    run
}

fn place(run: &Results, scenario: &str) -> Place {
    Place { entry: run.cells[0].key.entry.clone(), regime: None, scenario: ScenarioName::new(scenario).unwrap() }
}

fn slowdown(run: &Results, share: f64) -> Slowdown {
    Slowdown { place: place(run, "s3"), share }
}

/// What several races have to say together: each has a spread of its own.
fn over_races(effect: Option<f64>) -> Tally {
    let mut tally = Tally::default();
    for number in 0..10 {
        let run = real(number, 40, 0.0);
        let slowdown = effect.map(|share| slowdown(&run, share));
        tally += resampled(&run, slowdown.as_ref(), 40, number * 20..(number + 1) * 20, Seed(3));
    }
    tally
}

#[test]
fn gaussian_rounds_give_what_the_synthetic_model_gives() {
    for effect in [None, Some(0.03), Some(0.02)] {
        let found = over_races(effect);
        let simulation =
            Simulation { cells: 32, sd: SD, effect, noise: NoiseKind::Gauss, correlation: 0.8, seed: Seed(4) };
        let model = simulated(&simulation, 0..200);
        let near = |one: Option<f64>, other: Option<f64>, by: f64| match (one, other) {
            (Some(one), Some(other)) => assert!((one - other).abs() <= by, "{effect:?}: {one} is not {other}"),
            (one, other) => assert_eq!(one, other),
        };
        near(found.mean_rounds_unchanged(), model.mean_rounds_unchanged(), 0.5);
        near(found.mean_rounds_slowed(), model.mean_rounds_slowed(), 2.0);
        near(found.found_rate(), model.found_rate(), 0.07);
        near(found.false_flag_rate(), model.false_flag_rate(), 0.02);
        assert_eq!(found.pulls, 200);
    }
}

#[test]
fn what_the_sides_of_the_real_race_differ_by_is_no_difference() {
    let (even, uneven) = (real(1, 20, 0.0), real(1, 20, 0.1));
    assert!(judge(&uneven).cells.iter().any(|cell| cell.decision.is_changed()));
    let of = |run: &Results| resampled(run, Some(&slowdown(run, 0.03)), 40, 0..40, Seed(5));
    assert_eq!(of(&even), of(&uneven));
    assert!(of(&uneven).flagged <= 1, "{:?}", of(&uneven));
}

#[test]
fn a_large_slowdown_is_found_where_it_is_and_nowhere_else() {
    let run = real(2, 20, 0.0);
    let tally = resampled(&run, Some(&slowdown(&run, 0.08)), 40, 0..40, Seed(6));
    assert_eq!((tally.found, tally.slowed_scenarios, tally.unchanged_scenarios), (40, 40, 280));
    assert!(tally.flagged <= 2, "{tally:?}");
    // Eight rounds prove no change, and no round is raced beyond those that are allowed.
    let few = resampled(&run, Some(&slowdown(&run, 0.08)), 8, 0..10, Seed(6));
    assert_eq!((few.found, few.slowed_rounds), (0, 80));
    assert_eq!(resampled(&run, None, 3, 0..1, Seed(6)).unchanged_rounds, 24);
    assert_eq!(resampled(&run, None, 3, 0..1, Seed(6)).found_rate(), None);
}

#[test]
fn a_pull_request_is_drawn_from_its_number_alone() {
    let run = real(3, 20, 0.0);
    let of = |pulls| resampled(&run, Some(&slowdown(&run, 0.02)), 24, pulls, Seed(7));
    let mut parts = of(11..20);
    parts += of(0..11);
    assert_eq!(parts, of(0..20));
}

/// An order effect that cancels within blocks of two is drawn with both of its rounds.
#[test]
fn the_order_of_the_sides_stays_balanced() {
    let run = |first: f64, second: f64| {
        let ratios: Vec<f64> = (0..20).map(|round| if round % 2 == 0 { first } else { second }).collect();
        let wobble = |scale: f64| ratios.iter().zip(B12.iter().cycle()).map(|(a, b)| a + scale * b).collect::<Vec<_>>();
        results(vec![cell("get", Metric::Rps, 1e3, &wobble(0.1)), cell("get", Metric::P50, 1e3, &wobble(0.2))])
    };
    let tally = resampled(&run(0.04, -0.04), None, 40, 0..100, Seed(8));
    assert_eq!((tally.pulls, tally.flagged), (100, 0));
}

#[test]
fn one_scenario_alone_fares_as_it_does_among_all() {
    let run = real(4, 20, 0.0);
    for rounds in [12, 20, 40] {
        let (pulls, seed, power) = (60, Seed(9), 0.8);
        let trial = Trial { rounds, power, pulls, seed };
        let found = smallest_provable(&run, &place(&run, "s3"), &trial).unwrap();
        let rate = |share| resampled(&run, Some(&slowdown(&run, share)), rounds, 0..pulls, seed).found_rate().unwrap();
        assert!(rate(found) >= power, "{found} in {rounds} rounds: {}", rate(found));
        assert!(rate(found - 0.001) < power, "{found} in {rounds} rounds: {}", rate(found - 0.001));
    }
}

#[test]
fn more_rounds_prove_less_and_some_noise_lets_nothing_be_proved() {
    let run = real(5, 20, 0.0);
    let smallest = |run: &Results, rounds| {
        let trial = Trial { rounds, power: 0.95, pulls: 40, seed: Seed(10) };
        smallest_provable(run, &place(run, "s3"), &trial)
    };
    let (few, many) = (smallest(&run, 12).unwrap(), smallest(&run, 40).unwrap());
    assert!((0.01..few).contains(&many) && few < 0.06, "{few} in 12 rounds, {many} in 40");
    assert_eq!(smallest(&run, 8), None);
    let mut wild = real(5, 20, 0.0);
    for value in wild.cells.iter_mut().flat_map(|cell| &mut cell.rounds) {
        value.log_ratio = value.log_ratio.map(|ratio| 40.0 * ratio);
    }
    assert_eq!(smallest(&wild, 20), None);
    assert_eq!(
        smallest_provable(&run, &place(&run, "none"), &Trial { rounds: 40, power: 0.95, pulls: 9, seed: Seed(1) }),
        None
    );
}

/// Control, boot and info cells of a real file.
#[test]
fn a_whole_file_is_drawn_from() {
    let mut info = cell("get", Metric::Max, 1e3, &B12);
    info.standing = Standing::Outside;
    let mut run = results(vec![
        cell("get", Metric::Rps, 1e3, &B12),
        cell("get", Metric::P50, 1e3, &B12.map(|ratio| -ratio)),
        info,
        boot_cell(Metric::ColdStart, 300.0, &B12),
        control_cell(Metric::Rps, &B12),
    ]);
    run.protocol.rounds_min = 20;
    let tally = resampled(&run, None, 40, 0..20, Seed(11));
    // B12 is proved the same at the first look; a race of twenty rounds at least was the real one.
    assert_eq!((tally.pulls, tally.unusable, tally.unchanged_scenarios, tally.flagged), (20, 0, 20, 0));
    assert!(tally.unchanged_rounds < 20 * 12, "{tally:?}");
}

#[test]
fn nothing_to_draw_from_is_no_pull_request() {
    let none = |run: &Results| {
        assert_eq!(resampled(run, None, 40, 0..5, Seed(1)), Tally::default());
        let place = Place { entry: crate::verdict::testing::entry("app"), ..place(&real(0, 1, 0.0), "get") };
        assert_eq!(smallest_provable(run, &place, &Trial { rounds: 40, power: 0.95, pulls: 5, seed: Seed(1) }), None);
    };
    none(&results(Vec::new()));
    none(&results(vec![cell("get", Metric::Rps, 1e3, &B12[..1])]));
    none(&results(vec![cell("get", Metric::Rps, 1e3, &[f64::NAN; 12])]));
    let mut far = results(vec![cell("get", Metric::Rps, 1e3, &B12)]);
    far.cells[0].rounds.iter_mut().for_each(|value| value.round += 100_000);
    far.rounds = u32::MAX;
    none(&far);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hostile_results_are_no_panic(
        values in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>(), 0..50_u32), 0..60),
        (rounds, asked, pulls) in (any::<u32>(), any::<u32>(), 0..3_u32),
        (level, share, power) in (any::<f64>(), any::<f64>(), any::<f64>()),
        (quick, first) in (any::<bool>(), any::<u32>()),
    ) {
        let mut hostile = cell("get", Metric::P50, 1.0, &vec![0.0; values.len()]);
        for (value, &(base, head, ratio, round)) in hostile.rounds.iter_mut().zip(&values) {
            (value.base, value.head, value.log_ratio, value.round) = (Some(base), Some(head), Some(ratio), round);
        }
        let mut start = boot_cell(Metric::ColdStart, 1.0, &[]);
        start.rounds.clone_from(&hostile.rounds);
        let key = CellKey { suite: Suite::OpenLoop, case: Case::Start, ..hostile.key.clone() };
        let mut odd = hostile.clone();
        odd.key = key;
        let mut run = results(vec![hostile, start, odd]);
        run.rounds = rounds;
        run.judging.false_alarms = level;
        run.quick = quick;
        let place = place(&run, "get");
        let slowdown = Slowdown { place: place.clone(), share };
        let tally = resampled(&run, Some(&slowdown), asked, first..first.saturating_add(pulls), Seed(1));
        prop_assert!(tally.pulls <= pulls);
        smallest_provable(&run, &place, &Trial { rounds: asked, power, pulls, seed: Seed(1) });
    }
}
