use super::testing::{record, sha};
use super::*;
use std::fs;
use std::sync::Barrier;

const EARLY: &str = "2026-11-01T10:00:00Z";
const LATE: &str = "2026-11-02T10:00:00Z";

fn store() -> (tempfile::TempDir, DirectoryStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = DirectoryStore::new(directory.path().join("baselines"));
    (directory, store)
}

#[test]
fn nothing_there_is_an_empty_store() {
    let (directory, store) = store();
    assert_eq!(store.list().unwrap(), Listing::default());
    assert!(store.measured().unwrap().is_empty());
    assert_eq!(store.get(&sha(1)).unwrap(), None);
    assert!(store.remove(&[sha(1)]).unwrap().is_empty());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "asking writes nothing");
}

#[test]
fn the_newer_run_of_a_commit_stays() {
    let (_directory, store) = store();
    let (early, late) = (record(sha(1), EARLY), record(sha(1), LATE));
    assert_eq!(store.put(&early).unwrap(), Stored::Added);
    assert_eq!(store.put(&late).unwrap(), Stored::Replaced);
    assert_eq!(store.put(&late).unwrap(), Stored::Left);
    assert_eq!(store.put(&early).unwrap(), Stored::Left);
    assert_eq!(store.get(&sha(1)).unwrap(), Some(late));
    assert_eq!(store.measured().unwrap().into_iter().collect::<Vec<_>>(), [sha(1)]);
}

#[test]
fn a_list_has_the_newest_first_and_names_what_is_broken() {
    let (_directory, store) = store();
    store.put(&record(sha(0x20), EARLY)).unwrap();
    store.put(&record(sha(0x10), LATE)).unwrap();
    store.put(&record(sha(0x30), LATE)).unwrap();
    let broken = store.root().join(file_of(&sha(0x40)));
    fs::write(&broken, "{").unwrap();
    fs::write(store.root().join("runs/README"), "not a directory").unwrap();
    fs::write(store.root().join("runs/00/notes.json"), "of no commit").unwrap();
    let listing = store.list().unwrap();
    let order: Vec<_> = listing.baselines.iter().map(|listed| listed.sha.clone()).collect();
    assert_eq!(order, [sha(0x10), sha(0x30), sha(0x20)]);
    let bytes = fs::metadata(store.root().join(file_of(&sha(0x10)))).unwrap().len();
    assert_eq!((listing.baselines[0].bytes, listing.baselines[0].rounds), (bytes, 12));
    assert_eq!(listing.broken.len(), 1);
    assert_eq!(listing.broken[0].place, broken.display().to_string());
    assert!(listing.broken[0].reason.contains("no baseline of deadheat"), "{}", listing.broken[0].reason);
    let error = store.get(&sha(0x40)).unwrap_err().to_string();
    assert!(error.contains(&broken.display().to_string()), "{error}");
    // A directory in a file's place is an error as well, and no reason to fail as a whole.
    fs::remove_file(&broken).unwrap();
    fs::create_dir(&broken).unwrap();
    assert_eq!(store.list().unwrap().broken.len(), 1);
}

#[test]
fn a_broken_file_gives_way_to_any_run() {
    let (_directory, store) = store();
    store.put(&record(sha(1), LATE)).unwrap();
    fs::write(store.root().join(file_of(&sha(1))), "cut of").unwrap();
    assert_eq!(store.put(&record(sha(1), EARLY)).unwrap(), Stored::Replaced);
    assert!(store.get(&sha(1)).unwrap().is_some());
}

#[test]
fn what_is_removed_is_said() {
    let (_directory, store) = store();
    for number in [1, 2, 3] {
        store.put(&record(sha(number), LATE)).unwrap();
    }
    assert_eq!(store.remove(&[sha(1), sha(9), sha(3)]).unwrap(), [sha(1), sha(3)]);
    assert_eq!(store.measured().unwrap().into_iter().collect::<Vec<_>>(), [sha(2)]);
    store.remove(&[sha(2)]).unwrap();
    assert_eq!(fs::read_dir(store.root().join("runs")).unwrap().count(), 0, "empty directories go as well");
    assert_eq!(store.put(&record(sha(2), EARLY)).unwrap(), Stored::Added);
}

#[test]
fn a_store_that_can_not_be_made_says_where() {
    let (directory, _) = store();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = DirectoryStore::new(file.join("below")).put(&record(sha(1), LATE)).unwrap_err().to_string();
    assert!(error.starts_with("failed to keep the baseline of 0000000 in ") && error.contains("file"), "{error}");
}

/// Runs `work` for 0 to 49 at the same moment.
fn fifty_at_once<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(50);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..50)
            .map(|number| {
                let (start, work) = (&start, &work);
                scope.spawn(move || {
                    start.wait();
                    work(number)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn fifty_writers_lose_nothing() {
    let (_directory, store) = store();
    // They all share a directory below runs/.
    let of = |number: usize| record(sha(number), LATE);
    let stored = fifty_at_once(|number| store.put(&of(number)).unwrap());
    assert!(stored.iter().all(|stored| *stored == Stored::Added));
    let listing = store.list().unwrap();
    assert_eq!((listing.baselines.len(), listing.broken.len()), (50, 0));
    assert!((0..50).all(|number| store.get(&sha(number)).unwrap() == Some(of(number))));
}

#[test]
fn of_fifty_runs_of_one_commit_the_newest_stays_while_others_read() {
    let (_directory, store) = store();
    let of = |number: usize| record(sha(7), &format!("2026-11-02T10:00:{number:02}Z"));
    fifty_at_once(|number| {
        store.put(&of(number)).unwrap();
        // A reader sees a whole file, whoever writes.
        assert!(store.get(&sha(7)).unwrap().is_some());
    });
    assert_eq!(store.get(&sha(7)).unwrap(), Some(of(49)));
    let left = fs::read_dir(store.root().join("runs/00")).unwrap().count();
    assert_eq!(left, 1, "no half-written file is left");
}

#[test]
fn pruning_beside_writers_breaks_neither() {
    let (_directory, store) = store();
    fifty_at_once(|number| {
        if number % 2 == 0 {
            store.put(&record(sha(number), LATE)).unwrap();
        } else {
            store.remove(&[sha(number - 1), sha(number)]).unwrap();
        }
    });
    assert!(store.list().unwrap().broken.is_empty());
}
