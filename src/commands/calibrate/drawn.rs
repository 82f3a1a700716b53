//! Drawing pull requests from the rounds of identical builds, on every CPU: nothing is measured meanwhile.

use super::parallel::in_parallel;
use super::stage::interrupted;
use crate::commands::outcome::CommandError;
use crate::model::{Case, Results, Seed};
use crate::process::CancelFlag;
use crate::report::{BUDGETS_MIN, ProvableSlowdown, Resampled, RoundPart, rounds_held};
use crate::verdict::calibration::{Place, Tally, Trial, resampled, smallest_provable};
use crate::verdict::{LOOKS, MAX_PAIRS};
use std::collections::BTreeSet;

/// Pull requests that change nothing.
const UNCHANGED: u32 = 1_000;
/// Pull requests for every slowdown that is tried.
const SLOWED: u32 = 200;
/// Of which so many are to be found.
const POWER: f64 = 0.95;
/// Pull requests that one thread draws at a time.
const PORTION: u32 = 25;

/// How often pull requests that change nothing are flagged; none where the rounds are too few to draw from.
///
/// # Errors
/// [`CommandError`] where the user ended it.
pub(super) fn false_flags(
    identical: &Results,
    seed: Seed,
    cancel: &CancelFlag,
) -> Result<Option<Resampled>, CommandError> {
    let rounds = u32::try_from(MAX_PAIRS).unwrap_or(u32::MAX);
    let tallies = in_parallel(UNCHANGED / PORTION, cancel, |portion| {
        resampled(identical, None, rounds, portion * PORTION..(portion + 1) * PORTION, seed)
    });
    let mut all = Tally::default();
    for tally in tallies.ok_or_else(interrupted)? {
        all += tally;
    }
    let found = all.false_flag_interval().zip(all.false_flag_rate());
    Ok(found.map(|(interval, rate)| Resampled {
        pulls: all.pulls,
        flagged: all.flagged,
        flagged_pct: rate * 100.0,
        interval_pct: [interval.low * 100.0, interval.high * 100.0],
    }))
}

/// The smallest slowdowns that budgets prove, of every scenario.
///
/// # Errors
/// [`CommandError`] where the user ended it.
pub(super) fn provable(
    identical: &Results,
    parts: &[RoundPart],
    seed: Seed,
    cancel: &CancelFlag,
) -> Result<Vec<ProvableSlowdown>, CommandError> {
    let round_s: f64 = parts.iter().map(|part| part.seconds).sum();
    let fewest = LOOKS.iter().find(|look| look.increment.is_some()).map_or(MAX_PAIRS, |look| look.pairs);
    let rounds: BTreeSet<u32> = BUDGETS_MIN.iter().map(|minutes| rounds_held(*minutes, round_s)).collect();
    let enough: Vec<u32> = rounds.into_iter().filter(|rounds| *rounds as usize >= fewest).collect();
    let trials: Vec<(&RoundPart, u32)> =
        parts.iter().flat_map(|part| enough.iter().map(move |rounds| (part, *rounds))).collect();
    let count = u32::try_from(trials.len()).unwrap_or(u32::MAX);
    let found = in_parallel(count, cancel, |index| {
        let (part, rounds) = trials.get(index as usize)?;
        let Case::Scenario(scenario) = &part.case else { return None };
        let place = Place { entry: part.entry.clone(), regime: part.regime.clone(), scenario: scenario.clone() };
        smallest_provable(identical, &place, &Trial { rounds: *rounds, power: POWER, pulls: SLOWED, seed })
    });
    let found = found.ok_or_else(interrupted)?;
    let slowdown = |((part, rounds), share): (&(&RoundPart, u32), Option<f64>)| ProvableSlowdown {
        entry: part.entry.clone(),
        regime: part.regime.clone(),
        case: part.case.clone(),
        rounds: *rounds,
        share,
    };
    Ok(trials.iter().zip(found).map(slowdown).collect())
}
