use super::*;
use crate::github::crowd::{Fate, Publisher, Task, World, comment, interleave, marker, run, sha};
use crate::github::history::lead;
use crate::github::marker::RunKey;
use crate::model::{RunAttempt, RunId};
use proptest::prelude::*;
use std::cell::RefCell;

const BOT: (&str, bool) = ("github-actions[bot]", true);

fn body(marker: &Marker) -> impl Fn(&[PastVerdict]) -> String {
    let marker = marker.clone();
    move |past| {
        let current = PastVerdict::new(&marker, &format!("verdict of {}", marker.run), "");
        let lines: Vec<&str> = past.iter().map(|verdict| verdict.text.as_str()).collect();
        format!("{}now {}; before: {}", lead(&marker, past, Some(&current)), marker.run, lines.join(", "))
    }
}

async fn publish(world: &RefCell<World>, marker: Marker, when: When) -> Result<Upserted, ApiError> {
    settle(&Publisher(world), &Viewer::new(None), &marker, body(&marker), when).await
}

fn one(world: &RefCell<World>, run_id: u64) -> Upserted {
    run(publish(world, marker(run_id), When::CreateOrUpdate)).unwrap()
}

/// The runs whose results stand in comments of ours.
fn ours(world: &RefCell<World>) -> Vec<u64> {
    let comments = &world.borrow().comments;
    let ours = comments.iter().filter(|comment| (comment.author.login.as_str(), comment.author.is_bot) == BOT);
    ours.filter_map(|comment| Marker::parse(&comment.body)).map(|marker| marker.run.0).collect()
}

#[test]
fn the_first_run_posts_and_later_ones_write_over_it() {
    let world = World::new(vec![comment(1, ("octocat", false), "nice")], &[]);
    assert_eq!(one(&world, 1), Upserted::Created("https://github.com/o/r/pull/1#issuecomment-2".to_owned()));
    assert_eq!(one(&world, 2), Upserted::Updated("https://github.com/o/r/pull/1#issuecomment-2".to_owned()));
    assert_eq!(one(&world, 3), Upserted::Updated("https://github.com/o/r/pull/1#issuecomment-2".to_owned()));
    assert_eq!(world.borrow().writes, (1, 2, 0));
    let text = world.borrow().comments[1].body.clone();
    assert!(text.ends_with("now 3; before: verdict of 1, verdict of 2"), "{text}");
}

#[test]
fn publishing_again_changes_nothing() {
    let world = World::new(Vec::new(), &[]);
    one(&world, 1);
    one(&world, 2);
    let before = world.borrow().comments.clone();
    assert!(matches!(one(&world, 2), Upserted::Updated(_)));
    assert_eq!(world.borrow().writes, (1, 1, 0));
    assert_eq!(world.borrow().comments, before);
}

#[test]
fn other_text_of_the_same_attempt_is_written_over() {
    let waiting = format!("{}still racing", lead(&marker(1), &[], None));
    let world = World::new(vec![comment(1, BOT, &waiting)], &[]);
    assert!(matches!(one(&world, 1), Upserted::Updated(_)));
    assert!(world.borrow().comments[0].body.ends_with("now 1; before: "));
}

#[test]
fn an_older_run_that_ends_last_changes_nothing() {
    let world = World::new(Vec::new(), &[]);
    one(&world, 5);
    let before = world.borrow().comments.clone();
    assert_eq!(one(&world, 4), Upserted::KeptNewer);
    let mut again = marker(5);
    again.attempt = RunAttempt(0);
    assert_eq!(run(publish(&world, again, When::CreateOrUpdate)).unwrap(), Upserted::KeptNewer);
    assert_eq!(world.borrow().comments, before);
}

#[test]
fn a_later_run_that_was_written_over_writes_again() {
    let world = World::new(vec![comment(1, BOT, &marker(1).to_string())], &[]);
    let tasks = [2, 3].map(|run_id| -> Task<'_, _> { Box::pin(publish(&world, marker(run_id), When::CreateOrUpdate)) });
    // The earlier run has read everything and is about to write; the later one writes; then the earlier one does.
    let order = [vec![0; 5], vec![1; 6], vec![0], vec![1; 30]].concat();
    for result in interleave(tasks.into(), &order) {
        assert!(matches!(result, Ok(Upserted::Updated(_) | Upserted::KeptNewer)), "{result:?}");
    }
    assert_eq!(ours(&world), [3]);
    assert_eq!(world.borrow().writes, (0, 3, 0), "it was not written over");
}

#[test]
fn nothing_is_written_about_a_head_that_was_left() {
    for existing in [vec![], vec![comment(1, BOT, &marker(1).to_string())]] {
        let world = World::new(existing.clone(), &[]);
        world.borrow_mut().head = Some(sha("ffffffffffffffffffffffffffffffffffffffff"));
        assert_eq!(one(&world, 2), Upserted::MovedHead);
        world.borrow_mut().head = None;
        assert_eq!(one(&world, 2), Upserted::Nothing);
        assert_eq!((&world.borrow().comments, world.borrow().writes), (&existing, (0, 0, 0)));
    }
}

#[test]
fn a_comment_that_need_not_be_is_only_brought_up_to_date() {
    let world = World::new(vec![comment(1, ("octocat", false), &marker(1).to_string())], &[]);
    let update = |run_id| run(publish(&world, marker(run_id), When::UpdateOnly)).unwrap();
    assert_eq!(update(2), Upserted::Nothing);
    one(&world, 2);
    assert!(matches!(update(3), Upserted::Updated(_)));
    assert_eq!(ours(&world), [3]);
}

#[test]
fn a_post_without_an_answer_is_looked_for() {
    for (fates, posts) in [
        (vec![Fate::Unconfirmed], 1),
        (vec![Fate::Garbled], 1),
        (vec![Fate::Late], 1),
        (vec![Fate::Lost], 2),
        (vec![Fate::Lost, Fate::Lost, Fate::Unconfirmed], 3),
    ] {
        let world = World::new(Vec::new(), &fates);
        assert!(matches!(one(&world, 1), Upserted::Created(_)), "{fates:?}");
        assert_eq!((ours(&world), world.borrow().writes.0), (vec![1], posts), "{fates:?}");
    }
    let world = World::new(Vec::new(), &[Fate::Lost; 9]);
    let error = run(publish(&world, marker(1), When::CreateOrUpdate)).unwrap_err();
    assert!(matches!(error, ApiError::Uncertain { .. }), "{error}");
    assert_eq!(world.borrow().writes.0, 4);
}

#[test]
fn what_a_dead_publisher_left_is_tidied_up() {
    let left = || vec![comment(1, BOT, &marker(1).to_string()), comment(2, BOT, &marker(3).to_string())];
    for (run_id, expected) in [(2, 3), (3, 3), (4, 4)] {
        let world = World::new(left(), &[]);
        one(&world, run_id);
        assert_eq!(ours(&world), [expected], "{run_id}");
        assert_eq!(world.borrow().comments[0].id, CommentId(1));
    }
}

#[test]
fn a_body_without_its_marker_gets_one() {
    let world = World::new(Vec::new(), &[]);
    let wrong = |_: &[PastVerdict]| format!("{}\nhello", marker(9));
    run(settle(&Publisher(&world), &Viewer::new(None), &marker(1), wrong, When::CreateOrUpdate)).unwrap();
    assert_eq!(world.borrow().comments[0].body, format!("{}\n{}\nhello", marker(1), marker(9)));
}

fn existing() -> impl Strategy<Value = Vec<Comment>> {
    let authors = prop::sample::select(vec![BOT, BOT, ("octocat", false), ("other[bot]", true)]);
    let before = prop::sample::select(vec!["", "", "", "> ", "```\n", " "]);
    prop::collection::vec((authors, before, 1u64..6), 0..6).prop_map(|rows| {
        let made = |((author, before, run_id), id)| comment(id, author, &format!("{before}{}\nold", marker(run_id)));
        rows.into_iter().zip(1..).map(made).collect()
    })
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop::sample::select(vec![Fate::Good, Fate::Unconfirmed, Fate::Garbled, Fate::Lost, Fate::Late]);
    prop::collection::vec(fate, 0..3)
}

fn not_ours(comments: &[Comment]) -> Vec<Comment> {
    let ours = |comment: &Comment| Viewer::new(None).is(&comment.author) && Marker::parse(&comment.body).is_some();
    comments.iter().filter(|comment| !ours(comment)).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever is there, whoever publishes and in whatever order their requests are answered: one comment of ours.
    #[test]
    fn a_crowd_leaves_one_comment(
        existing in existing(),
        runs in prop::collection::vec(1u64..6, 1..6),
        fates in fates(),
        order in prop::collection::vec(0usize..6, 0..120),
    ) {
        let world = World::new(existing.clone(), &fates);
        let tasks = runs.iter().map(|run_id| -> Task<'_, _> {
            Box::pin(publish(&world, marker(*run_id), When::CreateOrUpdate))
        });
        for result in interleave(tasks.collect(), &order) {
            prop_assert!(result.is_ok(), "{result:?}");
        }
        prop_assert_eq!(ours(&world).len(), 1, "{:#?}", world.borrow().comments);
        prop_assert_eq!(not_ours(&existing), not_ours(&world.borrow().comments));
    }

    /// One after the other, in whatever order they end: the newest results stand, and every verdict before them once.
    #[test]
    fn the_newest_results_stand(existing in existing(), runs in prop::collection::vec(1u64..9, 1..6), fates in fates()) {
        let world = World::new(existing, &fates);
        let before = ours(&world).into_iter().max();
        for run_id in &runs {
            one(&world, *run_id);
        }
        prop_assert_eq!(ours(&world), [runs.iter().copied().max().max(before).unwrap()]);
        let comments = &world.borrow().comments;
        let text = &comments.iter().find(|comment| comment.author.login == BOT.0 && comment.body.starts_with("<!--")).unwrap().body;
        let keys: Vec<RunKey> = past_verdicts(text).iter().map(PastVerdict::key).collect();
        prop_assert!(keys.is_sorted_by(|one, other| one < other));
    }

    /// Ten publishers of one run: theirs stands, however they get in each other's way.
    #[test]
    fn ten_publishers_at_once(order in prop::collection::vec(0usize..10, 0..200), fates in fates()) {
        let world = World::new(Vec::new(), &fates);
        let tasks = (0..10).map(|_| -> Task<'_, _> {
            Box::pin(publish(&world, marker(7), When::CreateOrUpdate))
        });
        for result in interleave(tasks.collect(), &order) {
            prop_assert!(matches!(result, Ok(Upserted::Created(_) | Upserted::Updated(_))), "{result:?}");
        }
        prop_assert_eq!(ours(&world), [7]);
        prop_assert_eq!(RunId(7), Marker::parse(&world.borrow().comments[0].body).unwrap().run);
    }
}
