//! Which measured commit stands in for one that was not measured.

use crate::model::CommitSha;
use std::collections::BTreeSet;

/// The first of `ancestors` that was measured. They come nearest first; the commit itself may lead them.
pub fn nearest_measured<'a>(
    ancestors: impl IntoIterator<Item = &'a CommitSha>,
    measured: &BTreeSet<CommitSha>,
) -> Option<&'a CommitSha> {
    ancestors.into_iter().find(|sha| measured.contains(sha))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sha(number: u8) -> CommitSha {
        CommitSha::new(format!("{number:040x}")).unwrap()
    }

    #[test]
    fn the_nearest_is_taken_and_the_others_are_not_asked_for() {
        let line: Vec<CommitSha> = (0..4).map(sha).collect();
        let measured = BTreeSet::from([sha(2), sha(3), sha(9)]);
        assert_eq!(nearest_measured(&line, &measured), Some(&sha(2)));
        assert_eq!(nearest_measured(&line[3..], &measured), Some(&sha(3)));
        assert_eq!(nearest_measured(&line[..2], &measured), None);
        let endless = std::iter::repeat(&line[2]);
        assert_eq!(nearest_measured(endless, &measured), Some(&sha(2)));
    }

    proptest! {
        #[test]
        fn nothing_measured_lies_nearer(line in proptest::collection::vec(0_u8..30, 0..20), measured in proptest::collection::btree_set(0_u8..30, 0..6)) {
            let ancestors: Vec<CommitSha> = line.iter().copied().map(sha).collect();
            let known: BTreeSet<CommitSha> = measured.iter().copied().map(sha).collect();
            // By position, counted on the plain numbers.
            let expected = (0..line.len()).find(|at| measured.contains(&line[*at])).map(|at| &ancestors[at]);
            prop_assert_eq!(nearest_measured(&ancestors, &known), expected);
        }
    }
}
