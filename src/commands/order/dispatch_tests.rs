//! What dispatched workflows ask for, decided in real clones.

use super::Decision;
use super::decide::of_event;
use super::testing::{Forge, decided, dispatch, git, race, sides};
use crate::cli::{SelectionArgs, SuiteChoice};
use crate::commands::CommandError;
use serde_json::json;
use std::fs;

#[test]
fn a_dispatch_races_what_its_inputs_name() {
    let forge = Forge::new();
    forge.push("topic:refs/pull/7/head");
    git(&forge.work(), &["tag", "v1", &forge.sha("1")]);
    forge.push("v1");
    for options in [&[][..], &["--depth=1", "--branch=main"]] {
        let clone = forge.clone(options);
        for (inputs, base, head, name) in [
            (json!({}), "2", "3", Some("main")),
            (json!({ "head": "topic" }), "2", "b", Some("topic")),
            (json!({ "pr": "7" }), "2", "b", Some("#7")),
            (json!({ "pr": "#7", "head": forge.sha("a") }), "2", "a", None),
            (json!({ "head": "topic", "base": "v1" }), "1", "b", Some("topic")),
            (json!({ "head": "HEAD", "base": forge.sha("2").to_uppercase() }), "2", "3", Some("HEAD")),
        ] {
            let order = race(&clone, &dispatch(&inputs));
            assert_eq!(sides(&order), (forge.sha(base).as_str(), forge.sha(head).as_str()), "{inputs} {options:?}");
            let named = order.names.head.as_deref().filter(|name| name.len() < 40);
            assert_eq!(named, name, "{inputs}");
        }
        let order = race(&clone, &dispatch(&json!({ "base": "none" })));
        assert_eq!(sides(&order), ("none", forge.sha("3").as_str()));
        fs::remove_dir_all(clone.root()).unwrap();
    }
}

#[test]
fn a_dispatch_chooses_out_of_the_configuration() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let inputs =
        json!({ "variants": "a, b,,a", "runtimes": "node", "suites": "http,boot", "scenarios": "x", "budget": "90s" });
    let selection = race(&clone, &dispatch(&inputs)).selection;
    let names = |names: &[String]| names.join(",");
    assert_eq!(names(&selection.variants.iter().map(ToString::to_string).collect::<Vec<_>>()), "a,b");
    assert_eq!(names(&selection.runtimes.iter().map(ToString::to_string).collect::<Vec<_>>()), "node");
    assert_eq!(names(&selection.scenarios.iter().map(ToString::to_string).collect::<Vec<_>>()), "x");
    assert_eq!(selection.suites, [SuiteChoice::Http, SuiteChoice::Boot]);
    assert_eq!(selection.budget, Some(std::time::Duration::from_secs(90)));
    // What the inputs leave open stays as the workflow's own options have it.
    let given = SelectionArgs { suites: vec![SuiteChoice::Boot], ..SelectionArgs::default() };
    let Decision::Race(order) = of_event(&clone, &dispatch(&json!({ "variants": "a" })), &given).unwrap() else {
        panic!()
    };
    assert_eq!((order.selection.suites.len(), order.selection.variants.len()), (1, 1));
}

#[test]
fn mistakes_in_inputs_are_told_all_at_once() {
    let forge = Forge::new();
    let clone = forge.clone(&[]);
    let inputs = json!({ "base": "--upload-pack=x", "head": "a..b", "variants": "ok,-x,y z", "runtimes": "a/b",
        "suites": "http,di", "scenarios": "é", "budget": "soon", "pr": "seven" });
    let error = decided(&clone, &dispatch(&inputs)).unwrap_err();
    assert!(matches!(error, CommandError::Usage(_)));
    insta::assert_snapshot!(error.to_string());
    for (input, rev) in [("head", "no-such-branch"), ("base", "no/such~1")] {
        let error = decided(&clone, &dispatch(&json!({ input: rev }))).unwrap_err();
        assert!(matches!(&error, CommandError::Usage(message) if message.contains(rev)), "{error}");
    }
    let error = decided(&clone, &dispatch(&json!({ "pr": "8" }))).unwrap_err();
    assert!(matches!(&error, CommandError::Infrastructure(message) if message.contains("#8")), "{error}");
}
