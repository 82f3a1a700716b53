//! Every endpoint once: what is asked, and what is made of the answer.

use super::testing::{Server, client, client_of, run, says, settings};
use super::{
    Account, ArtifactId, BlobSha, CheckContent, CheckId, CheckOutput, CheckStatus, Client, CommentId, Conclusion,
    Permission, PullState, Reaction, Repo, TreeChange, TreeEntryKind, TreeSha, Written,
};
use crate::model::{CommitSha, PullNumber, RunAttempt, RunId};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn sha(digit: char) -> String {
    digit.to_string().repeat(40)
}

fn commit(digit: char) -> CommitSha {
    CommitSha::new(sha(digit)).unwrap()
}

fn tree(digit: char) -> TreeSha {
    TreeSha::new(sha(digit)).unwrap()
}

/// What `ask` makes of an answer, and the request's line and body.
fn asked<T>(status: u16, answer: &Value, ask: impl AsyncFnOnce(&Client) -> T) -> (T, String, String) {
    let server = Server::saying(vec![says(status, if status == 204 { String::new() } else { answer.to_string() })]);
    let client = client(&server).0;
    let made = run(ask(&client));
    let [request] = &server.received()[..] else { panic!("one request and no other: {:?}", server.lines()) };
    (made, request.line.clone(), request.body.clone())
}

fn read<T>(answer: &Value, ask: impl AsyncFnOnce(&Client) -> T) -> (T, String) {
    let (made, line, _) = asked(200, answer, ask);
    (made, line)
}

fn missing<T>(ask: impl AsyncFnOnce(&Client) -> T) -> T {
    asked(404, &json!({ "message": "Not Found" }), ask).0
}

fn pull() -> Value {
    json!({
        "number": 12, "state": "open", "draft": false, "html_url": "https://github.com/o/r/pull/12",
        "user": { "login": "someone", "type": "User" }, "labels": [{ "name": "bench" }],
        "head": { "sha": sha('a'), "ref": "feature", "repo": { "id": 2, "name": "fork", "owner": { "login": "someone" } } },
        "base": { "sha": sha('b'), "ref": "main", "repo": { "id": 1, "name": "r", "owner": { "login": "o" } } },
    })
}

#[test]
fn a_pull_request() {
    let (found, line) = read(&pull(), async |client| client.pull(PullNumber(12)).await);
    let found = found.unwrap().unwrap();
    assert_eq!(line, "GET /repos/o/r/pulls/12");
    assert_eq!((found.number, found.state, found.draft), (PullNumber(12), PullState::Open, false));
    assert_eq!((found.head.sha, found.head.branch.as_str()), (commit('a'), "feature"));
    let fork = Repo { id: 2, owner: "someone".to_owned(), name: "fork".to_owned() };
    assert_eq!((found.head.repository, found.base.repository.id), (Some(fork), 1));
    assert_eq!((found.labels, found.author.as_str()), (vec!["bench".to_owned()], "someone"));

    let mut orphan = pull();
    for null in ["/head/repo", "/user"] {
        *orphan.pointer_mut(null).unwrap() = Value::Null;
    }
    orphan["state"] = "closed".into();
    let found = read(&orphan, async |client| client.pull(PullNumber(12)).await).0.unwrap().unwrap();
    assert_eq!((found.head.repository, found.author.as_str(), found.state), (None, "ghost", PullState::Closed));
    assert_eq!(missing(async |client| client.pull(PullNumber(12)).await).unwrap(), None);
}

#[test]
fn pull_requests_of_a_branch() {
    let (found, line) = read(&json!([pull()]), async |client| client.open_pulls_of("someone", "a/b&c=d#").await);
    assert_eq!(found.unwrap().len(), 1);
    assert_eq!(line, "GET /repos/o/r/pulls?state=open&head=someone%3Aa%2Fb%26c%3Dd%23&per_page=100&page=1");
}

#[test]
fn comments() {
    let bot = json!({
        "id": 7, "body": "hello", "user": { "login": "github-actions[bot]", "type": "Bot" },
        "created_at": "2026-09-21T15:13:20Z", "html_url": "https://github.com/o/r/pull/12#issuecomment-7",
    });
    let (found, _) = read(&json!([bot]), async |client| client.issue_comments(PullNumber(12)).await);
    let found = found.unwrap().remove(0);
    assert_eq!(found.author, Account { login: "github-actions[bot]".to_owned(), is_bot: true });
    assert_eq!((found.id, found.created_at.as_str()), (CommentId(7), "2026-09-21T15:13:20Z"));

    let (found, line) = read(&json!([bot]), async |client| client.commit_comments(&commit('a')).await);
    assert_eq!(found.unwrap().len(), 1);
    assert_eq!(line, format!("GET /repos/o/r/commits/{}/comments?per_page=100&page=1", sha('a')));

    let (done, line, body) = asked(201, &bot, async |client| client.create_commit_comment(&commit('a'), "hi").await);
    assert_eq!(done.unwrap().done().unwrap().id, CommentId(7));
    assert_eq!((line, body.as_str()), (format!("POST /repos/o/r/commits/{}/comments", sha('a')), r#"{"body":"hi"}"#));

    let (_, line, body) = asked(200, &bot, async |client| client.update_issue_comment(CommentId(7), "hi").await);
    assert_eq!((line.as_str(), body.as_str()), ("PATCH /repos/o/r/issues/comments/7", r#"{"body":"hi"}"#));

    let (done, line, body) =
        asked(201, &json!({ "id": 1 }), async |client| client.react(CommentId(7), Reaction::Eyes).await);
    assert_eq!(done.unwrap(), Written::Done(()));
    assert_eq!(
        (line.as_str(), body.as_str()),
        ("POST /repos/o/r/issues/comments/7/reactions", r#"{"content":"eyes"}"#)
    );

    let (done, line, body) = asked(204, &Value::Null, async |client| client.delete_issue_comment(CommentId(7)).await);
    assert_eq!(done.unwrap(), Written::Done(()));
    assert_eq!((line.as_str(), body.as_str()), ("DELETE /repos/o/r/issues/comments/7", ""));
    assert_eq!(missing(async |client| client.delete_issue_comment(CommentId(7)).await).unwrap(), Written::Done(()));
}

#[test]
fn check_runs() {
    let check = |status: &str, conclusion: Value| {
        json!({
            "id": 3, "name": "deadheat", "status": status, "conclusion": conclusion, "external_id": "run 5",
            "app": { "slug": "github-actions" }, "html_url": "https://github.com/o/r/runs/3",
        })
    };
    let list =
        json!({ "total_count": 2, "check_runs": [check("in_progress", Value::Null), check("pending", "new".into())] });
    let (found, line) = read(&list, async |client| client.check_runs(&commit('a'), "deadheat").await);
    let found = found.unwrap();
    let asked_for = "check_name=deadheat&filter=all&per_page=100&page=1";
    assert_eq!(line, format!("GET /repos/o/r/commits/{}/check-runs?{asked_for}", sha('a')));
    assert_eq!((found[0].status, found[0].conclusion), (CheckStatus::InProgress, None));
    assert_eq!((found[1].status, found[1].conclusion), (CheckStatus::Waiting, Some(Conclusion::Other)));
    assert_eq!((found[0].external_id.as_str(), found[0].app.as_deref()), ("run 5", Some("github-actions")));

    let mut content = CheckContent {
        name: "deadheat".to_owned(),
        head_sha: commit('a'),
        status: CheckStatus::InProgress,
        conclusion: None,
        details_url: Some("https://example.com".to_owned()),
        external_id: None,
        output: None,
    };
    let (_, line, body) =
        asked(201, &check("in_progress", Value::Null), async |client| client.create_check_run(&content).await.unwrap());
    assert_eq!(line, "POST /repos/o/r/check-runs");
    let began = json!({ "name": "deadheat", "head_sha": sha('a'), "status": "in_progress", "details_url": "https://example.com" });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), began);

    content.status = CheckStatus::Completed;
    content.conclusion = Some(Conclusion::TimedOut);
    content.details_url = None;
    content.output = Some(CheckOutput { title: "T".to_owned(), summary: "S".to_owned(), text: None });
    let (_, line, body) = asked(200, &check("completed", "timed_out".into()), async |client| {
        client.update_check_run(CheckId(3), &content).await.unwrap()
    });
    assert_eq!(line, "PATCH /repos/o/r/check-runs/3");
    let ended = json!({
        "name": "deadheat", "status": "completed", "conclusion": "timed_out", "output": { "title": "T", "summary": "S" },
    });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), ended);
}

#[test]
fn branches() {
    let reference = json!({ "ref": "refs/heads/data/x", "object": { "sha": sha('c'), "type": "commit" } });
    let (found, line) = read(&reference, async |client| client.branch_tip("data/x").await);
    assert_eq!((found.unwrap(), line.as_str()), (Some(commit('c')), "GET /repos/o/r/git/ref/heads%2Fdata%2Fx"));
    assert_eq!(missing(async |client| client.branch_tip("data").await).unwrap(), None);
    let empty = json!({ "message": "Git Repository is empty." });
    assert_eq!(asked(409, &empty, async |client| client.branch_tip("data").await).0.unwrap(), None);

    let (_, line, body) =
        asked(201, &reference, async |client| client.create_branch("data/x", &commit('c')).await.unwrap());
    assert_eq!(line, "POST /repos/o/r/git/refs");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({ "ref": "refs/heads/data/x", "sha": sha('c') }));

    let advance = async |client: &Client| client.advance_branch("data", &commit('c')).await;
    let (_, line, body) = asked(200, &reference, advance);
    assert_eq!(line, "PATCH /repos/o/r/git/refs/heads%2Fdata");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({ "sha": sha('c'), "force": false }));
    let moved = json!({ "message": "Update is not a fast forward" });
    assert!(asked(422, &moved, advance).0.unwrap_err().is_conflict());
    assert!(asked(409, &moved, advance).0.unwrap_err().is_conflict());
}

#[test]
fn git_objects() {
    let (found, line) = read(&json!({ "sha": sha('c'), "tree": { "sha": sha('d') } }), async |client| {
        client.commit_tree(&commit('c')).await
    });
    assert_eq!((found.unwrap(), line), (tree('d'), format!("GET /repos/o/r/git/commits/{}", sha('c'))));

    let listing = json!({ "sha": sha('d'), "truncated": true, "tree": [
        { "path": "runs/ab", "type": "tree", "sha": sha('e') },
        { "path": "runs/ab/x.json", "type": "blob", "sha": sha('f'), "size": 12 },
        { "path": "sub", "type": "commit", "sha": sha('1') },
    ] });
    let (found, line) = read(&listing, async |client| client.tree(&tree('d'), true).await);
    let found = found.unwrap();
    assert_eq!(line, format!("GET /repos/o/r/git/trees/{}?recursive=1", sha('d')));
    assert!(found.truncated);
    let kinds: Vec<_> = found.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [TreeEntryKind::Tree, TreeEntryKind::Blob, TreeEntryKind::Other]);
    assert_eq!(found.entries[1].size, Some(12));
    let (_, line) = read(&listing, async |client| client.tree(&tree('d'), false).await);
    assert_eq!(line, format!("GET /repos/o/r/git/trees/{}", sha('d')));

    // As GitHub sends it: broken into lines.
    let blob = json!({ "content": "aGVs\nbG8=\n", "encoding": "base64", "size": 5, "sha": sha('f') });
    let id = BlobSha::new(sha('f')).unwrap();
    let (found, line) = read(&blob, async |client| client.blob(&id).await);
    assert_eq!((found.unwrap(), line), (b"hello".to_vec(), format!("GET /repos/o/r/git/blobs/{}", sha('f'))));
    let broken = json!({ "content": "a", "encoding": "base64" });
    assert!(read(&broken, async |client| client.blob(&id).await).0.is_err());

    let (made, _, body) = asked(201, &json!({ "sha": sha('f') }), async |client| client.create_blob(b"\x00\xff").await);
    assert_eq!(made.unwrap(), Written::Done(id.clone()));
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({ "content": "AP8=", "encoding": "base64" }));

    let changes = [TreeChange::Put("a/b".to_owned(), id), TreeChange::Remove("c".to_owned())];
    let (made, line, body) =
        asked(201, &json!({ "sha": sha('e') }), async |client| client.create_tree(Some(&tree('d')), &changes).await);
    assert_eq!((made.unwrap(), line.as_str()), (Written::Done(tree('e')), "POST /repos/o/r/git/trees"));
    let expected = json!({ "base_tree": sha('d'), "tree": [
        { "path": "a/b", "mode": "100644", "type": "blob", "sha": sha('f') },
        { "path": "c", "mode": "100644", "type": "blob", "sha": null },
    ] });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);

    let (made, line, body) = asked(201, &json!({ "sha": sha('1') }), async |client| {
        client.create_commit("Add a run", &tree('e'), &[&commit('c')]).await
    });
    assert_eq!((made.unwrap(), line.as_str()), (Written::Done(commit('1')), "POST /repos/o/r/git/commits"));
    let expected = json!({ "message": "Add a run", "tree": sha('e'), "parents": [sha('c')] });
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
}

#[test]
fn runs() {
    let answer = json!({
        "id": 99, "run_attempt": 2, "event": "pull_request", "head_sha": sha('a'), "head_branch": null, "head_repository": null,
        "status": "completed", "conclusion": "cancelled", "path": ".github/workflows/deadheat.yml", "name": "deadheat",
        "html_url": "https://github.com/o/r/actions/runs/99", "pull_requests": [],
    });
    let (found, line) = read(&answer, async |client| client.workflow_run(RunId(99)).await);
    let found = found.unwrap();
    assert_eq!(line, "GET /repos/o/r/actions/runs/99");
    assert_eq!((found.id, found.attempt, found.head_repository), (RunId(99), RunAttempt(2), None));
    assert_eq!((found.status, found.conclusion), (CheckStatus::Completed, Some(Conclusion::Cancelled)));

    for (path, file) in [
        (".github/workflows/build.yml@main", ".github/workflows/build.yml"),
        (".github/workflows/build.yaml@refs/heads/a@b", ".github/workflows/build.yaml"),
        ("dynamic/pages@main", "dynamic/pages@main"),
        (".github/workflows/a@b.yml", ".github/workflows/a@b.yml"),
    ] {
        let mut answer = answer.clone();
        answer["path"] = path.into();
        assert_eq!(read(&answer, async |client| client.workflow_run(RunId(99)).await).0.unwrap().path, file);
    }

    let jobs = json!({ "total_count": 1, "jobs": [{
        "id": 5, "name": "race", "status": "completed", "conclusion": "success", "started_at": "2026-09-21T15:13:20Z",
        "completed_at": "2026-09-21T15:20:00Z", "html_url": "https://github.com/o/r/actions/runs/99/job/5",
    }] });
    let (found, line) = read(&jobs, async |client| client.jobs(RunId(99), RunAttempt(2)).await);
    assert_eq!(found.unwrap()[0].completed_at.as_deref(), Some("2026-09-21T15:20:00Z"));
    assert_eq!(line, "GET /repos/o/r/actions/runs/99/attempts/2/jobs?per_page=100&page=1");

    let artifacts = json!({ "total_count": 1, "artifacts": [
        { "id": 9, "name": "deadheat-results-2", "size_in_bytes": 1234, "expired": false },
    ] });
    let (found, line) = read(&artifacts, async |client| client.artifacts(RunId(99)).await);
    let found = found.unwrap();
    assert_eq!((found[0].id, found[0].size_bytes, found[0].expired), (ArtifactId(9), 1234, false));
    assert_eq!(line, "GET /repos/o/r/actions/runs/99/artifacts?per_page=100&page=1");
}

#[test]
fn files() {
    let file = json!({ "type": "file", "sha": sha('f'), "size": 5, "content": "aGVsbG8=\n", "encoding": "base64" });
    let (found, line) = read(&file, async |client| client.file("bench/dead heat.toml", "feature/x").await);
    assert_eq!(found.unwrap().as_deref(), Some(&b"hello"[..]));
    assert_eq!(line, "GET /repos/o/r/contents/bench%2Fdead%20heat.toml?ref=feature%2Fx");
    let empty = json!({ "type": "file", "sha": sha('f'), "size": 0, "content": "", "encoding": "base64" });
    assert_eq!(read(&empty, async |client| client.file("x", "main").await).0.unwrap().as_deref(), Some(&b""[..]));
    for none in [
        json!([file]),
        json!({ "type": "submodule", "sha": sha('c'), "size": 0 }),
        json!({ "type": "symlink", "target": "y", "sha": sha('c'), "size": 1 }),
    ] {
        assert_eq!(read(&none, async |client| client.file("x", "main").await).0.unwrap(), None);
    }
    assert_eq!(missing(async |client| client.file("x", "main").await).unwrap(), None);

    let server = Server::saying(vec![
        says(
            200,
            json!({ "type": "file", "sha": sha('f'), "size": 2_000_000, "content": "", "encoding": "none" })
                .to_string(),
        ),
        says(200, json!({ "content": "aGVsbG8=", "encoding": "base64" }).to_string()),
    ]);
    let large = run(client(&server).0.file("large", "main")).unwrap();
    assert_eq!(large.as_deref(), Some(&b"hello"[..]));
    assert_eq!(server.lines()[1], format!("GET /repos/o/r/git/blobs/{}", sha('f')));
}

#[test]
fn the_repository_and_who_may_do_what() {
    let facts = json!({ "id": 1, "default_branch": "trunk", "name": "r" });
    let (found, line) = read(&facts, async |client| client.repository_facts().await);
    assert_eq!((found.unwrap().default_branch.as_str(), line.as_str()), ("trunk", "GET /repos/o/r"));

    for (word, permission) in [
        ("admin", Permission::Admin),
        ("write", Permission::Write),
        ("maintain", Permission::Write),
        ("read", Permission::Read),
        ("triage", Permission::Read),
        ("none", Permission::None),
        ("new", Permission::None),
    ] {
        let answer = json!({ "permission": word, "user": {} });
        let (found, line) = read(&answer, async |client| client.permission("renovate[bot]").await);
        assert_eq!(
            (found.unwrap(), line.as_str()),
            (permission, "GET /repos/o/r/collaborators/renovate%5Bbot%5D/permission")
        );
    }
    assert_eq!(missing(async |client| client.permission("nobody").await).unwrap(), Permission::None);
    assert!(Permission::Write < Permission::Admin && Permission::Read < Permission::Write);

    let comparison = json!({ "merge_base_commit": { "sha": sha('b') }, "commits": [] });
    let (found, line) = read(&comparison, async |client| client.merge_base("release/1", &sha('a')).await);
    assert_eq!(found.unwrap(), Some(commit('b')));
    assert_eq!(line, format!("GET /repos/o/r/compare/release%2F1...{}?per_page=1", sha('a')));
    assert_eq!(missing(async |client| client.merge_base("main", "x").await).unwrap(), None);
}

#[test]
fn a_workflow_is_started_once() {
    let inputs = BTreeMap::from([("pr".to_owned(), "12".to_owned())]);
    let (done, line, body) =
        asked(204, &Value::Null, async |client| client.dispatch_workflow("deadheat.yml", "main", &inputs).await);
    assert_eq!(done.unwrap(), Written::Done(()));
    assert_eq!(line, "POST /repos/o/r/actions/workflows/deadheat.yml/dispatches");
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({ "ref": "main", "inputs": { "pr": "12" } }));
    let lost = async |client: &Client| client.dispatch_workflow("deadheat.yml", "main", &inputs).await;
    assert!(asked(502, &json!({}), lost).0.unwrap_err().is_uncertain());
}

#[test]
fn the_viewer_is_asked_by_graphql_where_the_server_has_it() {
    let answer = json!({ "data": { "viewer": { "login": "github-actions[bot]" } } }).to_string();
    for (root, graphql) in [("", "POST /graphql"), ("/api/v3", "POST /api/graphql"), ("/api/v3/", "POST /api/graphql")]
    {
        // Read twice, since asking changes nothing; in a dry run too.
        let server = Server::saying(vec![says(502, ""), says(200, answer.clone())]);
        let mut settings = settings(&format!("{}{root}", server.origin()));
        settings.dry_run = true;
        let login = run(client_of(settings).0.viewer_login()).unwrap();
        assert_eq!(login.as_deref(), Some("github-actions[bot]"));
        assert_eq!(server.lines(), [graphql; 2]);
        assert_eq!(server.received()[0].json(), json!({ "query": "{viewer{login}}" }));
        assert_eq!(server.received()[0].header("authorization"), ["Bearer ghs_token"]);
    }
    let refusal = json!({ "data": null, "errors": [{ "type": "FORBIDDEN", "message": "Resource not accessible" }] });
    assert_eq!(read(&refusal, async |client| client.viewer_login().await).0.unwrap(), None);
    for status in [401, 403, 404] {
        assert_eq!(asked(status, &json!({}), async |client| client.viewer_login().await).0.unwrap(), None);
    }
}

#[test]
fn graphql_elsewhere_gets_no_token() {
    let (api, elsewhere) = (Server::saying(vec![says(200, "{}")]), Server::saying(vec![says(401, "{}")]));
    let mut settings = settings(&api.origin());
    settings.graphql = Some(format!("{}/graphql", elsewhere.origin()));
    assert_eq!(run(client_of(settings).0.viewer_login()).unwrap(), None);
    assert!(elsewhere.received()[0].header("authorization").is_empty());
}

#[test]
fn an_enterprise_server_has_its_paths_below_its_root() {
    let server = Server::saying(vec![says(200, json!({ "id": 1, "default_branch": "main" }).to_string())]);
    let (client, _) = client_of(settings(&format!("{}/api/v3", server.origin())));
    run(client.repository_facts()).unwrap();
    assert_eq!(server.lines(), ["GET /api/v3/repos/o/r"]);
}

#[test]
fn hostile_names_stay_inside_their_segment() {
    for name in ["..", ".", "", "a/../b", "/etc", "a/", "a//b"] {
        let server = Server::saying(vec![says(200, "{}")]);
        let client = client(&server).0;
        run(async {
            assert!(client.permission(name).await.is_err(), "{name}");
            assert!(client.file(name, "main").await.is_err(), "{name}");
        });
        assert_eq!(server.lines(), Vec::<String>::new(), "{name}");
    }
    let name = "x?y#z%2e%2e\\\r\nhost: evil é";
    let server = Server::saying(vec![says(404, "{}")]);
    run(client(&server).0.permission(name)).unwrap();
    assert_eq!(
        server.lines(),
        ["GET /repos/o/r/collaborators/x%3Fy%23z%252e%252e%5C%0D%0Ahost%3A%20evil%20%C3%A9/permission"]
    );
    assert_eq!(server.received()[0].header("host").len(), 1);
}
