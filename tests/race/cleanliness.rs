//! What a race that was ended from outside leaves behind: nothing but its journal.

use super::support::{LIBRARY, Repository, stderr};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

const RUN: [&str; 5] = ["run", "--rounds", "3", "--variants", "plain"];

fn changed() -> Repository {
    let repository = Repository::new();
    repository.write("lib/answer.js", &format!("// the same, with a comment\n{LIBRARY}"));
    repository.commit("comment");
    repository
}

/// Waits until the journal holds `rounds` finished rounds.
fn wait_for_rounds(repository: &Repository, rounds: usize) {
    for _ in 0..600 {
        let journal = fs::read_to_string(repository.out("journal.ndjson")).unwrap_or_default();
        if journal.lines().count() > rounds {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the race never finished round {rounds}");
}

fn finished_rounds(repository: &Repository) -> Vec<String> {
    fs::read_to_string(repository.out("journal.ndjson")).unwrap().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn killed_in_the_middle_of_a_round_it_leaves_nothing_and_resumes_where_it_was() {
    let repository = changed();
    let mut race = repository.start(&RUN);
    wait_for_rounds(&repository, 1);
    std::thread::sleep(Duration::from_millis(300));
    race.kill().unwrap();
    assert_eq!(race.wait().unwrap().signal(), Some(9));
    assert_eq!(repository.processes_after_a_while(), Vec::<String>::new());
    let before = finished_rounds(&repository);
    let seed = serde_json::from_str::<serde_json::Value>(
        fs::read_to_string(repository.out("journal.ndjson")).unwrap().lines().next().unwrap(),
    )
    .unwrap()["seed"]
        .clone();

    let output = repository.run(&[&RUN[..], &["--resume"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let after = finished_rounds(&repository);
    assert_eq!(after.len(), 3);
    assert_eq!(after[..before.len()], before[..], "finished rounds are kept as they were");
    let results = repository.json("results.json");
    assert_eq!((&results["seed"], &results["rounds"]), (&seed, &serde_json::json!(3)));
    assert_eq!(repository.processes(), Vec::<String>::new());
}

#[test]
fn uncommitted_changes_that_were_edited_since_are_not_resumed() {
    let repository = Repository::new();
    repository.write("lib/answer.js", &format!("// one\n{LIBRARY}"));
    let mut race = repository.start(&RUN);
    wait_for_rounds(&repository, 1);
    race.kill().unwrap();
    race.wait().unwrap();
    assert_eq!(repository.processes_after_a_while(), Vec::<String>::new());
    repository.write("lib/answer.js", &format!("// two\n{LIBRARY}"));
    let output = repository.run(&[&RUN[..], &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("no longer what is checked out"), "{}", stderr(&output));
}

#[test]
fn interrupted_it_stops_its_servers_and_says_how_to_go_on() {
    let repository = changed();
    let race = repository
        .deadheat(&RUN)
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for_rounds(&repository, 1);
    let interrupted = Command::new("kill").args(["-INT", &race.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = race.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("--resume"), "{}", stderr(&output));
    assert_eq!(repository.processes_after_a_while(), Vec::<String>::new());
    // Another selection is another race.
    let other = repository.run(&["run", "--rounds", "3", "--variants", "plain", "--scenarios", "one", "--resume"]);
    assert_eq!(other.status.code(), Some(2), "{}", stderr(&other));
    assert!(stderr(&other).contains("failed to resume"), "{}", stderr(&other));
}
