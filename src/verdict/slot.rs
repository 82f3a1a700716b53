//! The slot effect: whether it matters who goes first in a pair.
//!
//! In the two rounds of a block each side goes first once. Half the difference between the round in which head goes second
//! and the one in which it goes first is what the second slot costs, whatever the two sides really differ by. Which of the
//! two rounds comes first is a coin of the seed's for each lane, so that without an effect of order every block's value is
//! as likely to be positive as negative: that is what the signed-rank test asks of its sample, here the blocks of all
//! lanes. The verdict on cells needs no correction by it, because every block holds both orders.

use super::context::Context;
use super::looks::MAX_PAIRS;
use super::pairs::pairs;
use super::robust::median;
use super::signed_rank::signed_rank;
use super::walsh::hodges_lehmann;
use crate::model::{EntryName, Polarity, RegimeName, Results, Side, Standing};
use std::collections::BTreeMap;

/// The largest p of an effect that is shown.
const LARGEST_P: f64 = 0.01;
/// Blocks that are read at most; the exact test of more would take long and show nothing that is not clear by then.
const MOST_BLOCKS: usize = 3 * MAX_PAIRS;

/// What the second place in a pair costs, where that is proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotEffect {
    /// Two-sided p of the signed-rank test over blocks.
    pub p: f64,
    /// By how much whoever goes second is worse, in log units; negative where it is better.
    pub centre: f64,
    /// The number of blocks.
    pub blocks: usize,
}

type Lane<'a> = (&'a EntryName, Option<&'a RegimeName>);

/// The slot effect of a run; absent where none is proved, or the results do not say who went first.
pub(crate) fn slot_effect(results: &Results, context: &Context<'_>) -> Option<SlotEffect> {
    let first: BTreeMap<(Lane<'_>, u32), Side> = results
        .attempts
        .iter()
        .filter_map(|attempt| Some((((&attempt.entry, attempt.regime.as_ref()), attempt.round), attempt.first?)))
        .collect();
    if first.is_empty() {
        return None;
    }
    // The median over a lane's cells, each oriented to worse: one value per lane and round, as in the shift test.
    let mut rounds: BTreeMap<(Lane<'_>, u32), Vec<f64>> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| context.standing(cell) != Standing::Outside) {
        let worse = match cell.key.metric.polarity(cell.key.suite) {
            Polarity::Down => 1.0,
            Polarity::Up => -1.0,
            Polarity::Info => continue,
        };
        let lane = (&cell.key.entry, cell.key.regime.as_ref());
        for pair in pairs(cell) {
            rounds.entry((lane, pair.round)).or_default().push(worse * pair.ratio);
        }
    }
    let mut blocks: BTreeMap<(Lane<'_>, u32), [Option<f64>; 2]> = BTreeMap::new();
    for ((lane, round), mut values) in rounds {
        let (Some(first), Some(value)) = (first.get(&(lane, round)), median(&mut values)) else { continue };
        let block = blocks.entry((lane, round / 2)).or_default();
        block[usize::from(*first == Side::Head)] = Some(value);
    }
    let mut costs: Vec<f64> = blocks
        .into_values()
        .filter_map(|[head_second, head_first]| Some((head_second? - head_first?) / 2.0))
        .take(MOST_BLOCKS)
        .collect();
    costs.sort_unstable_by(f64::total_cmp);
    let p = signed_rank(&costs).p;
    let centre = hodges_lehmann(&costs)?;
    (p <= LARGEST_P).then_some(SlotEffect { p, centre, blocks: costs.len() })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{attempt, cell, control_cell, results};
    use super::*;
    use crate::model::{Metric, Outcome};

    /// A run whose head is worse by `change` and whose second place costs `slot`, over twelve rounds of one subject and
    /// the control; noise is +-.002 in a pattern that no block can take for either.
    fn effect(change: f64, slot: f64) -> Option<SlotEffect> {
        let first = |round: u32| if matches!(round % 4, 0 | 3) { Side::Base } else { Side::Head };
        let value = |round: u32, change: f64| {
            let cost = if first(round) == Side::Base { slot } else { -slot };
            change + cost + 0.0002 * f64::from(round) + if (round / 2).is_multiple_of(2) { 0.002 } else { -0.002 }
        };
        let rounds = |change: f64| (0..12).map(|round| value(round, change)).collect::<Vec<_>>();
        let mut run = results(vec![
            cell("get", Metric::P50, 1000.0, &rounds(change)),
            cell("get", Metric::Rps, 1000.0, &rounds(change).iter().map(|d| -d).collect::<Vec<_>>()),
            control_cell(Metric::P50, &rounds(0.0)),
        ]);
        for round in 0..12 {
            let mut subject = attempt(round, Outcome::Measured, Outcome::Measured);
            subject.first = Some(first(round));
            let control = crate::model::Attempt { entry: run.entries[1].name.clone(), ..subject.clone() };
            run.attempts.extend([subject, control]);
        }
        slot_effect(&run, &Context::new(&run))
    }

    #[test]
    fn what_the_second_place_costs_is_found_whatever_the_sides_differ_by() {
        for change in [0.0, 0.05, -0.08] {
            let found = effect(change, 0.03).unwrap();
            assert!((found.centre - 0.03).abs() < 0.0005, "{found:?}");
            assert_eq!(found.blocks, 12);
        }
        assert!((effect(0.02, -0.01).unwrap().centre + 0.01).abs() < 0.0005);
    }

    #[test]
    fn a_real_difference_is_no_slot_effect() {
        assert_eq!(effect(0.05, 0.0), None);
        assert_eq!(effect(0.0, 0.0), None);
    }

    #[test]
    fn results_that_do_not_say_who_went_first_show_none() {
        let run = results(vec![cell("get", Metric::P50, 1000.0, &[0.1; 12])]);
        assert_eq!(slot_effect(&run, &Context::new(&run)), None);
    }
}
