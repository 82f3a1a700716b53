//! Open loop: latency counts from the intended time, whatever the server does.

use crate::server::Server;
use crate::{OK, generator, milliseconds, settings};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;

#[test]
fn every_intended_request_is_sent_and_answered() {
    let server = Server::answering(OK);
    let mut generator = generator(&server, &settings(4, 1));
    for _ in 0..2 {
        let before = server.requests();
        let report = generator.open_loop_slice(milliseconds(100), 2_000.0);
        assert_eq!(report.first_error, None);
        assert_eq!((report.answers, report.all_answers, report.latency.len()), (200, 200, 200));
        assert_eq!(server.requests() - before, 200);
        assert_eq!(report.window, milliseconds(100));
        assert!((report.self_check - 1.0).abs() < 1e-12);
        assert_eq!(report.reopened, 0);
    }
}

#[test]
fn a_stall_is_seen_by_all_requests_that_were_intended_during_it() {
    // All connections stand still for 50 ms, once. At 2,000/s 100 requests are intended meanwhile, of which about half
    // wait for more than 25 ms; with two connections a generator that waited with them would see two.
    let stalled = Arc::new(AtomicBool::new(false));
    let gate = Arc::new(Mutex::new(()));
    let server = Server::start(move |mut peer| {
        let mut served = 0;
        while peer.request().is_some() {
            let turn = gate.lock().unwrap();
            served += 1;
            if served == 20 && !stalled.swap(true, Ordering::SeqCst) {
                sleep(milliseconds(50));
            }
            drop(turn);
            if peer.send(OK).is_none() {
                return;
            }
        }
    });
    let report = generator(&server, &settings(2, 1)).open_loop_slice(milliseconds(200), 2_000.0);
    assert_eq!(report.first_error, None);
    assert_eq!(report.answers, 400);
    let long = report.latency.count_between(25_000, 60_000_000);
    assert!(long >= 40, "{long} requests waited for more than 25 ms");
    assert!(report.late_sends >= 40, "{} were sent late", report.late_sends);
}

#[test]
fn a_server_that_closes_connections_loses_no_request() {
    let server = Server::start(|mut peer| {
        for _ in 0..7 {
            if peer.request().is_none() || peer.send(OK).is_none() {
                return;
            }
        }
    });
    let report = generator(&server, &settings(2, 1)).open_loop_slice(milliseconds(100), 1_000.0);
    assert_eq!(report.first_error, None);
    assert_eq!(report.answers, 100);
    assert!(report.reopened > 0);
}
