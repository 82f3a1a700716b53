//! Commands that run to their end and builds from clean, raced as they are by who has some.

use crate::support::{Repository, stderr, stdout};
use serde_json::Value;

/// A command that starts as many workers as its case says, each with 32 MB that it has written to, and prints a figure.
const WORKERS: &str = r"import { spawn } from 'node:child_process'

if (process.argv[2] === 'worker') {
  const memory = Buffer.alloc(32e6, 1)
  setTimeout(() => process.exit(memory.length === 32e6 ? 0 : 1), 300)
} else {
  const workers = Number(process.argv[2])
  let left = workers
  for (let i = 0; i < workers; i += 1) {
    spawn(process.execPath, [process.argv[1], 'worker']).on('exit', () => {
      left -= 1
      if (left === 0) console.log(JSON.stringify({ started: workers, wait_ms: 300.5 }))
    })
  }
}
";

/// A build that writes its output and, where it finds nothing of an earlier one, leaves files in every place that it has.
const BUILD: &str = r"import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

for (const left of ['cache.txt', `${tmpdir()}/left.txt`, 'dist/old.txt']) {
  if (existsSync(left)) throw new Error(`${left} is there already`)
}
mkdirSync('dist', { recursive: true })
writeFileSync('dist/main.js', process.argv[2] ?? '1234567890')
appendFileSync('cache.txt', 'left behind')
writeFileSync(`${tmpdir()}/left.txt`, 'left behind')
writeFileSync('dist/old.txt', '')
";

fn repository(manifest: &str) -> Repository {
    let repository = Repository::empty();
    let protocol = "[protocol]\nrounds = { min = 8, max = 12 }\n";
    repository.write("deadheat.toml", &format!("variants = \"bench\"\ncontract = \"contract\"\n{protocol}"));
    repository.write(
        "contract/one.toml",
        "[[scenario]]\nname = \"one\"\nrequest = { path = \"/\" }\nexpect = { status = 200 }\n",
    );
    repository.write("bench/tool/variant.toml", manifest);
    repository.write("bench/tool/workers.mjs", WORKERS);
    repository.write("bench/tool/build.mjs", BUILD);
    repository.commit("base");
    repository
}

const PROCESS: &str = "name = \"tool\"\n[runtime.node]\n[suite.process]\nstart = [\"node\", \"workers.mjs\", \"{workers}\"]\ncases = [{ workers = 1 }, { workers = 4 }]\n";
const BUILT: &str = "name = \"tool\"\n[runtime.node]\n[suite.build]\nrun = [\"node build.mjs\"]\n";

/// Head's median of a cell in the standings.
fn standing(report: &Value, case: &str, metric: &str) -> f64 {
    let rows = report["standings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["scenario"] == case).unwrap_or_else(|| panic!("no {case} in {rows:?}"));
    row["head"][metric].as_f64().unwrap_or_else(|| panic!("no {metric} in {row}"))
}

#[test]
fn memory_and_figures_are_those_of_the_whole_tree() {
    let repository = repository(PROCESS);
    let output = repository.run(&["run", "--base", "none", "--rounds", "3"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = repository.report();
    let memory = |case| standing(&report, case, "peak-memory") / 1e6;
    let (one, four) = (memory("workers=1"), memory("workers=4"));
    // Three more workers are 96 MB of buffers and what three more runtimes have of their own, 15 to 40 MB each.
    assert!((96.0..350.0).contains(&(four - one)), "{one} MB and {four} MB");
    let printed = [standing(&report, "workers=4", "figure:started"), standing(&report, "workers=1", "figure:wait_ms")];
    assert_eq!(Value::from(printed.to_vec()), serde_json::json!([4.0, 300.5]));
    let wall = standing(&report, "workers=1", "wall");
    assert!((300.0..30_000.0).contains(&wall), "{wall} ms");
    // Five processes start where two do: their time is in it, whoever waited for them.
    assert!(standing(&report, "workers=4", "cpu") > 1.3 * standing(&report, "workers=1", "cpu"));
    let page = stdout(&output);
    assert!(page.contains("**process `workers=4`**") && page.contains("| wait |"), "{page}");
    assert_eq!(repository.processes(), Vec::<String>::new());
}

#[test]
fn what_a_build_leaves_behind_is_not_there_for_the_next() {
    let repository = repository(BUILT);
    repository.git(&["checkout", "--quiet", "-b", "head"]);
    repository.write("bench/tool/build.mjs", &BUILD.replace("1234567890", "1234567890ab"));
    repository.commit("head");
    let output = repository.run(&["run", "--base", "main", "--rounds", "8"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = repository.json("results.json");
    // Every build found a clean place, or it would have failed.
    assert_eq!(results["failures"], Value::Array(Vec::new()), "{}", results["failures"]);
    let cells = results["cells"].as_array().unwrap();
    let cell = cells.iter().find(|cell| cell["metric"] == "output-size" && cell["entry"] == "tool").unwrap();
    let sizes: Vec<_> =
        cell["rounds"].as_array().unwrap().iter().map(|round| (&round["base"], &round["head"])).collect();
    assert_eq!(sizes.len(), 8);
    assert!(sizes.iter().all(|sizes| *sizes == (&Value::from(10.0), &Value::from(12.0))), "{sizes:?}");
    let comment = stdout(&output).replace('\u{a0}', " ");
    // Base's build watches over a race in which there is no server.
    assert!(!comment.contains("No control was raced"), "{comment}");
    let control = results["entries"].as_array().unwrap().iter().find(|entry| entry["lineup"] == "control").unwrap();
    assert_eq!((control["name"].as_str(), control["copy_of"].as_str()), (Some("tool-again"), Some("tool")));
    assert!(comment.contains("The output of `tool` build is 12 B instead of 10 B (+20 %)."), "{comment}");
    assert_eq!(repository.processes(), Vec::<String>::new());
}

#[test]
fn a_command_that_fails_is_named_with_what_it_printed() {
    let repository = repository(&PROCESS.replace("workers.mjs", "missing.mjs"));
    let output = repository.run(&["run", "--base", "none", "--rounds", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let comment = stdout(&output);
    assert!(
        comment.contains(
            "**`tool` failed to run on head and is not measured**: `process workers=1 ended with exit code 1`"
        ),
        "{comment}"
    );
    assert!(comment.contains("Cannot find module"), "{comment}");
    let checked = repository.run(&["check"]);
    assert_eq!(checked.status.code(), Some(2), "{}", stderr(&checked));
    assert!(stdout(&checked).contains("failed  tool: 0 of 2 commands"), "{}", stdout(&checked));
}

#[test]
fn in_standings_who_answers_one_scenario_wrongly_is_named_and_not_measured() {
    let repository = Repository::new();
    let server = "import { createServer } from 'node:http'\ncreateServer((req, res) => {\n  res.writeHead(200, { 'Content-Type': 'text/plain' }).end(req.url === '/two' ? 'twO' : 'one')\n}).listen(process.env.PORT, process.env.HOST)\n";
    repository.write("bench/wrong/server.mjs", server);
    // A runtime that is not found by its name alone is asked for its version, too.
    let manifest = "name = \"wrong\"\n[runtime.env]\nstart = [\"/usr/bin/env\", \"node\", \"server.mjs\"]\n";
    repository.write("bench/wrong/variant.toml", manifest);
    repository.commit("one byte is wrong");
    let output = repository.run(&["run", "--base", "none", "--rounds", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let comment = stdout(&output);
    let named = "**`wrong` gave a wrong answer to `two` on head and is not measured**: body differs at byte 2: `O` instead of `o`";
    assert!(comment.contains(named), "{comment}");
    let results = repository.json("results.json");
    let version = results["fingerprint"]["toolchains"]["env"].as_str().unwrap();
    assert!(version.starts_with("env "), "{version}");
    let cells = results["cells"].as_array().unwrap();
    let measured =
        |entry: &str| cells.iter().any(|cell| cell["entry"] == entry && !cell["rounds"].as_array().unwrap().is_empty());
    assert!(!measured("wrong") && measured("plain") && measured("control"));
}
