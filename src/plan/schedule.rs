//! The seeded schedule: who goes first, and in which order.
//!
//! Every coin and every shuffle is a hash of the seed, the round and the names concerned. So the same seed gives the same
//! schedule, an entry that leaves the race changes nothing for the others, and a resumed race goes on as it would have.

use crate::model::{EntryName, RegimeName, Seed, Side};
use sha2::{Digest, Sha256};
use std::fmt;

/// An entry under a regime: what takes one turn in a round, in fresh processes of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// The entry.
    pub entry: EntryName,
    /// The regime, where the configuration names some.
    pub regime: Option<RegimeName>,
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.regime {
            Some(regime) => write!(f, "{} ({regime})", self.entry),
            None => self.entry.fmt(f),
        }
    }
}

/// The side that goes first in `round`.
///
/// Rounds form blocks of two. A coin for the block and lane says who goes first in its first round; in the second the
/// other side does, so that an effect of order cancels within each block.
pub fn first_side(seed: Seed, round: u32, lane: &Lane) -> Side {
    let coin = key(seed, "first side", round / 2, &lane.to_string()) & 1;
    if (coin == 0) == round.is_multiple_of(2) { Side::Base } else { Side::Head }
}

/// The lanes of `round`, in the order of their turns.
pub fn lane_order(seed: Seed, round: u32, mut lanes: Vec<Lane>) -> Vec<Lane> {
    lanes.sort_by_cached_key(|lane| (key(seed, "lane order", round, &lane.to_string()), lane.clone()));
    lanes
}

/// The names of one lane's cases in `round`, in the order in which they are measured.
pub fn case_order<T: Ord + Clone + fmt::Display>(seed: Seed, round: u32, lane: &Lane, mut cases: Vec<T>) -> Vec<T> {
    cases.sort_by_cached_key(|case| (key(seed, "case order", round, &format!("{lane} {case}")), case.clone()));
    cases
}

/// The side of the `index`-th slice when `first` opens: A B B A A B B A ...
pub fn slice_side(first: Side, index: u32) -> Side {
    if matches!(index % 4, 0 | 3) { first } else { first.other() }
}

fn key(seed: Seed, purpose: &str, round: u32, name: &str) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(seed.0.to_le_bytes());
    hasher.update(round.to_le_bytes());
    hasher.update(purpose.as_bytes());
    hasher.update([0]);
    hasher.update(name.as_bytes());
    let digest = hasher.finalize();
    digest.iter().take(8).fold(0, |key, byte| (key << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lane(name: &str) -> Lane {
        Lane { entry: EntryName::new(name).unwrap(), regime: None }
    }

    proptest! {
        #[test]
        fn each_block_of_two_rounds_has_each_side_first_once(seed: u64, block in 0_u32..1000) {
            let lane = lane("fastify");
            let first = first_side(Seed(seed), 2 * block, &lane);
            prop_assert_eq!(first_side(Seed(seed), 2 * block + 1, &lane), first.other());
        }

        #[test]
        fn an_entry_that_leaves_does_not_move_the_others(seed: u64, round in 0_u32..40) {
            let all: Vec<Lane> = ["a", "b", "c", "d", "e"].map(lane).to_vec();
            let order = lane_order(Seed(seed), round, all.clone());
            let without: Vec<Lane> = all.into_iter().filter(|lane| lane.entry.as_str() != "c").collect();
            let expected: Vec<Lane> = order.into_iter().filter(|lane| lane.entry.as_str() != "c").collect();
            prop_assert_eq!(lane_order(Seed(seed), round, without), expected);
        }

        #[test]
        fn any_even_number_of_slices_gives_both_sides_the_same_share(pairs in 1_u32..64) {
            let base = (0..2 * pairs).filter(|index| slice_side(Side::Base, *index) == Side::Base).count();
            prop_assert_eq!(base, pairs as usize);
        }
    }

    #[test]
    fn coins_and_orders_differ_between_seeds_and_rounds() {
        let lanes: Vec<Lane> = ["a", "b", "c", "d", "e", "f"].map(lane).to_vec();
        let orders: std::collections::BTreeSet<Vec<Lane>> =
            (0..20).map(|round| lane_order(Seed(7), round, lanes.clone())).collect();
        assert!(orders.len() > 15, "{} different orders in 20 rounds of 720 possible ones", orders.len());
        let heads = (0..1000).filter(|block| first_side(Seed(3), 2 * block, &lanes[0]) == Side::Head).count();
        // A fair coin stays within four standard deviations (4 * 15.8) of 500.
        assert!((437..=563).contains(&heads), "{heads}");
    }

    #[test]
    fn slices_go_a_b_b_a() {
        let order: Vec<Side> = (0..8).map(|index| slice_side(Side::Head, index)).collect();
        let (a, b) = (Side::Head, Side::Base);
        assert_eq!(order, [a, b, b, a, a, b, b, a]);
    }
}
