//! `deadheat baseline` as a person meets it.

use crate::support::{client, deadheat, record, settings, sha, text, wait};
use deadheat::baseline::{BRANCH, BranchStore, DirectoryStore, file_of};
use deadheat::model::{CommitSha, Results};
use github_double::Double;
use std::path::Path;
use std::process::Command;

/// A directory with a configuration of few words, and the store beside it.
fn place() -> (tempfile::TempDir, DirectoryStore) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("deadheat.toml"), "variants = \"v\"\ncontract = \"c\"\n").unwrap();
    let store = DirectoryStore::new(directory.path().join(".deadheat/baselines"));
    (directory, store)
}

/// Three baselines, the newest of commit 3.
fn filled() -> (tempfile::TempDir, DirectoryStore) {
    let (directory, store) = place();
    for number in 1..=3 {
        store.put(&record(&sha(number), &format!("2001-11-0{number}T10:00:00Z"))).unwrap();
    }
    (directory, store)
}

/// Runs `deadheat baseline`, which must succeed, and returns what it prints.
fn said(directory: &Path, arguments: &[&str]) -> String {
    let output = deadheat(directory, &[&["baseline"], arguments].concat(), &[]);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs `deadheat baseline`, which must end with `code`, and returns the error.
fn refused(directory: &Path, arguments: &[&str], code: i32) -> String {
    let output = deadheat(directory, &[&["baseline"], arguments].concat(), &[]);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn an_empty_store_says_where_it_would_be() {
    let (directory, store) = place();
    let root = std::fs::canonicalize(directory.path()).unwrap().join(".deadheat/baselines");
    assert_eq!(said(directory.path(), &["list"]), format!("no baseline is kept in {}\n", root.display()));
    let listed: serde_json::Value = serde_json::from_str(&said(directory.path(), &["list", "--json"])).unwrap();
    assert_eq!(listed["baselines"], serde_json::json!([]));
    assert!(refused(directory.path(), &["show", "1234567"], 2).contains("failed to find a baseline of `1234567`"));
    assert!(said(directory.path(), &["prune", "--keep", "5"]).starts_with("removed 0 of 0 baselines"));
    assert!(!store.root().exists());
}

#[test]
fn the_list_is_a_table_or_json() {
    let (directory, store) = filled();
    std::fs::write(store.root().join(file_of(&sha(2))), "{}").unwrap();
    let output = deadheat(directory.path(), &["baseline", "list"], &[]);
    insta::assert_snapshot!("list", text(&output.stdout));
    let warned = text(&output.stderr);
    assert!(warned.contains("passed over ") && warned.contains(sha(2).as_str()), "{warned}");
    assert!(text(&deadheat(directory.path(), &["baseline", "list", "-q"], &[]).stderr).is_empty());

    let listed: serde_json::Value = serde_json::from_str(&said(directory.path(), &["list", "--json"])).unwrap();
    let shas: Vec<_> = listed["baselines"].as_array().unwrap().iter().map(|row| row["sha"].as_str().unwrap()).collect();
    assert_eq!(shas, [sha(3).as_str(), sha(1).as_str()]);
    assert_eq!(listed["baselines"][0]["fingerprint"]["cpus"], 4);
    assert!(listed["broken"][0]["place"].as_str().unwrap().contains(sha(2).as_str()));
}

#[test]
fn one_baseline_is_shown_by_the_beginning_of_its_id() {
    let (directory, store) = filled();
    let shown = said(directory.path(), &["show", sha(2).short()]);
    insta::assert_snapshot!("show", shown);
    let upper = sha(2).as_str()[..12].to_ascii_uppercase();
    assert_eq!(said(directory.path(), &["show", &upper]), shown);
    let file = said(directory.path(), &["show", sha(2).as_str(), "--json"]);
    assert_eq!(file, std::fs::read_to_string(store.root().join(file_of(&sha(2)))).unwrap());

    let twin = CommitSha::new(format!("{}{}", &sha(2).as_str()[..20], "f".repeat(20))).unwrap();
    store.put(&record(&twin, "2001-11-02T10:00:00Z")).unwrap();
    assert!(refused(directory.path(), &["show", sha(2).short()], 2).contains("2 commits begin with"));
    assert!(refused(directory.path(), &["show", "no such"], 2).contains("deadheat baseline list"));
    std::fs::write(store.root().join(file_of(&sha(1))), "{\"schema\": 7}").unwrap();
    let broken = refused(directory.path(), &["show", sha(1).as_str()], 4);
    assert!(broken.contains("schema 7") && broken.contains("failed to read"), "{broken}");
}

#[test]
fn samples_are_written_out_as_the_results_file_that_they_were() {
    let (directory, _) = filled();
    said(directory.path(), &["show", sha(3).short(), "--results", "again.json"]);
    let again: Results =
        serde_json::from_str(&std::fs::read_to_string(directory.path().join("again.json")).unwrap()).unwrap();
    assert_eq!(again.head.sha, sha(3));
    let report = deadheat(directory.path(), &["report", "again.json"], &[]);
    assert!(report.status.success(), "{}", text(&report.stderr));
    let nowhere = refused(directory.path(), &["show", sha(3).short(), "--results", "no/such/place.json"], 4);
    assert!(nowhere.contains("failed to write"), "{nowhere}");
}

#[test]
fn a_commit_can_be_named_as_git_names_it() {
    let (directory, store) = place();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
        let output = Command::new("git").current_dir(directory.path()).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        text(&output.stdout).trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    assert!(refused(directory.path(), &["show", "main"], 2).contains("failed to find a baseline of `main`"));
    let head = CommitSha::new(git(&["rev-parse", "HEAD"])).unwrap();
    store.put(&record(&head, "2001-11-02T10:00:00Z")).unwrap();
    assert!(said(directory.path(), &["show", "main"]).contains(head.as_str()));
    // From below, the store beside the configuration is found.
    let below = directory.path().join("src/deep");
    std::fs::create_dir_all(&below).unwrap();
    assert!(said(&below, &["show", "HEAD"]).contains(head.as_str()));
}

#[test]
fn pruning_keeps_the_newest_and_says_what_it_removes() {
    let (directory, store) = filled();
    let would = said(directory.path(), &["prune", "--keep", "1", "--dry-run"]);
    assert!(would.contains(&format!("would remove {} of 2001-11-02T10:00:00Z\n", sha(2))), "{would}");
    assert!(would.contains("would remove 2 of 3 baselines"), "{would}");
    assert_eq!(store.measured().unwrap().len(), 3);
    let removed = said(directory.path(), &["prune", "--keep", "1"]);
    assert_eq!(removed, would.replace("would remove", "removed"));
    assert_eq!(store.measured().unwrap(), [sha(3)].into());
}

#[test]
fn pruning_by_age_refuses_to_remove_everything() {
    let (directory, store) = filled();
    assert!(said(directory.path(), &["prune", "--older-than", "36500d"]).starts_with("removed 0 of 3"));
    let error = refused(directory.path(), &["prune", "--older-than", "0s"], 2);
    assert!(error.contains("all 3 baselines") && error.contains("--keep 1"), "{error}");
    // Both limits: of those that are old, the newest two stay.
    assert!(said(directory.path(), &["prune", "--older-than", "0s", "--keep", "2"]).contains("removed 1 of 3"));
    assert_eq!(store.measured().unwrap(), [sha(2), sha(3)].into());
    store.put(&record(&sha(4), &jiff::Timestamp::now().to_string())).unwrap();
    assert!(said(directory.path(), &["prune", "--older-than", "1h"]).contains("removed 2 of 3"));
    assert_eq!(store.measured().unwrap(), [sha(4)].into());
    for wrong in
        [&["prune"][..], &["prune", "--keep", "0"], &["prune", "--older-than", "soon"], &["prune", "--dry-run"]]
    {
        refused(directory.path(), wrong, 2);
    }
    let age = refused(directory.path(), &["prune", "--older-than", "5x"], 2);
    assert!(age.contains("90d"), "{age}");
}

#[test]
fn the_branch_needs_a_repository_and_a_token() {
    let (directory, _) = place();
    let list = |variables: &[(&str, &str)]| {
        let output = deadheat(directory.path(), &["baseline", "list", "--store", "branch"], variables);
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let repository = ("GITHUB_REPOSITORY", "octo/engine");
    assert!(list(&[]).contains("GITHUB_REPOSITORY is not set; set it to the repository, owner/name"));
    assert!(list(&[repository]).contains("GITHUB_TOKEN is not set"));
    assert!(list(&[("GITHUB_REPOSITORY", "octo"), ("GITHUB_TOKEN", "t")]).contains("`octo`, not owner/name"));
    let address = list(&[repository, ("GITHUB_TOKEN", "secret"), ("GITHUB_API_URL", "not an address")]);
    assert!(address.contains("not an address") && !address.contains("secret"), "{address}");
}

#[test]
fn the_store_is_the_configurations_choice_and_in_actions_the_branch() {
    let (directory, _) = filled();
    let double = Double::start();
    let client = client(settings(&double));
    wait(BranchStore::new(&client).put(&record(&sha(9), "2001-11-02T10:00:00Z"))).unwrap();
    let (url, repository) = (double.url(), double.repository());
    let outside =
        [("GITHUB_API_URL", url.as_str()), ("GITHUB_REPOSITORY", repository.as_str()), ("GITHUB_TOKEN", "ghs_test")];
    let inside = [&outside[..], &[("GITHUB_ACTIONS", "true")]].concat();
    let count = |store: &[&str], variables: &[(&str, &str)]| {
        let output = deadheat(directory.path(), &[&["baseline", "list", "--json"], store].concat(), variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        listed["baselines"].as_array().unwrap().len()
    };
    assert_eq!(count(&[], &outside), 3);
    assert_eq!(count(&[], &inside), 1);
    assert_eq!(count(&["--store", "directory"], &inside), 3);
    assert_eq!(count(&["--store", "branch"], &outside), 1);
    let configure = |store: &str| {
        let text = format!("variants = \"v\"\ncontract = \"c\"\n[baseline]\nstore = \"{store}\"\n");
        std::fs::write(directory.path().join("deadheat.toml"), text).unwrap();
    };
    configure("branch");
    assert_eq!(count(&[], &outside), 1);
    configure("directory");
    assert_eq!(count(&[], &inside), 3);
    configure("cellar");
    let mistake = refused(directory.path(), &["list"], 2);
    assert!(mistake.contains("cellar") && mistake.contains("deadheat.toml"), "{mistake}");
    assert_eq!(count(&["--store", "directory"], &outside), 3, "what was asked for needs no configuration");
}

#[test]
fn the_branch_is_shown_and_pruned_as_the_directory_is() {
    let (directory, _) = place();
    let double = Double::start();
    let client = client(settings(&double));
    for number in 1..=3 {
        let record = record(&sha(number), &format!("2001-11-0{number}T10:00:00Z"));
        wait(BranchStore::new(&client).put(&record)).unwrap();
    }
    let (url, repository) = (double.url(), double.repository());
    let variables =
        [("GITHUB_API_URL", url.as_str()), ("GITHUB_REPOSITORY", repository.as_str()), ("GITHUB_TOKEN", "ghs_test")];
    let run = |arguments: &[&str]| {
        let output = deadheat(directory.path(), &[&["baseline", "--store", "branch"], arguments].concat(), &variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(run(&["show", sha(2).short()]).contains(sha(2).as_str()));
    let pruned = run(&["prune", "--keep", "2"]);
    assert!(pruned.ends_with("removed 1 of 3 baselines in the branch deadheat-data of octo/engine\n"), "{pruned}");
    let files: Vec<_> = double.files(BRANCH).into_keys().collect();
    assert_eq!(files.len(), 2);
    assert!(!files.contains(&file_of(&sha(1))));
}
