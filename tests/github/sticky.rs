//! One comment on a pull request, whatever GitHub answers and whoever else is there.

use crate::publisher::{BOT, FOREVER, PULL, Publisher, body, double, marker, sha};
use deadheat::github::{ApiError, Marker, Upserted, When, upsert};
use github_double::{Fault, GitHub};
use std::time::Duration;

fn publish(publisher: &Publisher, run: u64) -> Result<Upserted, ApiError> {
    let marker = marker(run);
    publisher.wait_for(|client| async move {
        upsert(client, PULL, &marker, |past| body(&marker, past), When::CreateOrUpdate).await
    })
}

/// The runs whose results stand in comments of ours.
fn ours(github: &GitHub) -> Vec<u64> {
    let comments = github.comments(PULL.0);
    let ours = comments.iter().filter(|comment| comment.author == BOT);
    ours.filter_map(|comment| Marker::parse(&comment.body)).map(|marker| marker.run.0).collect()
}

fn faults() -> Vec<(&'static str, Fault)> {
    vec![
        ("bad gateway", Fault::BadGateway),
        ("bad gateway after writing", Fault::BadGatewayAfterWriting),
        ("hang before writing", Fault::HangBefore(FOREVER)),
        ("hang after writing", Fault::HangAfter(FOREVER)),
        ("cut body", Fault::CutBody),
        ("closed", Fault::Close),
        ("closed after writing", Fault::CloseAfterWriting),
        ("429", Fault::TooManyRequests { retry_after: None }),
        ("429 with a time", Fault::TooManyRequests { retry_after: Some(3) }),
        ("secondary limit", Fault::SecondaryLimit { retry_after: None }),
        ("secondary limit with a time", Fault::SecondaryLimit { retry_after: Some(3) }),
        ("primary limit", Fault::PrimaryLimit { reset_in: 30 }),
    ]
}

#[test]
fn one_comment_whatever_becomes_of_the_post() {
    for (name, fault) in faults() {
        let double = double("sticky-post");
        double.on("POST", "issues/*/comments").fails(fault);
        let publisher = Publisher::new(&double);
        let upserted = publish(&publisher, 1).unwrap();
        assert!(matches!(upserted, Upserted::Created(_)), "{name}: {upserted:?}");
        assert_eq!(ours(&double), [1], "{name}");
        publish(&publisher, 2).unwrap();
        assert_eq!(ours(&double), [2], "{name}");
    }
}

#[test]
fn one_comment_whatever_becomes_of_the_change() {
    for (name, fault) in faults() {
        let double = double("sticky-patch");
        let publisher = Publisher::new(&double);
        publish(&publisher, 1).unwrap();
        double.on("PATCH", "issues/comments/*").fails(fault);
        let upserted = publish(&publisher, 2).unwrap();
        assert!(matches!(upserted, Upserted::Updated(_)), "{name}: {upserted:?}");
        assert_eq!(ours(&double), [2], "{name}");
        assert!(double.comments(PULL.0)[0].body.ends_with("results of 2; before: verdict of 1"), "{name}");
    }
}

#[test]
fn one_comment_whatever_becomes_of_the_list() {
    for (name, fault) in faults() {
        let double = double("sticky-list");
        double.on("GET", "issues/*/comments").times(2).fails(fault);
        publish(&Publisher::new(&double), 1).unwrap();
        assert_eq!(ours(&double), [1], "{name}");
    }
}

#[test]
fn a_secondary_limit_without_a_time_is_waited_for_a_minute() {
    let double = double("sticky-secondary-limit");
    double.on("POST", "issues/*/comments").fails(Fault::SecondaryLimit { retry_after: None });
    let publisher = Publisher::new(&double);
    publish(&publisher, 1).unwrap();
    assert!(publisher.longest_wait() >= Duration::from_mins(1), "{:?}", publisher.longest_wait());
    assert_eq!(ours(&double), [1]);
}

#[test]
fn a_post_that_is_lost_each_time_is_an_error_and_no_comment() {
    let double = double("sticky-lost");
    double.on("POST", "issues/*/comments").always().fails(Fault::BadGateway);
    let error = publish(&Publisher::new(&double), 1).unwrap_err();
    assert!(error.is_uncertain(), "{error}");
    assert_eq!(ours(&double), [] as [u64; 0]);
}

#[test]
fn ten_publishers_at_once_leave_one_comment() {
    for runs in [[7; 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] {
        let double = double("sticky-ten");
        std::thread::scope(|scope| {
            for run in runs {
                let double = &double;
                scope.spawn(move || publish(&Publisher::patient(double), run).unwrap());
            }
        });
        assert_eq!(ours(&double).len(), 1, "{:#?}", double.comments(PULL.0));
        // Whatever they did to each other, the latest run has the last word when it speaks last.
        publish(&Publisher::new(&double), 10).unwrap();
        assert_eq!(ours(&double), [10]);
    }
}

#[test]
fn an_older_run_that_ends_last_does_not_overwrite() {
    let double = double("sticky-older");
    let publisher = Publisher::new(&double);
    publish(&publisher, 5).unwrap();
    let before = double.comments(PULL.0)[0].body.clone();
    assert_eq!(publish(&publisher, 4).unwrap(), Upserted::KeptNewer);
    assert_eq!((ours(&double), &double.comments(PULL.0)[0].body), (vec![5], &before));
}

#[test]
fn an_older_run_that_posts_meanwhile_leaves_nothing() {
    let double = double("sticky-older-meanwhile");
    let older = body(&marker(4), &[]);
    double.on("POST", "issues/*/comments").comes_after(move |github| {
        github.comment(PULL.0, BOT, &older);
    });
    publish(&Publisher::new(&double), 5).unwrap();
    assert_eq!(ours(&double), [5]);
    assert!(double.comments(PULL.0)[0].body.ends_with("before: verdict of 4"));
}

#[test]
fn ours_is_found_as_the_133rd_of_135() {
    let double = double("sticky-many");
    for number in 1..=132 {
        double.comment(PULL.0, "octocat", &format!("remark {number}"));
    }
    let publisher = Publisher::new(&double);
    publish(&publisher, 1).unwrap();
    double.comment(PULL.0, "octocat", "remark 134");
    double.comment(PULL.0, "octocat", "remark 135");
    assert!(matches!(publish(&publisher, 2).unwrap(), Upserted::Updated(_)));
    let comments = double.comments(PULL.0);
    assert_eq!((comments.len(), ours(&double)), (135, vec![2]));
    assert_eq!(Marker::parse(&comments[132].body).map(|marker| marker.run.0), Some(2));
}

#[test]
fn markers_of_others_are_neither_taken_nor_touched() {
    let double = double("sticky-others");
    let ours_elsewhere = body(&marker(9), &[]).replace("deadheat.toml", "bench/deadheat.toml");
    let foreign = [
        ("octocat", body(&marker(9), &[])),
        ("octocat", format!("> {}", body(&marker(9), &[]))),
        ("dependabot[bot]", body(&marker(9), &[])),
        (BOT, format!("As was said:\n{}", body(&marker(9), &[]))),
        (BOT, ours_elsewhere),
    ];
    for (author, text) in &foreign {
        double.comment(PULL.0, author, text);
    }
    let publisher = Publisher::new(&double);
    assert!(matches!(publish(&publisher, 1).unwrap(), Upserted::Created(_)));
    assert!(matches!(publish(&publisher, 2).unwrap(), Upserted::Updated(_)));
    let comments = double.comments(PULL.0);
    assert_eq!(comments.len(), foreign.len() + 1);
    for (comment, (author, text)) in comments.iter().zip(&foreign) {
        assert_eq!((comment.author.as_str(), &comment.body), (*author, text));
    }
    assert!(comments[5].body.contains("results of 2"));
}

#[test]
fn with_a_persons_token_that_persons_comments_are_ours() {
    let double = double("sticky-person");
    double.token_of("octocat");
    double.comment(PULL.0, BOT, &body(&marker(9), &[]));
    let publisher = Publisher::new(&double);
    publish(&publisher, 1).unwrap();
    publish(&publisher, 2).unwrap();
    let authors: Vec<String> = double.comments(PULL.0).into_iter().map(|comment| comment.author).collect();
    assert_eq!(authors, [BOT, "octocat"]);
}

#[test]
fn duplicates_are_taken_away_and_the_oldest_stays() {
    let double = double("sticky-duplicates");
    let oldest = double.comment(PULL.0, BOT, &body(&marker(1), &[]));
    double.comment(PULL.0, "octocat", "thanks");
    let second = double.comment(PULL.0, BOT, &body(&marker(2), &[]));
    double.comment(PULL.0, BOT, &body(&marker(1), &[]));
    // Somebody else takes one of them away at the same time.
    double.on("DELETE", "issues/comments/*").comes_after(move |github| github.delete_comment(second));
    publish(&Publisher::new(&double), 3).unwrap();
    let comments = double.comments(PULL.0);
    assert_eq!((comments.len(), comments[0].id, ours(&double)), (2, oldest, vec![3]));
}

#[test]
fn a_head_that_moves_meanwhile_is_not_written_about() {
    for is_there in [false, true] {
        let double = double("sticky-moved");
        if is_there {
            double.comment(PULL.0, BOT, &body(&marker(1), &[]));
        }
        let before = double.comments(PULL.0).len();
        double.on("GET", "issues/*/comments").is_followed_by(|github| {
            github.pull(PULL.0).head(sha('c').as_str());
        });
        assert_eq!(publish(&Publisher::new(&double), 2).unwrap(), Upserted::MovedHead);
        assert_eq!(double.comments(PULL.0).len(), before);
        assert!(double.comments(PULL.0).iter().all(|comment| comment.body.contains("results of 1")));
    }
}

#[test]
fn a_comment_that_is_deleted_meanwhile_is_posted_again() {
    let double = double("sticky-deleted");
    let old = double.comment(PULL.0, BOT, &body(&marker(1), &[]));
    double.on("PATCH", "issues/comments/*").comes_after(move |github| github.delete_comment(old));
    assert!(matches!(publish(&Publisher::new(&double), 2).unwrap(), Upserted::Created(_)));
    assert_eq!(ours(&double), [2]);
}

#[test]
fn what_need_not_be_there_is_only_brought_up_to_date() {
    let double = double("sticky-update-only");
    let publisher = Publisher::new(&double);
    let update = |run| {
        let marker = marker(run);
        publisher.wait_for(|client| async move {
            upsert(client, PULL, &marker, |past| body(&marker, past), When::UpdateOnly).await.unwrap()
        })
    };
    assert_eq!(update(1), Upserted::Nothing);
    publish(&publisher, 1).unwrap();
    assert!(matches!(update(2), Upserted::Updated(_)));
    assert_eq!(ours(&double), [2]);
}

#[test]
fn a_dry_run_notes_what_it_would_write() {
    let double = double("sticky-dry-run");
    double.comment(PULL.0, BOT, &body(&marker(1), &[]));
    double.comment(PULL.0, BOT, &body(&marker(1), &[]));
    let publisher = Publisher::with(&double, |settings| settings.dry_run = true);
    assert_eq!(publish(&publisher, 2).unwrap(), Upserted::Noted);
    let methods: Vec<String> = publisher.client.noted().iter().map(|noted| noted.method.to_string()).collect();
    assert_eq!(methods, ["PATCH", "DELETE"]);
    assert_eq!(ours(&double), [1, 1]);
}
