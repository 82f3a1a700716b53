//! What a run's check says at its end.

use super::hand_in::HandIn;
use crate::github::Conclusion;
use crate::model::{CommitSha, JudgingRecord, Results};
use crate::plan::Judging;
use crate::verdict::{CheckConclusion, RunOutcome, RunVerdict, conclusion, judge, outcome};

/// Results that belong to the run, judged anew.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) results: Results,
    pub(super) verdict: RunVerdict,
    pub(super) outcome: RunOutcome,
}

/// What arrived, as far as it may be believed.
#[derive(Debug)]
pub(super) enum Arrived {
    /// Results of the run's commit.
    Judged(Box<Judged>),
    /// None, with the reason.
    Nothing(Nothing),
}

/// Why there are no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nothing {
    /// A few words.
    pub(super) title: String,
    /// A sentence, and what to do.
    pub(super) text: String,
}

impl Nothing {
    fn new(title: &str, text: impl Into<String>) -> Self {
        Self { title: title.to_owned(), text: text.into() }
    }

    /// What a merge queue hands in.
    pub(super) fn queue() -> Self {
        Self::new("a merge queue is not raced", "A merge queue is not raced: its pull requests were, each on its own.")
    }
}

/// Judges what arrived for `head` by the default branch's settings: what the results say of them was written by a job
/// that ran the pull request's code.
pub(super) fn judged(
    hand_in: HandIn,
    head: Option<&CommitSha>,
    ended: Option<Conclusion>,
    judging: &Judging,
) -> Arrived {
    let mut results = match hand_in {
        HandIn::Results(results) => *results,
        HandIn::Missing => return Arrived::Nothing(missing(ended)),
        HandIn::Refused(reason) => {
            return Arrived::Nothing(Nothing::new(
                "the results were refused",
                format!("The results were refused: {reason}."),
            ));
        }
    };
    if let Some(head) = head
        && results.head.sha != *head
    {
        return Arrived::Nothing(Nothing::new(
            "the results belong to another commit",
            format!(
                "The results say that they are of {}, and the run was of {head}. They were refused.",
                results.head.sha
            ),
        ));
    }
    results.judging = JudgingRecord {
        false_alarms: judging.false_alarms,
        relevant: judging.relevant.clone(),
        fail_on_regression: judging.fail_on_regression,
    };
    let verdict = judge(&results);
    let outcome = outcome(&results, &verdict);
    Arrived::Judged(Box::new(Judged { results, verdict, outcome }))
}

fn missing(ended: Option<Conclusion>) -> Nothing {
    match ended {
        Some(Conclusion::Cancelled) => Nothing::new(
            "cancelled",
            "The run was cancelled before it handed in results: a newer push does that, or a person.",
        ),
        Some(Conclusion::TimedOut) => Nothing::new(
            "timed out",
            "The run took longer than its job may. Lower `budget`, race fewer entries or scenarios, or raise the job's `timeout-minutes`.",
        ),
        Some(Conclusion::ActionRequired) => {
            Nothing::new("waiting for approval", "The run waits for a maintainer to approve it.")
        }
        Some(Conclusion::Skipped) => Nothing::new("skipped", "Every job of the run was skipped."),
        _ => Nothing::new("no results", "The run ended without handing in results; its log says why."),
    }
}

/// The end of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) conclusion: CheckConclusion,
    pub(super) why: &'static str,
}

/// How the check ends. Nothing is green that did not run.
pub(super) fn ending(arrived: &Arrived, judging: &Judging, accepted: bool, from_fork: bool) -> Ending {
    match arrived {
        Arrived::Nothing(_) => {
            Ending { conclusion: CheckConclusion::Neutral, why: "Neutral: there are no results to conclude from." }
        }
        Arrived::Judged(judged) => {
            let found = conclusion(judged.outcome, judging.fail_on_regression, accepted, from_fork);
            Ending { conclusion: found.check, why: found.why }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha(digit: &str) -> CommitSha {
        CommitSha::new(digit.repeat(40)).unwrap()
    }

    fn results(name: &str) -> HandIn {
        let path = format!("{}/fixtures/results/{name}.json", env!("CARGO_MANIFEST_DIR"));
        HandIn::Results(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    fn ends(arrived: &Arrived, fail: bool, accepted: bool, from_fork: bool) -> CheckConclusion {
        let judging = Judging { fail_on_regression: fail, ..Judging::default() };
        ending(arrived, &judging, accepted, from_fork).conclusion
    }

    #[test]
    fn only_a_proved_regression_that_may_fail_fails() {
        use CheckConclusion::{Failure, Neutral};
        let changed = judged(results("changed"), Some(&sha("b")), None, &Judging::default());
        assert_eq!(ends(&changed, true, false, false), Failure);
        assert_eq!(ends(&changed, false, false, false), Neutral);
        assert_eq!(ends(&changed, true, true, false), Neutral);
        assert_eq!(ends(&changed, true, false, true), Neutral);
        for other in ["unusable", "quick", "alone", "mixed"] {
            let arrived = judged(results(other), Some(&sha("b")), None, &Judging::default());
            assert_ne!(ends(&arrived, false, false, false), Failure, "{other}");
        }
    }

    #[test]
    fn results_of_another_commit_are_refused() {
        let Arrived::Nothing(nothing) = judged(results("changed"), Some(&sha("c")), None, &Judging::default()) else {
            panic!("believed");
        };
        assert!(nothing.text.contains(&"c".repeat(40)));
    }

    #[test]
    fn what_the_results_say_of_the_settings_is_not_believed() {
        let HandIn::Results(mut handed) = results("changed") else { unreachable!() };
        handed.judging.false_alarms = 1e-12;
        handed.judging.relevant = crate::model::Metric::ALL.iter().map(|metric| (*metric, 10.0)).collect();
        let Arrived::Judged(judged) = judged(HandIn::Results(handed), None, None, &Judging::default()) else {
            panic!("refused");
        };
        assert_eq!(judged.outcome, RunOutcome::Regression);
    }

    #[test]
    fn a_run_without_results_says_what_became_of_it() {
        let title = |ended: Option<Conclusion>| missing(ended).title;
        assert_eq!(title(Some(Conclusion::Cancelled)), "cancelled");
        assert_eq!(title(Some(Conclusion::TimedOut)), "timed out");
        assert_eq!(title(Some(Conclusion::Success)), "no results");
        assert_eq!(title(None), "no results");
    }
}
