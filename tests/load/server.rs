//! Servers on threads of the test that answer with scripted bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One accepted connection.
pub(crate) struct Peer {
    /// Which connection it is, counted from 0.
    pub(crate) number: usize,
    input: BufReader<TcpStream>,
    requests: Arc<AtomicUsize>,
}

impl Peer {
    /// The next request with its body; `None` when the generator closed the connection.
    pub(crate) fn request(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut length = 0;
        loop {
            let start = bytes.len();
            if self.input.read_until(b'\n', &mut bytes).ok()? == 0 {
                return None;
            }
            let line = String::from_utf8_lossy(&bytes[start..]).to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let start = bytes.len();
        bytes.resize(start + length, 0);
        self.input.read_exact(&mut bytes[start..]).ok()?;
        self.requests.fetch_add(1, Ordering::SeqCst);
        Some(bytes)
    }

    /// Sends bytes; `None` when the connection is gone.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> Option<()> {
        self.input.get_mut().write_all(bytes.as_ref()).ok()
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        self.input.get_ref()
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Runs `script` on a thread for every connection; the connection is closed when it returns.
    pub(crate) fn start(script: impl Fn(Peer) + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let (script, requests) = (script.clone(), Arc::clone(&counter));
                stream.set_nodelay(true).unwrap();
                thread::spawn(move || script(Peer { number, input: BufReader::new(stream), requests }));
            }
        });
        Self { address, requests }
    }

    /// Gives every request the same answer.
    pub(crate) fn answering(answer: &'static str) -> Self {
        Self::start(move |mut peer| while peer.request().is_some() && peer.send(answer).is_some() {})
    }

    /// Whole requests that arrived so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst) as u64
    }
}
