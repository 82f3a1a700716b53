//! How runs end: every row of exit codes and conclusions.

use super::testing::{A12, B12, attempt, cell, control_cell, entry_record, gate, results};
use super::*;
use crate::model::{GateOutcome, Lineup, Metric, NotRaced, NotRacedReason, Outcome, Presence, Results, Side};

fn ended(results: &Results) -> RunOutcome {
    outcome(results, &judge(results))
}

/// One subject cell with these rounds beside a control that stays still.
fn run(ratios: &[f64]) -> Results {
    results(vec![cell("get", Metric::Rps, 1000.0, ratios), control_cell(Metric::Rps, &B12)])
}

fn gated(base: GateOutcome, head: GateOutcome) -> Results {
    let mut run = run(&[]);
    run.gate = vec![gate(Side::Base, "get", base), gate(Side::Head, "get", head)];
    run
}

fn with(mut results: Results, change: impl FnOnce(&mut Results)) -> Results {
    change(&mut results);
    results
}

fn not_raced(reason: NotRacedReason) -> Results {
    with(results(Vec::new()), |run| {
        run.entries.clear();
        run.not_raced = Some(NotRaced { reason, message: "why".to_owned() });
    })
}

/// Every way in which a run can end, with a run that ends so.
fn endings() -> Vec<(&'static str, Results, RunOutcome)> {
    use GateOutcome::{Failed, NotAsked, Passed};
    let up: Vec<f64> = A12.iter().map(|ratio| -ratio).collect();
    let both = |ratios: &[f64]| {
        results(vec![
            cell("get", Metric::Rps, 1000.0, ratios),
            cell("post", Metric::Rps, 1000.0, &B12[..5]),
            control_cell(Metric::Rps, &B12),
        ])
    };
    let broken_base = |run: &mut Results| run.entries[0].lineup = Lineup::OneSided;
    let failing =
        |base, head| with(run(&B12), |run| run.attempts = (0..12).map(|round| attempt(round, base, head)).collect());
    vec![
        (
            "documentation only",
            not_raced(NotRacedReason::NothingToCompare),
            RunOutcome::NotRaced(NotRacedReason::NothingToCompare),
        ),
        ("a draft", not_raced(NotRacedReason::NotAsked), RunOutcome::NotRaced(NotRacedReason::NotAsked)),
        ("mistakes", not_raced(NotRacedReason::Mistakes), RunOutcome::NotRaced(NotRacedReason::Mistakes)),
        ("quick", with(run(&A12), |run| run.quick = true), RunOutcome::Quick),
        ("no base", with(run(&A12), |run| run.base = None), RunOutcome::Standings),
        ("everything is new", with(run(&[]), |run| run.entries[0].presence = Presence::New), RunOutcome::Standings),
        ("no cells at all", results(Vec::new()), RunOutcome::Standings),
        (
            "the control moved",
            results(vec![cell("get", Metric::Rps, 1000.0, &A12), control_cell(Metric::Rps, &A12)]),
            RunOutcome::Unusable,
        ),
        ("head answers wrongly", gated(Passed, Failed), RunOutcome::BrokenHead),
        ("head does not start", gated(Passed, NotAsked), RunOutcome::BrokenHead),
        ("head dies under load", failing(Outcome::Measured, Outcome::Failed), RunOutcome::BrokenHead),
        ("slower", run(&A12), RunOutcome::Regression),
        ("slower beside a missing cell", with(both(&A12), |run| run.cells[1].rounds.clear()), RunOutcome::Regression),
        (
            "slower beside a broken base",
            with(run(&A12), |run| {
                run.entries.push(entry_record("other", Lineup::Paired));
                run.entries[2].lineup = Lineup::OneSided;
            }),
            RunOutcome::Regression,
        ),
        ("base does not start", with(gated(NotAsked, Passed), broken_base), RunOutcome::BrokenBase),
        ("base dies under load", failing(Outcome::Failed, Outcome::Measured), RunOutcome::BrokenBase),
        ("both die under load", failing(Outcome::Failed, Outcome::Failed), RunOutcome::BrokenBase),
        ("neither side answers", gated(Failed, Failed), RunOutcome::MissingCells),
        ("no round", run(&[]), RunOutcome::MissingCells),
        ("one cell without a round", with(both(&B12), |run| run.cells[1].rounds.clear()), RunOutcome::MissingCells),
        ("too few rounds", run(&B12[..7]), RunOutcome::Undecided),
        ("faster, and something open", both(&up), RunOutcome::Undecided),
        ("faster", run(&up), RunOutcome::Improvement),
        ("the same", run(&B12), RunOutcome::Same),
    ]
}

#[test]
fn every_way_to_end() {
    for (what, run, expected) in endings() {
        assert_eq!(ended(&run), expected, "{what}");
    }
}

#[test]
fn exit_codes() {
    // Without fail_on, with it, with it and accepted.
    for (ending, expected) in [
        (RunOutcome::Regression, [0, 1, 0]),
        (RunOutcome::BrokenHead, [0, 1, 0]),
        (RunOutcome::Unusable, [3, 3, 3]),
        (RunOutcome::MissingCells, [0, 0, 0]),
        (RunOutcome::BrokenBase, [0, 0, 0]),
        (RunOutcome::NotRaced(NotRacedReason::NothingToCompare), [0, 0, 0]),
        (RunOutcome::NotRaced(NotRacedReason::NotAsked), [0, 0, 0]),
        (RunOutcome::NotRaced(NotRacedReason::Mistakes), [2, 2, 2]),
        (RunOutcome::Quick, [0, 0, 0]),
        (RunOutcome::Standings, [0, 0, 0]),
        (RunOutcome::Undecided, [0, 0, 0]),
        (RunOutcome::Improvement, [0, 0, 0]),
        (RunOutcome::Same, [0, 0, 0]),
    ] {
        let found = [(false, false), (true, false), (true, true)]
            .map(|(fail_on, accepted)| ending.exit_code(fail_on, accepted));
        assert_eq!(found, expected, "{ending}");
    }
}

#[test]
fn conclusions() {
    use CheckConclusion::{Failure, Neutral, Success};
    // Without fail_on, with it, with it and accepted.
    for (ending, expected) in [
        (RunOutcome::Regression, [Neutral, Failure, Neutral]),
        (RunOutcome::BrokenHead, [Neutral, Failure, Neutral]),
        (RunOutcome::Unusable, [Neutral; 3]),
        (RunOutcome::MissingCells, [Neutral; 3]),
        (RunOutcome::BrokenBase, [Neutral; 3]),
        (RunOutcome::NotRaced(NotRacedReason::NothingToCompare), [Neutral; 3]),
        (RunOutcome::NotRaced(NotRacedReason::NotAsked), [Neutral; 3]),
        (RunOutcome::NotRaced(NotRacedReason::Mistakes), [Neutral; 3]),
        (RunOutcome::Quick, [Neutral; 3]),
        (RunOutcome::Standings, [Neutral; 3]),
        (RunOutcome::Undecided, [Neutral; 3]),
        (RunOutcome::Improvement, [Success; 3]),
        (RunOutcome::Same, [Success; 3]),
    ] {
        let policies = [(false, false), (true, false), (true, true)];
        let found = policies.map(|(fail_on, accepted)| conclusion(ending, fail_on, accepted, false));
        assert_eq!(found.map(|found| found.check), expected, "{ending}");
        for found in found {
            let start = format!("{}: ", found.check.as_str());
            assert!(found.why.to_lowercase().starts_with(&start) && found.why.ends_with('.'), "{}", found.why);
        }
        for (fail_on, accepted) in policies {
            let of_fork = conclusion(ending, fail_on, accepted, true);
            assert!(of_fork.check == Neutral && of_fork.why.contains("claims, not proofs"), "{ending}");
        }
    }
}

#[test]
fn a_check_fails_exactly_where_the_run_does() {
    for (what, run, ending) in endings() {
        for policy in 0..4 {
            let (fail_on, accepted) = (policy & 1 == 1, policy & 2 == 2);
            let check = conclusion(ending, fail_on, accepted, false).check;
            let fails = check == CheckConclusion::Failure;
            assert_eq!(fails, ending.exit_code(fail_on, accepted) == 1, "{what}");
            // Nothing green that did not run.
            let open = judge(&run).cells.iter().any(|cell| matches!(cell.word, Word::Undecided | Word::Unmeasured));
            assert!(check != CheckConclusion::Success || !open, "{what}");
        }
    }
}

#[test]
fn every_word_is_another() {
    let words: std::collections::BTreeSet<_> = endings().iter().map(|(.., ending)| ending.as_str()).collect();
    assert_eq!(words.len(), 13);
}
