//! CPU time, memory and ports of a tree.

use crate::support::{LONG, shell, spec, supervisor, until};
use deadheat::process::{CancelFlag, ExitStatus, PortOwner, TreeClock, listening_on, memory, port_owner};
use std::time::Duration;

#[test]
fn cpu_time_and_memory_of_a_tree_are_accounted() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    // The work is done by a child of the child.
    let child = supervisor.spawn(&shell(folder.path(), "sh -c 'while :; do :; done'; true")).unwrap();
    let idle = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    let pids = until(|| Some(child.pids()).filter(|pids| pids.len() == 2));
    let (mut clock, mut idle_clock) = (TreeClock::new(&pids), TreeClock::new(&idle.pids()));
    let first = clock.read();
    until(|| (clock.read() > first + 5_000_000).then_some(()));
    // Once it has started up, a sleeper uses nothing.
    until(|| (idle_clock.read() == idle_clock.read()).then_some(()));
    let both = memory(&pids);
    assert!(both.anonymous > 0 && both.largest_file > 0 && both.total() > memory(&pids[..1]).anonymous);
    let last = clock.read();
    let exit = child.stop(Duration::ZERO).unwrap().exit.unwrap();
    assert_eq!(exit.status, ExitStatus::Signal(9));
    assert!(clock.read() >= last);
}

#[test]
fn the_usage_of_a_command_includes_what_it_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let script = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; echo done";
    let busy = supervisor.run_to_end(&shell(folder.path(), script), LONG, &CancelFlag::new()).unwrap();
    let idle = supervisor.run_to_end(&shell(folder.path(), "true"), LONG, &CancelFlag::new()).unwrap();
    assert!(busy.cpu.unwrap() > idle.cpu.unwrap());
    assert!(busy.stop.exit.unwrap().largest_rss > 100_000);
}

#[test]
fn a_port_belongs_to_the_tree_whose_member_listens() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let sleeper = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let me = std::process::id();
    assert_eq!(port_owner(port, &sleeper.pids()), PortOwner::Foreign { pid: Some(me) });
    assert_eq!(port_owner(port, &[sleeper.pid(), me]), PortOwner::Ours);
    assert_eq!(listening_on(&sleeper.pids()), []);
}
