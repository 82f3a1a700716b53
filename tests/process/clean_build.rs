//! Builds from clean: one leaves nothing for the next.

use crate::support::{LONG, supervisor};
use deadheat::build::{BuildCost, BuildError, CleanBuild, StepFailure};
use deadheat::model::FailureKind;
use deadheat::plan::CommandLine;
use deadheat::process::{CancelFlag, Environment, Supervisor, allowed_cpus, parent_environment};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

struct Yard {
    folder: tempfile::TempDir,
    supervisor: Supervisor,
    cancel: CancelFlag,
    cpus: Vec<usize>,
    limit: Duration,
}

impl Yard {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for directory in ["variants/own", "temporary"] {
            fs::create_dir_all(folder.path().join(directory)).unwrap();
        }
        fs::write(folder.path().join("variants/own/source"), "12345").unwrap();
        Self { folder, supervisor: supervisor(), cancel: CancelFlag::new(), cpus: Vec::new(), limit: LONG }
    }

    fn variant(&self) -> PathBuf {
        self.folder.path().join("variants/own")
    }

    fn try_build(&self, scripts: &[&str], output: &[&str]) -> Result<Result<BuildCost, StepFailure>, BuildError> {
        let mut parent = parent_environment();
        parent.insert("TMPDIR".to_owned(), self.folder.path().join("temporary").to_str().unwrap().to_owned());
        let build = CleanBuild {
            supervisor: &self.supervisor,
            cancel: &self.cancel,
            log: &self.folder.path().join("log"),
            directory: &self.variant(),
            environment: &Environment::scrubbed(&parent, &[], &BTreeMap::new()).unwrap(),
            cpus: &self.cpus,
        };
        let command = |script: &&str| CommandLine(["sh", "-c", script].map(str::to_owned).to_vec());
        let commands: Vec<CommandLine> = scripts.iter().map(command).collect();
        let cost = build.run(&commands, output, self.limit);
        // However it went, nothing is left.
        assert_eq!(self.names("variants"), ["own"]);
        assert_eq!(self.names("temporary"), [""; 0]);
        cost
    }

    fn build(&self, scripts: &[&str], output: &[&str]) -> BuildCost {
        self.try_build(scripts, output).unwrap().unwrap()
    }

    fn failure(&self, scripts: &[&str], output: &[&str]) -> StepFailure {
        self.try_build(scripts, output).unwrap().unwrap_err()
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join(directory)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn what_a_build_leaves_is_not_there_for_the_next() {
    let yard = Yard::new();
    fs::create_dir_all(yard.variant().join("dist/old")).unwrap();
    // An interrupted run's.
    fs::create_dir_all(yard.folder.path().join("variants/.deadheat-build/left")).unwrap();
    // Each line of what it finds is a line of what it makes.
    let script =
        "mkdir dist && { ls; ls dist; ls \"$TMPDIR\"; } > dist/found; echo x > left; echo x > \"$TMPDIR/left\";
        (umask 777; mkdir closed \"$TMPDIR/closed\"); echo changed > source; mkfifo pipe";
    let found = "dist\nsource\nfound\n".len() as u64;
    for _ in 0..2 {
        let cost = yard.build(&[script], &["dist"]);
        assert_eq!(cost.output_bytes, found);
        assert!(cost.wall > Duration::ZERO && cost.cpu > Duration::ZERO);
        assert_eq!(yard.names("variants/own"), ["dist", "source"]);
        assert_eq!(fs::read_to_string(yard.variant().join("source")).unwrap(), "12345");
        assert!(yard.variant().join("dist/old").is_dir());
    }
}

#[test]
fn it_is_built_beside_the_variant_where_relative_paths_lead_where_they_did() {
    let yard = Yard::new();
    fs::write(yard.folder.path().join("shared"), "123").unwrap();
    symlink("../../shared", yard.variant().join("link")).unwrap();
    symlink(yard.variant().join("source"), yard.variant().join("absolute")).unwrap();
    fs::create_dir(yard.variant().join(".git")).unwrap();
    // What is written through the absolute link stays in the copy.
    let script = "[ ! -e .git ] && echo more > absolute && cat ../../shared link source > out";
    assert_eq!(yard.build(&[script], &["out"]).output_bytes, 3 + 3 + 5);
    assert_eq!(fs::read_to_string(yard.variant().join("source")).unwrap(), "12345");
}

#[test]
fn the_size_is_that_of_all_files_of_the_output() {
    let yard = Yard::new();
    let script = "mkdir -p dist/deep/er types && head -c 1000 /dev/zero > dist/a && head -c 24 /dev/zero > dist/deep/er/b &&
        ln -s ../source dist/link && : > dist/empty && head -c 7 /dev/zero > types/t && head -c 3 /dev/zero > bundle.js";
    // The link is as long as its target's name.
    for (output, bytes) in [
        (&["dist"][..], 1000 + 24 + 9),
        (&["./dist/", "dist/deep", "dist"], 1000 + 24 + 9),
        (&["types", "bundle.js"], 7 + 3),
        (&["dist/deep/er", "dist/link"], 24 + 9),
        (&["dist/empty"], 0),
        (&[], 0),
    ] {
        assert_eq!(yard.build(&[script], output).output_bytes, bytes, "{output:?}");
    }
}

#[test]
fn all_steps_count_and_one_that_fails_is_named() {
    let mut yard = Yard::new();
    let work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    let one = yard.build(&[work], &[]);
    let beside = format!("({work}) & ({work}) & wait");
    let five = yard.build(&[work, &beside, &beside], &[]);
    let ratio = five.cpu.as_secs_f64() / one.cpu.as_secs_f64();
    assert!((2.5..10.0).contains(&ratio), "{one:?} {five:?}");

    let cpu = *allowed_cpus().unwrap().last().unwrap();
    yard.cpus = vec![cpu];
    let scripts = ["echo first", "grep Cpus_allowed_list /proc/self/status; exit 3", "echo third"];
    let failure = yard.failure(&scripts, &["dist"]);
    assert_eq!(failure.kind, FailureKind::BuildFailed);
    assert_eq!(
        failure.message,
        "build step `sh -c grep Cpus_allowed_list /proc/self/status; exit 3` ended with exit code 3"
    );
    assert_eq!(failure.output.unwrap(), format!("Cpus_allowed_list:\t{cpu}\n"));
    let log = fs::read_to_string(yard.folder.path().join("log")).unwrap();
    assert_eq!(log, format!("first\nCpus_allowed_list:\t{cpu}\n"));

    yard.limit = Duration::from_millis(50);
    let failure = yard.failure(&["sleep 600"], &[]);
    assert_eq!(failure.kind, FailureKind::BuildTimeout);
    yard.cancel.set();
    assert!(matches!(yard.try_build(&["true"], &[]), Err(BuildError::Interrupted)));
}

#[test]
fn an_output_that_is_missing_or_not_inside_is_named() {
    let yard = Yard::new();
    fs::create_dir(yard.folder.path().join("outside")).unwrap();
    fs::write(yard.folder.path().join("outside/kept"), "").unwrap();
    symlink("../../outside", yard.variant().join("link")).unwrap();
    let missing = yard.failure(&["mkdir dist"], &["dist", "dist/types/index.d.ts", "types"]);
    assert_eq!(missing.message, "all build steps ended well, but made no types");
    assert_eq!((missing.kind, missing.output), (FailureKind::BuildFailed, None));
    for path in ["..", "../own/dist", "dist/../..", "/tmp", ".", "", "link/kept"] {
        let refused = yard.failure(&["echo ran"], &[path]);
        assert_eq!(
            refused.message,
            format!("the output {path} of the build is no path inside the variant's directory")
        );
    }
    // It turns out only afterwards.
    let refused = yard.failure(&["rm link; mkdir a; ln -s ../../../outside a/link"], &["a/link/kept"]);
    assert_eq!(refused.message, "the output a/link/kept of the build is no path inside the variant's directory");
    assert_eq!(yard.names("outside"), ["kept"]);
}
