//! What a run's check says at its end.

use super::hand_in::HandIn;
use crate::commands::field;
use crate::github::Conclusion;
use crate::model::{CommitSha, NotRacedReason, Results};
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
            return Arrived::Nothing(Nothing::new("the results were refused", format!("deadheat {reason}.")));
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
    results.judging = field::judging(judging);
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

/// How the check ends in view of what an earlier run concluded on the same commit: what was found by racing everything
/// is not undone by a run that raced nothing, or only a part. A label accepts it afterwards, too.
pub(super) fn in_view_of(end: Ending, arrived: &Arrived, before: Option<Conclusion>, accepted: bool) -> Ending {
    let raced = match arrived {
        Arrived::Nothing(_) => Raced::Nothing,
        Arrived::Judged(judged) => judged.raced(),
    };
    let ending = |conclusion, why| Ending { conclusion, why };
    match (raced, before) {
        (Raced::Nothing, Some(Conclusion::Success)) => ending(
            CheckConclusion::Success,
            "Success: nothing was raced this time, and what an earlier run found stands.",
        ),
        (Raced::Nothing | Raced::Part, Some(Conclusion::Failure)) if accepted => {
            ending(CheckConclusion::Neutral, "Neutral: an earlier run proved a regression, and a label accepts it.")
        }
        (Raced::Nothing, Some(Conclusion::Failure)) => ending(
            CheckConclusion::Failure,
            "Failure: nothing was raced this time, and what an earlier run found stands.",
        ),
        (Raced::Nothing, Some(_)) => ending(
            CheckConclusion::Neutral,
            "Neutral: nothing was raced this time, and what an earlier run found stands.",
        ),
        (Raced::Part, Some(Conclusion::Failure)) => ending(
            CheckConclusion::Failure,
            "Failure: an earlier run proved a regression, and only a part was raced again.",
        ),
        (Raced::Part, _) if end.conclusion == CheckConclusion::Success => {
            ending(CheckConclusion::Neutral, "Neutral: nothing is proved worse, but only a part was raced.")
        }
        (Raced::Everything | Raced::Part, _) | (Raced::Nothing, None) => end,
    }
}

/// Whether a run has nothing to say of its commit that an earlier one could have said.
pub(super) fn raced_nothing(arrived: &Arrived) -> bool {
    match arrived {
        Arrived::Nothing(_) => true,
        Arrived::Judged(judged) => judged.raced() == Raced::Nothing,
    }
}

/// How much of what the configuration names a run raced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raced {
    Everything,
    Part,
    Nothing,
}

impl Judged {
    fn raced(&self) -> Raced {
        match self.outcome {
            // That nothing can have changed is said of everything.
            RunOutcome::NotRaced(NotRacedReason::NothingToCompare) => Raced::Everything,
            RunOutcome::NotRaced(_) | RunOutcome::Quick => Raced::Nothing,
            _ if self.results.selection.is_everything() => Raced::Everything,
            _ => Raced::Part,
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

    #[test]
    fn what_was_found_by_racing_everything_is_not_undone_by_less() {
        use CheckConclusion::{Failure, Neutral, Success};
        let success = Ending { conclusion: Success, why: "" };
        let neutral = Ending { conclusion: Neutral, why: "" };
        let nothing = Arrived::Nothing(Nothing::queue());
        let whole = judged(results("unchanged"), None, None, &Judging::default());
        let HandIn::Results(mut part) = results("unchanged") else { unreachable!() };
        part.selection.variants = vec![crate::model::VariantName::new("fastify").unwrap()];
        let part = judged(HandIn::Results(part), None, None, &Judging::default());
        let before = [None, Some(Conclusion::Success), Some(Conclusion::Neutral), Some(Conclusion::Failure)];
        for (end, arrived, accepted, expected) in [
            (&success, &whole, false, [Success; 4]),
            (&success, &part, false, [Neutral, Neutral, Neutral, Failure]),
            (&success, &part, true, [Neutral; 4]),
            (&neutral, &nothing, false, [Neutral, Success, Neutral, Failure]),
            (&neutral, &nothing, true, [Neutral, Success, Neutral, Neutral]),
        ] {
            let found = before.map(|before| in_view_of(end.clone(), arrived, before, accepted).conclusion);
            assert_eq!(found, expected);
        }
    }
}
