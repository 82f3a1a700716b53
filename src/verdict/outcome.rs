//! How a run as a whole ended: one word for the exit code, the outputs of a workflow and the check's conclusion.

use super::failing::Failing;
use super::run::RunVerdict;
use super::words::Word;
use crate::model::{Lineup, NotRacedReason, Presence, Results, Role, Standing};
use std::fmt;

/// How a run ended. What is proved about head comes before what kept the rest from being compared, so that a broken base
/// of one entry never hides the regression of another; and nothing is `Same` or `Improvement` that did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Nothing was raced.
    NotRaced(NotRacedReason),
    /// Everything was exercised once, and nothing is judged.
    Quick,
    /// Head was raced alone: there was no base, or nothing in it to compare with.
    Standings,
    /// A control moved: nothing is proved.
    Unusable,
    /// Head does not build, start or answer where base does.
    BrokenHead,
    /// Something is proved worse.
    Regression,
    /// Base does not build, start or answer, so something of head has nothing to be compared with.
    BrokenBase,
    /// Something that was to be compared was never measured on both sides.
    MissingCells,
    /// Nothing is proved worse, and something is open.
    Undecided,
    /// Something is proved better, and everything else the same.
    Improvement,
    /// Everything is proved the same.
    Same,
}

impl RunOutcome {
    /// The outcome as outputs and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotRaced(NotRacedReason::NothingToCompare) => "nothing-to-compare",
            Self::NotRaced(NotRacedReason::NotAsked) => "not-asked",
            Self::NotRaced(NotRacedReason::Mistakes) => "mistakes",
            Self::Quick => "quick",
            Self::Standings => "standings",
            Self::Unusable => "unusable",
            Self::BrokenHead => "broken-head",
            Self::Regression => "regression",
            Self::BrokenBase => "broken-base",
            Self::MissingCells => "missing-cells",
            Self::Undecided => "undecided",
            Self::Improvement => "improvement",
            Self::Same => "same",
        }
    }

    /// Whether head is proved worse. A head that no longer answers as base does is worse than a slow one.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Regression | Self::BrokenHead)
    }

    /// Whether the run fails: head is proved worse, the configuration lets that fail, and nobody accepted it.
    pub fn fails(self, fail_on_regression: bool, accepted: bool) -> bool {
        self.is_regression() && fail_on_regression && !accepted
    }

    /// The exit code of the run: 0 done, 1 a regression that fails it, 2 mistakes in the user's files, 3 unusable.
    pub fn exit_code(self, fail_on_regression: bool, accepted: bool) -> u8 {
        match self {
            Self::NotRaced(NotRacedReason::Mistakes) => 2,
            Self::Unusable => 3,
            _ => u8::from(self.fails(fail_on_regression, accepted)),
        }
    }
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the run that was judged as `verdict` ended.
pub fn outcome(results: &Results, verdict: &RunVerdict) -> RunOutcome {
    if let Some(not_raced) = &results.not_raced {
        return RunOutcome::NotRaced(not_raced.reason);
    }
    if results.quick {
        return RunOutcome::Quick;
    }
    if results.base.is_none() {
        return RunOutcome::Standings;
    }
    if !verdict.usable {
        return RunOutcome::Unusable;
    }
    let failing = |wanted: bool| {
        verdict.cells.iter().filter_map(|cell| cell.failing).any(|failing: Failing| failing.is_regression() == wanted)
    };
    let judged = || verdict.cells.iter().filter(|cell| cell.standing == Standing::Judged);
    let any = |holds: fn(Word) -> bool| judged().any(|cell| holds(cell.word));
    if failing(true) {
        RunOutcome::BrokenHead
    } else if any(Word::is_regression) {
        RunOutcome::Regression
    } else if failing(false) || base_is_broken(results) {
        RunOutcome::BrokenBase
    } else if judged().next().is_none() {
        RunOutcome::Standings
    } else if any(|word| word == Word::Unmeasured) {
        RunOutcome::MissingCells
    } else if any(|word| word == Word::Undecided) {
        RunOutcome::Undecided
    } else if any(Word::is_improvement) {
        RunOutcome::Improvement
    } else {
        RunOutcome::Same
    }
}

/// Whether a subject that both sides have runs on head alone.
fn base_is_broken(results: &Results) -> bool {
    results.entries.iter().any(|entry| {
        entry.role == Role::Subject && entry.presence == Presence::Both && entry.lineup == Lineup::OneSided
    })
}
