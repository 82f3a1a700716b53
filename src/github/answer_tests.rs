//! What is read out of answers: words, links, limits, permissions.

use super::answer::Answer;
use super::retry::{LimitWords, Signs};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use proptest::prelude::*;

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
    }
    Answer { status: StatusCode::from_u16(status).unwrap(), headers: map, body: body.as_bytes().to_vec() }
}

#[test]
fn a_message_is_a_line_whatever_the_body_is() {
    let long = "x".repeat(1000);
    let cases = [
        (r#"{"message": "Not Found", "documentation_url": "https://docs.github.com"}"#, "Not Found"),
        (r#"{"message": "Invalid", "errors": ["Body is too long"]}"#, "Invalid (Body is too long)"),
        (
            r#"{"message": "Validation Failed", "errors": [{"resource": "Issue", "code": "missing", "field": "title"}]}"#,
            "Validation Failed (Issue title missing)",
        ),
        (r#"{"message": "Invalid", "errors": "what"}"#, "Invalid"),
        (r#"{"message": "Invalid", "errors": [{}, 3, null]}"#, "Invalid"),
        (r#"{"message": "a\n::error::b\u001b[31m"}"#, "a ::error::b [31m"),
        ("<!DOCTYPE html><html><head><TITLE>Unicorn!\n &middot; GitHub</TITLE></head>", "Unicorn! &middot; GitHub"),
        ("<html><body><h1>502 Bad Gateway</h1>\n<p>nginx</p></body>", "502 Bad Gateway nginx"),
        ("upstream connect error", "upstream connect error"),
        ("<title>", "no message"),
        ("{}", "no message"),
        ("", "no message"),
        ("[1]", "[1]"),
    ];
    for (body, message) in cases {
        assert_eq!(answer(500, &[], body).message(), message, "{body}");
    }
    assert_eq!(answer(500, &[], &long).message(), "x".repeat(300) + "...");
}

#[test]
fn a_next_page_is_found_among_the_links() {
    let next = |link: &str| answer(200, &[("link", link)], "[]").has_next();
    assert_eq!(
        next(r#"<https://api.github.com/x?page=2>; rel="next", <https://api.github.com/x?page=9>; rel="last""#),
        Some(true)
    );
    assert_eq!(next(r#"<https://api.github.com/x?page=1>; rel="prev""#), Some(false));
    assert_eq!(next(r#"<https://api.github.com/x?rel="next">; rel="first""#), Some(false));
    assert_eq!(next(""), Some(false));
    assert_eq!(answer(200, &[], "[]").has_next(), None);
}

#[test]
fn permissions_are_written_as_in_a_workflow() {
    let needs = |value: &str| answer(403, &[("x-accepted-github-permissions", value)], "").accepted_permissions();
    assert_eq!(needs("checks=write").as_deref(), Some("`checks: write`"));
    assert_eq!(
        needs("issues=write; pull_requests=write,contents=read").as_deref(),
        Some("`issues: write` or `pull-requests: write` and `contents: read`")
    );
    for nothing in ["", ";", "allows_permissionless_access", "a`b=write", "=%00"] {
        assert_eq!(needs(nothing), None, "{nothing}");
    }
}

#[test]
fn limits_are_read_from_headers_and_words() {
    let now = 1_000_000_000;
    let secondary = r#"{"message": "You have exceeded a secondary rate limit"}"#;
    let plain = |status| Signs {
        status: StatusCode::from_u16(status).unwrap(),
        retry_after: None,
        used_up: false,
        reset_in: None,
        words: LimitWords::None,
    };
    let cases = [
        (answer(403, &[], secondary), Signs { words: LimitWords::Secondary, ..plain(403) }),
        // A comment of somebody's that speaks of limits is no limit.
        (answer(200, &[], secondary), plain(200)),
        (
            answer(
                429,
                &[("retry-after", "12"), ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1000000100")],
                "",
            ),
            Signs { retry_after: Some(12), used_up: true, reset_in: Some(100), ..plain(429) },
        ),
        (
            answer(403, &[("x-ratelimit-remaining", "17"), ("x-ratelimit-reset", "999999999")], ""),
            Signs { reset_in: Some(0), ..plain(403) },
        ),
        // 2001-09-09T01:46:30Z is now - 10.
        (
            answer(403, &[("date", "Sun, 09 Sep 2001 01:46:30 GMT"), ("x-ratelimit-reset", "1000000100")], ""),
            Signs { reset_in: Some(110), ..plain(403) },
        ),
        (
            answer(503, &[("retry-after", "Sun, 09 Sep 2001 01:47:40 GMT")], ""),
            Signs { retry_after: Some(60), ..plain(503) },
        ),
        (answer(429, &[("retry-after", "soon"), ("x-ratelimit-remaining", "-1")], ""), plain(429)),
    ];
    for (answer, signs) in cases {
        assert_eq!(answer.signs(now), signs, "{answer:?}");
    }
    let primary = answer(403, &[], r#"{"message": "API rate limit exceeded for user ID 1."}"#).signs(now);
    assert_eq!(primary.words, LimitWords::Primary);
}

proptest! {
    #[test]
    fn no_answer_makes_it_panic(status in 100..1000_u16, body in any::<Vec<u8>>(), value in "[ -~]{0,40}", page in "[<>a/title \n]{0,60}") {
        for body in [body, page.into_bytes()] {
            let mut answer = answer(status, &[], "");
            for name in ["link", "date", "retry-after", "x-ratelimit-reset", "x-ratelimit-remaining", "location", "x-accepted-github-permissions"] {
                answer.headers.insert(name, HeaderValue::from_str(&value).unwrap());
            }
            answer.body = body;
            let message = answer.message();
            prop_assert!(!message.is_empty() && message.chars().count() <= 303 && !message.chars().any(char::is_control));
            let _ = (answer.signs(0), answer.has_next(), answer.accepted_permissions(), answer.location(), answer.is_whole());
        }
    }
}
