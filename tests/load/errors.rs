//! Every kind of error is counted as what it is, and no server makes a slice endless.

use crate::server::Server;
use crate::{OK, generator, get, milliseconds, settings};
use deadheat::race::load::{
    AnswerCheck, AnswerHead, ErrorKind, Expectation, Generator, LoadError, LoadSettings, SliceReport,
};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::sleep;

/// The kinds that were seen, and the first in words.
fn seen(report: &SliceReport) -> (Vec<ErrorKind>, &str) {
    let kinds = report.errors.iter().filter(|(_, count)| *count > 0).map(|(kind, _)| kind).collect();
    (kinds, report.first_error.as_deref().unwrap_or("none"))
}

/// Loads until something went wrong.
fn load(server: &Server, expectation: Expectation) -> SliceReport {
    let mut generator = Generator::new(server.address, get(), expectation, &settings(2, 1)).unwrap();
    let report = (0..50).map(|_| generator.slice(milliseconds(20))).find(|report| report.errors.total() > 0);
    report.expect("an error")
}

fn load_impatiently(address: SocketAddr) -> Generator {
    let settings = LoadSettings { timeout: milliseconds(60), ..settings(2, 1) };
    Generator::new(address, get(), Expectation::of_status(200), &settings).unwrap()
}

#[test]
fn a_port_without_a_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut generator = Generator::new(address, get(), Expectation::of_status(200), &settings(2, 1)).unwrap();
    for report in [generator.slice(milliseconds(30)), generator.open_loop_slice(milliseconds(30), 100.0)] {
        assert!(report.errors.get(ErrorKind::Connect) > 0);
        assert!(report.first_error.unwrap().contains("no connection to 127.0.0.1"));
        assert_eq!((report.answers, report.all_answers), (0, 0));
    }
}

#[test]
fn a_server_that_dies_and_comes_back() {
    let server = Server::start(|mut peer| {
        if peer.number > 4 {
            while peer.request().is_some() && peer.send(OK).is_some() {}
        }
    });
    let mut generator = generator(&server, &settings(2, 1));
    let mut reports = (0..100).map(|_| generator.slice(milliseconds(30)));
    let failing = reports.find(|report| report.errors.total() > 0).unwrap();
    assert_eq!(seen(&failing).0, [ErrorKind::Reset]);
    assert!(reports.any(|report| report.errors.total() == 0 && report.all_answers > 0));
}

#[test]
fn connections_that_end_without_an_answer() {
    for reads_first in [true, false] {
        let server = Server::start(move |mut peer| {
            if reads_first {
                peer.request();
            }
        });
        let report = load(&server, Expectation::of_status(200));
        let (kinds, words) = seen(&report);
        assert_eq!(kinds, [ErrorKind::Reset]);
        assert!(words.starts_with("connection lost without an answer, twice in a row"), "{words}");
        assert!(report.reopened > 0);
    }
}

#[test]
fn connections_that_end_inside_an_answer() {
    for part in [
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        let server = Server::start(move |mut peer| {
            peer.request();
            peer.send(part);
        });
        let report = load(&server, Expectation::of_status(200));
        assert_eq!(
            seen(&report),
            (vec![ErrorKind::Reset], "connection lost inside an answer: closed by the server"),
            "{part:?}"
        );
    }
}

#[test]
fn servers_that_never_answer() {
    let silent = Server::start(|mut peer| while peer.request().is_some() {});
    let report = load_impatiently(silent.address).slice(milliseconds(40));
    assert_eq!(seen(&report), (vec![ErrorKind::Timeout], "no whole answer within 60ms"));
    assert_eq!(report.all_answers, 0);

    let slow = Server::start(|mut peer| {
        peer.request();
        while peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n").is_some() {
            sleep(milliseconds(5));
        }
    });
    assert_eq!(seen(&load_impatiently(slow.address).slice(milliseconds(40))).0, [ErrorKind::Timeout]);

    // Nobody accepts, but the kernel connects.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut generator = load_impatiently(listener.local_addr().unwrap());
    assert_eq!(seen(&generator.slice(milliseconds(40))).0, [ErrorKind::Timeout]);
    assert!(generator.open_loop_slice(milliseconds(40), 500.0).errors.get(ErrorKind::Timeout) >= 20);
}

#[test]
fn bytes_that_are_no_answer() {
    let garbage = Server::answering("SSH-2.0-OpenSSH_9.2\r\n");
    let (kinds, words) = (load(&garbage, Expectation::of_status(200)).errors, "not an HTTP/1 answer");
    assert!(kinds.get(ErrorKind::Parse) > 0);
    assert!(load(&garbage, Expectation::of_status(200)).first_error.unwrap().starts_with(words));

    let endless = Server::start(|mut peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\n");
        while peer.send("X-More: of the same\r\n".repeat(100)).is_some() {}
    });
    let report = load(&endless, Expectation::of_status(200));
    assert_eq!(seen(&report), (vec![ErrorKind::Parse], "not an HTTP/1 answer: too many headers"));

    let too_much = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello");
    let report = load(&too_much, Expectation::of_status(200));
    assert_eq!(seen(&report), (vec![ErrorKind::Parse], "bytes that no request asked for"));
}

#[test]
fn a_body_without_end() {
    let server = Server::start(|mut peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        let piece = vec![b'x'; 1 << 20];
        while peer.send(&piece).is_some() {}
    });
    // Whichever comes first: 64 MiB, or the time for one answer.
    let kinds = load(&server, Expectation::of_status(200)).errors;
    assert!(kinds.get(ErrorKind::Length) + kinds.get(ErrorKind::Timeout) > 0);
    assert_eq!(kinds.total(), kinds.get(ErrorKind::Length) + kinds.get(ErrorKind::Timeout));
}

#[test]
fn another_status_and_another_length() {
    let server = Server::answering("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
    let report = load(&server, Expectation::of_status(200));
    assert_eq!(seen(&report), (vec![ErrorKind::Status], "status 500 instead of 200"));
    assert_eq!((report.answers, report.latency.len()), (0, 0));
    assert_eq!(report.all_answers, report.errors.get(ErrorKind::Status));

    let server = Server::answering(OK);
    let report = load(&server, Expectation { status: 200.into(), length: Some(7), check: None });
    assert_eq!(seen(&report), (vec![ErrorKind::Length], "body of 5 bytes instead of 7 bytes"));
}

struct Exactly(&'static [u8]);

impl AnswerCheck for Exactly {
    fn check(&self, _: &AnswerHead<'_>, body: &[u8]) -> Result<(), ErrorKind> {
        if body == self.0 { Ok(()) } else { Err(ErrorKind::Body) }
    }

    fn explain(&self, _: &AnswerHead<'_>, body: &[u8]) -> Option<String> {
        let place = body.iter().zip(self.0).position(|(one, other)| one != other)?;
        Some(format!("body differs at byte {place}"))
    }
}

#[test]
fn another_body() {
    let server = Server::answering(OK);
    let expect =
        |text: &'static [u8]| Expectation { status: 200.into(), length: None, check: Some(Arc::new(Exactly(text))) };
    let mut generator = Generator::new(server.address, get(), expect(b"hello"), &settings(2, 1)).unwrap();
    assert_eq!(generator.slice(milliseconds(20)).first_error, None);
    let report = load(&server, expect(b"help!"));
    assert_eq!(seen(&report), (vec![ErrorKind::Body], "body differs at byte 3"));
    let report = load(&server, expect(b"hell"));
    assert_eq!(seen(&report), (vec![ErrorKind::Body], "body differs from the expected answer's"));
}

#[test]
fn a_slice_is_broken_off_when_nearly_everything_fails() {
    let server = Server::answering("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
    let hour = std::time::Duration::from_hours(1);
    let mut generator = generator(&server, &settings(8, 1));
    for report in [generator.slice(hour), generator.open_loop_slice(hour, 1e5)] {
        assert!(report.errors.total() > 1_000);
        assert!(report.window < hour);
    }
}

#[test]
fn settings_that_leave_nothing_to_do_are_refused() {
    let server = Server::answering(OK);
    for (connections, pipelining) in [(0, 1), (1, 0)] {
        let made =
            Generator::new(server.address, get(), Expectation::of_status(200), &settings(connections, pipelining));
        assert!(matches!(made, Err(LoadError::NothingToDo { .. })));
    }
}
