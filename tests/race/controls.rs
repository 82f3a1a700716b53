//! What the control and the order within a pair are there for.

use super::support::{Repository, flagged, stderr, stdout};

/// A server that answers with its path and works for as long as `burn` says before each answer.
fn server(burn: &str) -> String {
    format!(
        r"import {{ createServer }} from 'node:http'
import fs from 'node:fs'

{burn}
let waste = 0
createServer((req, res) => {{
  for (let i = 0; i < loops; i++) waste += i % 7
  const body = req.url.slice(1)
  res.writeHead(200, {{ 'Content-Type': 'text/plain', 'Content-Length': body.length }}).end(body)
}}).listen(process.env.PORT, process.env.HOST)
"
    )
}

/// What the build of one side can never do: head's process works more, though it is the same build.
const HEAD_WORKS_MORE: &str = "const loops = fs.readlinkSync('/proc/self/fd/1').endsWith('-head.log') ? 600000 : 0";

/// Whoever is started while its partner is there already works more.
const SECOND_WORKS_MORE: &str = r"const place = process.env.HOME + '/somebody-is-there'
let loops = 0
try {
  fs.mkdirSync(place)
  process.on('SIGTERM', () => { fs.rmdirSync(place); process.exit(0) })
} catch {
  loops = 300000
}
";

fn verdicts(repository: &Repository, entry: &str) -> Vec<String> {
    let report = repository.report();
    let cells = report["cells"].as_array().unwrap().iter().filter(|cell| cell["entry"] == entry);
    cells.map(|cell| cell["verdict"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_control_that_differs_makes_the_run_unusable_and_nothing_is_shown_as_proved() {
    let repository = Repository::new();
    repository.write("bench/control/server.mjs", &server(HEAD_WORKS_MORE));
    repository.commit("a control that its own build can not explain");
    // A pull request that really slows a route down: even that is not shown as proved.
    repository.write(
        "lib/answer.js",
        "let waste = 0\nexport function answer(url) {\n  if (url === '/two') for (let i = 0; i < 600000; i++) waste += i % 7\n  return url.slice(1)\n}\n",
    );
    repository.commit("slow one route down by far");
    let output = repository.run(&["run", "--rounds", "12", "--seed", "5", "--suites", "http"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("unusable"), "{text}");
    let report = repository.report();
    assert_eq!(report["usable"], false);
    assert_eq!(report["outcome"], "unusable");
    let proved: Vec<String> = flagged(&report).into_iter().filter(|cell| !cell.starts_with("control ")).collect();
    assert_eq!(proved, Vec::<String>::new());
    assert!(flagged(&report).iter().any(|cell| cell.starts_with("control ")), "{report}");
    assert!(verdicts(&repository, "plain").iter().all(|word| word == "undecided"), "{report}");
}

#[test]
fn an_effect_of_order_flags_nothing_and_is_told() {
    let repository = Repository::new();
    // Its servers find each other below their home, which is this test's own.
    let home = repository.root().join("home");
    std::fs::create_dir(&home).unwrap();
    repository.write("bench/control/server.mjs", &server(SECOND_WORKS_MORE));
    repository.write("bench/plain/server.js", &server(SECOND_WORKS_MORE));
    repository.commit("servers that suffer from being second");
    repository.write("lib/answer.js", "export const answer = (url) => url.slice(1)\n");
    repository.commit("say the same in another way");
    let mut command = repository.deadheat(&["run", "--rounds", "12", "--seed", "6", "--suites", "http"]);
    let output = command.env("HOME", &home).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report = repository.report();
    assert_eq!(flagged(&report), Vec::<String>::new());
    assert_eq!(report["usable"], true);
    assert!(stdout(&output).contains("Who goes second in a pair is worse by"), "{}", stdout(&output));
}

#[test]
fn where_everybody_is_a_subject_a_second_copy_of_base_is_the_control() {
    let repository = Repository::new();
    repository.write(
        "bench/control/variant.toml",
        "name = \"control\"\n[runtime.node]\nstart = [\"node\", \"server.mjs\"]\n",
    );
    repository.commit("let everybody be a subject");
    repository.write("lib/answer.js", "export const answer = (url) => url.slice(1)\n");
    repository.commit("say the same in another way");
    let output = repository.run(&["run", "--rounds", "2", "--seed", "7"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let results = repository.json("results.json");
    let entries = results["entries"].as_array().unwrap();
    let copies: Vec<_> = entries.iter().filter(|entry| entry["copy_of"].is_string()).collect();
    assert_eq!(copies.len(), 1, "{entries:?}");
    let (name, of) = (copies[0]["name"].as_str().unwrap(), copies[0]["copy_of"].as_str().unwrap());
    assert_eq!((copies[0]["lineup"].as_str(), name), (Some("control"), format!("{of}-again").as_str()));
    let cells = results["cells"].as_array().unwrap().iter();
    let controls: Vec<_> = cells.filter(|cell| cell["standing"] == "control").collect();
    assert!(!controls.is_empty() && controls.iter().all(|cell| cell["entry"] == name), "{controls:?}");
    assert!(controls.iter().all(|cell| cell["rounds"].as_array().unwrap().len() == 2), "{controls:?}");
    let standings = repository.report()["standings"].to_string();
    assert!(standings.contains(of) && !standings.contains(name), "{standings}");
    let comment = stdout(&output);
    assert!(comment.contains("raced against a second copy of itself"), "{comment}");
    assert!(!comment.contains("No control was raced"), "{comment}");
}
