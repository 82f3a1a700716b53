//! A server of releases on loopback, and archives for it.

use crate::BINARY;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Files by path, and what was asked for.
pub(crate) struct Releases {
    pub(crate) origin: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Releases {
    pub(crate) fn serve(files: BTreeMap<String, Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}/deadheat/deadheat", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        // The thread ends with the process of the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &files, &log);
            }
        });
        Self { origin, asked }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, files: &BTreeMap<String, Vec<u8>>, log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    log.lock().unwrap().push(path.rsplit('/').next().unwrap_or_default().to_owned());
    let prefix = "/deadheat/deadheat/releases/download/v1.2.3/";
    let (status, body) = match path.strip_prefix(prefix).and_then(|name| files.get(name)) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", &b""[..]),
    };
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has gone away is none of the server's business.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

pub(crate) fn archive_name() -> String {
    format!("deadheat-{}-unknown-linux-musl.tar.gz", std::env::consts::ARCH)
}

pub(crate) fn executable(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An archive of what `make` puts into a folder.
pub(crate) fn archive(make: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let names: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    Command::new("tar")
        .args(["--create", "--gzip", "--directory"])
        .arg(folder.path())
        .args(names)
        .output()
        .unwrap()
        .stdout
}

pub(crate) fn good_archive() -> Vec<u8> {
    archive(|folder| {
        executable(&folder.join("deadheat"), BINARY);
        fs::write(folder.join("README.md"), "not asked for").unwrap();
    })
}

pub(crate) fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
