//! What is sent, how often, and after which waits, seen from a server.

use super::testing::{NOW, Says, Server, client, client_of, run, says, says_with, settings};
use super::{ApiError, Client, CommentId, Pace, Written};
use crate::model::PullNumber;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const COMMENT: &str = r#"{"id": 7, "body": "hello", "user": {"login": "octocat", "type": "User"}}"#;
const SECONDARY: &str = r#"{"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}"#;
const POST: &str = "POST /repos/o/r/issues/5/comments";

fn post(server: &Server) -> Result<Written<super::Comment>, ApiError> {
    run(client(server).0.create_issue_comment(PullNumber(5), "hello"))
}

#[test]
fn a_request_says_who_it_is_and_what_it_wants() {
    let server = Server::saying(vec![says(201, COMMENT)]);
    post(&server).unwrap();
    assert_eq!(server.lines(), [POST]);
    let request = &server.received()[0];
    assert_eq!(request.header("authorization"), ["Bearer ghs_token"]);
    assert_eq!(request.header("user-agent"), [concat!("deadheat/", env!("CARGO_PKG_VERSION"))]);
    assert_eq!(request.header("accept"), ["application/vnd.github+json"]);
    assert_eq!(request.header("x-github-api-version"), ["2022-11-28"]);
    assert_eq!(request.header("content-type"), ["application/json"]);
    assert_eq!(request.header("content-length").len(), 1);
    assert_eq!(request.json(), serde_json::json!({ "body": "hello" }));
}

#[test]
fn without_a_token_none_is_sent() {
    let server = Server::saying(vec![says(401, r#"{"message": "Requires authentication"}"#)]);
    let mut settings = settings(&server.origin());
    settings.token = None;
    let error = run(client_of(settings).0.pull(PullNumber(1))).unwrap_err();
    assert!(server.received()[0].header("authorization").is_empty());
    assert!(error.to_string().ends_with("Requires authentication; no token was given, which GITHUB_TOKEN would be"));
}

#[test]
fn what_may_have_been_posted_is_not_posted_again() {
    let lost = [
        says(502, "<html><head><title>502 Bad Gateway</title></head></html>"),
        says(500, ""),
        says(504, "{}"),
        Says::Cut(COMMENT),
        Says::Close,
        says(201, "<html>a proxy's page</html>"),
        says(201, ""),
    ];
    for answer in lost {
        let server = Server::saying(vec![answer.clone(), says(201, COMMENT)]);
        let error = post(&server).unwrap_err();
        assert!(error.is_uncertain(), "{answer:?}: {error}");
        assert_eq!(server.lines(), [POST], "{answer:?}");
    }
}

#[test]
fn the_reason_of_an_uncertain_post_is_told() {
    let server = Server::saying(vec![says(502, "<html><head><title>502 Bad Gateway</title></head></html>")]);
    assert_eq!(
        post(&server).unwrap_err().to_string(),
        "failed to learn whether POST /repos/o/r/issues/5/comments was carried out: \
         GitHub answered 502 Bad Gateway: 502 Bad Gateway"
    );
}

#[test]
fn reads_and_harmless_writes_are_repeated() {
    let lost = [says(502, "<html>"), says(503, ""), Says::Cut(COMMENT), Says::Close, says(200, "no JSON")];
    for answer in lost {
        let server = Server::saying(vec![answer.clone(), answer.clone(), says(200, COMMENT)]);
        let (client, pace) = client(&server);
        run(client.update_issue_comment(CommentId(7), "hello")).unwrap();
        assert_eq!(server.lines(), ["PATCH /repos/o/r/issues/comments/7"; 3], "{answer:?}");
        assert_eq!(pace.seconds(), [1, 2], "{answer:?}");
    }
    let server = Server::saying(vec![says(502, ""), says(204, "")]);
    run(client(&server).0.delete_issue_comment(CommentId(7))).unwrap();
    assert_eq!(server.lines().len(), 2);
    let server = Server::saying(vec![says(502, ""), says(404, r#"{"message": "Not Found"}"#)]);
    assert_eq!(run(client(&server).0.pull(PullNumber(1))).unwrap(), None);
    assert_eq!(server.lines().len(), 2);
}

#[test]
fn five_tries_are_enough() {
    let server = Server::saying(vec![says(502, r#"{"message": "Server Error"}"#)]);
    let (client_, pace) = client(&server);
    let error = run(client_.pull(PullNumber(1))).unwrap_err();
    assert_eq!(error.to_string(), "failed to GET /repos/o/r/pulls/1: GitHub answered 502 Bad Gateway: Server Error");
    assert_eq!((server.lines().len(), pace.seconds()), (5, vec![1, 2, 4, 8]));

    let server = Server::saying(vec![Says::Close]);
    let error = run(client(&server).0.pull(PullNumber(1))).unwrap_err();
    assert!(matches!(error, ApiError::Unreachable { attempts: 5, .. }), "{error}");
    assert_eq!(server.lines().len(), 5);
}

#[test]
fn a_server_that_hangs_is_given_up_in_time() {
    for limited in ["read", "total"] {
        let server = Server::saying(vec![Says::Hang, says(200, COMMENT)]);
        let mut settings = settings(&server.origin());
        let short = Duration::from_millis(150);
        *(if limited == "read" { &mut settings.timeouts.read } else { &mut settings.timeouts.total }) = short;
        let (client, pace) = client_of(settings);
        run(client.update_issue_comment(CommentId(7), "hello")).unwrap();
        assert_eq!(server.lines().len(), 2, "{limited}");
        assert_eq!(pace.reasons(), ["no answer in time (PATCH /repos/o/r/issues/comments/7)"]);

        let server = Server::saying(vec![Says::Hang, says(201, COMMENT)]);
        settings_of(&client, &server, |client| {
            let error = run(client.create_issue_comment(PullNumber(5), "hello")).unwrap_err();
            assert!(error.is_uncertain(), "{error}");
        });
        assert_eq!(server.lines(), [POST]);
    }
}

/// The same client at another server.
fn settings_of(client: &super::Client, server: &Server, check: impl Fn(&super::Client)) {
    let mut settings = client.settings.clone();
    settings.api = server.origin();
    check(&client_of(settings).0);
}

#[test]
fn a_post_that_found_no_server_is_sent_once_there_is_one() {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (client, pace) = client_of(settings(&format!("http://{address}")));
    let error = run(client.create_issue_comment(PullNumber(5), "hello")).unwrap_err();
    assert_eq!(pace.seconds(), [1, 2, 4, 8]);
    let text = error.to_string();
    assert!(text.contains("no connection: Connection refused"), "{text}");
    assert!(matches!(error, ApiError::Unreachable { attempts: 5, .. }), "{error}");

    // The server begins while the client waits.
    let begins = Arc::new(Begins { address, server: Mutex::default() });
    let client = Client::new(settings(&format!("http://{address}")), Arc::clone(&begins) as Arc<dyn Pace>).unwrap();
    run(client.create_issue_comment(PullNumber(5), "hello")).unwrap();
    assert_eq!(begins.server.lock().unwrap().as_ref().unwrap().lines(), [POST]);
}

struct Begins {
    address: SocketAddr,
    server: Mutex<Option<Server>>,
}

impl Pace for Begins {
    fn wait<'a>(&'a self, _: Duration, _: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        *self.server.lock().unwrap() = Some(Server::at(self.address, |_, _| says(201, COMMENT)));
        Box::pin(async {})
    }

    fn now(&self) -> u64 {
        NOW
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

#[test]
fn a_limit_is_waited_for_and_the_post_sent_again() {
    let reset = (NOW + 90).to_string();
    let date = [
        ("date", "Mon, 21 Sep 2026 14:13:00 GMT"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1790000000"),
    ];
    let cases: [(Says, u64, &str); 8] = [
        (says_with(429, &[("retry-after", "7")], "{}"), 7, "secondary rate limit"),
        (says_with(403, &[("retry-after", "30")], SECONDARY), 30, "secondary rate limit"),
        (says(403, SECONDARY), 60, "secondary rate limit"),
        (says(429, ""), 60, "secondary rate limit"),
        (says(403, r#"{"message": "You have triggered an abuse detection mechanism."}"#), 60, "secondary rate limit"),
        (
            says_with(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], "{}"),
            91,
            "GitHub's rate limit",
        ),
        (
            says_with(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], "{}"),
            91,
            "GitHub's rate limit",
        ),
        // By the server's own clock, which is 20 s behind the reset.
        (
            says_with(403, &date, r#"{"message": "API rate limit exceeded for installation."}"#),
            21,
            "GitHub's rate limit",
        ),
    ];
    for (answer, seconds, why) in cases {
        let server = Server::saying(vec![answer.clone(), says(201, COMMENT)]);
        let (client, pace) = client(&server);
        run(client.create_issue_comment(PullNumber(5), "hello")).unwrap();
        assert_eq!((server.lines().len(), pace.seconds()), (2, vec![seconds]), "{answer:?}");
        assert!(pace.reasons()[0].contains(why), "{:?}", pace.reasons());
    }
}

#[test]
fn a_limit_past_the_cap_says_until_when() {
    let reset = (NOW + 3600).to_string();
    let headers = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", reset.as_str())];
    let body = r#"{"message": "API rate limit exceeded for installation ID 1."}"#;
    let server = Server::saying(vec![says_with(403, &headers, body)]);
    let (client, pace) = client(&server);
    let error = run(client.pull(PullNumber(1))).unwrap_err();
    insta::assert_snapshot!(error.to_string());
    assert_eq!((server.lines().len(), pace.seconds()), (1, vec![]));
}

#[test]
fn waits_are_capped_over_all_requests_together() {
    let server =
        Server::with(
            |_, index| {
                if index % 2 == 0 { says_with(429, &[("retry-after", "300")], "") } else { says(200, COMMENT) }
            },
        );
    let (client, pace) = client(&server);
    run(async {
        for _ in 0..3 {
            client.update_issue_comment(CommentId(7), "hello").await.unwrap();
        }
        let error = client.update_issue_comment(CommentId(7), "hello").await.unwrap_err();
        assert!(matches!(error, ApiError::Limited { .. }), "{error}");
    });
    assert_eq!(pace.seconds(), [300, 300, 300]);
}

#[test]
fn a_refusal_is_final_and_says_what_is_missing() {
    let refused = r#"{"message": "Resource not accessible by integration"}"#;
    let server = Server::saying(vec![says_with(
        403,
        &[("x-accepted-github-permissions", "issues=write; pull_requests=write"), ("x-ratelimit-remaining", "4999")],
        refused,
    )]);
    assert_eq!(
        post(&server).unwrap_err().to_string(),
        "failed to POST /repos/o/r/issues/5/comments: GitHub answered 403 Forbidden: Resource not accessible by \
         integration; the token needs `issues: write` or `pull-requests: write`"
    );
    assert_eq!(server.lines().len(), 1);
    let server = Server::saying(vec![says(403, refused)]);
    let error = post(&server).unwrap_err().to_string();
    assert!(error.ends_with("; the token needs `pull-requests: write`"), "{error}");
    let server = Server::saying(vec![says(401, r#"{"message": "Bad credentials"}"#)]);
    let error = post(&server).unwrap_err().to_string();
    assert!(error.ends_with("401 Unauthorized: Bad credentials; the token is wrong or has expired"), "{error}");
    assert_eq!(server.lines().len(), 1);
    let invalid = r#"{"message": "Validation Failed", "errors": [{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body is too long (maximum is 65536 characters)"}]}"#;
    let server = Server::saying(vec![says(422, invalid)]);
    let error = post(&server).unwrap_err();
    assert!(error.is_conflict());
    assert_eq!(
        error.to_string(),
        "failed to POST /repos/o/r/issues/5/comments: GitHub answered 422 Unprocessable Entity: Validation Failed \
         (Body is too long (maximum is 65536 characters))"
    );
}

#[test]
fn a_dry_run_reads_and_notes_what_it_would_write() {
    let server = Server::saying(vec![says(200, "[]")]);
    let mut settings = settings(&server.origin());
    settings.dry_run = true;
    let (client, _) = client_of(settings);
    run(async {
        assert_eq!(client.issue_comments(PullNumber(5)).await.unwrap(), []);
        assert_eq!(client.create_issue_comment(PullNumber(5), "hello").await.unwrap(), Written::Noted);
        assert_eq!(client.delete_issue_comment(CommentId(7)).await.unwrap(), Written::Noted);
    });
    assert_eq!(server.lines(), ["GET /repos/o/r/issues/5/comments?per_page=100&page=1"]);
    let noted: Vec<String> =
        client.noted().iter().map(|noted| format!("{} {} {}", noted.method, noted.path, noted.body)).collect();
    assert_eq!(
        noted,
        [r#"POST /repos/o/r/issues/5/comments {"body":"hello"}"#, "DELETE /repos/o/r/issues/comments/7 null"]
    );
}

#[test]
fn a_renamed_repository_is_followed_on_the_same_server_alone() {
    let elsewhere = Server::saying(vec![says(200, "{}")]);
    let server = Server::with(|request, _| match request.line.as_str() {
        "GET /repos/o/r" => says_with(301, &[("location", "/repositories/1")], r#"{"message": "Moved Permanently"}"#),
        _ => says(200, r#"{"id": 1, "default_branch": "main"}"#),
    });
    assert_eq!(run(client(&server).0.repository_facts()).unwrap().id, 1);
    assert_eq!(server.lines(), ["GET /repos/o/r", "GET /repositories/1"]);

    for away in [elsewhere.origin(), elsewhere.origin().replacen("http:", "", 1)] {
        let server = Server::saying(vec![says_with(301, &[("location", &format!("{away}/x"))], "{}")]);
        let error = run(client(&server).0.repository_facts()).unwrap_err();
        assert_eq!(error.status().map(|status| status.as_u16()), Some(301));
    }
    assert_eq!(elsewhere.lines(), Vec::<String>::new());

    let server = Server::saying(vec![says_with(302, &[("location", "/repos/o/r")], "")]);
    let error = run(client(&server).0.repository_facts()).unwrap_err();
    assert!(error.to_string().ends_with("it was moved too often"), "{error}");
    assert_eq!(server.lines().len(), 4);
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let server = Server::saying(vec![says(200, format!("\"{}\"", "x".repeat(33 << 20)))]);
    let error = run(client(&server).0.repository_facts()).unwrap_err();
    assert!(matches!(error, ApiError::TooLarge { .. }), "{error}");
    assert_eq!(server.lines().len(), 1);
    let server = Server::saying(vec![says(404, "x".repeat(33 << 20))]);
    assert_eq!(run(client(&server).0.pull(PullNumber(1))).unwrap(), None);
}
