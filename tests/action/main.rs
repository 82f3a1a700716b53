//! The scripts of the action, run as a runner runs them: with an environment, against a server of releases on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod releases;

use releases::{Releases, archive, archive_name, checksum, executable, good_archive};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BINARY: &str = "#!/bin/sh\necho deadheat 1.2.3\n";

/// A runner's folder, and how a script is started in it.
struct Runner {
    folder: tempfile::TempDir,
    variables: BTreeMap<&'static str, String>,
    path: String,
}

impl Runner {
    fn new(origin: &str, version: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let variables = BTreeMap::from([
            ("DEADHEAT_ORIGIN", origin.to_owned()),
            ("DEADHEAT_VERSION", version.to_owned()),
            ("DEADHEAT_SHA256", String::new()),
            ("DEADHEAT_CONFIG", String::new()),
            ("RUNNER_TEMP", folder.path().to_str().unwrap().to_owned()),
            ("GITHUB_OUTPUT", folder.path().join("output").to_str().unwrap().to_owned()),
        ]);
        Self { folder, variables, path: "/usr/bin:/bin".to_owned() }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.insert(name, value.to_owned());
        self
    }

    fn run(&self, script: &str) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/action").join(script);
        let mut command = Command::new("bash");
        command.arg(script).env_clear().env("PATH", &self.path).envs(&self.variables);
        command.current_dir(self.folder.path()).output().unwrap()
    }

    /// The path that was written as the output `binary`.
    fn installed(&self) -> Option<PathBuf> {
        let output = fs::read_to_string(self.folder.path().join("output")).ok()?;
        Some(PathBuf::from(output.strip_prefix("binary=").unwrap().strip_suffix('\n').unwrap()))
    }

    /// Whether a file of this name lies anywhere in the runner's folder.
    fn holds(&self, name: &str) -> bool {
        let listed = Command::new("find").arg(self.folder.path()).args(["-name", name]).output().unwrap();
        !listed.stdout.is_empty()
    }
}

fn fails(runner: &Runner, words: &[&str]) {
    let output = runner.run("install.sh");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let error = said.lines().find(|line| line.starts_with("::error title=deadheat::failed to install deadheat: "));
    assert!(error.is_some_and(|line| words.iter().all(|word| line.contains(word))), "{words:?}: {said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("::")).count(), 1, "one workflow command: {said}");
    assert!(runner.installed().is_none() && !runner.holds("deadheat"), "nothing is unpacked: {said}");
}

fn release(archive: &[u8], sums: &str) -> Releases {
    let files = [(archive_name(), archive.to_vec()), ("SHA256SUMS".to_owned(), sums.as_bytes().to_vec())];
    Releases::serve(files.into())
}

#[test]
fn a_release_with_the_right_checksum_is_installed() {
    let archive = good_archive();
    let name = archive_name();
    let sums = format!("{}  deadheat-other.tar.gz\n{}  {name}\n", "0".repeat(64), checksum(&archive));
    let releases = release(&archive, &sums);
    let runner = Runner::new(&releases.origin, "v1.2.3");
    let output = runner.run("install.sh");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(releases.asked(), ["SHA256SUMS", &name]);
    let version = Command::new(runner.installed().unwrap()).arg("--version").output().unwrap();
    assert_eq!(version.stdout, b"deadheat 1.2.3\n");
    assert!(!runner.holds("README.md"), "only the binary is taken out of the archive");

    let pinned = Runner::new(&releases.origin, "v1.2.3").with("DEADHEAT_SHA256", &checksum(&archive).to_uppercase());
    assert!(pinned.run("install.sh").status.success());
    assert!(pinned.installed().is_some());
    assert_eq!(releases.asked(), ["SHA256SUMS", &name, &name], "a checksum that was given is the one that counts");
}

#[test]
fn a_release_with_another_checksum_is_not_unpacked() {
    let archive = good_archive();
    let (name, right, wrong) = (archive_name(), checksum(&archive), checksum(b"something else"));
    let releases = release(&archive, &format!("{wrong}  {name}\n"));
    let runner = Runner::new(&releases.origin, "v1.2.3");
    fails(&runner, &[&right, &wrong, "nothing was unpacked"]);
    assert!(!runner.holds(&name), "the archive is not left behind");

    let releases = release(&archive, &format!("{right}  {name}\n"));
    fails(&Runner::new(&releases.origin, "v1.2.3").with("DEADHEAT_SHA256", &wrong), &[&right, &wrong]);
    for no_checksum in ["abc", &right[1..], &format!("{right}0"), &format!("{}g", &right[1..])] {
        let runner = Runner::new(&releases.origin, "v1.2.3").with("DEADHEAT_SHA256", no_checksum);
        fails(&runner, &["64 hexadecimal digits"]);
    }
    for sums in [
        String::new(),
        format!("{right}  other.tar.gz\n"),
        format!("{right}  {name}\n{right}  {name}\n"),
        "x".repeat(9),
    ] {
        let releases = release(&archive, &sums);
        fails(&Runner::new(&releases.origin, "v1.2.3"), &["does not name", &name]);
    }
}

#[test]
fn what_is_no_release_of_deadheat_is_refused() {
    let offered = |archive: Vec<u8>| release(&archive, &format!("{}  {}\n", checksum(&archive), archive_name()));
    let linked = offered(archive(|folder| symlink("/bin/true", folder.join("deadheat")).unwrap()));
    let runner = Runner::new(&linked.origin, "v1.2.3");
    let output = runner.run("install.sh");
    assert!(!output.status.success() && runner.installed().is_none());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no regular file"));
    let without = offered(archive(|folder| executable(&folder.join("other"), BINARY)));
    fails(&Runner::new(&without.origin, "v1.2.3"), &["holds no file named deadheat"]);
    let older = offered(archive(|folder| executable(&folder.join("deadheat"), "#!/bin/sh\necho deadheat 1.2.2\n")));
    let runner = Runner::new(&older.origin, "v1.2.3");
    assert!(!runner.run("install.sh").status.success() && runner.installed().is_none());
    let gone = Releases::serve(BTreeMap::new());
    fails(&Runner::new(&gone.origin, "v1.2.3"), &["SHA256SUMS could not be downloaded"]);
    for version in
        ["latest", "main", "1.2.3", "v1", "v1.2", "0123abc", "v1.2.3/../v1", "v1.2.3\n::error::x", "--help", "path "]
    {
        fails(&Runner::new(&gone.origin, version), &["must be an exact release"]);
    }
    assert_eq!(gone.asked(), ["SHA256SUMS"], "nothing else is even asked for");
}

#[test]
fn without_a_version_the_release_is_the_action_s_own() {
    let nothing = Releases::serve(BTreeMap::new());
    let own = format!("/releases/download/v{}/SHA256SUMS could not be downloaded", env!("CARGO_PKG_VERSION"));
    fails(&Runner::new(&nothing.origin, ""), &[&own]);
}

#[test]
fn a_commit_is_built_and_a_path_is_looked_up() {
    let mut runner = Runner::new("https://github.com/deadheat/deadheat", &"0123456789".repeat(4));
    let tools = tempfile::tempdir().unwrap();
    runner.path = format!("{}:/usr/bin:/bin", tools.path().display());
    executable(&tools.path().join("cargo"), "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$RUNNER_TEMP/arguments\"\n");
    assert!(runner.run("install.sh").status.success());
    let binary = runner.installed().unwrap();
    let root = binary.parent().unwrap().parent().unwrap().to_str().unwrap().to_owned();
    let expected = format!(
        "install\n--locked\n--git\nhttps://github.com/deadheat/deadheat\n--rev\n{}\n--root\n{root}\ndeadheat\n",
        "0123456789".repeat(4)
    );
    assert_eq!(fs::read_to_string(runner.folder.path().join("arguments")).unwrap(), expected);

    executable(&tools.path().join("deadheat"), BINARY);
    let mut runner = Runner::new("unused", "path");
    fails(&runner, &["no deadheat on PATH"]);
    runner.path = format!("{}:/usr/bin:/bin", tools.path().display());
    assert!(runner.run("install.sh").status.success());
    assert_eq!(runner.installed().unwrap(), tools.path().join("deadheat"));
}

/// What a stand-in for deadheat was started with: its arguments, then the token that it saw.
fn started(command: &str, arguments: &str, token: &str, configuration: &str) -> (Option<i32>, Vec<String>) {
    let runner = Runner::new("unused", "path");
    let binary = runner.folder.path().join("stand-in");
    executable(&binary, "#!/bin/sh\nprintf '%s\\n' \"$@\" \"token=$GITHUB_TOKEN$GH_TOKEN\"\nexit 3\n");
    let temporary = runner.folder.path().to_str().unwrap().to_owned();
    let runner = runner
        .with("DEADHEAT_BINARY", binary.to_str().unwrap())
        .with("DEADHEAT_COMMAND", command)
        .with("DEADHEAT_ARGUMENTS", arguments)
        .with("DEADHEAT_CONFIG", configuration)
        .with("GITHUB_TOKEN", token);
    let output = runner.run("deadheat.sh");
    let said = String::from_utf8_lossy(&output.stdout).replace(&temporary, "TEMP");
    (output.status.code(), said.lines().map(str::to_owned).collect())
}

#[test]
fn a_race_is_started_without_a_token_and_its_exit_code_is_passed_on() {
    let (code, said) = started("run", "", "secret", "bench marks/deadheat.toml");
    assert_eq!(code, Some(3));
    assert_eq!(said, ["run", "--config", "bench marks/deadheat.toml", "--out", "TEMP/deadheat", "token="]);
    let (_, said) = started("run", "--out\nelsewhere\r\n\n--budget\n2 m; $(id) `id` *\n", "secret", "");
    assert_eq!(said, ["run", "--out", "elsewhere", "--budget", "2 m; $(id) `id` *", "token="]);
    let (_, said) = started("run", "--out=here", "", "");
    assert_eq!(said, ["run", "--out=here", "token="]);
    let (_, said) = started("check", "--variants\nfastify", "secret", "");
    assert_eq!(said, ["check", "--variants", "fastify", "token="]);
}

#[test]
fn only_a_publisher_needs_and_sees_the_token() {
    let (code, said) = started("publish", "", "secret", "deadheat.toml");
    assert_eq!(
        (code, said),
        (Some(3), ["publish", "--config", "deadheat.toml", "token=secret"].map(str::to_owned).into())
    );
    assert_eq!(started("publish", "", "", ""), (Some(2), Vec::new()));
    for wrong in ["", "demo", "run; id", "--help"] {
        assert_eq!(started(wrong, "", "secret", ""), (Some(2), Vec::new()), "{wrong}");
    }
}
