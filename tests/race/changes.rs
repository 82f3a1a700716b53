//! What a pull request changes, and what is said of it.

use super::support::{LIBRARY, Repository, flagged, stderr, stdout};

const SLOW: &str = "let waste = 0\nexport function answer(url) {\n  if (url === '/two') for (let i = 0; i < 600000; i++) waste += i % 7\n  return url.slice(1)\n}\n";

#[test]
fn a_change_in_the_library_is_raced_and_the_slowed_route_is_named() {
    let repository = Repository::new();
    repository.write("lib/answer.js", SLOW);
    repository.commit("slow one route down by far");
    let output = repository.run(&["run", "--rounds", "12", "--seed", "1", "--suites", "http"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let found = flagged(&repository.report());
    assert!(found.contains(&"plain two rps slower".to_owned()), "{found:?}");
    assert!(found.iter().all(|cell| cell.starts_with("plain two ")), "{found:?}");
    assert!(stdout(&output).contains("`plain` `two`"), "{}", stdout(&output));
    assert_eq!(repository.processes(), Vec::<String>::new());
}

#[test]
fn a_pull_request_that_changes_only_what_is_ignored_has_nothing_to_compare() {
    let repository = Repository::new();
    repository.write("README.md", "# words\n");
    repository.commit("describe it");
    let output = repository.run(&["run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 1, "{}", stdout(&output));
    assert!(stdout(&output).starts_with("nothing to compare"), "{}", stdout(&output));
}

#[test]
fn a_scenario_that_head_breaks_is_failing_and_one_that_base_lacks_is_new() {
    let repository = Repository::new();
    repository.write("lib/answer.js", "export const answer = (url) => (url === '/one' ? 'oops' : url.slice(1))\n");
    let third =
        "[[scenario]]\nname = \"third\"\nrequest = { path = \"/a\" }\nexpect = { status = 200, text = \"a\" }\n";
    repository.write("contract/third.toml", third);
    repository.write(
        "bench/fresh/variant.toml",
        "name = \"fresh\"\n[runtime.node]\nstart = [\"node\", \"../plain/server.js\"]\n[suite.boot]\nready = \"two\"\n",
    );
    let manifest =
        "name = \"plain\"\n[runtime.node]\nstart = [\"node\", \"server.js\"]\n[suite.boot]\nready = \"two\"\n";
    repository.write("bench/plain/variant.toml", manifest);
    let configuration = std::fs::read_to_string(repository.root().join("deadheat.toml")).unwrap();
    repository.write("deadheat.toml", &format!("{configuration}\n[verdict]\nfail_on = \"regression\"\n"));
    repository.commit("break one route, add another and a variant");
    let output = repository.run(&["run", "--rounds", "1"]);
    assert_eq!(output.status.code(), Some(1), "a broken answer is a regression: {}", stderr(&output));
    assert!(stdout(&output).contains("status") || stdout(&output).contains("body differs"), "{}", stdout(&output));
    let found = flagged(&repository.report());
    assert!(found.contains(&"plain one rps failing".to_owned()), "{found:?}");
    assert!(found.iter().all(|cell| cell.starts_with("plain one ")), "{found:?}");
    let results = repository.json("results.json");
    let gate = |side: &str, scenario: &str| {
        let records = results["gate"].as_array().unwrap().iter();
        let mut found = records
            .filter(|record| record["entry"] == "plain" && record["side"] == side && record["scenario"] == scenario);
        found.next().unwrap()["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(gate("head", "one"), "failed");
    assert_eq!(gate("base", "one"), "passed");
    assert_eq!(gate("base", "third"), "passed", "base answers the new scenario as well");
    let entries = results["entries"].as_array().unwrap();
    let fresh = entries.iter().find(|entry| entry["name"] == "fresh").unwrap();
    assert_eq!((fresh["presence"].as_str(), fresh["lineup"].as_str()), (Some("new"), Some("one-sided")));
}

#[test]
fn uncommitted_changes_are_raced_as_they_are() {
    let repository = Repository::new();
    repository.write("lib/answer.js", &format!("// changed and not committed\n{LIBRARY}"));
    let output = repository.run(&["run", "--quick", "--base", "HEAD", "--variants", "plain"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = repository.json("quick.json");
    assert_eq!(results["head"]["dirty"], true);
    assert_eq!(results["rounds"], 2);
    assert!(repository.git(&["status", "--porcelain"]).contains("lib/answer.js"));
}

#[test]
fn a_head_that_starts_only_once_is_failing_whichever_suites_are_raced() {
    let repository = Repository::new();
    let once = "import { existsSync, writeFileSync } from 'node:fs'\nif (existsSync('started')) process.exit(9)\nwriteFileSync('started', '')\n";
    repository.write("lib/answer.js", &format!("{once}{LIBRARY}"));
    repository.commit("start only once");
    let output = repository.run(&["run", "--rounds", "2", "--suites", "http"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let found = flagged(&repository.report());
    assert!(found.contains(&"plain one rps failing".to_owned()), "{found:?}");
    assert!(found.iter().all(|cell| cell.starts_with("plain ") && cell.ends_with(" failing")), "{found:?}");
}
