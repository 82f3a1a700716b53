//! The store on a branch, against the double of GitHub.

use crate::support::{client, record, settings, sha, wait};
use deadheat::baseline::{BRANCH, BranchStore, Listing, Stored, file_of, sha_of};
use deadheat::github::Client;
use github_double::Double;
use std::collections::BTreeSet;
use std::sync::Barrier;

const EARLY: &str = "2026-11-01T10:00:00Z";
const LATE: &str = "2026-11-02T10:00:00Z";

fn put(client: &Client, number: usize, started: &str) -> Stored {
    wait(BranchStore::new(client).put(&record(&sha(number), started))).unwrap()
}

#[test]
fn a_repository_without_the_branch_is_an_empty_store() {
    let double = Double::start();
    let client = client(settings(&double));
    let store = BranchStore::new(&client);
    assert_eq!(wait(store.list()).unwrap(), Listing::default());
    assert!(wait(store.measured()).unwrap().is_empty());
    assert_eq!(wait(store.get(&sha(1))).unwrap(), None);
    assert!(wait(store.remove(&[sha(1)])).unwrap().is_empty());
    assert_eq!(double.branch(BRANCH).tip(), None, "asking writes nothing");
}

#[test]
fn the_branch_begins_as_an_orphan_and_only_moves_forward() {
    let double = Double::start();
    let client = client(settings(&double));
    assert_eq!(put(&client, 1, LATE), Stored::Added);
    let first = double.branch(BRANCH).history();
    assert_eq!(first.len(), 1, "it stands on no commit of the code");
    assert_eq!(put(&client, 2, LATE), Stored::Added);
    assert_eq!(double.branch(BRANCH).history()[1..], first);
    assert_eq!(double.branch("main").history().len(), 1, "no other branch is written");
    let files = double.files(BRANCH);
    assert_eq!(
        files.keys().cloned().collect::<Vec<_>>(),
        BTreeSet::from([file_of(&sha(1)), file_of(&sha(2))]).into_iter().collect::<Vec<_>>()
    );
    assert_eq!(files[&file_of(&sha(2))], record(&sha(2), LATE).to_text().unwrap().into_bytes());
    let tip = double.branch(BRANCH).tip().unwrap();
    let commit: serde_json::Value = wait(client.get(&format!("/repos/octo/engine/git/commits/{tip}"), &[])).unwrap();
    assert_eq!(commit["message"], format!("baseline of {}", sha(2).short()));
    assert_eq!(wait(BranchStore::new(&client).get(&sha(2))).unwrap(), Some(record(&sha(2), LATE)));
}

#[test]
fn the_newer_run_of_a_commit_stays() {
    let double = Double::start();
    let client = client(settings(&double));
    assert_eq!(put(&client, 1, EARLY), Stored::Added);
    assert_eq!(put(&client, 1, LATE), Stored::Replaced);
    let history = double.branch(BRANCH).history();
    assert_eq!(put(&client, 1, LATE), Stored::Left);
    assert_eq!(put(&client, 1, EARLY), Stored::Left);
    assert_eq!(double.branch(BRANCH).history(), history, "what is left is not committed again");
    assert_eq!(wait(BranchStore::new(&client).get(&sha(1))).unwrap(), Some(record(&sha(1), LATE)));
}

#[test]
fn fifty_writers_on_one_branch_lose_nothing() {
    let double = Double::start();
    let start = Barrier::new(50);
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (start, settings) = (&start, settings(&double));
            scope.spawn(move || {
                let client = client(settings);
                start.wait();
                assert_eq!(put(&client, number, LATE), Stored::Added);
            });
        }
    });
    let files = double.files(BRANCH);
    let kept: BTreeSet<_> = files.keys().filter_map(|path| sha_of(path)).collect();
    assert_eq!(kept, (0..50).map(sha).collect(), "every writer's file is there");
    assert_eq!(files.len(), 50);
    assert_eq!(double.branch(BRANCH).history().len(), 50, "a commit each, one on top of the other");
    let client = client(settings(&double));
    let listing = wait(BranchStore::new(&client).list()).unwrap();
    assert_eq!((listing.baselines.len(), listing.broken.len()), (50, 0));
}

#[test]
fn broken_files_are_named_and_give_way_to_any_run() {
    let double = Double::start();
    let client = client(settings(&double));
    let store = BranchStore::new(&client);
    put(&client, 1, LATE);
    let other = record(&sha(3), LATE).to_text().unwrap();
    double.branch(BRANCH).commit_all(&[
        (&file_of(&sha(2)), b"{"),
        (&file_of(&sha(4)), other.as_bytes()),
        ("runs/ab/notes.json", b"{}"),
        ("README.md", b"by hand"),
    ]);
    let listing = wait(store.list()).unwrap();
    assert_eq!(listing.baselines.iter().map(|listed| listed.sha.clone()).collect::<Vec<_>>(), [sha(1)]);
    let broken: BTreeSet<_> = listing.broken.iter().map(|broken| broken.place.clone()).collect();
    assert_eq!(broken, [2, 4].map(|number| format!("{BRANCH}:{}", file_of(&sha(number)))).into());
    let error = wait(store.get(&sha(2))).unwrap_err().to_string();
    assert!(error.starts_with(&format!("failed to read {BRANCH}:runs/")), "{error}");
    assert_eq!(put(&client, 2, EARLY), Stored::Replaced);
    assert!(wait(store.get(&sha(2))).unwrap().is_some());
    assert_eq!(double.files(BRANCH)["README.md"], b"by hand", "what others keep there stays");
}

#[test]
fn removing_takes_one_commit() {
    let double = Double::start();
    let client = client(settings(&double));
    for number in 1..=4 {
        put(&client, number, LATE);
    }
    let removed = wait(BranchStore::new(&client).remove(&[sha(1), sha(9), sha(3)])).unwrap();
    assert_eq!(removed.into_iter().collect::<BTreeSet<_>>(), [sha(1), sha(3)].into());
    assert_eq!(wait(BranchStore::new(&client).measured()).unwrap(), [sha(2), sha(4)].into());
    assert_eq!(double.branch(BRANCH).history().len(), 5);
}

#[test]
fn pruning_beside_writers_loses_no_writer() {
    let double = Double::start();
    let first = client(settings(&double));
    for number in 100..105 {
        put(&first, number, EARLY);
    }
    std::thread::scope(|scope| {
        for number in 0..8 {
            let settings = settings(&double);
            scope.spawn(move || put(&client(settings), number, LATE));
        }
        let old: Vec<_> = (100..105).map(sha).collect();
        let settings = settings(&double);
        scope.spawn(move || {
            let client = client(settings);
            assert_eq!(wait(BranchStore::new(&client).remove(&old)).unwrap().len(), 5);
        });
    });
    assert_eq!(wait(BranchStore::new(&first).measured()).unwrap(), (0..8).map(sha).collect());
}

#[test]
fn a_tree_that_is_not_shown_whole_is_never_written_over() {
    let double = Double::start();
    let client = client(settings(&double));
    for number in 1..=3 {
        put(&client, number, LATE);
    }
    double.trees_truncated_after(4);
    let store = BranchStore::new(&client);
    let error = wait(store.put(&record(&sha(4), LATE))).unwrap_err().to_string();
    assert!(error.contains("more files than GitHub lists") && error.contains("rename the branch"), "{error}");
    assert!(wait(store.measured()).is_err() && wait(store.list()).is_err() && wait(store.remove(&[sha(1)])).is_err());
    assert_eq!(double.files(BRANCH).len(), 3);
}

#[test]
fn a_dry_run_notes_what_it_would_write() {
    let double = Double::start();
    let mut settings = settings(&double);
    settings.dry_run = true;
    let client = client(settings);
    assert_eq!(put(&client, 1, LATE), Stored::Noted);
    assert_eq!(double.branch(BRANCH).tip(), None);
    let noted = client.noted();
    assert!(noted.iter().any(|noted| noted.path.ends_with("/git/blobs")), "{noted:?}");
}

#[test]
fn a_token_that_may_not_write_is_told_what_it_needs() {
    let double = Double::start();
    double.token_reads_only();
    let client = client(settings(&double));
    let error = wait(BranchStore::new(&client).put(&record(&sha(1), LATE))).unwrap_err().to_string();
    assert!(error.contains("contents: write"), "{error}");
    double.take_violations();
}
