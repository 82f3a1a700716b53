//! A machine that disturbs what is measured, and a load generator that is the limit.

use super::support::{Repository, flagged, stderr, stdout};
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that answers with very many chunks of one byte, made once: whoever reads them works harder than it.
const CHUNKS: &str = r"import { createServer } from 'node:net'

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n'
const answer = Buffer.from(head + '1\r\nx\r\n'.repeat(20000) + '0\r\n\r\n')
createServer((socket) => {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    text += data.toString('latin1')
    for (let end; (end = text.indexOf('\r\n\r\n')) >= 0; text = text.slice(end + 4)) socket.write(answer)
  })
}).listen(process.env.PORT, process.env.HOST)
";

#[test]
fn a_generator_that_is_the_limit_leaves_no_verdict_of_speed() {
    let repository = Repository::new();
    repository.write("bench/plain/server.js", CHUNKS);
    std::fs::remove_dir_all(repository.root().join("bench/control")).unwrap();
    std::fs::remove_file(repository.root().join("contract/two.toml")).unwrap();
    let body = "x".repeat(20_000);
    let scenario = format!(
        "[[scenario]]\nname = \"one\"\nrequest = {{ path = \"/one\" }}\nexpect = {{ status = 200, text = \"{body}\" }}\n"
    );
    repository.write("contract/one.toml", &scenario);
    let configuration = std::fs::read_to_string(repository.root().join("deadheat.toml")).unwrap();
    repository.write("deadheat.toml", &configuration.replace("connections = 8", "connections = 32"));
    repository.commit("answer in very many chunks");
    repository.write("note.txt", "something that is not ignored\n");
    repository.commit("change nothing");
    let output = repository.run(&["run", "--rounds", "2", "--seed", "8", "--suites", "http"]);
    assert!(output.status.success(), "{}", stderr(&output));

    let results = repository.json("results.json");
    let attempts: Vec<&Value> = results["attempts"].as_array().unwrap().iter().collect();
    let asked: Vec<_> =
        attempts.iter().filter(|one| one["case"]["scenario"] == "one" && one["entry"] == "plain").collect();
    assert!(asked.len() >= 2 && asked.iter().all(|attempt| attempt["generator_limited"] == true), "{attempts:?}");
    let report = repository.report();
    let cells: Vec<&Value> =
        report["cells"].as_array().unwrap().iter().filter(|cell| cell["entry"] == "plain").collect();
    let cell = |metric: &str| *cells.iter().find(|cell| cell["metric"] == metric).unwrap();
    for metric in ["rps", "p50", "p99"] {
        let found = cell(metric);
        assert_eq!((found["verdict"].as_str(), found["rounds"].as_u64()), (Some("unmeasured"), Some(2)), "{found}");
        assert_eq!(found["reason"], "the load generator was the limit", "{found}");
    }
    // Two rounds prove nothing of the rest, but that is another matter.
    assert_eq!(cell("cpu-per-request")["verdict"], "undecided");
    assert!(cell("cpu-per-request")["reason"].is_null());
    let comment = stdout(&output);
    assert!(comment.contains("the load generator was saturated ("), "{comment}");
    assert!(comment.contains("generator-limited"), "{comment}");
}

/// Burns a CPU for a while: ended by whoever started it, and by itself after a minute.
struct Burner(Child);

impl Burner {
    fn on(cpu: usize) -> Self {
        let script = "const end = Date.now() + 60000; while (Date.now() < end);";
        let burner = Command::new("node").args(["-e", script]).stdin(Stdio::null()).spawn().unwrap();
        let mut set = CpuSet::new();
        set.set(cpu);
        let pid = Pid::from_raw(i32::try_from(burner.id()).unwrap());
        sched_setaffinity(pid, &set).unwrap();
        Self(burner)
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn finished_rounds(repository: &Repository) -> usize {
    // The first line is the plan.
    let journal = std::fs::read_to_string(repository.out("journal.ndjson")).unwrap_or_default();
    journal.lines().count().saturating_sub(1)
}

/// Waits until so many rounds are finished or the race is over; a race that hangs fails the test.
fn wait_for_rounds(repository: &Repository, race: &mut Child, rounds: usize) {
    let patience = Instant::now() + Duration::from_mins(3);
    while finished_rounds(repository) < rounds && race.try_wait().unwrap().is_none() {
        assert!(Instant::now() < patience, "no round {rounds} came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_burner_on_the_servers_cpu_is_noticed_and_flags_nothing() {
    let allowed = sched_getaffinity(None).unwrap();
    let cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let (server, load) = (cpus[0], cpus[cpus.len() - 1]);
    let repository = Repository::new();
    let configuration = std::fs::read_to_string(repository.root().join("deadheat.toml")).unwrap();
    repository.write("deadheat.toml", &format!("{configuration}server_cpus = \"{server}\"\nload_cpus = \"{load}\"\n"));
    repository.commit("say where to race");
    repository.write("lib/answer.js", "export const answer = (url) => url.slice(1)\n");
    repository.commit("say the same in another way");

    let mut race = repository.start(&["run", "--rounds", "12", "--seed", "9", "--suites", "http"]);
    wait_for_rounds(&repository, &mut race, 3);
    let burner = Burner::on(server);
    let from = finished_rounds(&repository) + 1;
    wait_for_rounds(&repository, &mut race, from + 2);
    let until = finished_rounds(&repository);
    drop(burner);
    assert!(race.wait().unwrap().success());

    let results = repository.json("results.json");
    let machine = &results["machine"];
    let journal = std::fs::read_to_string(repository.out("journal.ndjson")).unwrap();
    let rounds: Vec<Value> = journal.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(until > from && rounds.len() == 12, "{from} to {until} of {}", rounds.len());
    let burnt: Vec<&Value> = rounds[from..until].iter().flat_map(|round| round["turns"].as_array().unwrap()).collect();
    let sum = |turns: &[&Value], field: &str| -> u64 {
        turns.iter().map(|turn| turn["outcome"]["machine"][field].as_u64().unwrap()).sum()
    };
    // While it burns nearly every pair is repeated, until the repeats are used up.
    let (pairs, repeated) = (sum(&burnt, "slice_pairs"), sum(&burnt, "repeated"));
    assert!(repeated * 4 >= pairs * 3, "{repeated} of {pairs} repeated");
    assert!(sum(&burnt, "disturbed") * 4 >= pairs * 3, "{machine}");
    let all: Vec<&Value> = rounds.iter().flat_map(|round| round["turns"].as_array().unwrap()).collect();
    for field in ["slice_pairs", "repeated", "disturbed"] {
        assert_eq!(machine[field].as_u64().unwrap(), sum(&all, field), "{field}");
    }
    // All that was asked for counts: four pairs each of two scenarios and the control's one in 12 rounds, and four slices
    // of the control's other scenario, which head alone answers for the standings in three of them.
    assert_eq!(machine["slice_pairs"], 12 * 3 * 4 + 3 * 4);
    let report = repository.report();
    assert_eq!(flagged(&report), Vec::<String>::new());
    assert_eq!(report["usable"], true);
    assert_eq!(report["machine"], *machine);
    let comment = std::fs::read_to_string(repository.out("comment.md")).unwrap();
    assert!(comment.contains("of the measured pairs of slices were thrown away and measured again"), "{comment}");
}
