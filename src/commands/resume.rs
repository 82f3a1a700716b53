//! Going on with an interrupted race, only as what it was.

use super::outcome::CommandError;
use super::sides::Sides;
use crate::build::Repository;
use crate::model::Results;
use crate::plan::Protocol;
use std::path::Path;
use std::time::Duration;

/// The sides of the interrupted race.
pub(super) fn sides(repository: &Repository, earlier: &Results, scratch: &Path) -> Result<Sides, CommandError> {
    let base = earlier.base.as_ref().map_or("none", |base| base.sha.as_str());
    let head = (!earlier.head.dirty).then(|| earlier.head.sha.as_str());
    let mut sides = Sides::resolve(repository, Some(base), head, scratch)?;
    if sides.head.sha != earlier.head.sha || sides.head.snapshot != earlier.head.snapshot {
        return Err(CommandError::usage(format!(
            "failed to resume: head was {} with uncommitted changes, which are no longer what is checked out",
            earlier.head.sha.short()
        )));
    }
    sides.head.rev.clone_from(&earlier.head.rev);
    if let (Some(base), Some(before)) = (&mut sides.base, &earlier.base) {
        base.rev.clone_from(&before.rev);
    }
    Ok(sides)
}

/// Gives a protocol the length of the interrupted race.
pub(super) fn lengths(protocol: &mut Protocol, earlier: &Results) {
    protocol.budget = Duration::from_secs_f64(earlier.protocol.budget_s);
    (protocol.rounds_min, protocol.rounds_max) = (earlier.protocol.rounds_min, earlier.protocol.rounds_max);
}

/// Checks that a race is resumed as what it was.
pub(super) fn check_same_race(earlier: &Results, now: &Results) -> Result<(), CommandError> {
    let differs = |what: &str| {
        Err(CommandError::usage(format!(
            "failed to resume: {what} differ from those of the interrupted run; give the same options, or start anew without --resume"
        )))
    };
    if earlier.protocol != now.protocol || earlier.judging != now.judging {
        return differs("protocol or verdict settings");
    }
    let keys =
        |results: &Results| -> Vec<_> { results.cells.iter().map(|cell| (cell.key.clone(), cell.standing)).collect() };
    if keys(earlier) != keys(now) || earlier.entries != now.entries {
        return differs("entries or scenarios");
    }
    Ok(())
}
