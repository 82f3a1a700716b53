//! The guard, and what is left when somebody dies: nothing.

use crate::support::{LONG, alive, all_gone, pids_in, shell, spec, supervisor, until};
use deadheat::process::{CancelFlag, Ending, ExitStatus, GuardError, SpawnError, Supervisor};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

#[test]
fn dropping_a_child_or_the_supervisor_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    let pid = child.pid();
    drop(child);
    assert!(!alive(pid));
    let child = supervisor.spawn(&shell(folder.path(), "trap '' TERM; setsid sleep 600 & sleep 600")).unwrap();
    let pids = until(|| Some(child.pids()).filter(|pids| pids.len() == 3));
    let guard = supervisor.guard_pid();
    drop(supervisor);
    assert!(pids.iter().chain([&guard]).all(|&pid| !alive(pid)));
    assert!(matches!(child.stop(LONG), Err(GuardError::Gone)));
}

#[test]
fn when_the_guard_is_killed_its_children_are_too_and_everyone_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child = supervisor.spawn(&shell(folder.path(), "setsid sleep 600 & exec sleep 600")).unwrap();
    let pids = until(|| Some(child.pids()).filter(|pids| pids.len() == 2));
    assert!(Command::new("kill").args(["-9", &supervisor.guard_pid().to_string()]).status().unwrap().success());
    assert!(matches!(child.wait(Instant::now() + LONG), Err(GuardError::Gone)));
    all_gone(&pids);
    assert!(matches!(child.try_exit(), Err(GuardError::Gone)));
    let error = supervisor.spawn(&spec(folder.path(), &["true"])).unwrap_err();
    assert!(matches!(error, SpawnError::Guard(GuardError::Gone)));
}

#[test]
fn the_guard_takes_no_notice_of_a_terminals_signals_and_ends_cleanly_on_termination() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child = supervisor.spawn(&spec(folder.path(), &["sleep", "600"])).unwrap();
    let guard = supervisor.guard_pid().to_string();
    let kill = |signal: &str| assert!(Command::new("kill").args([signal, guard.as_str()]).status().unwrap().success());
    kill("-INT");
    kill("-HUP");
    // Both are handled before the next request is.
    drop(supervisor.spawn(&spec(folder.path(), &["true"])).unwrap());
    assert!(alive(child.pid()));
    // A child takes them as usual.
    let script = "kill -INT $$; sleep 600";
    let interrupted = supervisor.run_to_end(&shell(folder.path(), script), LONG, &CancelFlag::new()).unwrap();
    assert_eq!(interrupted.ending, Ending::Exited(ExitStatus::Signal(2)));
    kill("-TERM");
    assert!(matches!(child.wait(Instant::now() + LONG), Err(GuardError::Gone)));
    assert!(!alive(child.pid()));
}

#[test]
fn what_is_no_guard_is_refused() {
    let no_guard = Supervisor::start(Path::new("/bin/echo")).unwrap_err();
    assert_eq!(
        no_guard.to_string(),
        "failed to start the guard process /bin/echo: it did not answer as a guard does (\"guard\")"
    );
    assert!(matches!(Supervisor::start(Path::new("/no/such/file")), Err(GuardError::NotStarted { .. })));
}

#[test]
fn a_guard_answers_what_it_can_not_read_and_kills_when_its_input_closes() {
    let folder = tempfile::tempdir().unwrap();
    let mut guard = Command::new(env!("CARGO_BIN_EXE_deadheat"))
        .arg("guard")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut requests, answers) = (guard.stdin.take().unwrap(), guard.stdout.take().unwrap());
    let mut answers = BufReader::new(answers).lines().map(|line| line.unwrap());
    let log = folder.path().join("log");
    let spawn = serde_json::json!({"request": "spawn", "id": 1, "marker": "m-1", "argv": ["sleep", "600"], "cwd": "/",
        "env": {"PATH": std::env::var("PATH").unwrap()}, "cpus": [], "log": log.to_str().unwrap()});
    // Several requests at once, and one in two pieces.
    let text = format!("nonsense\n{{\"request\":\"stop\",\"id\":9,\"grace_ms\":0}}\n{spawn}\n");
    let (first, second) = text.split_at(text.len() - 20);
    for piece in [first, second] {
        requests.write_all(piece.as_bytes()).unwrap();
        requests.flush().unwrap();
    }
    let mut answer = || serde_json::from_str::<serde_json::Value>(&answers.next().unwrap()).unwrap();
    assert_eq!(answer()["answer"], "ready");
    assert_eq!(answer()["answer"], "bad-request");
    assert_eq!(answer(), serde_json::json!({"answer": "unknown", "id": 9}));
    let spawned = answer();
    assert_eq!((&spawned["answer"], &spawned["id"]), (&"spawned".into(), &1.into()));
    let pid = u32::try_from(spawned["pid"].as_u64().unwrap()).unwrap();
    assert!(alive(pid));
    drop(requests);
    assert!(guard.wait().unwrap().success());
    assert!(!alive(pid));
}

/// Run by the test below in a process of its own, which is then killed.
#[test]
#[ignore = "it waits to be killed"]
fn owner_of_children() {
    let Some(folder) = std::env::var_os("DEADHEAT_TEST_FOLDER") else { return };
    let folder = Path::new(&folder);
    let supervisor = supervisor();
    let script = "trap '' TERM HUP INT
        setsid sh -c 'echo $$ >> pids; exec sleep 600' &
        sh -c 'setsid env -i sleep 600 & echo $! >> pids'
        echo $$ >> pids; while :; do sleep 600; done";
    let _child = supervisor.spawn(&shell(folder, script)).unwrap();
    std::fs::write(folder.join("guard"), format!("{}\n", supervisor.guard_pid())).unwrap();
    std::thread::sleep(LONG);
}

#[test]
fn kill_minus_nine_of_the_owner_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "guard::owner_of_children", "--ignored", "--nocapture"])
        .env("DEADHEAT_TEST_FOLDER", folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut pids = pids_in(&folder.path().join("pids"), 3);
    pids.extend(pids_in(&folder.path().join("guard"), 1));
    assert!(pids.iter().all(|&pid| alive(pid)));
    owner.kill().unwrap();
    owner.wait().unwrap();
    all_gone(&pids);
}
