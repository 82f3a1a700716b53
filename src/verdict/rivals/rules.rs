//! The rules by name, each with where it comes from and what it sees of a cell.

use super::asv::asv_compare;
use super::autocannon_compare::autocannon_compare;
use super::bencher::bencher;
use super::codspeed::codspeed;
use super::github_action_benchmark::github_action_benchmark;
use super::node_compare::{Stars, node_compare};
use super::samples::{Finding, Samples};
use super::tachometer::tachometer;

/// A rule as texts call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleName {
    /// A word for scripts: `asv`, `node-compare-1`.
    pub id: &'static str,
    /// The name in a table.
    pub name: &'static str,
    /// Where the rule stands.
    pub source: &'static str,
    /// A sentence: what it flags, and what of a cell's rounds it is shown.
    pub rule: &'static str,
}

/// deadheat's own rule.
pub const OURS: RuleName = RuleName {
    id: "deadheat",
    name: "deadheat",
    source: "this version's verdict",
    rule: "Proved over the pairs of all rounds, with the chance of a false flag shared over all comparisons of a run.",
};

/// A published rule of another tool.
#[derive(Clone, Copy, Debug)]
pub struct PublishedRule {
    /// How it is called.
    pub name: RuleName,
    /// What it says about the values of a cell.
    pub judge: fn(&Samples<'_>) -> Finding,
}

/// All of them, in the order of tables.
pub const RULES: [PublishedRule; 9] = [
    PublishedRule {
        name: RuleName {
            id: "github-action-benchmark-200",
            name: "github-action-benchmark, 200 %",
            source: "benchmark-action/github-action-benchmark, src/write.ts (findAlerts, getRatio) at 019cbcb; the default of alert-threshold in action.yml",
            rule: "Worse where the mean of head's rounds is more than twice as bad as base's.",
        },
        judge: |samples| github_action_benchmark(samples, 2.0),
    },
    PublishedRule {
        name: RuleName {
            id: "github-action-benchmark-110",
            name: "github-action-benchmark, 110 %",
            source: "benchmark-action/github-action-benchmark, src/write.ts (findAlerts, getRatio) at 019cbcb, with alert-threshold: 110%",
            rule: "Worse where the mean of head's rounds is more than 1.1 times as bad as base's.",
        },
        judge: |samples| github_action_benchmark(samples, 1.1),
    },
    PublishedRule {
        name: RuleName {
            id: "codspeed",
            name: "CodSpeed, 10 %",
            source: "its documentation, global regression threshold",
            rule: "Changed where the speed by the median of each side's rounds differs by more than a tenth.",
        },
        judge: codspeed,
    },
    PublishedRule {
        name: RuleName {
            id: "bencher",
            name: "bencher, 25 %",
            source: "bencherdev/bencher, lib/bencher_boundary/src/limits (new_percentage, outlier); the relative recipe of its documentation at 5950f5f",
            rule: "Worse where the mean of head's rounds lies beyond base's by more than a quarter of it.",
        },
        judge: bencher,
    },
    PublishedRule {
        name: RuleName {
            id: "autocannon-compare",
            name: "autocannon-compare, 5 %",
            source: "autocannon-compare 0.4.0, compare.js, over ttest 2.1.1",
            rule: "Changed where the means differ by more than 5 % and Welch's test at .1 finds a difference.",
        },
        judge: autocannon_compare,
    },
    PublishedRule {
        name: RuleName {
            id: "asv",
            name: "asv compare, factor 1.1",
            source: "asv 0.6.6, commands/compare.py (_is_result_better) and _stats.py (is_different)",
            rule: "Changed where the medians differ by a factor of 1.1 and the rank-sum test's p is below .002; with five rounds or fewer where the medians' 99 % intervals don't overlap instead. Six rounds are too few for such a p, and never flagged.",
        },
        judge: asv_compare,
    },
    PublishedRule {
        name: RuleName {
            id: "node-compare-1",
            name: "Node.js compare.R, one star",
            source: "nodejs/node, benchmark/compare.R at 0ac6b81",
            rule: "Changed where Welch's test has p below .05.",
        },
        judge: |samples| node_compare(samples, Stars::One),
    },
    PublishedRule {
        name: RuleName {
            id: "node-compare-3",
            name: "Node.js compare.R, three stars",
            source: "nodejs/node, benchmark/compare.R at 0ac6b81",
            rule: "Changed where Welch's test has p below .001.",
        },
        judge: |samples| node_compare(samples, Stars::Three),
    },
    PublishedRule {
        name: RuleName {
            id: "tachometer",
            name: "tachometer",
            source: "tachometer 0.7.2, lib/runner.js (takeAdditionalSamples) and lib/stats.js (computeDifference)",
            rule: "Changed where the 95 % interval of the relative difference leaves zero at a look: after 8 rounds, then every 10, and at the last. Its default is 50 samples before the first look, which runs seldom have.",
        },
        judge: tachometer,
    },
];

#[cfg(test)]
mod tests {
    use super::super::samples::Reason;
    use super::*;
    use crate::model::Polarity;
    use proptest::prelude::*;

    fn any_side() -> impl Strategy<Value = Vec<f64>> {
        let value = prop_oneof![
            (f64::MIN_POSITIVE..f64::MAX).prop_map(|value| value),
            (90.0..110.0_f64),
            (1_u8..4).prop_map(f64::from),
            Just(f64::MAX),
            Just(f64::MIN_POSITIVE),
        ];
        prop::collection::vec(value, 1..45)
    }

    proptest! {
        #[test]
        fn no_values_are_a_panic(base in any_side(), head in any_side(), up: bool) {
            let polarity = if up { Polarity::Up } else { Polarity::Down };
            let samples = Samples::new(&base, &head, polarity).unwrap();
            for rule in RULES {
                let _ = (rule.judge)(&samples);
            }
        }

        #[test]
        fn equal_sides_are_never_flagged(base in any_side(), up: bool) {
            let polarity = if up { Polarity::Up } else { Polarity::Down };
            let samples = Samples::new(&base, &base, polarity).unwrap();
            for rule in RULES {
                prop_assert!(!(rule.judge)(&samples).is_flag(), "{}", rule.name.name);
            }
        }
    }

    #[test]
    fn a_single_round_is_judged_or_refused() {
        let single = Samples::new(&[100.0], &[300.0], Polarity::Down).unwrap();
        let found = RULES.map(|rule| (rule.judge)(&single));
        let few = Finding::CannotJudge(Reason::TooFewRounds);
        let worse = Finding::Worse;
        assert_eq!(found, [worse, worse, worse, worse, worse, worse, few, few, few]);
    }

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.name.id).chain([OURS.id]).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len() + 1);
    }
}
