//! asv, autocannon-compare and tachometer's statistics, installed by name, judge the same rounds as deadheat's rules do.

use crate::cases::{Case, cases};
use deadheat::model::Polarity;
use deadheat::verdict::rivals::{Finding, Samples, asv_compare, autocannon_compare, tachometer};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PYTHON_PACKAGES: [&str; 2] = ["asv==0.6.6", "asv_runner==0.3.2"];
const NPM_PACKAGES: [&str; 2] = ["autocannon-compare@0.4.0", "ttest@2.1.1"];

/// Installs what `install` installs into a directory below Cargo's own, once per list of packages.
fn installed(name: &str, packages: &[&str], install: impl Fn(&Path)) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rivals").join(name);
    fs::create_dir_all(&directory).unwrap();
    let guard = File::create(directory.join("lock")).unwrap();
    guard.lock().unwrap();
    let done = directory.join("installed");
    let list = packages.join(" ");
    if !fs::read_to_string(&done).is_ok_and(|installed| installed == list) {
        install(&directory);
        fs::write(done, list).unwrap();
    }
    directory
}

fn run(command: &mut Command, input: &str) -> String {
    let program = command.get_program().display().to_string();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("failed to start {program}: {error}"));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} ended with {}: {said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn python() -> PathBuf {
    let directory = installed("python", &PYTHON_PACKAGES, |directory| {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory), "");
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(directory.join("bin/python")).args(pip).args(PYTHON_PACKAGES), "");
    });
    directory.join("bin/python")
}

fn node_packages() -> PathBuf {
    installed("npm", &NPM_PACKAGES, |directory| {
        fs::write(directory.join("package.json"), r#"{"name":"rivals","private":true}"#).unwrap();
        let install =
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
        run(Command::new("npm").current_dir(directory).args(install).args(NPM_PACKAGES), "");
    })
}

/// The package alone: what it stands on is for driving browsers, but for one library of statistics.
fn tachometer_package() -> PathBuf {
    const PACKAGES: [&str; 2] = ["tachometer@0.7.2", "jstat@1.9.6"];
    installed("tachometer", &PACKAGES, |directory| {
        fs::write(directory.join("package.json"), r#"{"name":"rivals","private":true}"#).unwrap();
        let install =
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
        run(Command::new("npm").current_dir(directory).args(install).arg(PACKAGES[1]), "");
        run(Command::new("npm").current_dir(directory).args(["pack", "--silent", PACKAGES[0]]), "");
        run(Command::new("tar").current_dir(directory).args(["-xzf", "tachometer-0.7.2.tgz"]), "");
    })
}

/// What a tool calls head: `better`, `worse` or `equal`, one per case.
fn judged_by(command: &mut Command, cases: &[Case]) -> Vec<String> {
    let answers: Vec<String> = serde_json::from_str(&run(command, &serde_json::to_string(cases).unwrap())).unwrap();
    assert_eq!(answers.len(), cases.len());
    answers
}

/// Compares what both say, and wants every answer to have occurred often enough to mean something.
fn same(tool: &[String], cases: &[Case], ours: impl Fn(&Case) -> Finding) {
    let word = |finding| match finding {
        Finding::Worse => "worse",
        Finding::Better => "better",
        Finding::NotFlagged => "equal",
        Finding::CannotJudge(_) => "cannot judge",
    };
    for (case, theirs) in cases.iter().zip(tool) {
        assert_eq!(word(ours(case)), theirs, "{case:?}");
    }
    for answer in ["worse", "better", "equal"] {
        let count = tool.iter().filter(|theirs| *theirs == answer).count();
        assert!(count >= 25, "{count} cases are {answer}");
    }
}

#[test]
fn asv_says_the_same() {
    const SCRIPT: &str = "
import json, sys
from asv.commands.compare import _is_result_better
from asv_runner.statistics import compute_stats

def judge(base, head):
    (old, old_stats), (new, new_stats) = compute_stats(base, 1), compute_stats(head, 1)
    before, after = (old_stats, base), (new_stats, head)
    if _is_result_better(new, old, after, before, 1.1):
        return 'better'
    if _is_result_better(old, new, before, after, 1.1):
        return 'worse'
    return 'equal'

print(json.dumps([judge(base, head) for base, head in json.load(sys.stdin)]))
";
    let cases = cases();
    // Half of them as rates, which are turned into times for asv, as the rule does.
    let (times, rates) = cases.split_at(300);
    let turned = |values: &[f64]| -> Vec<f64> { values.iter().map(|value| 1.0 / value).collect() };
    let mut shown = times.to_vec();
    shown.extend(rates.iter().map(|(base, head)| (turned(base), turned(head))));
    let answers = judged_by(Command::new(python()).args(["-c", SCRIPT]), &shown);
    let judge = |(base, head): &Case, polarity| asv_compare(&Samples::new(base, head, polarity).unwrap());
    let (of_times, of_rates) = answers.split_at(300);
    same(of_times, times, |case| judge(case, Polarity::Down));
    same(of_rates, rates, |case| judge(case, Polarity::Up));
}

#[test]
fn autocannon_compare_says_the_same() {
    const SCRIPT: &str = "
const compare = require('autocannon-compare')

function result (values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const figures = { mean, stddev: Math.sqrt(squares / values.length), total: values.length }
  return { requests: figures, throughput: figures, latency: figures, duration: values.length }
}

const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map(([base, head]) => {
  const found = compare(result(head), result(base))
  return found.aWins ? 'better' : found.bWins ? 'worse' : 'equal'
})))
";
    let cases = cases();
    let answers = judged_by(Command::new("node").current_dir(node_packages()).args(["-e", SCRIPT]), &cases);
    same(&answers, &cases, |(base, head)| autocannon_compare(&Samples::new(base, head, Polarity::Up).unwrap()));
}

#[test]
fn tachometer_says_the_same() {
    const SCRIPT: &str = "
import { readFileSync } from 'node:fs'
const { summaryStats, computeDifferences, autoSampleConditionsResolved } = await import(process.cwd() + '/package/lib/stats.js')

function look (base, head) {
  const results = computeDifferences([base, head].map(values => ({ stats: summaryStats(values) })))
  if (!autoSampleConditionsResolved(results, { absolute: [], relative: [0] })) return 'equal'
  return results[1].differences[0].relative.low > 0 ? 'better' : 'worse'
}

const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map(([base, head]) => {
  for (let samples = 8; samples < base.length; samples += 10) {
    const found = look(base.slice(0, samples), head.slice(0, samples))
    if (found !== 'equal') return found
  }
  return look(base, head)
})))
";
    // It samples both sides equally often.
    let both = |(mut base, mut head): Case| {
        let rounds = base.len().min(head.len());
        base.truncate(rounds);
        head.truncate(rounds);
        (base, head)
    };
    let cases: Vec<Case> = cases().into_iter().map(both).filter(|(base, _)| base.len() >= 8).collect();
    let mut node = Command::new("node");
    let answers = judged_by(node.current_dir(tachometer_package()).args(["--input-type=module", "-e", SCRIPT]), &cases);
    same(&answers, &cases, |(base, head)| tachometer(&Samples::new(base, head, Polarity::Up).unwrap()));
}
