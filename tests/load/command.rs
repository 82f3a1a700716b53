//! `deadheat load` as a process.

use crate::server::Server;
use crate::{OK, milliseconds};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;

fn load(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deadheat"));
    command.arg("load").args(arguments).env_remove("GITHUB_ACTIONS").output().unwrap()
}

fn quick(url: &str, more: &[&str]) -> Output {
    load(&[&[url, "-c", "2", "-d", "30ms", "--warmup", "5ms"], more].concat())
}

#[test]
fn json_holds_every_figure() {
    let server = Server::answering(OK);
    let url = format!("http://{}/users/1?full", server.address);
    let output = quick(&url, &["--json", "--rate", "1000/s"]);
    assert!(output.status.success(), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["requests"], 30);
    assert_eq!(json["mode"], "sleep");
    assert_eq!(json["errors"]["status"], 0);
    for key in ["duration_s", "rps", "bytes_per_s", "cpu_us_per_request", "self_check", "rate", "late_sends"] {
        assert!(json[key].is_number(), "{key}");
    }
    for key in ["p50", "p90", "p99", "p99_9", "max"] {
        assert!(json["latency_us"][key].is_u64(), "{key}");
    }
}

#[test]
fn the_table_is_readable_and_busy_polling_needs_a_cpu() {
    let server = Server::answering(OK);
    let url = format!("http://{}", server.address);
    let allowed = rustix::thread::sched_getaffinity(None).unwrap();
    let cpu = (0..1_024).find(|cpu| allowed.is_set(*cpu)).unwrap().to_string();
    let output = quick(&url, &["--cpu", &cpu]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(&format!("{url}\n  2 connections x 1 in flight, polling busily\n")), "{text}");
    for row in ["requests/s", "latency p99.9", "CPU/request", "errors"] {
        assert!(text.contains(row), "{row}");
    }
}

#[test]
fn an_interrupted_load_ends_early_and_says_what_it_saw() {
    let server = Server::answering(OK);
    let url = format!("http://{}", server.address);
    let child = Command::new(env!("CARGO_BIN_EXE_deadheat"))
        .args(["load", &url, "-c", "1", "-d", "1h", "--warmup", "0s", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while server.requests() < 100 {
        sleep(milliseconds(5));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["requests"].as_u64().unwrap() > 0);
}

#[test]
fn what_cannot_be_loaded_is_refused_with_the_reason() {
    let refuse = |arguments: &[&str]| {
        let output = quick("http://127.0.0.1:9/", arguments);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let output = load(&["https://127.0.0.1/"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("only http:// can be loaded"));
    for (arguments, words) in [
        (["--header", "no colon"], "write it as `name: value`"),
        (["--header", "a: b\r\nc: d"], "invalid header value"),
        (["--method", "GE T"], "invalid method"),
        (["--body", "@/does/not/exist"], "read the body from /does/not/exist"),
        (["--rate", "5000"], "5000/s"),
        (["--timeout", "5"], "500ms"),
        (["--cpu", "65535"], "run on CPU 65535"),
    ] {
        let (code, text) = refuse(&arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    // Nobody listens on the discard port.
    let (code, text) = refuse(&[]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("failed to get any good answer from http://127.0.0.1:9/: no connection"), "{text}");
}
