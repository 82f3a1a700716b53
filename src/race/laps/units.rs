//! Units of slices, and which of them are measured again. Nothing here knows a value.

use crate::model::Side;
use crate::plan::slice_side;

/// How many units there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// They count.
    pub(super) kept: u32,
    /// They were disturbed and thrown away.
    pub(super) repeated: u32,
    /// They count though they were disturbed.
    pub(super) disturbed: u32,
}

/// The sides of the slices of a unit, in order: a pair of neighbours of A B B A, or the only side.
pub(super) fn sides(order: &[Side], unit: u32) -> Vec<Side> {
    match order {
        [first, _] => [0, 1].map(|slice| slice_side(*first, 2 * unit + slice)).to_vec(),
        one => one.to_vec(),
    }
}

/// Measures `units` units. `take` measures one and says whether it was disturbed, or nothing where the laps are over;
/// `keep` is given what counts. There are as many repeats as units, so that nothing takes more than twice its time.
pub(super) fn measure<S, T>(
    state: &mut S,
    units: u32,
    mut take: impl FnMut(&mut S, u32) -> Option<(T, bool)>,
    mut keep: impl FnMut(&mut S, T),
) -> Counted {
    let mut counted = Counted::default();
    while counted.kept < units {
        let Some((taken, disturbed)) = take(state, counted.kept) else { break };
        if disturbed && counted.repeated < units {
            counted.repeated += 1;
            continue;
        }
        counted.disturbed += u32::from(disturbed);
        counted.kept += 1;
        keep(state, taken);
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::super::super::lookout::{Lookout, Used};
    use super::*;
    use crate::model::MachineRecord;
    use proptest::prelude::*;

    /// Says of one unit after the other what a script says, and of all further ones that nothing disturbed them.
    struct Scripted(std::vec::IntoIter<bool>);

    impl Lookout for Scripted {
        fn meet(&mut self, _: Side, _: &[u32]) {}
        fn begin_unit(&mut self) {}
        fn begin_slice(&mut self, _: Side) {}
        fn end_slice(&mut self, _: Side, _: Used) -> f64 {
            0.0
        }
        fn end_unit(&mut self) -> bool {
            self.0.next().unwrap_or(false)
        }
        fn end(&mut self) -> MachineRecord {
            MachineRecord::default()
        }
    }

    /// What was measured and what of it was kept: number of the slice, unit and side.
    #[derive(Default)]
    struct Seen {
        taken: Vec<(u32, Side)>,
        kept: Vec<(u32, Side)>,
    }

    fn race(order: &[Side], units: u32, script: &[bool]) -> (Seen, Counted) {
        let mut lookout = Scripted(Vec::from(script).into_iter());
        let mut seen = Seen::default();
        let take = |seen: &mut Seen, unit: u32| {
            lookout.begin_unit();
            let slices: Vec<(u32, Side)> = sides(order, unit).into_iter().map(|side| (unit, side)).collect();
            seen.taken.extend(&slices);
            Some((slices, lookout.end_unit()))
        };
        let counted = measure(&mut seen, units, take, |seen, slices| seen.kept.extend(slices));
        (seen, counted)
    }

    const BASE_FIRST: [Side; 2] = [Side::Base, Side::Head];

    fn letters(slices: &[(u32, Side)]) -> String {
        let letter = |side: Side| if side == Side::Base { "b" } else { "h" };
        slices.iter().flat_map(|(unit, side)| [unit.to_string(), letter(*side).to_owned()]).collect()
    }

    #[test]
    fn a_quiet_machine_repeats_nothing() {
        let (seen, counted) = race(&BASE_FIRST, 4, &[]);
        assert_eq!(letters(&seen.taken), "0b0h1h1b2b2h3h3b");
        assert_eq!(seen.kept, seen.taken);
        assert_eq!(counted, Counted { kept: 4, repeated: 0, disturbed: 0 });
    }

    #[test]
    fn a_disturbed_pair_is_measured_again_both_slices_in_the_same_order() {
        let (seen, counted) = race(&BASE_FIRST, 3, &[false, true, true, false, false]);
        assert_eq!(letters(&seen.taken), "0b0h1h1b1h1b1h1b2b2h");
        assert_eq!(letters(&seen.kept), "0b0h1h1b2b2h");
        assert_eq!(counted, Counted { kept: 3, repeated: 2, disturbed: 0 });
    }

    #[test]
    fn repeats_are_as_many_as_pairs_and_then_what_comes_counts_as_disturbed() {
        let (seen, counted) = race(&BASE_FIRST, 2, &[true; 9]);
        assert_eq!(letters(&seen.taken), "0b0h0b0h0b0h1h1b");
        assert_eq!(letters(&seen.kept), "0b0h1h1b");
        assert_eq!(counted, Counted { kept: 2, repeated: 2, disturbed: 2 });
    }

    #[test]
    fn a_server_alone_is_measured_slice_by_slice() {
        let (seen, counted) = race(&[Side::Head], 3, &[true]);
        assert_eq!(letters(&seen.taken), "0h0h1h2h");
        assert_eq!(counted, Counted { kept: 3, repeated: 1, disturbed: 0 });
    }

    #[test]
    fn laps_that_are_over_end_at_once() {
        let counted = measure(&mut (), 5, |(), unit| (unit < 2).then_some(((), false)), |(), ()| {});
        assert_eq!(counted, Counted { kept: 2, repeated: 0, disturbed: 0 });
    }

    proptest! {
        #[test]
        fn every_pair_counts_once_and_nothing_takes_over_twice_its_time(
            script in proptest::collection::vec(any::<bool>(), 0..40),
            units in 0_u32..12,
        ) {
            let (seen, counted) = race(&BASE_FIRST, units, &script);
            let plain = race(&BASE_FIRST, units, &[]).0;
            prop_assert_eq!(&seen.kept, &plain.kept);
            prop_assert!(seen.taken.len() <= 2 * plain.taken.len());
            prop_assert_eq!(seen.taken.len(), 2 * (counted.kept + counted.repeated) as usize);
            // What is kept is decided by the script alone.
            let disturbed = script.iter().take((counted.kept + counted.repeated) as usize).filter(|is| **is).count();
            prop_assert_eq!((counted.repeated + counted.disturbed) as usize, disturbed);
        }
    }
}
