//! A second reader of what the tests of GitHub sent: Prism, which reads the same description by code of its own.
//!
//! It comes after the tests that record, by its name.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod reader;
mod recorded;
mod reduced;

use reader::Prism;
use recorded::Request;
use std::fmt::Write;

/// What Prism says though GitHub takes the request, with the reason.
const NAMED: &[(&str, &str)] = &[];

#[test]
fn prism_rejects_what_is_wrong_and_nothing_that_was_recorded() {
    let recorded = recorded::requests();
    assert!(
        !recorded.is_empty(),
        "no test has recorded a request below {}: run `cargo test`, or `cargo test --test github` first",
        github_double::recordings().display(),
    );
    let wrong = wrong_requests();
    let all: Vec<_> = recorded.iter().chain(wrong.iter().map(|(request, _)| request)).cloned().collect();
    let prism = Prism::start(&reduced::description(&all));
    // A reader that lets everything pass would look like one that has nothing to say.
    for (request, expected) in &wrong {
        let objection = prism.objection(request).unwrap_or_default();
        assert!(objection.contains(expected), "{} {}: {objection}", request.method, request.target);
    }
    let mut rejected = String::new();
    for request in &recorded {
        let Some(objection) = prism.objection(request) else { continue };
        if !NAMED.iter().any(|(named, _)| objection.contains(named)) {
            let Request { method, target, body, file } = request;
            writeln!(rejected, "{method} {target} {body}\n  of {file}: {objection}").unwrap();
        }
    }
    assert!(rejected.is_empty(), "Prism rejects what GitHub was asked:\n{rejected}");
}

/// Requests with what Prism must say about each.
fn wrong_requests() -> Vec<(Request, &'static str)> {
    let wrong = |method: &str, target: &str, body: &str| Request {
        method: method.to_owned(),
        target: format!("/repos/octo/engine/{target}"),
        body: body.to_owned(),
        file: String::new(),
    };
    vec![
        (wrong("GET", "nothing", ""), "NO_PATH_MATCHED"),
        (wrong("PUT", "pulls/7", ""), "NO_METHOD_MATCHED"),
        (wrong("GET", "pulls/seven", ""), "must be integer"),
        (wrong("GET", "pulls?state=opened", ""), "must be equal to one of the allowed values"),
        (wrong("POST", "issues/7/comments", r#"{"text":"x"}"#), "must have required property 'body'"),
        (wrong("PATCH", "git/refs/heads/deep/er", r#"{"force":true}"#), "must have required property 'sha'"),
    ]
}
