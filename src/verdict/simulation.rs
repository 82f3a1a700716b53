//! What the rule reaches on simulated rounds: pull requests of eight scenarios, raced until everybody has left.
//!
//! The reference (800 unchanged and 200 slowed pull requests at 1.6 %): no false flag, 10.8 rounds of an unchanged scenario,
//! 3 % found in all of them in a mean of 14.0 rounds, 2 % in 96 % in 20.4. Like the reference, this one draws the log-ratios
//! of p50 and rps with a correlation of +.8. Where a round that is slow by chance lowers rps and raises p50, so that the
//! sign is the other one, 2 % are found in about 83 %, and all else is the same.

use super::leaving::still_racing;
use super::run::judge;
use super::testing::{cell, results};
use crate::model::{Metric, Results, RoundValue};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;

const SCENARIOS: [&str; 8] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
const METRICS: [Metric; 4] = [Metric::Rps, Metric::P50, Metric::P99, Metric::CpuPerRequest];
const SLOWED: &str = SCENARIOS[3];

struct Noise(ChaCha8Rng);

impl Noise {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (TAU * self.uniform()).cos()
    }

    /// `sd`, or in five of a hundred measurements ten times as much.
    fn width(&mut self, sd: f64) -> f64 {
        if self.uniform() < 0.05 { 10.0 * sd } else { sd }
    }

    /// One round's log-ratios of rps, p50, p99 and CPU: p50 .8 as wide as rps and correlated with it, p99 twice as wide.
    fn round(&mut self, sd: f64, slowdown: f64) -> [f64; 4] {
        let rps = self.normal();
        let p50 = 0.8 * rps + 0.6 * self.normal();
        let (p99, cpu) = (self.normal(), self.normal());
        [
            self.width(sd) * rps - slowdown,
            self.width(0.8 * sd) * p50 + slowdown,
            self.width(2.0 * sd) * p99,
            self.width(sd) * cpu + slowdown,
        ]
    }
}

/// What became of one pull request.
struct Pull {
    /// Flags in scenarios that were not slowed.
    false_flags: usize,
    /// Whether the slowed scenario was found slower.
    found: bool,
    /// Rounds of the slowed scenario.
    slowed_rounds: usize,
    /// Rounds of all other scenarios together.
    other_rounds: usize,
    shifted: bool,
}

/// Races one pull request; `draw` gives a round of a scenario that is slowed by so much.
fn pull(noise: &mut Noise, slowdown: f64, draw: impl Fn(&mut Noise, f64, u32) -> [f64; 4]) -> Pull {
    let mut run: Results =
        results(SCENARIOS.iter().flat_map(|case| METRICS.map(|metric| cell(case, metric, 1000.0, &[]))).collect());
    loop {
        let field = still_racing(&run);
        if field.done {
            break;
        }
        let round = run.rounds;
        for (case, cells) in SCENARIOS.iter().zip(run.cells.chunks_mut(METRICS.len())) {
            if !field.entries[0].scenarios.iter().any(|name| name.as_str() == *case) {
                continue;
            }
            let ratios = draw(noise, if *case == SLOWED { slowdown } else { 0.0 }, round);
            for (cell, ratio) in cells.iter_mut().zip(ratios) {
                let (base, head) = (Some(1000.0), Some(1000.0 * ratio.exp()));
                cell.rounds.push(RoundValue { round, base, head, log_ratio: Some(ratio) });
            }
        }
        run.rounds += 1;
    }
    let verdict = judge(&run);
    let mut pull =
        Pull { false_flags: 0, found: false, slowed_rounds: 0, other_rounds: 0, shifted: verdict.shift.is_some() };
    for (case, cells) in SCENARIOS.iter().zip(verdict.cells.chunks(METRICS.len())) {
        let slowed = *case == SLOWED && slowdown > 0.0;
        let rounds = cells[0].pairs;
        *if slowed { &mut pull.slowed_rounds } else { &mut pull.other_rounds } += rounds;
        if slowed {
            pull.found = cells.iter().any(|cell| cell.word.is_regression());
        } else {
            pull.false_flags += cells.iter().filter(|cell| cell.decision.is_changed()).count();
        }
    }
    pull
}

fn pulls(count: usize, seed: u64, sd: f64, slowdown: f64) -> Vec<Pull> {
    let mut noise = Noise(ChaCha8Rng::seed_from_u64(seed));
    (0..count).map(|_| pull(&mut noise, slowdown, |noise, slowdown, _| noise.round(sd, slowdown))).collect()
}

fn count(pulls: &[Pull], which: impl Fn(&Pull) -> bool) -> usize {
    pulls.iter().filter(|pull| which(pull)).count()
}

fn mean(pulls: &[Pull], rounds: impl Fn(&Pull) -> usize) -> f64 {
    pulls.iter().map(rounds).sum::<usize>() as f64 / pulls.len() as f64
}

#[test]
fn an_unchanged_pull_request_is_not_flagged() {
    let pulls = pulls(800, 1, 0.016, 0.0);
    let flagged = count(&pulls, |pull| pull.false_flags > 0);
    assert!(flagged <= 8, "{flagged} of 800");
    let rounds = mean(&pulls, |pull| pull.other_rounds) / 8.0;
    assert!((10.3..=11.3).contains(&rounds), "{rounds} rounds of an unchanged scenario");
    let shifted = count(&pulls, |pull| pull.shifted);
    assert!(shifted <= 16, "{shifted} of 800 shifted");
}

#[test]
fn three_percent_is_found() {
    let pulls = pulls(200, 2, 0.016, 0.03_f64.ln_1p());
    let found = count(&pulls, |pull| pull.found);
    assert!(found >= 196, "{found} of 200");
    let rounds = mean(&pulls, |pull| pull.slowed_rounds);
    assert!((13.0..=16.0).contains(&rounds), "{rounds} rounds");
    let flagged = count(&pulls, |pull| pull.false_flags > 0);
    assert!(flagged <= 2, "{flagged} of 200 flagged elsewhere");
    // One slowed scenario of eight does move the medians a little: a tenth, not a half of these runs are called shifted.
    let shifted = count(&pulls, |pull| pull.shifted);
    assert!(shifted <= 30, "{shifted} of 200 shifted");
}

#[test]
fn two_percent_is_mostly_found() {
    let pulls = pulls(200, 3, 0.016, 0.02_f64.ln_1p());
    let found = count(&pulls, |pull| pull.found);
    assert!(found >= 180, "{found} of 200");
    let rounds = mean(&pulls, |pull| pull.slowed_rounds);
    assert!(rounds <= 22.0, "{rounds} rounds");
}

/// A known weak spot: the trimmed spread of a few two-point values is too small too often.
#[test]
fn two_point_noise_raises_false_flags() {
    let mut noise = Noise(ChaCha8Rng::seed_from_u64(4));
    let two_points =
        |noise: &mut Noise, _: f64, _: u32| [(); 4].map(|()| if noise.uniform() < 0.5 { 0.03 } else { -0.03 });
    let pulls: Vec<Pull> = (0..200).map(|_| pull(&mut noise, 0.0, two_points)).collect();
    let flagged = count(&pulls, |pull| pull.false_flags > 0);
    assert!((2..=20).contains(&flagged), "{flagged} of 200");
}

/// A known weak spot, and why the order is counterbalanced: what always comes second is always slower.
#[test]
fn a_fixed_order_is_taken_for_an_effect_and_a_counterbalanced_one_is_not() {
    let mut noise = Noise(ChaCha8Rng::seed_from_u64(5));
    let fixed = |noise: &mut Noise, _: f64, _: u32| noise.round(0.016, 0.03);
    let flagged = count(&[(); 20].map(|()| pull(&mut noise, 0.0, fixed)), |pull| pull.false_flags > 0);
    assert_eq!(flagged, 20);
    // In the second round of a block the other side goes first.
    let counterbalanced =
        |noise: &mut Noise, _: f64, round: u32| noise.round(0.016, if round.is_multiple_of(2) { 0.03 } else { -0.03 });
    let flagged = count(&[(); 20].map(|()| pull(&mut noise, 0.0, counterbalanced)), |pull| pull.false_flags > 0);
    assert!(flagged <= 2, "{flagged} of 20");
}
