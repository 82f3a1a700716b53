//! What a child gets, and commands that are run to their end.

use crate::support::{LONG, shell, spec, supervisor};
use deadheat::process::{CancelFlag, ChildSpec, Ending, Environment, ExitStatus, Pinning, SpawnError, allowed_cpus};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

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
