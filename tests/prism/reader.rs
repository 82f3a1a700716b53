//! Prism as a child on loopback, and what it says about a request.

use crate::recorded::Request;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far longer than it takes, even where eight builds run beside it.
const PATIENCE: Duration = Duration::from_mins(3);

/// A running Prism, ended with the test.
pub(crate) struct Prism {
    child: Child,
    port: u16,
    description: PathBuf,
}

impl Prism {
    /// Starts it and waits until it listens.
    pub(crate) fn start(description: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = description.with_extension("log");
        let child = Command::new("node")
            .arg(github_double::packages().join("@stoplight/prism-cli/dist/index.js"))
            .args(["mock", "--host", "127.0.0.1", "--port", &port.to_string()])
            .arg(description)
            .stdin(Stdio::null())
            .stdout(File::create(&log).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .expect("Node starts Prism");
        let mut prism = Self { child, port, description: description.to_owned() };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = prism.child.try_wait().unwrap();
            let said = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(ended.is_none(), "Prism ended before it listened: {}", said());
            assert!(begin.elapsed() < PATIENCE, "Prism does not listen: {}", said());
            std::thread::sleep(Duration::from_millis(50));
        }
        prism
    }

    /// Why Prism rejects a request; none where it has nothing against it.
    pub(crate) fn objection(&self, request: &Request) -> Option<String> {
        let answer = self.ask(request);
        let (head, body) = answer.split_once("\r\n\r\n").expect("Prism answers in HTTP");
        let header = head.lines().find_map(|line| line.strip_prefix("sl-violations: "));
        let violations: Value = header.map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
        let of_request = |violation: &&Value| violation["location"][0] == "request" && violation["severity"] == "Error";
        let mut objections: Vec<_> = violations.as_array().into_iter().flatten().filter(of_request).collect();
        // What it can't answer at all comes as a problem in place of an answer.
        let problem: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        if head.contains("application/problem+json") {
            objections.push(&problem);
        }
        let texts: Vec<_> = objections.iter().map(ToString::to_string).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    fn ask(&self, request: &Request) -> String {
        let Request { method, target, body, .. } = request;
        let target = in_one_segment(target);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let typed = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        // It answers in the media types that the description lists, which GitHub's own one is not among.
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\naccept: application/json\r\n{typed}\
             content-length: {}\r\n\r\n",
            body.len(),
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// Prism doesn't read `x-multi-segment`: a path in a path, a ref and a comparison go as one segment.
fn in_one_segment(target: &str) -> String {
    let (path, query) =
        target.split_once('?').map_or((target, String::new()), |(path, query)| (path, format!("?{query}")));
    let several = ["/contents/", "/git/ref/", "/git/refs/", "/compare/"];
    let place = several.iter().find_map(|part| path.find(part).map(|at| at + part.len()));
    let Some(place) = place else { return target.to_owned() };
    format!("{}{}{query}", &path[..place], path[place..].replace('/', "%2F"))
}

impl Drop for Prism {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.description);
        let _ = std::fs::remove_file(self.description.with_extension("log"));
    }
}
