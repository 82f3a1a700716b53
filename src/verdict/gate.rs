//! What the gate and the line-up say about a cell before any round of it is looked at.

use super::failing::{Failing, FailingCause, UnmeasuredReason};
use crate::model::{GateOutcome, PerSide, Presence};

/// Whether a cell can be compared at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Standpoint {
    /// It can, as far as the gate knows.
    Comparable,
    /// There is nothing to compare it with.
    Unmeasured(UnmeasuredReason),
    /// Base passes and head does not.
    Failing(Failing),
}

/// What the gate found for one scenario, or for all scenarios of an entry taken together.
pub(crate) type Findings = PerSide<Option<GateOutcome>>;

/// The standpoint of an entry that exists on some sides.
pub(crate) fn by_presence(presence: Presence) -> Standpoint {
    match presence {
        Presence::Both => Standpoint::Comparable,
        Presence::New => Standpoint::Unmeasured(UnmeasuredReason::New),
        Presence::Gone => Standpoint::Unmeasured(UnmeasuredReason::Gone),
    }
}

/// The standpoint of a scenario. A finding that is missing is none: it says nothing, but a base without a finding makes
/// new what head passes.
pub(crate) fn by_findings(findings: Findings) -> Standpoint {
    use GateOutcome::{Failed, NotAsked, Passed};
    match (findings.base, findings.head) {
        (Some(Passed), Some(Passed)) | (_, None) => Standpoint::Comparable,
        (_, Some(Passed)) => Standpoint::Unmeasured(UnmeasuredReason::New),
        (Some(Passed), Some(Failed)) => Standpoint::Failing(Failing::at_gate(FailingCause::Gate)),
        (Some(Passed), Some(NotAsked)) => Standpoint::Failing(Failing::at_gate(FailingCause::NotRunning)),
        (_, Some(Failed | NotAsked)) => Standpoint::Unmeasured(UnmeasuredReason::NotPassing),
    }
}

/// The better of two findings of a side: for the start of a server it is enough that it answered one scenario.
pub(crate) fn better(one: Option<GateOutcome>, other: GateOutcome) -> GateOutcome {
    let rank = |outcome: GateOutcome| match outcome {
        GateOutcome::Passed => 2,
        GateOutcome::Failed => 1,
        GateOutcome::NotAsked => 0,
    };
    one.filter(|one| rank(*one) >= rank(other)).unwrap_or(other)
}

/// The standpoint of an entry's start: a side that answered anything started, rightly or wrongly.
pub(crate) fn by_starts(best: Findings) -> Standpoint {
    let started = |outcome| match outcome {
        GateOutcome::Failed => GateOutcome::Passed,
        other => other,
    };
    by_findings(best.map(|_, outcome| outcome.map(started)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use GateOutcome::{Failed, NotAsked, Passed};

    #[test]
    fn every_pair_of_findings() {
        let new = Standpoint::Unmeasured(UnmeasuredReason::New);
        let not_passing = Standpoint::Unmeasured(UnmeasuredReason::NotPassing);
        let gate = Standpoint::Failing(Failing::at_gate(FailingCause::Gate));
        let not_running = Standpoint::Failing(Failing::at_gate(FailingCause::NotRunning));
        for (base, head, expected) in [
            (Some(Passed), Some(Passed), Standpoint::Comparable),
            (Some(Failed), Some(Passed), new),
            (Some(NotAsked), Some(Passed), new),
            (None, Some(Passed), new),
            (Some(Passed), Some(Failed), gate),
            (Some(Passed), Some(NotAsked), not_running),
            (Some(Failed), Some(Failed), not_passing),
            (None, Some(NotAsked), not_passing),
            (None, None, Standpoint::Comparable),
        ] {
            assert_eq!(by_findings(PerSide { base, head }), expected, "{base:?} {head:?}");
        }
    }

    #[test]
    fn a_start_needs_one_answer() {
        assert_eq!(better(Some(Failed), Passed), Passed);
        assert_eq!(better(Some(Failed), NotAsked), Failed);
        assert_eq!(better(None, NotAsked), NotAsked);
        let started = by_starts(PerSide { base: Some(Passed), head: Some(Failed) });
        assert_eq!(started, Standpoint::Comparable);
    }
}
