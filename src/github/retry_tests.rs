//! The rule of retrying as a table, and what holds for every case of it.

use super::retry::{LimitWords, Outcome, Repeat, RetryLimits, Ruling, Signs, Why, rule};
use http::StatusCode;
use proptest::prelude::*;
use std::time::Duration;

const LIMITS: RetryLimits =
    RetryLimits { attempts: 5, first_wait: Duration::from_secs(1), cap: Duration::from_mins(15) };

fn signs(status: u16) -> Signs {
    let status = StatusCode::from_u16(status).unwrap();
    Signs { status, retry_after: None, used_up: false, reset_in: None, words: LimitWords::None }
}

fn first(repeat: Repeat, outcome: Outcome) -> Ruling {
    rule(&LIMITS, repeat, 1, outcome, Duration::ZERO, 0.0)
}

fn again(seconds: u64, why: Why) -> Ruling {
    Ruling::Again(Duration::from_secs(seconds), why)
}

#[test]
fn what_stands_stands_for_both_kinds() {
    for status in [200, 201, 204, 301, 302, 304, 400, 401, 403, 404, 409, 410, 422] {
        for repeat in [Repeat::Harmless, Repeat::MakesAnother] {
            assert_eq!(first(repeat, Outcome::Answered(signs(status))), Ruling::Stands, "{status} {repeat:?}");
        }
    }
}

#[test]
fn what_is_lost_is_repeated_only_where_that_does_no_harm() {
    let lost = [408, 500, 501, 502, 503, 504].map(|status| Outcome::Answered(signs(status)));
    for outcome in lost.into_iter().chain([Outcome::Lost]) {
        assert_eq!(first(Repeat::Harmless, outcome), again(1, Why::Failure), "{outcome:?}");
        assert_eq!(first(Repeat::MakesAnother, outcome), Ruling::Uncertain, "{outcome:?}");
    }
    for repeat in [Repeat::Harmless, Repeat::MakesAnother] {
        assert_eq!(first(repeat, Outcome::Unsent), again(1, Why::Failure));
    }
}

#[test]
fn limits_are_waited_for() {
    let primary = Signs { used_up: true, reset_in: Some(119), ..signs(403) };
    let cases = [
        (signs(429), again(60, Why::SecondaryLimit)),
        (Signs { retry_after: Some(5), ..signs(429) }, again(5, Why::SecondaryLimit)),
        (Signs { retry_after: Some(0), ..signs(429) }, again(1, Why::SecondaryLimit)),
        (Signs { retry_after: Some(5), ..signs(403) }, again(5, Why::SecondaryLimit)),
        (Signs { words: LimitWords::Secondary, ..signs(403) }, again(60, Why::SecondaryLimit)),
        // An hourly limit that happens to be used up too says nothing about when the other one ends.
        (Signs { words: LimitWords::Secondary, ..primary }, again(60, Why::SecondaryLimit)),
        (primary, again(120, Why::PrimaryLimit)),
        (Signs { retry_after: Some(30), ..primary }, again(30, Why::PrimaryLimit)),
        (Signs { used_up: false, words: LimitWords::Primary, ..primary }, again(120, Why::PrimaryLimit)),
        (Signs { reset_in: Some(0), ..primary }, again(1, Why::PrimaryLimit)),
        (Signs { reset_in: None, ..primary }, again(60, Why::PrimaryLimit)),
        (Signs { used_up: false, ..primary }, Ruling::Stands),
        (Signs { reset_in: Some(900), ..primary }, Ruling::TooLong(Duration::from_secs(901), Why::PrimaryLimit)),
        (
            Signs { retry_after: Some(u64::MAX), ..signs(429) },
            Ruling::TooLong(Duration::from_secs(u64::MAX), Why::SecondaryLimit),
        ),
        (Signs { retry_after: Some(7), ..signs(503) }, again(7, Why::Failure)),
        (Signs { retry_after: Some(3600), ..signs(503) }, again(900, Why::Failure)),
    ];
    for (signs, expected) in cases {
        assert_eq!(first(Repeat::Harmless, Outcome::Answered(signs)), expected, "{signs:?}");
    }
}

#[test]
fn waits_grow_and_end() {
    let ruling = |attempt, outcome| rule(&LIMITS, Repeat::Harmless, attempt, outcome, Duration::ZERO, 0.0);
    let secondary = Outcome::Answered(Signs { words: LimitWords::Secondary, ..signs(403) });
    for (attempt, failure, limit) in [(1, 1, 60), (2, 2, 120), (3, 4, 240), (4, 8, 480)] {
        assert_eq!(ruling(attempt, Outcome::Lost), again(failure, Why::Failure));
        assert_eq!(ruling(attempt, secondary), again(limit, Why::SecondaryLimit));
    }
    assert_eq!(ruling(5, Outcome::Lost), Ruling::Exhausted);
    assert_eq!(ruling(5, secondary), Ruling::Exhausted);
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let words = prop_oneof![Just(LimitWords::None), Just(LimitWords::Primary), Just(LimitWords::Secondary)];
    let seconds = || proptest::option::of(prop_oneof![0..2000_u64, any::<u64>()]);
    let answered = (200..600_u16, seconds(), any::<bool>(), seconds(), words).prop_map(
        |(status, retry_after, used_up, reset_in, words)| {
            let status = StatusCode::from_u16(status).unwrap();
            Outcome::Answered(Signs { status, retry_after, used_up, reset_in, words })
        },
    );
    prop_oneof![8 => answered, 1 => Just(Outcome::Unsent), 1 => Just(Outcome::Lost)]
}

/// Whether GitHub may have done what it was asked to, said from what its answers mean.
fn may_be_done(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Unsent => false,
        Outcome::Lost => true,
        Outcome::Answered(signs) => signs.status.as_u16() == 408 || signs.status.as_u16() >= 500,
    }
}

proptest! {
    #[test]
    fn nothing_is_made_twice(outcome in outcomes(), attempt in 1..9_u32, waited in 0..2000_u64, jitter in 0.0..=1.0) {
        let ruling = rule(&LIMITS, Repeat::MakesAnother, attempt, outcome, Duration::from_secs(waited), jitter);
        if may_be_done(outcome) {
            prop_assert_eq!(ruling, Ruling::Uncertain);
        } else if let Outcome::Answered(signs) = outcome
            && !matches!(signs.status.as_u16(), 403 | 429)
        {
            prop_assert_eq!(ruling, Ruling::Stands);
        }
    }

    #[test]
    fn no_wait_passes_the_cap_and_no_try_the_last(
        outcome in outcomes(),
        attempt in 1..u32::MAX,
        waited in 0..2000_u64,
        jitter in proptest::num::f64::ANY,
        cap in prop_oneof![0..2000_u64, Just(u64::MAX)],
    ) {
        let limits = RetryLimits { cap: Duration::from_secs(cap), ..LIMITS };
        for repeat in [Repeat::Harmless, Repeat::MakesAnother] {
            match rule(&limits, repeat, attempt, outcome, Duration::from_secs(waited), jitter) {
                Ruling::Again(wait, _) => {
                    prop_assert!(attempt < limits.attempts);
                    let scatter = Duration::from_secs(5);
                    prop_assert!(wait.saturating_add(Duration::from_secs(waited)) <= limits.cap.saturating_add(scatter));
                    prop_assert!(wait > Duration::ZERO);
                }
                Ruling::TooLong(wait, why) => {
                    prop_assert!(why != Why::Failure && wait.saturating_add(Duration::from_secs(waited)) > limits.cap);
                }
                Ruling::Uncertain => prop_assert_eq!(repeat, Repeat::MakesAnother),
                Ruling::Stands => prop_assert!(!matches!(outcome, Outcome::Lost | Outcome::Unsent)),
                Ruling::Exhausted => {}
            }
        }
    }

    #[test]
    fn jitter_only_stretches(outcome in outcomes(), attempt in 1..5_u32, jitter in 0.0..=1.0) {
        let ruling = |jitter| rule(&LIMITS, Repeat::Harmless, attempt, outcome, Duration::ZERO, jitter);
        if let (Ruling::Again(bare, _), Ruling::Again(stretched, _)) = (ruling(0.0), ruling(jitter)) {
            prop_assert!(stretched >= bare && stretched <= bare.mul_f64(1.25) + Duration::from_millis(1));
        }
    }
}
