//! How children end and are stopped.

use crate::support::{LONG, alive, pids_in, printed, shell, spec, supervisor, until};
use deadheat::process::{ExitStatus, Pinning, now_ns, tail};
use std::time::{Duration, Instant};

#[test]
fn a_child_that_dies_is_seen_with_its_code_and_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let before = now_ns();
    let child = supervisor.spawn(&shell(folder.path(), "echo out; echo err >&2; exit 7")).unwrap();
    let exit = child.wait(Instant::now() + LONG).unwrap().unwrap();
    assert_eq!(exit.status, ExitStatus::Code(7));
    assert!(before <= child.spawned_at() && child.spawned_at() < exit.at && exit.at <= now_ns());
    assert_eq!(child.try_exit().unwrap(), Some(exit));
    assert_eq!(tail(child.log(), 1000).unwrap(), "out\nerr\n");
    let report = child.stop(LONG).unwrap();
    assert_eq!((report.exit, report.killed, report.left_behind, report.survivors), (Some(exit), false, 0, 0));
}

#[test]
fn termination_is_enough_for_a_well_behaved_child() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    assert_eq!(child.try_exit().unwrap(), None);
    assert_eq!(child.wait(Instant::now() + Duration::from_millis(5)).unwrap(), None);
    assert_eq!((child.pids(), child.pinning()), (vec![child.pid()], &Pinning::NotAsked));
    let report = child.stop(LONG).unwrap();
    assert_eq!(report.exit.unwrap().status, ExitStatus::Signal(15));
    assert!(!report.killed);
}

#[test]
fn a_child_that_ignores_termination_is_killed_after_the_grace() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child =
        supervisor.spawn(&shell(folder.path(), "trap '' TERM; echo ready; while :; do sleep 600; done")).unwrap();
    printed(&child, "ready");
    let pids = child.pids();
    let report = child.stop(Duration::from_millis(50)).unwrap();
    assert_eq!(report.exit.unwrap().status, ExitStatus::Signal(9));
    assert_eq!((report.killed, report.left_behind, report.survivors), (true, 0, 0));
    assert!(pids.iter().all(|&pid| !alive(pid)));
}

#[test]
fn a_grandchild_that_left_the_group_and_lost_its_parent_is_found_and_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let other = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    // The middle shell ends at once, so that the sleeping one is nobody's child but the guard's.
    let script = "sh -c 'setsid sh -c \"echo \\$\\$ > pid; trap \\\"\\\" TERM; exec sleep 600\" & :'; exec sleep 600";
    let child = supervisor.spawn(&shell(folder.path(), script)).unwrap();
    let orphan = pids_in(&folder.path().join("pid"), 1)[0];
    until(|| (child.pids().len() == 2).then_some(()));
    assert!(child.pids().contains(&orphan) && child.pids().contains(&child.pid()));
    assert_eq!(other.pids(), [other.pid()]);
    let report = child.stop(Duration::from_millis(50)).unwrap();
    assert_eq!((report.killed, report.left_behind, report.survivors), (false, 1, 0));
    assert!(!alive(orphan) && alive(other.pid()));
}

#[test]
fn what_a_dead_child_left_is_cleaned_up_even_without_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let script = "env -i setsid sleep 600 & sleep 600 & echo $! > pid; exit 3";
    let child = supervisor.spawn(&shell(folder.path(), script)).unwrap();
    assert_eq!(child.wait(Instant::now() + LONG).unwrap().unwrap().status, ExitStatus::Code(3));
    let in_group = pids_in(&folder.path().join("pid"), 1)[0];
    // The one that dropped its environment as well can't be told from another child's orphan until no other is left.
    until(|| (child.pids() == [in_group]).then_some(()));
    let report = child.stop(LONG).unwrap();
    assert_eq!(report.exit.unwrap().status, ExitStatus::Code(3));
    assert_eq!((report.killed, report.left_behind, report.survivors), (false, 1, 0));
    assert!(!alive(in_group));
}
