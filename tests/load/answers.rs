//! Closed loop: every form of a good answer, pipelining, kept and reopened connections, sampling, what is sent when.

use crate::server::Server;
use crate::{OK, generator, get, milliseconds, settings};
use deadheat::race::load::{
    AnswerCheck, AnswerHead, ErrorKind, Expectation, Generator, Pace, PreparedRequest, StatusRule, Waiting,
};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};

#[test]
fn every_form_of_an_answer_is_good() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let kept = [
        OK.to_owned(),
        format!("{chunked}5\r\nhello\r\n0\r\n\r\n"),
        format!("{chunked}2;a=\"b\"\r\nhe\r\n03\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n"),
        format!("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n{OK}"),
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
    ];
    let closing = [
        "HTTP/1.1 200 OK\r\n\r\nhello".to_owned(),
        "HTTP/1.0 200 OK\r\n\r\nhello".to_owned(),
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello".to_owned(),
    ];
    let answers = kept.into_iter().map(|text| (text, true)).chain(closing.into_iter().map(|text| (text, false)));
    for (answer, is_kept) in answers {
        let text = answer.clone();
        let server = Server::start(move |mut peer| {
            while peer.request().is_some() && peer.send(&text).is_some() {
                if !is_kept {
                    break;
                }
            }
        });
        let expectation = Expectation { status: 200.into(), length: Some(5), check: None };
        let mut generator = Generator::new(server.address, get(), expectation, &settings(2, 1)).unwrap();
        let mut reopened = 0;
        for _ in 0..2 {
            let report = generator.slice(milliseconds(20));
            assert_eq!(report.first_error, None, "{answer:?}");
            assert!(report.all_answers > 0 && report.answers <= report.all_answers, "{answer:?}");
            assert_eq!(report.latency.len(), report.answers, "{answer:?}");
            reopened += report.reopened;
        }
        assert_eq!(reopened == 0, is_kept, "{answer:?}");
    }
}

#[test]
fn answers_without_a_body_are_good() {
    let forms = [
        ("GET", 204, "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", 304, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
        ("HEAD", 200, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
        ("HEAD", 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ];
    for (method, status, answer) in forms {
        let server = Server::answering(answer);
        let request = PreparedRequest::new("h", method, "/", &[], None).unwrap();
        let expectation = Expectation { status: status.into(), length: Some(0), check: None };
        let report =
            Generator::new(server.address, request, expectation, &settings(1, 1)).unwrap().slice(milliseconds(20));
        assert_eq!((report.first_error, report.reopened), (None, 0), "{answer:?}");
        assert!(report.all_answers > 0, "{answer:?}");
    }
}

#[test]
fn an_answer_in_pieces_is_one_answer() {
    let server = Server::start(|mut peer| {
        while peer.request().is_some() {
            for byte in "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".as_bytes() {
                if peer.send([*byte]).is_none() {
                    return;
                }
            }
        }
    });
    let expectation = Expectation { status: 200.into(), length: Some(5), check: None };
    let mut generator = Generator::new(server.address, get(), expectation, &settings(2, 1)).unwrap();
    let report = generator.slice(milliseconds(30));
    assert_eq!(report.first_error, None);
    assert!(report.all_answers > 0);
}

#[test]
fn little_s_law_holds_however_the_generator_waits() {
    for waiting in [Waiting::Sleep, Waiting::Spin] {
        let server = Server::start(|mut peer| {
            while peer.request().is_some() {
                sleep(milliseconds(1));
                if peer.send(OK).is_none() {
                    return;
                }
            }
        });
        let mut settings = settings(4, 1);
        settings.waiting = waiting;
        let report = generator(&server, &settings).slice(milliseconds(150));
        assert!((report.self_check - 1.0).abs() < 0.001, "{}", report.self_check);
        assert!(report.latency.min() >= 1_000, "{} us", report.latency.min());
        assert!(report.polls >= report.non_empty_polls && report.non_empty_polls > 0);
        assert!(!report.busy.is_zero());
        assert_eq!(report.late_sends, 0);
    }
}

#[test]
fn as_many_requests_are_in_flight_as_asked_for() {
    // After the one that opens a connection it answers only when five are there, so fewer in flight would stand still.
    let server = Server::start(|mut peer| {
        if peer.request().is_none() || peer.send(OK).is_none() {
            return;
        }
        loop {
            for _ in 0..5 {
                if peer.request().is_none() {
                    return;
                }
            }
            if peer.send(OK.repeat(5)).is_none() {
                return;
            }
        }
    });
    let report = generator(&server, &settings(3, 5)).slice(milliseconds(40));
    assert_eq!(report.first_error, None);
    assert!(report.all_answers > 3);
    assert_eq!((report.all_answers - 3) % 5, 0);
}

#[test]
fn nobody_asks_on_before_the_server_has_taken_every_connection() {
    // As Node does, it takes one connection and then answers what all others have asked until then.
    const CONNECTIONS: usize = 24;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answered_before_the_last = thread::spawn(move || {
        let mut peers: Vec<TcpStream> = Vec::new();
        let (mut answered, mut answered_before_the_last) = (0, 0);
        loop {
            if peers.len() < CONNECTIONS {
                let peer = listener.accept().unwrap().0;
                peer.set_nonblocking(true).unwrap();
                peers.push(peer);
                answered_before_the_last = answered;
            }
            sleep(milliseconds(1));
            for peer in &mut peers {
                let mut asked = [0; 4_096];
                let length = match peer.read(&mut asked) {
                    Ok(0) => return answered_before_the_last,
                    Ok(length) => length,
                    Err(_) => continue,
                };
                let requests = String::from_utf8_lossy(&asked[..length]).matches("\r\n\r\n").count();
                peer.write_all(OK.repeat(requests).as_bytes()).unwrap();
                answered += requests;
            }
        }
    });
    let mut generator =
        Generator::new(address, get(), Expectation::of_status(200), &settings(CONNECTIONS, 10)).unwrap();
    let report = generator.warm_up(milliseconds(20), Pace::ClosedLoop);
    assert_eq!(report.first_error, None);
    assert!(report.answers > 0);
    drop(generator);
    let answered = answered_before_the_last.join().unwrap();
    assert!(answered < CONNECTIONS, "{answered}");
}

#[test]
fn of_bursts_whole_ones_are_counted_however_long_a_slice_is() {
    // Every 60 ms all 4 x 3 requests in flight are answered at once: 200 a second. A new connection is asked once at first.
    let period = milliseconds(60);
    let server = Server::start(move |mut peer| {
        if peer.request().is_none() || peer.send(OK).is_none() {
            return;
        }
        loop {
            let begun = std::time::Instant::now();
            for _ in 0..3 {
                if peer.request().is_none() {
                    return;
                }
            }
            sleep(period.saturating_sub(begun.elapsed()));
            if peer.send(OK.repeat(3)).is_none() {
                return;
            }
        }
    });
    for length in [1, 20, 50, 70, 100, 119, 150] {
        let report = generator(&server, &settings(4, 3)).slice(milliseconds(length));
        assert_eq!(report.first_error, None);
        assert!((60.0..=201.0).contains(&report.rps()), "{length} ms: {} a second", report.rps());
        assert!((report.self_check - 1.0).abs() < 0.001, "{}", report.self_check);
    }
}

#[test]
fn a_request_arrives_as_it_was_prepared_however_large_it_is() {
    let body: Vec<u8> = (0..3 << 20).map(|place: u32| place.to_le_bytes()[1]).collect();
    let headers = [("Cookie".to_owned(), "session=1; theme=dark".to_owned())];
    let request = PreparedRequest::new("h:1", "POST", "/a?b", &headers, Some(&body)).unwrap();
    let expected = request.as_bytes().to_vec();
    let server = Server::start(move |mut peer| {
        while let Some(request) = peer.request() {
            let status = if request == expected { 200 } else { 400 };
            if peer.send(format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n")).is_none() {
                return;
            }
        }
    });
    let mut generator = Generator::new(server.address, request, Expectation::of_status(200), &settings(2, 2)).unwrap();
    let report = generator.slice(milliseconds(100));
    assert_eq!(report.first_error, None);
    assert!(report.all_answers > 0);
}

#[test]
fn nothing_is_outstanding_after_a_slice_and_connections_are_kept() {
    let connections = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&connections);
    let server = Server::start(move |mut peer| {
        counter.fetch_add(1, Ordering::SeqCst);
        while peer.request().is_some() && peer.send(OK).is_some() {}
    });
    let mut generator = generator(&server, &settings(4, 2));
    let mut all_answers = 0;
    for _ in 0..3 {
        let report = generator.slice(milliseconds(20));
        assert_eq!((report.errors.total(), report.reopened), (0, 0));
        assert!(report.window >= milliseconds(20), "{:?}", report.window);
        all_answers += report.all_answers;
        sleep(milliseconds(10));
        assert_eq!(server.requests(), all_answers);
    }
    assert_eq!(connections.load(Ordering::SeqCst), 4);
}

/// Loads until a connection was opened again.
fn reopens_without_an_error(generator: &mut Generator) {
    let reopened = (0..100).any(|_| {
        let report = generator.slice(milliseconds(30));
        assert_eq!(report.first_error, None);
        report.reopened > 0 && report.all_answers > 0
    });
    assert!(reopened);
}

#[test]
fn connections_that_the_server_closed_are_opened_again_without_an_error() {
    // Without saying so, after some answers, as a server does that limits requests per connection.
    let server = Server::start(|mut peer| {
        for _ in 0..7 {
            if peer.request().is_none() || peer.send(OK).is_none() {
                return;
            }
        }
    });
    reopens_without_an_error(&mut generator(&server, &settings(2, 1)));

    // While it is idle, between slices.
    let server = Server::start(|mut peer| {
        peer.socket().set_read_timeout(Some(milliseconds(100))).unwrap();
        while peer.request().is_some() && peer.send(OK).is_some() {}
    });
    let mut generator = generator(&server, &settings(3, 1));
    assert_eq!(generator.slice(milliseconds(20)).first_error, None);
    sleep(milliseconds(250));
    let report = generator.slice(milliseconds(20));
    assert_eq!(report.first_error, None);
    assert!(report.reopened >= 3, "{}", report.reopened);
}

#[test]
fn pipelined_requests_behind_a_closing_answer_are_sent_again() {
    let server = Server::start(|mut peer| {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";
        for answer in [OK, OK, closing] {
            if peer.request().is_none() || peer.send(answer).is_none() {
                return;
            }
        }
    });
    reopens_without_an_error(&mut generator(&server, &settings(1, 8)));
}

struct Recorded(Mutex<Vec<(u16, String, Vec<u8>)>>);

impl AnswerCheck for Recorded {
    fn check(&self, head: &AnswerHead<'_>, body: &[u8]) -> Result<(), ErrorKind> {
        let kind = String::from_utf8_lossy(head.header("CONTENT-TYPE").unwrap_or_default()).into_owned();
        self.0.lock().unwrap().push((head.status(), kind, body.to_vec()));
        Ok(())
    }
}

#[test]
fn the_first_answer_of_a_slice_and_one_in_a_thousand_are_compared_in_full() {
    let server = Server::start(|mut peer| {
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello".repeat(16);
        if peer.request().is_some() && peer.send(&answer[..answer.len() / 16]).is_some() {
            while (0..16).all(|_| peer.request().is_some()) && peer.send(&answer).is_some() {}
        }
    });
    let recorded = Arc::new(Recorded(Mutex::new(Vec::new())));
    let expectation = Expectation { status: StatusRule::Success, length: None, check: Some(recorded.clone()) };
    let mut generator = Generator::new(server.address, get(), expectation, &settings(2, 16)).unwrap();
    for _ in 0..2 {
        let report = generator.slice(milliseconds(60));
        assert_eq!(report.first_error, None);
        let seen = std::mem::take(&mut *recorded.0.lock().unwrap());
        assert_eq!(seen.len() as u64, report.all_answers.div_ceil(1_000));
        assert!(seen.iter().all(|one| *one == (200, "text/plain".to_owned(), b"hello".to_vec())));
    }
}
