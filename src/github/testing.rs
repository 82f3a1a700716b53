//! A small server on loopback that says what a test tells it to, and a pace that passes no time.

use super::{Client, ClientSettings, Pace, RepositoryName, RetryLimits, Timeouts, Token};
use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub(super) const NOW: u64 = 1_790_000_000;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// `GET /path?query`.
    pub(super) line: String,
    /// The headers, with names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Received {
    pub(super) fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(super) enum Says {
    /// Answers with a status line's end, headers and a body.
    Answer(u16, Vec<(String, String)>, Vec<u8>),
    /// Promises more bytes than it sends.
    Cut(&'static str),
    /// Takes the request and closes.
    Close,
    /// Takes the request and is silent until the other side gives up.
    Hang,
}

pub(super) fn says(status: u16, body: impl Into<Vec<u8>>) -> Says {
    Says::Answer(status, Vec::new(), body.into())
}

pub(super) fn says_with(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Says {
    let headers = headers.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Says::Answer(status, headers, body.into())
}

type Script = dyn Fn(&Received, usize) -> Says + Send + Sync;

/// The server, which ends with its value.
pub(super) struct Server {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    over: Arc<AtomicBool>,
}

impl Server {
    /// Answers the first request with the first of these, and so on; the last one stays.
    pub(super) fn saying(script: Vec<Says>) -> Self {
        Self::with(move |_, index| script[index.min(script.len() - 1)].clone())
    }

    /// Answers each request, with its number from 0, as `script` says.
    pub(super) fn with(script: impl Fn(&Received, usize) -> Says + Send + Sync + 'static) -> Self {
        Self::at(([127, 0, 0, 1], 0).into(), script)
    }

    /// The same at a port of the test's choice.
    pub(super) fn at(address: SocketAddr, script: impl Fn(&Received, usize) -> Says + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let (received, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let server = Self { address, received: Arc::clone(&received), over: Arc::clone(&over) };
        let script: Arc<Script> = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (received, script) = (Arc::clone(&received), Arc::clone(&script));
                let stream = stream.unwrap();
                thread::spawn(move || serve(stream, &received, script.as_ref()));
            }
        });
        server
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The requests' lines.
    pub(super) fn lines(&self) -> Vec<String> {
        self.received().into_iter().map(|request| request.line).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: TcpStream, received: &Mutex<Vec<Received>>, script: &Script) {
    let Some(request) = receive(&stream) else { return };
    let index = {
        let mut received = received.lock().unwrap();
        received.push(request.clone());
        received.len() - 1
    };
    // The client may be gone already, which is its right.
    match script(&request, index) {
        Says::Answer(status, headers, body) => {
            use std::fmt::Write as _;
            let mut head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n");
            if status != 204 {
                let _ = write!(head, "content-length: {}\r\n", body.len());
            }
            for (key, value) in headers {
                let _ = write!(head, "{key}: {value}\r\n");
            }
            let _ = stream.write_all((head + "\r\n").as_bytes());
            let _ = stream.write_all(&body);
        }
        Says::Cut(body) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len() + 10);
            let _ = stream.write_all(head.as_bytes());
        }
        Says::Close => {}
        Says::Hang => {
            let _ = stream.read(&mut [0]);
        }
    }
}

fn receive(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut text = String::new();
    reader.read_line(&mut text).ok()?;
    let line = text.trim_end().strip_suffix(" HTTP/1.1")?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut text = String::new();
        reader.read_line(&mut text).ok()?;
        let Some((key, value)) = text.trim_end().split_once(": ") else { break };
        headers.push((key.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(key, _)| key == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { line, headers, body: String::from_utf8(body).unwrap() })
}

/// Remembers the waits.
#[derive(Default)]
pub(super) struct NoTime {
    waits: Mutex<Vec<(Duration, String)>>,
}

impl NoTime {
    /// The waits in seconds.
    pub(super) fn seconds(&self) -> Vec<u64> {
        self.waits.lock().unwrap().iter().map(|(wait, _)| wait.as_secs()).collect()
    }

    /// Why was waited.
    pub(super) fn reasons(&self) -> Vec<String> {
        self.waits.lock().unwrap().iter().map(|(_, why)| why.clone()).collect()
    }
}

impl Pace for NoTime {
    fn wait<'a>(&'a self, duration: Duration, why: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        self.waits.lock().unwrap().push((duration, why.to_owned()));
        Box::pin(async {})
    }

    fn now(&self) -> u64 {
        NOW + self.seconds().iter().sum::<u64>()
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

/// Settings for `o/r` at that root, with a token and short timeouts.
pub(super) fn settings(api: &str) -> ClientSettings {
    let repository = RepositoryName { owner: "o".to_owned(), name: "r".to_owned() };
    let mut settings = ClientSettings::new(api, repository, Some(Token::new("ghs_token")));
    settings.timeouts = Timeouts {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(5),
        total: Duration::from_secs(10),
        download: Duration::from_secs(10),
    };
    settings.limits = RetryLimits { attempts: 5, first_wait: Duration::from_secs(1), cap: Duration::from_mins(15) };
    settings
}

/// A client of that server, and its pace.
pub(super) fn client(server: &Server) -> (Client, Arc<NoTime>) {
    client_of(settings(&server.origin()))
}

pub(super) fn client_of(settings: ClientSettings) -> (Client, Arc<NoTime>) {
    let pace = Arc::new(NoTime::default());
    (Client::new(settings, Arc::clone(&pace) as Arc<dyn Pace>).unwrap(), pace)
}

/// Runs to the end.
pub(super) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
