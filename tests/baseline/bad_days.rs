//! The store on a branch while GitHub fails, and while others write between reading and writing.

use crate::support::{client, record, settings, sha, wait};
use deadheat::baseline::{BRANCH, BranchStore, Stored, file_of};
use github_double::{Double, Fault, GitHub};
use std::collections::BTreeSet;

const WHEN: &str = "2026-11-02T10:00:00Z";
const CREATE: (&str, &str) = ("POST", "git/refs");
const ADVANCE: (&str, &str) = ("PATCH", "git/refs/**");

fn put(double: &Double, number: usize) -> Result<Stored, String> {
    let client = client(settings(double));
    wait(BranchStore::new(&client).put(&record(&sha(number), WHEN))).map_err(|error| error.to_string())
}

fn kept(double: &Double) -> BTreeSet<String> {
    double.files(BRANCH).into_keys().collect()
}

fn files(numbers: &[usize]) -> BTreeSet<String> {
    numbers.iter().map(|number| file_of(&sha(*number))).collect()
}

/// Somebody else's baseline appears.
fn somebody_else(github: &GitHub, number: usize) {
    github.branch(BRANCH).commit(&file_of(&sha(number)), record(&sha(number), WHEN).to_text().unwrap());
}

#[test]
fn an_answer_that_is_lost_after_the_write_loses_and_doubles_nothing() {
    for fault in [Fault::CloseAfterWriting, Fault::BadGatewayAfterWriting, Fault::CutBody] {
        let double = Double::start();
        double.on(CREATE.0, CREATE.1).fails(fault.clone());
        assert_eq!(put(&double, 1), Ok(Stored::Added), "{fault:?}");
        double.on(ADVANCE.0, ADVANCE.1).fails(fault.clone());
        assert_eq!(put(&double, 2), Ok(Stored::Added), "{fault:?}");
        assert_eq!(kept(&double), files(&[1, 2]), "{fault:?}");
        assert_eq!(double.branch(BRANCH).history().len(), 2, "{fault:?}");
    }
}

#[test]
fn a_write_that_won_unseen_is_found_under_what_others_built_on_it() {
    let double = Double::start();
    somebody_else(&double, 1);
    // The answer is lost, and before the same is asked again the branch has moved on.
    double.on(ADVANCE.0, ADVANCE.1).is_followed_by(|github| somebody_else(github, 2));
    double.on(ADVANCE.0, ADVANCE.1).fails(Fault::CloseAfterWriting);
    assert_eq!(put(&double, 3), Ok(Stored::Added));
    assert_eq!(kept(&double), files(&[1, 2, 3]));
    assert_eq!(double.branch(BRANCH).history().len(), 3);
}

#[test]
fn who_writes_in_between_is_built_upon() {
    let double = Double::start();
    double.on(CREATE.0, CREATE.1).comes_after(|github| somebody_else(github, 1));
    assert_eq!(put(&double, 2), Ok(Stored::Added), "the branch was begun by another");
    double.on(ADVANCE.0, ADVANCE.1).after(1).comes_after(|github| somebody_else(github, 3));
    double.on(ADVANCE.0, ADVANCE.1).after(2).comes_after(|github| somebody_else(github, 4));
    assert_eq!(put(&double, 5), Ok(Stored::Added));
    assert_eq!(put(&double, 6), Ok(Stored::Added));
    assert_eq!(kept(&double), files(&[1, 2, 3, 4, 5, 6]));
}

#[test]
fn a_branch_that_is_deleted_meanwhile_begins_anew() {
    let double = Double::start();
    somebody_else(&double, 1);
    double.on(ADVANCE.0, ADVANCE.1).comes_after(|github| {
        github.branch(BRANCH).deleted();
    });
    assert_eq!(put(&double, 2), Ok(Stored::Added));
    assert_eq!(kept(&double), files(&[2]));
}

#[test]
fn refusals_that_pass_are_outlasted() {
    let double = Double::start();
    somebody_else(&double, 1);
    double.on(ADVANCE.0, ADVANCE.1).times(2).fails(Fault::Conflict);
    double.on(ADVANCE.0, ADVANCE.1).times(2).fails(Fault::Unprocessable);
    assert_eq!(put(&double, 2), Ok(Stored::Added));
    assert_eq!(kept(&double), files(&[1, 2]));
}

#[test]
fn a_protected_branch_is_given_up_and_said() {
    let double = Double::start();
    somebody_else(&double, 1);
    double.on(ADVANCE.0, ADVANCE.1).always().fails(Fault::Status(422, "Changes must be made through a pull request."));
    let error = put(&double, 2).unwrap_err();
    let start =
        format!("failed to keep the baseline of {} on the branch deadheat-data: 6 tries were refused", sha(2).short());
    assert!(error.starts_with(&start), "{error}");
    assert!(error.contains("through a pull request") && error.contains("where a rule protects the branch"), "{error}");
    assert_eq!(kept(&double), files(&[1]));
}

#[test]
fn what_is_removed_by_an_unseen_write_is_said_all_the_same() {
    let double = Double::start();
    somebody_else(&double, 1);
    somebody_else(&double, 2);
    double.on(ADVANCE.0, ADVANCE.1).is_followed_by(|github| somebody_else(github, 3));
    double.on(ADVANCE.0, ADVANCE.1).fails(Fault::CloseAfterWriting);
    let client = client(settings(&double));
    assert_eq!(wait(BranchStore::new(&client).remove(&[sha(1)])).unwrap(), [sha(1)]);
    assert_eq!(kept(&double), files(&[2, 3]));
}
