//! What a command costs, whoever of its tree does the work and whoever waits for whom.

use crate::support::{LONG, shell, spec, supervisor};
use deadheat::process::{
    CancelFlag, ChildSpec, Ending, ExitStatus, Measured, SpawnError, Supervisor, allowed_cpus, figures, pin_this_thread,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// Some hundred milliseconds of CPU time, by a shell.
const WORK: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";

fn measure(supervisor: &Supervisor, spec: &ChildSpec) -> Measured {
    let measured = supervisor.run_measured(spec, LONG, &CancelFlag::new()).unwrap();
    assert!(measured.ending.success() && measured.stop.survivors == 0, "{measured:?}");
    measured
}

fn in_shell(folder: &Path, script: &str) -> Measured {
    measure(&supervisor(), &shell(folder, script))
}

#[test]
fn work_counts_whoever_waits_for_whom() {
    let folder = tempfile::tempdir().unwrap();
    let whole = in_shell(folder.path(), WORK);
    assert_eq!(whole.stop.reaped_cpu, whole.stop.exit.unwrap().cpu);

    let living = format!("{WORK}; echo > done; exec sleep 600");
    let ending = format!("{WORK}; echo > done");
    std::fs::write(folder.path().join("living"), &living).unwrap();
    let until_done = "until [ -e done ]; do sleep 0.1; done";
    let daemon = "sh -c 'env -i $(command -v setsid) $(command -v sh) living & :'";
    for (name, script, left_behind) in [
        ("it is waited for", format!("({ending}) & wait"), 0),
        ("it lives on when its launcher ends", format!("({living}) & {until_done}"), 1),
        ("it has no parent, no environment and a session of its own", format!("{daemon}; {until_done}"), 1),
        ("it ends after its parent", format!("sh -c '({ending}) & :'; {until_done}; sleep 0.1"), 0),
        ("its parent never waits", format!("sh -c '({ending}) & exec sleep 600' & {until_done}; sleep 0.1"), 1),
        ("its parent ignores its end", format!("trap '' CHLD; ({ending}) & {until_done}; sleep 0.1"), 0),
    ] {
        let _ = std::fs::remove_file(folder.path().join("done"));
        let measured = in_shell(folder.path(), &script);
        let ratio = measured.cpu.as_secs_f64() / whole.cpu.as_secs_f64();
        assert!((0.5..2.5).contains(&ratio), "{name}: {ratio} of {whole:?} in {measured:?}");
        assert_eq!(measured.stop.left_behind, left_behind, "{name}");
    }
}

#[test]
fn nothing_of_other_children_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let _busy = supervisor.spawn(&shell(folder.path(), "while :; do :; done")).unwrap();
    let _large = supervisor.spawn(&spec(folder.path(), &["dd", "if=/dev/zero", "of=/dev/null", "bs=64M"])).unwrap();
    let measured = measure(&supervisor, &spec(folder.path(), &["sleep", "0.3"]));
    assert!(measured.cpu * 5 < measured.wall && measured.peak_memory.unwrap() < 32 * MIB, "{measured:?}");
}

#[test]
fn memory_and_work_of_all_workers_count() {
    let folder = tempfile::tempdir().unwrap();
    // A worker holds its memory until all have theirs, and a moment longer, so that a sample finds them all.
    let worker = "
        const { writeFileSync, existsSync } = require('fs')
        const [, own, count] = process.argv
        const held = Buffer.alloc(30 << 20, 1)
        const begun = process.cpuUsage().user
        while (process.cpuUsage().user < begun + 100_000);
        writeFileSync(`${count}-${own}`, '')
        const all = () => [...Array(+count).keys()].every((n) => existsSync(`${count}-${n}`))
        const look = () => (all() ? setTimeout(() => process.exit(held[0] - 1), 200) : setTimeout(look, 20))
        look()";
    let launch = |count: u32| {
        let script =
            format!("n=0; while [ $n -lt {count} ]; do node -e \"$WORKER\" $n {count} & n=$((n+1)); done; wait");
        let mut spec = shell(folder.path(), &script);
        spec.env.set("WORKER", worker).unwrap();
        measure(&supervisor(), &spec)
    };
    let (one, three) = (launch(1), launch(3));
    let more = three.peak_memory.unwrap() - one.peak_memory.unwrap();
    // Of the program itself, what is mapped alike counts once.
    assert!((2 * 30 * MIB..2 * 70 * MIB).contains(&more), "{one:?} {three:?}");
    let work = three.cpu.checked_sub(one.cpu).unwrap();
    assert!((Duration::from_millis(190)..one.cpu * 6).contains(&work), "{one:?} {three:?}");
}

#[test]
fn a_short_peak_of_one_process_is_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    for script in
        ["exec dd if=/dev/zero of=/dev/null bs=100M count=1", "dd if=/dev/zero of=/dev/null bs=100M count=1; :"]
    {
        let measured = in_shell(folder.path(), script);
        assert!((100 * MIB..115 * MIB).contains(&measured.peak_memory.unwrap()), "{script}: {measured:?}");
    }
}

#[test]
fn a_fork_that_is_about_to_run_a_program_does_not_double_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let script = "
        const { spawn } = require('child_process')
        const held = Buffer.alloc(150 << 20, 1)
        let left = 60
        const next = () => {
          if (left-- > 0) return spawn('true').on('exit', next)
          console.log(JSON.stringify({ held_bytes: held.length, rss_bytes: process.resourceUsage().maxRSS * 1024 }))
        }
        next()";
    let measured = measure(&supervisor(), &spec(folder.path(), &["node", "-e", script]));
    let printed = figures(&measured.output).values;
    assert!(printed["held_bytes"] >= 150.0 * 1024.0 * 1024.0);
    let ratio = f64::from(u32::try_from(measured.peak_memory.unwrap() / 1024).unwrap()) * 1024.0 / printed["rss_bytes"];
    assert!((0.98..1.2).contains(&ratio), "{ratio} {measured:?}");
}

#[test]
fn it_ends_as_other_commands_do() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let run = |script: &str, limit, cancel: &CancelFlag| {
        supervisor.run_measured(&shell(folder.path(), script), limit, cancel).unwrap()
    };
    let never = CancelFlag::new();
    let failed = run("echo '{\"a_ms\": 1.5}'; echo '{\"b\": \"2\"}' >&2; exit 3", LONG, &never);
    assert_eq!(failed.ending, Ending::Exited(ExitStatus::Code(3)));
    let found = figures(&failed.output);
    assert_eq!(found.values, BTreeMap::from([("a_ms".to_owned(), 1.5)]));
    assert_eq!(found.refused.unwrap(), "the value of b is no number");
    assert_eq!(run("sleep 600 & sleep 600", Duration::from_millis(30), &never).ending, Ending::TimedOut);
    let cancelled = CancelFlag::new();
    cancelled.set();
    assert_eq!(run("sleep 600", LONG, &cancelled).ending, Ending::Cancelled);
    let missing = supervisor.run_measured(&spec(folder.path(), &["no-such-program"]), LONG, &never).unwrap_err();
    assert!(matches!(missing, SpawnError::ProgramNotFound { program } if program == "no-such-program"));
}

#[test]
fn it_runs_on_the_cpus_that_were_asked_for_wherever_it_is_watched_from() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let allowed = allowed_cpus().unwrap();
    let status = |cpus: Vec<usize>| {
        let child = ChildSpec { cpus, ..spec(folder.path(), &["grep", "Cpus_allowed_list", "/proc/self/status"]) };
        measure(&supervisor, &child).output
    };
    let unpinned = status(Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(&allowed[..1]).unwrap();
            assert_eq!(status(Vec::new()), unpinned);
            let last = *allowed.last().unwrap();
            assert_eq!(status(vec![last]), format!("Cpus_allowed_list:\t{last}\n"));
        });
    });
}
