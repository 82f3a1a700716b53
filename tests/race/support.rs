//! A repository, the binary that races it, and what is left of it afterwards.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A server that answers three routes through a library of the repository's own.
const SERVER: &str = r"import { createServer } from 'node:http'
import { answer } from '../../lib/answer.js'

createServer((req, res) => {
  const body = answer(req.url)
  res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': body.length }).end(body)
}).listen(process.env.PORT, process.env.HOST)
";

/// What the routes answer; a pull request changes it.
pub(crate) const LIBRARY: &str = "export function answer(url) {\n  return url.slice(1)\n}\n";

const PROTOCOL: &str = r#"
[protocol]
connections = 8
warmup = "60ms"
measure = "120ms"
slices = 4
start_limit = "3s"
"#;

/// Two races at once would measure each other.
static COURSE: Mutex<()> = Mutex::new(());

/// A repository in a temporary folder, with a cache of its own. While it exists no other test races.
pub(crate) struct Repository {
    folder: tempfile::TempDir,
    _course: MutexGuard<'static, ()>,
}

impl Repository {
    /// A repository with a variant `plain` and a control, committed on `main`.
    pub(crate) fn new() -> Self {
        let repository = Self::empty();
        repository.write("deadheat.toml", &format!("variants = \"bench\"\ncontract = \"contract\"\n{PROTOCOL}"));
        repository.write("package.json", "{ \"type\": \"module\" }\n");
        repository.write("lib/answer.js", LIBRARY);
        repository
            .write("bench/plain/variant.toml", "name = \"plain\"\n[runtime.node]\nstart = [\"node\", \"server.js\"]\n");
        repository.write("bench/plain/server.js", SERVER);
        let control =
            SERVER.replace("import { answer } from '../../lib/answer.js'\n", "const answer = (url) => url.slice(1)\n");
        repository.write("bench/control/server.mjs", &control);
        let manifest = "name = \"control\"\nrole = \"reference\"\n[runtime.node]\nstart = [\"node\", \"server.mjs\"]\n";
        repository.write("bench/control/variant.toml", manifest);
        for route in ["one", "two"] {
            let scenario = format!(
                "[[scenario]]\nname = \"{route}\"\nrequest = {{ path = \"/{route}\" }}\nexpect = {{ status = 200, text = \"{route}\" }}\n"
            );
            repository.write(&format!("contract/{route}.toml"), &scenario);
        }
        repository.commit("base");
        repository
    }

    /// A repository that holds nothing.
    pub(crate) fn empty() -> Self {
        let course = COURSE.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = Self { folder: tempfile::tempdir().unwrap(), _course: course };
        fs::create_dir(repository.root()).unwrap();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Copies a folder of fixtures into it.
    pub(crate) fn copy(&self, from: &Path) {
        let status = Command::new("cp").arg("-r").arg(from.join(".")).arg(self.root()).status().unwrap();
        assert!(status.success());
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").arg("-C").arg(self.root()).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    /// The binary, ready to be run in it.
    pub(crate) fn deadheat(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
        command.arg("-C").arg(self.root()).args(arguments).env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.stdin(Stdio::null());
        // These tests are about a machine of somebody's own, also where a runner of workflows runs them.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_"].iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.deadheat(arguments).output().unwrap()
    }

    /// Starts it and goes on.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.deadheat(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.root().join(".deadheat/latest").join(name)
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.out(name)).unwrap()).unwrap()
    }

    /// The stable JSON of the last run.
    pub(crate) fn report(&self) -> Value {
        let path = self.out("results.json");
        let output = self.run(&["report", path.to_str().unwrap(), "--format", "json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Processes that work in its work trees: what a race must not leave behind.
    pub(crate) fn processes(&self) -> Vec<String> {
        let mut left = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let inside = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(self.folder.path()));
            if inside {
                left.push(fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default().replace('\0', " "));
            }
        }
        left
    }

    /// Waits until nothing of it runs any more; what still does after ten seconds.
    pub(crate) fn processes_after_a_while(&self) -> Vec<String> {
        for _ in 0..100 {
            if self.processes().is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        self.processes()
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The verdicts of a report as `entry scenario metric verdict`, only those that name a difference.
pub(crate) fn flagged(report: &Value) -> Vec<String> {
    let text = |cell: &Value, key: &str| cell[key].as_str().unwrap_or("").to_owned();
    let cells = report["cells"].as_array().unwrap().iter();
    cells
        .filter(|cell| !matches!(cell["verdict"].as_str(), Some("same" | "undecided" | "unmeasured")))
        .map(|cell| {
            let parts = ["entry", "scenario", "metric", "verdict"].map(|key| text(cell, key));
            parts.join(" ")
        })
        .collect()
}
