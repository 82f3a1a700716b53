//! What a check concludes from how a run ended.

use super::outcome::RunOutcome;
use crate::model::NotRacedReason;

/// What a check says at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckConclusion {
    /// Everything was raced, and nothing is worse.
    Success,
    /// Nothing stands in the way of a merge, and not everything is proved.
    Neutral,
    /// A proved regression that the configuration lets fail.
    Failure,
}

impl CheckConclusion {
    /// The word that GitHub's API has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Neutral => "neutral",
            Self::Failure => "failure",
        }
    }
}

/// A check's conclusion with the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The conclusion.
    pub check: CheckConclusion,
    /// Why, as a plain sentence.
    pub why: &'static str,
}

/// What the check of a run concludes. `fail_on_regression` and `accepted` come from whoever is trusted to say so, never
/// from the results; of a fork the figures are claims, on which no check turns green or red.
pub fn conclusion(outcome: RunOutcome, fail_on_regression: bool, accepted: bool, from_fork: bool) -> Conclusion {
    use CheckConclusion::{Neutral, Success};
    let (check, why) = if from_fork {
        (Neutral, "Neutral: a job that ran the fork's own code measured the figures, so they are claims, not proofs.")
    } else {
        match outcome {
            RunOutcome::Same => (Success, "Success: every comparison is proved the same within its limit."),
            RunOutcome::Improvement => {
                (Success, "Success: something is proved better, and everything else is proved the same.")
            }
            RunOutcome::Regression | RunOutcome::BrokenHead => regression(outcome, fail_on_regression, accepted),
            RunOutcome::NotRaced(NotRacedReason::NothingToCompare) => {
                (Neutral, "Neutral: the change touches nothing that is raced.")
            }
            RunOutcome::NotRaced(NotRacedReason::NotAsked) => (Neutral, "Neutral: no race was asked for."),
            RunOutcome::NotRaced(NotRacedReason::Mistakes) => {
                (Neutral, "Neutral: the benchmark's own files have mistakes, so nothing was raced.")
            }
            RunOutcome::Quick => (Neutral, "Neutral: a quick run judges nothing."),
            RunOutcome::Standings => (Neutral, "Neutral: there was nothing to compare head with."),
            RunOutcome::Unusable => (Neutral, "Neutral: the control moved, so nothing is proved."),
            RunOutcome::BrokenBase => {
                (Neutral, "Neutral: base does not build, start or answer, so not everything could be compared.")
            }
            RunOutcome::MissingCells => {
                (Neutral, "Neutral: something that was to be compared was never measured on both sides.")
            }
            RunOutcome::Undecided => (Neutral, "Neutral: nothing is proved worse, but not everything is decided."),
        }
    };
    Conclusion { check, why }
}

fn regression(outcome: RunOutcome, fail_on_regression: bool, accepted: bool) -> (CheckConclusion, &'static str) {
    use CheckConclusion::{Failure, Neutral};
    let broken = outcome == RunOutcome::BrokenHead;
    match (broken, fail_on_regression, accepted) {
        (true, true, false) => (Failure, "Failure: head does not build, start or answer where base does."),
        (false, true, false) => (Failure, "Failure: a regression is proved."),
        (true, _, true) => (Neutral, "Neutral: head fails where base does not, and a label accepts it."),
        (false, _, true) => (Neutral, "Neutral: a regression is proved, and a label accepts it."),
        (true, false, false) => (
            Neutral,
            "Neutral: head fails where base does not, and the configuration lets no regression fail the check.",
        ),
        (false, false, false) => {
            (Neutral, "Neutral: a regression is proved, and the configuration lets no regression fail the check.")
        }
    }
}
