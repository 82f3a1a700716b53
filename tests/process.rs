//! Children under the guard: real processes, started by the real binary.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

use deadheat::process::{
    CancelFlag, Child, ChildSpec, Ending, Environment, ExitStatus, GuardError, Pinning, PortOwner, SpawnError,
    Supervisor, TreeClock, allowed_cpus, listening_on, memory, now_ns, parent_environment, port_owner, tail,
};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than anything here takes: no test depends on how fast the machine is.
const LONG: Duration = Duration::from_mins(1);

fn supervisor() -> Supervisor {
    Supervisor::start(Path::new(env!("CARGO_BIN_EXE_deadheat"))).unwrap()
}

fn spec(folder: &Path, argv: &[&str]) -> ChildSpec {
    ChildSpec {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        cwd: folder.to_owned(),
        env: Environment::scrubbed(&parent_environment(), &[], &BTreeMap::new()).unwrap(),
        cpus: Vec::new(),
        log: folder.join("log"),
    }
}

fn shell(folder: &Path, script: &str) -> ChildSpec {
    spec(folder, &["sh", "-c", script])
}

fn until<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LONG;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for a line that the child prints.
fn printed(child: &Child, line: &str) {
    until(|| tail(child.log(), 100_000).unwrap().lines().any(|found| found == line).then_some(()));
}

/// Process numbers that a child has written into a file, once there are `count`.
fn pids_in(path: &Path, count: usize) -> Vec<u32> {
    until(|| {
        let text = std::fs::read_to_string(path).ok()?;
        let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (pids.len() == count && text.ends_with('\n')).then_some(pids)
    })
}

/// Alive, and no zombie that only waits for somebody else to reap it.
fn alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

fn all_gone(pids: &[u32]) {
    until(|| pids.iter().all(|&pid| !alive(pid)).then_some(()));
}

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
fn a_program_that_can_not_be_started_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    let spawn = |argv: &[&str]| supervisor.spawn(&spec(folder.path(), argv)).unwrap_err();
    assert!(
        matches!(spawn(&["no-such-program"]), SpawnError::ProgramNotFound { program } if program == "no-such-program")
    );
    assert!(matches!(spawn(&["./script"]), SpawnError::NotExecutable { .. }));
    assert!(Command::new("chmod").arg("+x").arg(&script).status().unwrap().success());
    assert!(matches!(spawn(&["./script"]), SpawnError::InterpreterNotFound { .. }));
    assert!(matches!(spawn(&[]), SpawnError::Other { .. }));
    let gone = ChildSpec { cwd: folder.path().join("missing"), ..spec(folder.path(), &["true"]) };
    assert!(matches!(supervisor.spawn(&gone).unwrap_err(), SpawnError::DirectoryMissing { .. }));
    let no_log = ChildSpec { log: folder.path().join("missing/log"), ..spec(folder.path(), &["true"]) };
    assert!(matches!(supervisor.spawn(&no_log).unwrap_err(), SpawnError::Log { .. }));
    // None of it has broken the guard.
    let finished = supervisor.run_to_end(&spec(folder.path(), &["true"]), LONG, &CancelFlag::new()).unwrap();
    assert!(finished.ending.success());
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

#[test]
fn a_child_sees_only_the_scrubbed_environment_and_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let mut env = BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap())]);
    env.insert("GITHUB_TOKEN".to_owned(), "secret".to_owned());
    let mut env = Environment::scrubbed(&env, &[], &BTreeMap::new()).unwrap();
    env.set("PORT", "4711").unwrap();
    let child = ChildSpec { env, ..spec(folder.path(), &["env"]) };
    let finished = supervisor.run_to_end(&child, LONG, &CancelFlag::new()).unwrap();
    let mut names: Vec<&str> = finished.output.lines().map(|line| line.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["DEADHEAT_CHILD", "PATH", "PORT"]);
    let guard = std::fs::read(format!("/proc/{}/environ", supervisor.guard_pid())).unwrap();
    assert!(guard.is_empty());
    let input = supervisor.run_to_end(&spec(folder.path(), &["cat"]), LONG, &CancelFlag::new()).unwrap();
    assert_eq!((input.ending, input.output.as_str()), (Ending::Exited(ExitStatus::Code(0)), ""));
}

#[test]
fn a_pinned_child_and_all_it_starts_run_on_its_cpus_only() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let allowed = allowed_cpus().unwrap();
    let cpu = *allowed.last().unwrap();
    let script = "sh -c 'grep Cpus_allowed_list /proc/self/status'";
    let status = |cpus: Vec<usize>| {
        let child = ChildSpec { cpus, ..shell(folder.path(), script) };
        supervisor.run_to_end(&child, LONG, &CancelFlag::new()).unwrap().output
    };
    let unpinned = status(Vec::new());
    assert_eq!(status(vec![cpu]), format!("Cpus_allowed_list:\t{cpu}\n"));
    assert_eq!(status(Vec::new()), unpinned);
    // Also where the guard itself has been moved out of the way.
    supervisor.pin_guard(&[allowed[0]]).unwrap();
    assert_eq!(status(Vec::new()), unpinned);
    let guard = std::fs::read_to_string(format!("/proc/{}/status", supervisor.guard_pid())).unwrap();
    assert!(guard.contains(&format!("Cpus_allowed_list:\t{}\n", allowed[0])));
}

#[test]
fn refused_pinning_is_reported_and_the_child_runs() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let child = supervisor.spawn(&ChildSpec { cpus: vec![1000], ..spec(folder.path(), &["true"]) }).unwrap();
    assert!(matches!(child.pinning(), Pinning::Refused(_)));
    assert!(child.wait(Instant::now() + LONG).unwrap().unwrap().status.success());
}

#[test]
fn a_command_is_run_to_its_end_its_limit_or_cancellation() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let never = CancelFlag::new();
    let run =
        |script: &str, limit, cancel: &CancelFlag| supervisor.run_to_end(&shell(folder.path(), script), limit, cancel);

    let first = run("echo first; exit 2", LONG, &never).unwrap();
    assert_eq!((first.ending, first.output.as_str()), (Ending::Exited(ExitStatus::Code(2)), "first\n"));
    // The log goes on, the output handed back is this command's own.
    let second = run("printf '\\033[31mred\\033[0m\\n'", LONG, &never).unwrap();
    assert_eq!((second.ending.success(), second.output.as_str()), (true, "red\n"));
    assert!(second.duration > Duration::ZERO);

    let late = run("echo started; sleep 600", Duration::from_millis(30), &never).unwrap();
    assert_eq!((late.ending, late.stop.survivors), (Ending::TimedOut, 0));

    let cancel = CancelFlag::new();
    let cancelled = std::thread::scope(|scope| {
        let running = scope.spawn(|| run("sleep 600", LONG, &cancel).unwrap());
        let beside = scope.spawn(|| run("exit 4", LONG, &never).unwrap());
        assert_eq!(beside.join().unwrap().ending, Ending::Exited(ExitStatus::Code(4)));
        cancel.set();
        running.join().unwrap()
    });
    assert_eq!(cancelled.ending, Ending::Cancelled);
}

#[test]
fn an_endless_printer_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let printer = shell(folder.path(), "exec yes 'a line that is printed again and again'");
    let finished = supervisor.run_to_end(&printer, LONG, &CancelFlag::new()).unwrap();
    assert_eq!(finished.ending, Ending::PrintedTooMuch);
    assert!(finished.output.len() <= 16 * 1024 && finished.output.starts_with("a line"));
}

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
        .args(["--exact", "owner_of_children", "--ignored", "--nocapture"])
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
