//! One run judged by every rule, deadheat's own first.

use super::super::looks::MAX_PAIRS;
use super::rules::{OURS, RULES, RuleName};
use super::samples::{Finding, Reason, Samples};
use crate::model::{CellKey, CellRecord, Results, Standing};
use crate::verdict::judge;

/// What one rule says about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleReplay {
    /// The rule.
    pub rule: RuleName,
    /// What it says about each cell of [`Replay::cells`], in their order.
    pub findings: Vec<Finding>,
}

/// A run as every rule sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The judged cells: the family that shares the run's false alarms.
    pub cells: Vec<CellKey>,
    /// Whether deadheat's controls held, so that it may call anything proved.
    pub usable: bool,
    /// How many rounds each of them has with a value of both sides.
    pub rounds: Vec<usize>,
    /// One entry per rule; deadheat's own first.
    pub rules: Vec<RuleReplay>,
}

/// Judges the judged cells of a run by every rule. A cell is shown to the other tools' rules by all of its rounds that
/// have a positive value of both sides, in the order in which they were raced; a scenario that left the race early has
/// fewer of them, and an unusable run is judged by them as any other.
pub fn replay(results: &Results) -> Replay {
    let verdict = judge(results);
    let judged: Vec<_> = verdict
        .cells
        .iter()
        .filter(|cell| cell.standing == Standing::Judged)
        .filter_map(|cell| results.cells.get(cell.index).map(|record| (cell, record)))
        .collect();
    let ours = judged.iter().map(|(cell, _)| match cell.word {
        word if word.is_regression() => Finding::Worse,
        word if word.is_improvement() => Finding::Better,
        _ => Finding::NotFlagged,
    });
    let mut rules = vec![RuleReplay { rule: OURS, findings: ours.collect() }];
    let sides: Vec<_> = judged.iter().map(|(_, record)| sides(record)).collect();
    for rule in RULES {
        let findings = judged.iter().zip(&sides).map(|((_, record), (base, head))| {
            let polarity = record.key.metric.polarity(record.key.suite);
            Samples::new(base, head, polarity).map_or_else(Finding::CannotJudge, |samples| (rule.judge)(&samples))
        });
        rules.push(RuleReplay { rule: rule.name, findings: findings.collect() });
    }
    Replay {
        usable: verdict.usable,
        cells: judged.iter().map(|(_, record)| record.key.clone()).collect(),
        rounds: sides.iter().map(|(base, _)| base.len()).collect(),
        rules,
    }
}

/// The values of the rounds that both sides have; of a file that claims more rounds than are ever raced, the first ones.
fn sides(cell: &CellRecord) -> (Vec<f64>, Vec<f64>) {
    let positive = |value: Option<f64>| value.filter(|value| value.is_finite() && *value > 0.0);
    cell.rounds.iter().filter_map(|round| Some((positive(round.base)?, positive(round.head)?))).take(MAX_PAIRS).unzip()
}

impl RuleReplay {
    /// How many cells it flags.
    pub fn flags(&self) -> usize {
        self.findings.iter().filter(|finding| finding.is_flag()).count()
    }

    /// How many cells with rounds it can't judge.
    pub fn refused(&self) -> usize {
        let refused =
            |finding: &&Finding| matches!(finding, Finding::CannotJudge(reason) if *reason != Reason::NoRounds);
        self.findings.iter().filter(refused).count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{A12, B12, cell, control_cell, results};
    use super::*;
    use crate::model::{Metric, RoundValue};

    fn of(replay: &Replay, id: &str) -> Vec<Finding> {
        replay.rules.iter().find(|rule| rule.rule.id == id).unwrap().findings.clone()
    }

    #[test]
    fn a_run_by_every_rule() {
        let replay = replay(&results(vec![
            cell("get", Metric::Rps, 1000.0, &A12),
            cell("get", Metric::Max, 1000.0, &A12),
            cell("post", Metric::Rps, 1000.0, &B12),
            cell("far", Metric::Rps, 1000.0, &[-1.0, -1.1, -0.9, -1.0, -1.2, -0.8, -1.0, -1.1]),
            control_cell(Metric::Rps, &B12),
            cell("none", Metric::Rps, 1000.0, &[]),
        ]));
        assert_eq!(replay.rules.len(), 10);
        assert_eq!(replay.rounds, [12, 12, 8, 0]);
        let none = Finding::CannotJudge(Reason::NoRounds);
        let (worse, not) = (Finding::Worse, Finding::NotFlagged);
        // deadheat asks for 12 pairs before it calls a change proved.
        assert_eq!(of(&replay, "deadheat"), [worse, not, not, not]);
        assert_eq!(of(&replay, "github-action-benchmark-200"), [not, not, worse, none]);
        assert_eq!(of(&replay, "asv"), [not, not, worse, none]);
        assert_eq!(of(&replay, "node-compare-1"), [worse, not, worse, none]);
        assert_eq!(replay.rules[0].flags(), 1);
        assert_eq!(replay.rules[1].refused(), 0);
    }

    #[test]
    fn what_is_no_measurement_is_not_shown() {
        let mut record = cell("get", Metric::Rps, 1000.0, &B12);
        record.rounds[0].head = None;
        record.rounds[1].base = Some(f64::NAN);
        record.rounds[2].base = Some(-1.0);
        record.rounds.push(RoundValue { round: 12, base: None, head: Some(1.0), log_ratio: None });
        let replay = replay(&results(vec![record]));
        assert_eq!(replay.rounds, [9]);
    }

    #[test]
    fn a_file_that_claims_too_many_rounds_is_judged_by_the_first() {
        let replay = replay(&results(vec![cell("get", Metric::Rps, 1000.0, &[0.01; 100_000])]));
        assert_eq!(replay.rounds, [40]);
    }

    #[test]
    fn an_empty_run_is_judged_by_all() {
        let replay = replay(&results(Vec::new()));
        assert!(replay.cells.is_empty() && replay.rules.iter().all(|rule| rule.flags() == 0));
    }
}
