//! The pass-through as a child of the guard's: it comes, serves and goes with the server that it stands before.

use crate::support::{LONG, alive, all_gone, shell, spec, supervisor, until};
use deadheat::process::{ChildSpec, ExitStatus, PortOwner, PortPicker, port_owner, tail};
use deadheat::race::pass_through;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Says its number and echoes every body, and hangs up after one that asks for it.
const SERVER: &str = "require('http').createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part)).on('end', () => {
      const body = Buffer.concat(parts)
      response.end(request.url === '/pid' ? String(process.pid) : body)
      if (request.url === '/last') response.on('finish', () => process.exit(3))
    })
  }).listen(process.env.PORT, process.env.HOST)";

fn behind(folder: &Path, delay_ns: u64, server: &[&str]) -> (ChildSpec, u16) {
    let server: Vec<String> = server.iter().map(|&word| word.to_owned()).collect();
    let path = std::env::var("PATH").ok();
    let argv = pass_through::argv(Path::new(env!("CARGO_BIN_EXE_deadheat")), delay_ns, &server, path.as_deref());
    let seed = u64::from(std::process::id()) ^ folder.to_string_lossy().bytes().map(u64::from).sum::<u64>() << 16;
    let port = PortPicker::new(seed).pick().unwrap();
    let mut made = spec(folder, &argv.iter().map(String::as_str).collect::<Vec<_>>());
    made.env.set("PORT", &port.to_string()).unwrap();
    made.env.set("HOST", "127.0.0.1").unwrap();
    (made, port)
}

/// The body of the answer; none where there was no connection or it ended before.
fn ask(port: u16, path: &str, body: &[u8]) -> Option<Vec<u8>> {
    let mut client = TcpStream::connect(("127.0.0.1", port)).ok()?;
    client.set_read_timeout(Some(LONG)).ok()?;
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    client.write_all(head.as_bytes()).ok()?;
    client.write_all(body).ok()?;
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).ok()?;
    let at = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some(answer.split_off(at + 4))
}

#[test]
fn it_serves_in_the_servers_place_and_one_stop_ends_both() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let (made, port) = behind(folder.path(), 2_000, &["node", "-e", SERVER]);
    let child = supervisor.spawn(&made).unwrap();
    let server = until(|| ask(port, "/pid", b""));
    let server: u32 = String::from_utf8(server).unwrap().parse().unwrap();
    let pids = child.pids();
    assert!(pids.contains(&child.pid()) && pids.contains(&server) && child.pid() != server, "{pids:?} {server}");
    assert_eq!(port_owner(port, &pids), PortOwner::Ours);
    // Both ways, and larger than what any buffer in between holds.
    let body: Vec<u8> = (0..5_000_000_u32).map(|index| (index % 251) as u8).collect();
    assert!(ask(port, "/echo", &body).unwrap() == body);
    let report = child.stop(LONG).unwrap();
    assert_eq!((report.killed, report.left_behind, report.survivors), (false, 0, 0));
    // The signal reached the server, and its end is what the pass-through ended with.
    assert_eq!(report.exit.unwrap().status, ExitStatus::Code(128 + 15));
    all_gone(&pids);
}

#[test]
fn it_ends_with_the_servers_status() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 128 + 9), ("exit 0", 0)] {
        let (made, _) = behind(folder.path(), 0, &["sh", "-c", script]);
        let child = supervisor.spawn(&made).unwrap();
        let exit = child.wait(Instant::now() + LONG).unwrap().unwrap();
        assert_eq!(exit.status, ExitStatus::Code(code), "{script}");
    }
}

#[test]
fn the_last_answer_of_a_server_that_ends_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let (made, port) = behind(folder.path(), 0, &["node", "-e", SERVER]);
    let child = supervisor.spawn(&made).unwrap();
    until(|| ask(port, "/pid", b""));
    let body = vec![b'x'; 100_000];
    assert!(ask(port, "/last", &body).unwrap() == body);
    assert_eq!(child.wait(Instant::now() + LONG).unwrap().unwrap().status, ExitStatus::Code(3));
}

#[test]
fn what_ignores_sigterm_is_killed_behind_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let stubborn = format!("process.on('SIGTERM', () => {{}}); {SERVER}");
    let (made, port) = behind(folder.path(), 0, &["node", "-e", &stubborn]);
    let child = supervisor.spawn(&made).unwrap();
    until(|| ask(port, "/pid", b""));
    let pids = child.pids();
    let report = child.stop(std::time::Duration::from_millis(300)).unwrap();
    assert_eq!((report.killed, report.survivors), (true, 0));
    all_gone(&pids);
}

#[test]
fn killed_alone_it_leaves_a_server_that_the_guard_finds() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let (made, port) = behind(folder.path(), 0, &["node", "-e", SERVER]);
    let child = supervisor.spawn(&made).unwrap();
    until(|| ask(port, "/pid", b""));
    let pids = child.pids();
    assert!(Command::new("kill").args(["-9", &child.pid().to_string()]).status().unwrap().success());
    child.wait(Instant::now() + LONG).unwrap().unwrap();
    child.stop(LONG).unwrap();
    all_gone(&pids);
}

#[test]
fn a_signal_to_it_alone_reaches_the_server_too() {
    let folder = tempfile::tempdir().unwrap();
    let (made, port) = behind(folder.path(), 0, &["node", "-e", SERVER]);
    let mut command = Command::new(&made.argv[0]);
    command.args(&made.argv[1..]).envs(made.env.variables()).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let server = until(|| ask(port, "/pid", b""));
    let server: u32 = String::from_utf8(server).unwrap().parse().unwrap();
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert!(!alive(server));
}

#[test]
fn what_can_not_be_started_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let supervisor = supervisor();
    let (no_program, _) = behind(folder.path(), 0, &["no-such-program"]);
    let mut no_port = no_program.clone();
    no_port.env = shell(folder.path(), "").env;
    for (made, words) in [(no_program, "failed to start no-such-program"), (no_port, "failed to read PORT")] {
        let child = supervisor.spawn(&made).unwrap();
        assert_eq!(child.wait(Instant::now() + LONG).unwrap().unwrap().status, ExitStatus::Code(4));
        let said = tail(child.log(), 1_000).unwrap();
        assert!(said.contains(words), "{said}");
    }
}
