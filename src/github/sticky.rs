//! Which comment on a pull request is the sticky one. Pure.
//!
//! Ours is what our own account wrote and what starts with a marker of the same configuration. The oldest of ours is
//! the one that is kept and written over; results of a later run are never written over by those of an earlier one.

use super::comments::{Comment, CommentId};
use super::marker::Marker;
use super::thread::Viewer;

/// How what stands on the pull request compares with what is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing of ours.
    Absent,
    /// Results of earlier runs.
    Older,
    /// Results of this very attempt; writing them again changes nothing.
    Same,
    /// Somewhere among ours, results of a later run.
    Newer,
}

/// Which comments are ours, and what is to become of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'a> {
    /// The oldest of ours, with its marker: the one that stays.
    pub kept: Option<(&'a Comment, Marker)>,
    /// The one that holds the newest results, where they are newer than ours to write and the kept one does not hold
    /// them: whoever posted it is about to move them there. Until then they are nowhere else.
    pub ahead: Option<&'a Comment>,
    /// The others of ours, which can go.
    pub surplus: Vec<CommentId>,
    /// What the newest results among ours are, compared with ours to write.
    pub standing: Standing,
}

/// Looks through all comments of a pull request.
pub fn choose<'a>(comments: &'a [Comment], viewer: &Viewer, marker: &Marker) -> Choice<'a> {
    let mut ours: Vec<(&Comment, Marker)> = comments
        .iter()
        .filter(|comment| viewer.is(&comment.author))
        .filter_map(|comment| Some((comment, Marker::parse(&comment.body)?)))
        .filter(|(_, theirs)| theirs.configuration == marker.configuration)
        .collect();
    ours.sort_by_key(|(comment, _)| comment.id);
    let newest = ours.iter().map(|(_, theirs)| theirs.key()).max();
    let standing = match newest {
        None => Standing::Absent,
        Some(key) if key < marker.key() => Standing::Older,
        Some(key) if key == marker.key() => Standing::Same,
        Some(_) => Standing::Newer,
    };
    let mut rest = ours.into_iter();
    let kept = rest.next();
    let mut rest: Vec<(&Comment, Marker)> = rest.collect();
    let elsewhere = standing == Standing::Newer && kept.as_ref().map(|(_, theirs)| theirs.key()) != newest;
    let at = rest.iter().position(|(_, theirs)| elsewhere && Some(theirs.key()) == newest);
    let ahead = at.map(|at| rest.remove(at).0);
    Choice { kept, ahead, surplus: rest.into_iter().map(|(comment, _)| comment.id).collect(), standing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::crowd::{comment, marker};
    use proptest::prelude::*;

    const BOT: (&str, bool) = ("github-actions[bot]", true);

    fn viewer() -> Viewer {
        Viewer::new(None)
    }

    fn ids(choice: &Choice) -> (Option<u64>, Option<u64>, Vec<u64>) {
        let kept = choice.kept.as_ref().map(|(comment, _)| comment.id.0);
        (kept, choice.ahead.map(|comment| comment.id.0), choice.surplus.iter().map(|id| id.0).collect())
    }

    #[test]
    fn ours_is_what_our_account_wrote_behind_our_marker() {
        let ours = marker(7).to_string();
        let other = ours.replace("deadheat.toml", "bench/deadheat.toml");
        let comments = [
            comment(1, ("octocat", false), &ours),
            comment(2, ("octocat", false), &format!("> {ours}")),
            comment(3, ("renovate[bot]", true), &ours),
            comment(4, BOT, &format!("> {ours}")),
            comment(5, BOT, &format!("Results:\n{ours}")),
            comment(6, BOT, &other),
            comment(7, BOT, "hello"),
            comment(8, ("github-actions[bot]", false), &ours),
            comment(9, ("github-actions", true), &ours),
        ];
        let choice = choose(&comments, &viewer(), &marker(7));
        assert_eq!((ids(&choice), choice.standing), ((None, None, vec![]), Standing::Absent));

        let person = Viewer::new(Some("octocat".to_owned()));
        assert_eq!(ids(&choose(&comments, &person, &marker(7))), (Some(1), None, vec![]));
    }

    #[test]
    fn the_oldest_stays_in_whatever_order_they_are_listed() {
        let comments = [(12, 3), (10, 1), (11, 2)].map(|(id, run)| comment(id, BOT, &format!("{}\nx", marker(run))));
        for (run, standing, expected) in [
            (4, Standing::Older, (Some(10), None, vec![11, 12])),
            (3, Standing::Same, (Some(10), None, vec![11, 12])),
            (2, Standing::Newer, (Some(10), Some(12), vec![11])),
        ] {
            let choice = choose(&comments, &viewer(), &marker(run));
            assert_eq!((ids(&choice), choice.standing), (expected, standing), "{run}");
        }
        let newest_first = [(10, 3), (11, 2), (12, 3)].map(|(id, run)| comment(id, BOT, &marker(run).to_string()));
        assert_eq!(ids(&choose(&newest_first, &viewer(), &marker(1))), (Some(10), None, vec![11, 12]));
    }

    proptest! {
        #[test]
        fn each_of_ours_has_one_place_and_no_other_comment_has_any(
            runs in prop::collection::vec((0u64..4, 0usize..4), 0..12), mine in 0u64..4
        ) {
            let authors = [BOT, BOT, ("octocat", false), ("other[bot]", true)];
            let comments: Vec<Comment> = runs
                .iter()
                .zip(1..)
                .map(|(&(run, author), id)| comment(id, authors[author], &marker(run).to_string()))
                .collect();
            let choice = choose(&comments, &viewer(), &marker(mine));
            let (kept, ahead, surplus) = ids(&choice);
            let mut placed: Vec<u64> = kept.into_iter().chain(ahead).chain(surplus).collect();
            placed.sort_unstable();
            let ours: Vec<u64> = runs.iter().zip(1..).filter(|((_, author), _)| *author < 2).map(|(_, id)| id).collect();
            prop_assert_eq!(kept, ours.first().copied());
            prop_assert_eq!(placed, ours);
            let newest = runs.iter().filter(|(_, author)| *author < 2).map(|(run, _)| *run).max();
            prop_assert_eq!(choice.standing == Standing::Newer, newest > Some(mine));
        }
    }
}
