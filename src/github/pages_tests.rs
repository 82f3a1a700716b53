//! Lists of many pages, from a server that holds so many comments and cuts them into pages.

use super::testing::{Received, Says, Server, client, run, says, says_with};
use super::{ApiError, CommentId};
use crate::model::{CommitSha, PullNumber};

fn number(request: &Received, name: &str) -> usize {
    let (_, query) = request.line.split_once('?').unwrap();
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).unwrap();
    value.parse().unwrap()
}

/// A page of `count` comments numbered from 1, with links as GitHub gives them where `linked`.
fn page(request: &Received, count: usize, linked: bool) -> Says {
    let (size, number) = (number(request, "per_page"), number(request, "page"));
    let ids = (number - 1) * size + 1..=(number * size).min(count);
    let comments: Vec<String> = ids.map(|id| format!(r#"{{"id": {id}, "body": "c{id}"}}"#)).collect();
    let body = format!("[{}]", comments.join(","));
    let next = number * size < count;
    if !linked {
        return says(200, body);
    }
    // The host is not the server's own: it must not be asked.
    let first = r#"<http://192.0.2.1/x?page=1>; rel="first""#;
    let link = if next { format!(r#"{first}, <http://192.0.2.1/x?page=2>; rel="next""#) } else { first.to_owned() };
    says_with(200, &[("link", &link)], body)
}

fn ids(server: &Server) -> Result<Vec<u64>, ApiError> {
    let comments = run(client(server).0.issue_comments(PullNumber(5)))?;
    Ok(comments.into_iter().map(|comment| comment.id.0).collect())
}

#[test]
fn a_list_is_walked_to_its_end() {
    for linked in [true, false] {
        for (count, requests) in [(0, 1), (1, 1), (99, 1), (101, 2), (135, 2), (250, 3)] {
            let server = Server::with(move |request, _| page(request, count, linked));
            assert_eq!(ids(&server).unwrap(), (1..=count as u64).collect::<Vec<_>>(), "{count}");
            assert_eq!(server.lines().len(), requests, "{count} {linked}");
        }
        // Without links nobody can know that a full page was the last.
        let server = Server::with(move |request, _| page(request, 200, linked));
        assert_eq!(ids(&server).unwrap().len(), 200);
        assert_eq!(server.lines().len(), if linked { 2 } else { 3 });
    }
}

#[test]
fn links_are_believed_where_a_page_is_not_full() {
    let server = Server::with(|request, _| match number(request, "page") {
        1 => says_with(200, &[("link", r#"<http://192.0.2.1/x?page=2>; rel="next""#)], r#"[{"id": 1}]"#),
        _ => says_with(200, &[("link", r#"<http://192.0.2.1/x?page=1>; rel="prev""#)], r#"[{"id": 101}]"#),
    });
    assert_eq!(ids(&server).unwrap(), [1, 101]);
}

#[test]
fn a_list_without_end_is_an_error() {
    let server = Server::with(|request, _| page(request, usize::MAX / 1000, true));
    let error = ids(&server).unwrap_err();
    assert_eq!(error.to_string(), "failed to read all of /repos/o/r/issues/5/comments: it has more than 50 pages");
    assert_eq!(server.lines().len(), 50);
}

#[test]
fn history_is_cut_where_the_caller_wants() {
    let server = Server::with(|request, _| {
        let (size, number) = (number(request, "per_page"), number(request, "page"));
        let ids = (number - 1) * size..number * size;
        let commits: Vec<String> = ids.map(|id| format!(r#"{{"sha": "{id:040x}"}}"#)).collect();
        says(200, format!("[{}]", commits.join(",")))
    });
    let tip = CommitSha::new("a".repeat(40)).unwrap();
    let ancestors = run(client(&server).0.ancestors(&tip, 3)).unwrap();
    assert_eq!(ancestors.len(), 300);
    assert_eq!(ancestors[299].as_str(), format!("{:040x}", 299));
    assert_eq!(server.lines()[2], format!("GET /repos/o/r/commits?sha={tip}&per_page=100&page=3"));
}

#[test]
fn a_page_that_is_too_much_is_asked_for_in_halves() {
    for (most, requests) in [(50, 2 + 5), (25, 2 + 2 + 10)] {
        let server = Server::with(move |request, _| {
            if number(request, "per_page") > most { says(502, "<html>") } else { page(request, 240, true) }
        });
        let (client, pace) = client(&server);
        let comments = run(client.issue_comments(PullNumber(5))).unwrap();
        assert_eq!(comments.iter().map(|comment| comment.id.0).collect::<Vec<_>>(), (1..=240).collect::<Vec<_>>());
        assert_eq!(server.lines().len(), requests);
        assert!(pace.seconds().iter().all(|seconds| *seconds == 1));
    }
}

#[test]
fn a_later_page_in_halves_leaves_nothing_out() {
    // The first page comes whole; the second, with something huge in it, does not.
    let server = Server::with(|request, _| {
        if number(request, "per_page") == 100 && number(request, "page") == 2 {
            return says(502, "");
        }
        page(request, 230, true)
    });
    assert_eq!(ids(&server).unwrap(), (1..=230).collect::<Vec<_>>());
    let after: Vec<String> =
        server.lines().iter().skip(3).map(|line| line.split_once('?').unwrap().1.to_owned()).collect();
    assert_eq!(after, ["per_page=50&page=3", "per_page=50&page=4", "per_page=50&page=5"]);
}

#[test]
fn a_list_that_never_comes_fails_in_the_end() {
    let server = Server::saying(vec![says(502, "")]);
    let error = ids(&server).unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    assert_eq!(server.lines().len(), 2 + 2 + 5);
    let server = Server::saying(vec![says(403, "{}")]);
    ids(&server).unwrap_err();
    assert_eq!(server.lines().len(), 1);
}

#[test]
fn a_page_of_another_shape_is_unreadable() {
    for body in [r#"{"comments": []}"#, r#"[{"id": "one"}]"#, "[[]]", "null", "3"] {
        let server = Server::saying(vec![says(200, body)]);
        let error = ids(&server).unwrap_err();
        assert!(matches!(error, ApiError::Unreadable { .. }), "{body}: {error}");
    }
    let server = Server::saying(vec![says(200, r#"[{"id": 1, "body": null, "user": null, "new": {}}]"#)]);
    let comments = run(client(&server).0.issue_comments(PullNumber(5))).unwrap();
    assert_eq!((comments[0].id, comments[0].author.login.as_str()), (CommentId(1), "ghost"));
}
