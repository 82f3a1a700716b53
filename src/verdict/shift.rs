//! Whether the whole run is shifted: the same direction in most cells, round after round.
//!
//! A sign test over cells would fire on 41 % of unchanged runs, because the cells of a round share its noise; so the rounds
//! are the sample, each with the median over the subjects' cells. A round counts while nine tenths of these cells take
//! part in it: those who go on later are chosen for being suspicious, and their median says nothing about the run. Were it
//! counted, one slowed scenario of eight would make a third to a half of all runs shifted instead of one in ten or fewer.

use super::looks::MAX_PAIRS;
use super::pairs::Pair;
use super::robust::median;
use super::signed_rank::signed_rank;
use super::walsh::hodges_lehmann;
use crate::model::Polarity;
use std::collections::BTreeMap;

/// The largest p of a shifted run.
const LARGEST_P: f64 = 0.01;

/// Where the whole run lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftDirection {
    /// Head's cells are worse throughout.
    Worse,
    /// Head's cells are better throughout.
    Better,
}

/// A run that is shifted as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Two-sided p of the signed-rank test over rounds.
    pub p: f64,
    /// Where it lies.
    pub direction: ShiftDirection,
    /// By how much: the Hodges-Lehmann estimate over rounds, in log units, positive for worse.
    pub centre: f64,
    /// The number of rounds that counted.
    pub rounds: usize,
}

/// The shift test over the subjects' cells; absent where the run is not shifted.
pub(crate) fn shift<'a>(cells: impl Iterator<Item = (Polarity, &'a [Pair])>) -> Option<Shift> {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut raced = 0;
    for (polarity, pairs) in cells {
        let worse = match polarity {
            Polarity::Down => 1.0,
            Polarity::Up => -1.0,
            Polarity::Info => continue,
        };
        raced += usize::from(!pairs.is_empty());
        for pair in pairs {
            rounds.entry(pair.round).or_default().push(worse * pair.ratio);
        }
    }
    let mut medians: Vec<f64> = rounds
        .into_values()
        .filter(|values| 10 * values.len() >= 9 * raced)
        .filter_map(|mut values| median(&mut values))
        .take(MAX_PAIRS)
        .collect();
    medians.sort_unstable_by(f64::total_cmp);
    let p = signed_rank(&medians).p;
    let centre = hodges_lehmann(&medians)?;
    let direction = if centre > 0.0 { ShiftDirection::Worse } else { ShiftDirection::Better };
    (p <= LARGEST_P).then_some(Shift { p, direction, centre, rounds: medians.len() })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, pairs_of};
    use super::*;

    #[test]
    fn every_cell_worse_is_a_shift() {
        let (slower, noise) = (pairs_of(&A12), pairs_of(&B12));
        let found =
            shift([(Polarity::Up, &slower[..]), (Polarity::Up, &slower[..]), (Polarity::Down, &noise[..])].into_iter());
        let found = found.unwrap();
        assert_eq!((found.direction, found.rounds), (ShiftDirection::Worse, 12));
        assert!(found.centre > 0.02 && found.p <= 0.01);
        let better = shift([(Polarity::Down, &slower[..])].into_iter()).unwrap();
        assert_eq!(better.direction, ShiftDirection::Better);
    }

    #[test]
    fn noise_is_none() {
        assert_eq!(shift([(Polarity::Up, &pairs_of(&B12)[..])].into_iter()), None);
        assert_eq!(shift([(Polarity::Info, &pairs_of(&A12)[..])].into_iter()), None);
        assert_eq!(shift(std::iter::empty()), None);
    }

    #[test]
    fn the_few_who_go_on_do_not_speak_for_the_run() {
        let noise: Vec<Vec<Pair>> = (0..3).map(|_| pairs_of(&B12[..8])).collect();
        let slower = pairs_of(&[[0.03; 20].as_slice(), &[0.031; 20]].concat());
        let cells = noise.iter().map(|pairs| (Polarity::Down, &pairs[..]));
        assert_eq!(shift(cells.chain([(Polarity::Down, &slower[..])])), None);
    }
}
