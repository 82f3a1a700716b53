//! Events that bring no race.

use super::testing::{Forge, decided, not_asked, repository};
use crate::commands::CommandError;
use crate::github::Event;
use serde_json::json;

#[test]
fn events_without_a_race_say_what_is_meant() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let group = json!({ "action": "checks_requested", "merge_group": { "head_sha": forge.sha("b"), "head_ref": "refs/heads/q",
        "base_sha": forge.sha("3"), "base_ref": "refs/heads/main" } });
    let group = Event::read("merge_group", group.to_string().as_bytes()).unwrap();
    assert_eq!(not_asked(&clone, &group).0, Some(forge.sha("b")));
    let (head, message) = not_asked(&clone, &Event::Other("schedule".to_owned()));
    assert_eq!(head, None);
    assert!(message.contains("`schedule`"), "{message}");

    let run = json!({ "action": "completed", "repository": repository(4), "workflow_run": { "id": 1, "run_attempt": 1,
        "event": "push", "head_sha": forge.sha("b"), "html_url": "u" } });
    let comment = json!({ "action": "created", "issue": { "number": 7 }, "comment": { "id": 1 } });
    for (name, payload) in [("workflow_run", run), ("issue_comment", comment)] {
        let event = Event::read(name, payload.to_string().as_bytes()).unwrap();
        let error = decided(&clone, &event).unwrap_err();
        let said = |message: &str| message.contains("deadheat publish") && message.contains(name);
        assert!(matches!(&error, CommandError::Usage(message) if said(message)), "{error}");
    }
    let error = decided(&clone, &Event::Other("pull_request_target".to_owned())).unwrap_err();
    assert!(matches!(&error, CommandError::Usage(message) if message.contains("pull_request instead")), "{error}");
}
