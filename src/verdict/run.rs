//! The verdict on a run.

use super::beside_control::ControlMovement;
use super::cell::{CellVerdict, judge_cell};
use super::context::Context;
use super::decide::Decision;
use super::pairs::{Pair, pairs};
use super::shift::{Shift, shift};
use super::slot::{SlotEffect, slot_effect};
use super::words::Word;
use crate::model::{Results, Standing};

/// How many judged cells got which word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Proved worse: slower, more, worse.
    pub regressions: usize,
    /// Proved better: faster, less, better.
    pub improvements: usize,
    /// Proved the same.
    pub same: usize,
    /// Open.
    pub undecided: usize,
    /// Failing.
    pub failing: usize,
    /// Nothing to compare, new and gone among them.
    pub unmeasured: usize,
}

/// The verdict on a run; recomputed from results at any time.
#[derive(Clone, Debug, PartialEq)]
pub struct RunVerdict {
    /// Whether anything may be shown as proved: no control is changed.
    pub usable: bool,
    /// Whether a control with valid pairs took part.
    pub has_control: bool,
    /// The changed control cells, as places in `results.cells`: why the run is unusable.
    pub changed_controls: Vec<usize>,
    /// The whole run's shift, where there is one.
    pub shift: Option<Shift>,
    /// What going second in a pair costs, where that is proved.
    pub slot: Option<SlotEffect>,
    /// One verdict per cell, in the order of `results.cells`.
    pub cells: Vec<CellVerdict>,
    /// The words of all cells that are recorded as judged.
    pub counts: Counts,
}

/// Judges a run.
pub fn judge(results: &Results) -> RunVerdict {
    judge_within(results, &Context::new(results))
}

/// The same for whoever has indexed the results already.
pub(crate) fn judge_within(results: &Results, context: &Context<'_>) -> RunVerdict {
    let moved = ControlMovement::of(results, context);
    let mut cells: Vec<CellVerdict> =
        results.cells.iter().enumerate().map(|(index, cell)| judge_cell(context, &moved, index, cell)).collect();

    let controls = || cells.iter().filter(|cell| cell.standing == Standing::Control);
    let has_control = controls().any(|cell| cell.pairs > 0);
    let changed_controls: Vec<usize> =
        controls().filter(|cell| cell.decision.is_changed()).map(|cell| cell.index).collect();
    let usable = changed_controls.is_empty();
    if !usable {
        let proved = |cell: &&mut CellVerdict| {
            cell.standing == Standing::Judged
                && cell.decision != Decision::Undecided
                && !matches!(cell.word, Word::Failing | Word::Unmeasured)
        };
        cells.iter_mut().filter(proved).for_each(|cell| cell.word = Word::Undecided);
    }
    let counts = count(results, &cells);
    let slot = if results.quick { None } else { slot_effect(results, context) };
    RunVerdict { usable, has_control, changed_controls, shift: shift_of(results, context), slot, cells, counts }
}

fn shift_of(results: &Results, context: &Context<'_>) -> Option<Shift> {
    if results.quick {
        return None;
    }
    let subjects: Vec<_> = results
        .cells
        .iter()
        .filter(|cell| context.standing(cell) == Standing::Judged && !context.is_generator_limited(&cell.key))
        .map(|cell| (cell.key.metric.polarity(cell.key.suite), pairs(cell)))
        .collect();
    shift(subjects.iter().map(|(polarity, pairs): &(_, Vec<Pair>)| (*polarity, &pairs[..])))
}

fn count(results: &Results, cells: &[CellVerdict]) -> Counts {
    let mut counts = Counts::default();
    for (record, cell) in results.cells.iter().zip(cells) {
        if record.standing != Standing::Judged {
            continue;
        }
        *match cell.word {
            Word::Slower | Word::More | Word::Worse => &mut counts.regressions,
            Word::Faster | Word::Less | Word::Better => &mut counts.improvements,
            Word::Same => &mut counts.same,
            Word::Undecided => &mut counts.undecided,
            Word::Failing => &mut counts.failing,
            Word::Unmeasured => &mut counts.unmeasured,
        } += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::failing::{FailingCause, UnmeasuredReason};
    use super::super::remaining::Needed;
    use super::super::testing::{A12, B12, attempt, boot_cell, cell, control_cell, gate, results};
    use super::*;
    use crate::model::{Attempt, Case, GateOutcome, Metric, MixName, Outcome, Presence, Side};

    fn words(verdict: &RunVerdict) -> Vec<Word> {
        verdict.cells.iter().map(|cell| cell.word).collect()
    }

    fn one(rounds: &[f64]) -> CellVerdict {
        judge(&results(vec![cell("get", Metric::Rps, 1000.0, rounds)])).cells.remove(0)
    }

    #[test]
    fn a_run_is_judged_cell_by_cell() {
        let verdict = judge(&results(vec![
            cell("get", Metric::Rps, 1000.0, &A12),
            cell("get", Metric::P50, 900.0, &A12),
            cell("get", Metric::LoadedMemory, 5e7, &A12.map(|d| -d)),
            cell("post", Metric::Rps, 1000.0, &B12),
            cell("post", Metric::Max, 1000.0, &A12),
            cell("post", Metric::P50, 900.0, &B12[..5]),
            control_cell(Metric::Rps, &B12),
        ]));
        let expected =
            [Word::Slower, Word::Faster, Word::More, Word::Same, Word::Undecided, Word::Undecided, Word::Same];
        assert_eq!(words(&verdict), expected);
        assert!(verdict.usable && verdict.has_control && verdict.changed_controls.is_empty());
        let counts = Counts { regressions: 2, improvements: 1, same: 1, undecided: 2, ..Counts::default() };
        assert_eq!(verdict.counts, counts);
        assert_eq!(verdict.cells[4].standing, Standing::Outside);
        assert_eq!(verdict.cells[4].theta, None);
    }

    #[test]
    fn what_is_shown_beside_a_verdict() {
        // One of eight speed cells beside another, as the reference values have it.
        let mut cells: Vec<_> = ["a", "b", "c", "d"]
            .into_iter()
            .flat_map(|case| [Metric::Rps, Metric::P50].map(|metric| cell(case, metric, 1000.0, &A12)))
            .collect();
        cells.push(cell("a", Metric::P99, 1000.0, &B12));
        let found = judge(&results(cells)).cells.remove(0);
        let close = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} is not {expected}");
        };
        assert_eq!((found.pairs, found.decision.decided_at(), found.needed), (12, Some(12), None));
        close(found.mean, -0.0313);
        close(found.spread, 0.008_329_999_333);
        close(found.centre, -0.031_25);
        close(found.signed_rank_p, 0.000_976_562_5);
        // Distances from the median -.0305: .0005 .0005 .0015 .0025 .0025 .0035 .0045 .0055 .0065 .0095 .0345 .1495.
        close(found.pair_noise, 1.4826 * 0.004);
        close(found.base, 1000.0);
        close(found.head, 1000.0 * f64::midpoint((-0.030_f64).exp(), (-0.031_f64).exp()));
        let threshold = found.noise_threshold.unwrap();
        assert!(!threshold.provisional);
        close(found.theta, 0.014_222_331_4);
        close(Some(threshold.share), 0.014_323_949_9);
        assert!((found.interval.unwrap().low - -0.038).abs() < 1e-12);
    }

    #[test]
    fn few_pairs_have_no_threshold_and_between_looks_it_is_provisional() {
        let few = one(&B12[..7]);
        assert_eq!((few.word, few.theta, few.noise_threshold, few.needed), (Word::Undecided, None, None, None));
        assert!(one(&A12[..8]).noise_threshold.unwrap().provisional);
        assert!(one(&A12[..11]).noise_threshold.unwrap().provisional);
        assert_eq!(one(&A12[..8]).needed, Some(Needed::Pairs(12)));
        // A tight cell could prove less than is relevant, which is then the threshold.
        let tight = one(&[0.0; 40]).noise_threshold.unwrap();
        assert!((tight.share - 0.01).abs() < 1e-12);
    }

    #[test]
    fn a_changed_control_makes_the_run_unusable() {
        let verdict = judge(&results(vec![
            cell("get", Metric::Rps, 1000.0, &A12),
            cell("get", Metric::P50, 900.0, &B12),
            control_cell(Metric::Rps, &A12),
        ]));
        assert!(!verdict.usable);
        assert_eq!(verdict.changed_controls, [2]);
        assert_eq!(words(&verdict), [Word::Undecided, Word::Undecided, Word::Slower]);
        assert!(verdict.cells[0].decision.is_changed() && verdict.cells[1].decision.is_same());
        assert_eq!(verdict.counts, Counts { undecided: 2, ..Counts::default() });
    }

    #[test]
    fn without_a_control_the_run_is_usable_and_says_so() {
        let verdict = judge(&results(vec![cell("get", Metric::Rps, 1000.0, &B12)]));
        assert!(verdict.usable && !verdict.has_control);
        assert_eq!(judge(&results(Vec::new())).counts, Counts::default());
    }

    #[test]
    fn a_quick_run_judges_nothing() {
        let mut quick = results(vec![cell("get", Metric::Rps, 1000.0, &A12), control_cell(Metric::Rps, &A12)]);
        quick.quick = true;
        let verdict = judge(&quick);
        assert!(verdict.usable && verdict.shift.is_none());
        assert_eq!(words(&verdict), [Word::Unmeasured; 2]);
        assert_eq!(verdict.cells[0].unmeasured, Some(UnmeasuredReason::Quick));
    }

    #[test]
    fn new_gone_and_missing_are_unmeasured() {
        let reason = |change: &dyn Fn(&mut Results)| {
            let mut results = results(vec![cell("get", Metric::Rps, 1000.0, &[])]);
            change(&mut results);
            let found = judge(&results).cells.remove(0);
            assert_eq!(found.word, Word::Unmeasured);
            found.unmeasured.unwrap()
        };
        assert_eq!(reason(&|_| {}), UnmeasuredReason::NoRounds);
        assert_eq!(reason(&|run| run.entries[0].presence = Presence::New), UnmeasuredReason::New);
        assert_eq!(reason(&|run| run.entries[0].presence = Presence::Gone), UnmeasuredReason::Gone);
        assert_eq!(reason(&|run| run.base = None), UnmeasuredReason::NoBase);
        assert_eq!(reason(&|run| run.gate = vec![gate(Side::Head, "get", GateOutcome::Passed)]), UnmeasuredReason::New);
        let broken = |run: &mut Results| {
            run.gate = Side::BOTH.map(|side| gate(side, "get", GateOutcome::Failed)).to_vec();
        };
        assert_eq!(reason(&broken), UnmeasuredReason::NotPassing);
    }

    #[test]
    fn speed_that_the_generator_limits_has_no_verdict_and_the_rest_keeps_its_own() {
        let judged = |limited: std::ops::Range<u32>, failed: Option<u32>| {
            let mut run = results(vec![
                cell("get", Metric::Rps, 1000.0, &A12),
                cell("get", Metric::P50, 400.0, &B12),
                cell("get", Metric::P99, 900.0, &B12),
                cell("get", Metric::CpuPerRequest, 5000.0, &A12),
                cell("get", Metric::LoadedMemory, 1e8, &B12),
                cell("post", Metric::Rps, 1000.0, &B12),
            ]);
            run.attempts = (0..12)
                .map(|round| {
                    let head = if failed == Some(round) { Outcome::Failed } else { Outcome::Measured };
                    Attempt { generator_limited: limited.contains(&round), ..attempt(round, Outcome::Measured, head) }
                })
                .collect();
            judge(&run)
        };
        let most = judged(0..7, None);
        let rest = [Word::Faster, Word::Same, Word::Same];
        assert_eq!(words(&most), [&[Word::Unmeasured; 3][..], &rest[..]].concat());
        assert_eq!(most.cells[0].unmeasured, Some(UnmeasuredReason::GeneratorLimited));
        // They count as missing, and never as the same.
        assert_eq!((most.counts.unmeasured, most.counts.same), (3, 2));
        let half = judged(0..6, None);
        assert_eq!(words(&half), [&[Word::Slower, Word::Same, Word::Same][..], &rest[..]].concat());
        // Only rounds that were measured have a say: six of eleven.
        assert_eq!(words(&judged(0..6, Some(11)))[0], Word::Unmeasured);
    }

    #[test]
    fn speed_that_the_generator_limits_shifts_no_run() {
        let shifted = |generator_limited: bool| {
            let mut run = results(vec![cell("get", Metric::Rps, 1000.0, &A12)]);
            let measured = |round| attempt(round, Outcome::Measured, Outcome::Measured);
            run.attempts = (0..12).map(|round| Attempt { generator_limited, ..measured(round) }).collect();
            judge(&run).shift.is_some()
        };
        assert!(shifted(false) && !shifted(true));
    }

    #[test]
    fn head_failing_the_gate_is_failing() {
        let mut run = results(vec![
            cell("get", Metric::Rps, 1000.0, &[]),
            cell("post", Metric::Rps, 1000.0, &B12),
            boot_cell(Metric::ColdStart, 300.0, &B12),
        ]);
        run.gate = vec![
            gate(Side::Base, "get", GateOutcome::Passed),
            gate(Side::Head, "get", GateOutcome::Failed),
            gate(Side::Base, "post", GateOutcome::Passed),
            gate(Side::Head, "post", GateOutcome::Passed),
        ];
        let verdict = judge(&run);
        assert_eq!(words(&verdict), [Word::Failing, Word::Same, Word::Same]);
        assert_eq!(verdict.cells[0].failing.unwrap().cause, FailingCause::Gate);
        assert_eq!((verdict.counts.failing, verdict.counts.same), (1, 2));
    }

    #[test]
    fn a_head_that_does_not_start_fails_every_cell() {
        let mut run = results(vec![cell("get", Metric::Rps, 1000.0, &[]), boot_cell(Metric::ColdStart, 300.0, &[])]);
        run.gate = vec![gate(Side::Base, "get", GateOutcome::Passed), gate(Side::Head, "get", GateOutcome::NotAsked)];
        let verdict = judge(&run);
        assert_eq!(words(&verdict), [Word::Failing; 2]);
        assert_eq!(verdict.cells[1].failing.unwrap().cause, FailingCause::NotRunning);
    }

    #[test]
    fn a_side_that_fails_under_load_is_failing_whatever_was_measured() {
        let mut run = results(vec![cell("get", Metric::Rps, 1000.0, &A12)]);
        run.attempts = (0..12).map(|round| attempt(round, Outcome::Measured, Outcome::Failed)).collect();
        assert!(judge(&run).cells[0].failing.unwrap().is_regression());
        for failed in &mut run.attempts {
            failed.case = Case::Start;
        }
        // Starts that failed matter to a scenario only while it lacks the pairs for a verdict.
        assert_eq!(judge(&run).cells[0].word, Word::Slower);
        run.cells[0].rounds.truncate(3);
        assert_eq!(judge(&run).cells[0].word, Word::Failing);
    }

    #[test]
    fn a_new_scenario_leaves_its_share_to_the_others() {
        let cells = || vec![cell("get", Metric::Rps, 1000.0, &A12), cell("new", Metric::Rps, 1000.0, &[])];
        let shared = judge(&results(cells())).cells[0].theta.unwrap();
        let mut run = results(cells());
        run.gate = vec![gate(Side::Base, "new", GateOutcome::Failed), gate(Side::Head, "new", GateOutcome::Passed)];
        let verdict = judge(&run);
        assert!(verdict.cells[0].theta.unwrap() < shared);
        assert_eq!((verdict.cells[1].word, verdict.cells[1].standing), (Word::Unmeasured, Standing::Outside));
        assert_eq!(verdict.counts.unmeasured, 1);
    }

    #[test]
    fn a_mix_is_shown_and_never_flagged() {
        let mut mix = cell("get", Metric::Rps, 1000.0, &A12);
        mix.key.case = Case::Mix(MixName::new("saas").unwrap());
        let found = judge(&results(vec![mix])).cells.remove(0);
        assert_eq!((found.word, found.standing), (Word::Undecided, Standing::Outside));
        assert!(found.interval.is_some() && found.noise_threshold.is_none());
    }

    #[test]
    fn a_run_that_is_worse_throughout_is_shifted() {
        let verdict = judge(&results(vec![cell("a", Metric::Rps, 1e3, &A12), cell("b", Metric::Rps, 1e3, &A12)]));
        assert!(verdict.shift.is_some());
        assert!(judge(&results(vec![cell("a", Metric::Rps, 1e3, &B12)])).shift.is_none());
    }
}
