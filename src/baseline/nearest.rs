//! Which measured commit stands in for one that was not measured.

use crate::model::CommitSha;
use std::collections::BTreeSet;

/// A measured commit among the ancestors of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest<'a> {
    /// The measured commit.
    pub sha: &'a CommitSha,
    /// Its place among the ancestors: how many of them are nearer.
    pub place: usize,
}

/// The first of `ancestors` that was measured. They come nearest first; the commit itself may lead them.
pub fn nearest_measured<'a>(
    ancestors: impl IntoIterator<Item = &'a CommitSha>,
    measured: &BTreeSet<CommitSha>,
) -> Option<Nearest<'a>> {
    let mut places = ancestors.into_iter().enumerate();
    places.find(|(_, sha)| measured.contains(*sha)).map(|(place, sha)| Nearest { sha, place })
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
        assert_eq!(nearest_measured(&line, &measured), Some(Nearest { sha: &sha(2), place: 2 }));
        assert_eq!(nearest_measured(&line[3..], &measured), Some(Nearest { sha: &sha(3), place: 0 }));
        assert_eq!(nearest_measured(&line[..2], &measured), None);
        let endless = std::iter::repeat(&line[2]);
        assert_eq!(nearest_measured(endless, &measured), Some(Nearest { sha: &sha(2), place: 0 }));
    }

    proptest! {
        #[test]
        fn nothing_measured_lies_nearer(line in proptest::collection::vec(0_u8..30, 0..20), measured in proptest::collection::btree_set(0_u8..30, 0..6)) {
            let ancestors: Vec<CommitSha> = line.iter().copied().map(sha).collect();
            let known: BTreeSet<CommitSha> = measured.iter().copied().map(sha).collect();
            // By position, counted on the plain numbers.
            let expected = (0..line.len()).find(|place| measured.contains(&line[*place]));
            let found = nearest_measured(&ancestors, &known);
            prop_assert_eq!(found, expected.map(|place| Nearest { sha: &ancestors[place], place }));
        }
    }
}
