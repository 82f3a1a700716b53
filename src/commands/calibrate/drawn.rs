//! Drawing pull requests from the rounds of identical builds, on every CPU: nothing is measured meanwhile.

use crate::model::{Case, Results, Seed};
use crate::report::{BUDGETS_MIN, ProvableSlowdown, Resampled, RoundPart, rounds_held};
use crate::verdict::calibration::{Place, Tally, Trial, resampled, smallest_provable};
use crate::verdict::{LOOKS, MAX_PAIRS};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pull requests that change nothing.
const UNCHANGED: u32 = 1_000;
/// Pull requests for every slowdown that is tried.
const SLOWED: u32 = 200;
/// Of which so many are to be found.
const POWER: f64 = 0.95;
/// Pull requests that one thread draws at a time.
const PORTION: u32 = 25;

/// How often pull requests that change nothing are flagged; none where the rounds are too few to draw from.
pub(super) fn false_flags(identical: &Results, seed: Seed, threads: usize) -> Option<Resampled> {
    let rounds = u32::try_from(MAX_PAIRS).unwrap_or(u32::MAX);
    let portions: Vec<u32> = (0..UNCHANGED / PORTION).collect();
    let tallies = on_threads(threads, &portions, |portion| {
        resampled(identical, None, rounds, portion * PORTION..(portion + 1) * PORTION, seed)
    });
    let mut all = Tally::default();
    for tally in tallies {
        all += tally;
    }
    let interval = all.false_flag_interval()?;
    Some(Resampled {
        pulls: all.pulls,
        flagged: all.flagged,
        flagged_pct: all.false_flag_rate()? * 100.0,
        interval_pct: [interval.low * 100.0, interval.high * 100.0],
    })
}

/// The smallest slowdowns that budgets prove, of every scenario.
pub(super) fn provable(identical: &Results, parts: &[RoundPart], seed: Seed, threads: usize) -> Vec<ProvableSlowdown> {
    let round_s: f64 = parts.iter().map(|part| part.seconds).sum();
    let fewest = LOOKS.iter().find(|look| look.increment.is_some()).map_or(MAX_PAIRS, |look| look.pairs);
    let rounds: BTreeSet<u32> = BUDGETS_MIN.iter().map(|minutes| rounds_held(*minutes, round_s)).collect();
    let enough: Vec<u32> = rounds.into_iter().filter(|rounds| *rounds as usize >= fewest).collect();
    let trials: Vec<(&RoundPart, u32)> =
        parts.iter().flat_map(|part| enough.iter().map(move |rounds| (part, *rounds))).collect();
    let found = on_threads(threads, &trials, |(part, rounds)| {
        let Case::Scenario(scenario) = &part.case else { return None };
        let place = Place { entry: part.entry.clone(), regime: part.regime.clone(), scenario: scenario.clone() };
        smallest_provable(identical, &place, &Trial { rounds, power: POWER, pulls: SLOWED, seed })
    });
    let slowdown = |((part, rounds), share): (&(&RoundPart, u32), Option<f64>)| ProvableSlowdown {
        entry: part.entry.clone(),
        regime: part.regime.clone(),
        case: part.case.clone(),
        rounds: *rounds,
        share,
    };
    trials.iter().zip(found).map(slowdown).collect()
}

/// What `work` makes of every task, in the order of the tasks.
fn on_threads<T: Copy + Sync, R: Send>(threads: usize, tasks: &[T], work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_thread = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { return done };
            done.push((index, work(*task)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(one_thread)).collect();
        let mut done = one_thread();
        for other in others {
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_and_in_order_on_any_number_of_threads() {
        let tasks: Vec<u32> = (0..100).collect();
        for threads in [0, 1, 3] {
            assert_eq!(on_threads(threads, &tasks, |task| task * 2), (0..100).map(|n| n * 2).collect::<Vec<_>>());
        }
        assert_eq!(on_threads(2, &[] as &[u32], |task| task), [0_u32; 0]);
    }
}
