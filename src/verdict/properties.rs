//! Properties of the rule that hold whatever was measured.

use super::leaving::still_racing;
use super::run::{RunVerdict, judge};
use super::testing::{attempt, boot_cell, cell, control_cell, results};
use super::words::Word;
use crate::model::{CellRecord, Metric, Outcome, Results};
use proptest::prelude::*;

/// Rounds around an effect, with a spread of a few percent and a wild one now and then.
fn ratios() -> impl Strategy<Value = Vec<f64>> {
    let round = prop_oneof![9 => -0.02..0.02_f64, 1 => -0.4..0.4_f64];
    (-0.06..0.06_f64, prop::collection::vec(round, 0..42))
        .prop_map(|(effect, rounds)| rounds.into_iter().map(|noise| effect + noise).collect())
}

fn run_of(rps: &[f64], p99: &[f64], memory: &[f64], cold: &[f64]) -> Results {
    results(vec![
        cell("get", Metric::Rps, 20_000.0, rps),
        cell("get", Metric::P99, 9_000.0, p99),
        cell("get", Metric::LoadedMemory, 5e7, memory),
        boot_cell(Metric::ColdStart, 240.0, cold),
    ])
}

fn swapped(cells: &[CellRecord]) -> Vec<CellRecord> {
    let mut cells = cells.to_vec();
    for value in cells.iter_mut().flat_map(|cell| &mut cell.rounds) {
        std::mem::swap(&mut value.base, &mut value.head);
        value.log_ratio = value.log_ratio.map(|ratio| -ratio);
    }
    cells
}

fn opposite(word: Word) -> Word {
    match word {
        Word::Slower => Word::Faster,
        Word::Faster => Word::Slower,
        Word::More => Word::Less,
        Word::Less => Word::More,
        Word::Worse => Word::Better,
        Word::Better => Word::Worse,
        other => other,
    }
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1e-3),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn words(verdict: &RunVerdict) -> Vec<Word> {
    verdict.cells.iter().map(|cell| cell.word).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn swapping_the_sides_flips_the_word_and_nothing_else(a in ratios(), b in ratios(), c in ratios(), d in ratios()) {
        let run = run_of(&a, &b, &c, &d);
        let (one, other) = (judge(&run), judge(&results(swapped(&run.cells))));
        for (one, other) in one.cells.iter().zip(&other.cells) {
            prop_assert_eq!(opposite(one.word), other.word);
            prop_assert_eq!(one.decision.decided_at(), other.decision.decided_at());
            prop_assert!(near(one.centre, other.centre.map(|centre| -centre)));
            prop_assert!(near(one.theta, other.theta) && near(one.pair_noise, other.pair_noise));
            prop_assert!(near(one.signed_rank_p, other.signed_rank_p));
            prop_assert!(near(one.interval.map(|i| i.low), other.interval.map(|i| -i.high)));
            prop_assert!(near(one.base, other.head));
        }
    }

    #[test]
    fn units_do_not_matter_where_nothing_is_quantised(a in ratios(), factor in 1e-6..1e6_f64) {
        let one = judge(&results(vec![cell("get", Metric::CpuPerRequest, 40.0, &a)]));
        let other = judge(&results(vec![cell("get", Metric::CpuPerRequest, 40.0 * factor, &a)]));
        prop_assert_eq!(words(&one), words(&other));
        prop_assert_eq!(one.cells[0].theta, other.cells[0].theta);
        prop_assert_eq!(one.cells[0].interval, other.cells[0].interval);
    }

    #[test]
    fn a_verdict_is_final_under_appended_rounds(a in ratios(), b in ratios()) {
        let whole = [a.as_slice(), &b].concat();
        let decision = |rounds: &[f64]| judge(&results(vec![cell("get", Metric::P50, 800.0, rounds)])).cells[0].decision;
        let before = decision(&a);
        if before.decided_at().is_some() {
            prop_assert_eq!(before, decision(&whole));
        }
        let n = whole.len().min(40);
        prop_assert!(decision(&whole).decided_at().is_none_or(|at| at >= 8 && at <= n));
    }

    #[test]
    fn a_change_is_never_smaller_than_what_is_relevant(a in ratios()) {
        let run = results(vec![cell("get", Metric::Rps, 20_000.0, &a[..a.len().min(12)])]);
        let found = &judge(&run).cells[0];
        if found.decision.is_changed() {
            let (mean, theta) = (found.mean.unwrap(), found.theta.unwrap());
            prop_assert!(mean.abs() >= theta.max(found.relevant));
            prop_assert!(found.centre.unwrap().abs() >= found.relevant);
            prop_assert!(found.signed_rank_p.unwrap() <= 0.002);
        }
        prop_assert!(found.noise_threshold.is_none_or(|threshold| threshold.share >= 0.01 - 1e-12));
    }

    #[test]
    fn the_interval_holds_the_estimate(a in ratios()) {
        let found = &judge(&results(vec![cell("get", Metric::Rps, 20_000.0, &a)])).cells[0];
        if let Some(interval) = found.interval {
            let centre = found.centre.unwrap();
            prop_assert!(interval.low <= centre && centre <= interval.high);
            prop_assert!((0.95..1.0).contains(&interval.coverage));
        }
    }

    #[test]
    fn who_has_left_stays_away(a in ratios(), b in ratios()) {
        // The scenario's cells are all decided at the moment of leaving, or open without suspicion: more rounds of
        // other scenarios do not bring it back.
        let cells = |rounds: &[f64]| vec![cell("get", Metric::Rps, 20_000.0, rounds), cell("post", Metric::Rps, 20_000.0, &b)];
        let is_in = |found: super::StillRacing| found.entries[0].scenarios.iter().any(|name| name.as_str() == "get");
        let mut run = results(cells(&a));
        run.rounds = 20;
        run.protocol.rounds_max = 60;
        let before = is_in(still_racing(&run));
        run.rounds = 40;
        prop_assert_eq!(before, is_in(still_racing(&run)));
    }

    #[test]
    fn hostile_numbers_are_no_panic(
        values in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>(), any::<u32>()), 0..60),
        level in any::<f64>(),
        share in any::<f64>(),
        outcomes in prop::collection::vec((any::<u32>(), 0..3_u8, 0..3_u8), 0..60),
    ) {
        let outcome = |number| match number { 0 => Outcome::Measured, 1 => Outcome::Failed, _ => Outcome::Skipped };
        for metric in Metric::ALL {
            let mut hostile = cell("get", metric, 1.0, &vec![0.0; values.len()]);
            for (value, &(base, head, ratio, round)) in hostile.rounds.iter_mut().zip(&values) {
                (value.base, value.head, value.log_ratio, value.round) = (Some(base), Some(head), Some(ratio), round);
            }
            let mut control = control_cell(metric, &[]);
            control.rounds.clone_from(&hostile.rounds);
            let mut run = results(vec![hostile, control]);
            run.judging.false_alarms = level;
            run.judging.relevant.insert(metric, share);
            run.attempts =
                outcomes.iter().map(|&(round, base, head)| attempt(round, outcome(base), outcome(head))).collect();
            let verdict = judge(&run);
            prop_assert_eq!(verdict.cells.len(), 2);
            still_racing(&run);
        }
    }
}

/// The same scatter, over and over: more of it can prove less and less.
#[test]
fn thresholds_shrink_as_rounds_are_added() {
    let pattern = [0.01, -0.012, 0.004, -0.003, 0.015, -0.014, 0.007, -0.008];
    let thresholds: Vec<f64> = [16, 24, 32, 40]
        .into_iter()
        .map(|n| {
            let rounds: Vec<f64> = pattern.into_iter().cycle().take(n).collect();
            let cells = ["a", "b", "c", "d"].map(|case| cell(case, Metric::Rps, 20_000.0, &rounds));
            judge(&results(cells.to_vec())).cells[0].theta.unwrap()
        })
        .collect();
    assert!(thresholds.is_sorted_by(|wide, narrow| wide > narrow), "{thresholds:?}");
}
