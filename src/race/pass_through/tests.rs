//! The relay before servers that answer, half close, hang up and are not there.

use super::relay::Relay;
use crate::process::PortPicker;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// A relay in a thread; it ends with the test.
struct Relaying {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<bool>>,
}

impl Relaying {
    fn to(server: SocketAddr, delay: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut picker = PortPicker::new(u64::from(server.port()));
            let mut relay = loop {
                let address = SocketAddr::from(([127, 0, 0, 1], picker.pick().unwrap()));
                if let Ok(relay) = Relay::listen(address, server, delay) {
                    tell.send(address).unwrap();
                    break relay;
                }
            };
            while !stopped.load(Ordering::Relaxed) {
                relay.step(Some(Duration::from_millis(5))).unwrap();
            }
            // What is left of ended connections is dealt with in a moment.
            for _ in 0..200 {
                if relay.is_idle() {
                    break;
                }
                relay.step(Some(Duration::from_millis(5))).unwrap();
            }
            relay.is_idle()
        });
        Self { address: told.recv().unwrap(), stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let client = TcpStream::connect(self.address).unwrap();
        client.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        client
    }

    /// Ends it, and says whether it had forgotten all connections.
    fn ends_idle(mut self) -> bool {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Relaying {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A server that deals with each connection in a thread of its own.
fn serve(deal: fn(TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let client = client.unwrap();
            std::thread::spawn(move || deal(client));
        }
    });
    address
}

fn echo(mut client: TcpStream) {
    let mut bytes = [0_u8; 5_000];
    while let Ok(length) = client.read(&mut bytes) {
        if length == 0 || client.write_all(&bytes[..length]).is_err() {
            return;
        }
    }
}

/// Bytes that nobody would make by chance.
fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length).map(|index| u8::try_from((index * 31 + index / 251 + seed * 7) % 256).unwrap()).collect()
}

#[test]
fn large_bodies_pass_both_ways_unchanged_while_neither_side_waits_for_the_other() {
    let relaying = Relaying::to(serve(echo), 0);
    let client = relaying.connect();
    let sent = pattern(1, 3_000_000);
    let mut writer = client.try_clone().unwrap();
    let written = sent.clone();
    let writing = std::thread::spawn(move || {
        writer.write_all(&written).unwrap();
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut received = Vec::new();
    (&client).read_to_end(&mut received).unwrap();
    writing.join().unwrap();
    assert!(received == sent);
    drop(client);
    assert!(relaying.ends_idle());
}

#[test]
fn what_one_side_does_not_read_waits_and_does_not_pile_up() {
    // The server reads nothing before it has written everything.
    let relaying = Relaying::to(
        serve(|mut client| {
            client.write_all(&pattern(2, 2_000_000)).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            let mut all = Vec::new();
            client.read_to_end(&mut all).unwrap();
            assert!(all == pattern(3, 2_000_000));
        }),
        0,
    );
    let mut client = relaying.connect();
    // It can't all be sent: what is held in between is bounded.
    client.set_write_timeout(Some(Duration::from_millis(50))).unwrap();
    let sent = pattern(3, 2_000_000);
    let mut at = 0;
    let mut received = Vec::new();
    let mut block = vec![0_u8; 100_000];
    while at < sent.len() {
        match client.write(&sent[at..]) {
            Ok(length) => at += length,
            Err(error) => assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}"),
        }
        if received.len() < sent.len() {
            let length = client.read(&mut block).unwrap();
            received.extend_from_slice(&block[..length]);
        }
    }
    client.shutdown(Shutdown::Write).unwrap();
    client.read_to_end(&mut received).unwrap();
    assert!(received == pattern(2, 2_000_000));
    drop(client);
    assert!(relaying.ends_idle());
}

#[test]
fn a_client_that_says_it_is_done_still_gets_its_answer() {
    let relaying = Relaying::to(
        serve(|mut client| {
            let mut all = Vec::new();
            client.read_to_end(&mut all).unwrap();
            all.reverse();
            client.write_all(&all).unwrap();
        }),
        0,
    );
    let mut client = relaying.connect();
    client.write_all(b"sihT").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "This");
    drop(client);
    assert!(relaying.ends_idle());
}

#[test]
fn a_server_that_answers_and_closes_closes_the_clients_connection_after_the_last_byte() {
    let relaying = Relaying::to(
        serve(|mut client| {
            let mut request = [0_u8; 4];
            client.read_exact(&mut request).unwrap();
            client.write_all(&pattern(4, 500_000)).unwrap();
        }),
        0,
    );
    for _ in 0..5 {
        let mut client = relaying.connect();
        client.write_all(b"give").unwrap();
        let mut all = Vec::new();
        client.read_to_end(&mut all).unwrap();
        assert!(all == pattern(4, 500_000));
    }
    assert!(relaying.ends_idle());
}

#[test]
fn a_server_that_refuses_a_body_is_heard_before_the_connection_ends() {
    let relaying = Relaying::to(
        serve(|mut client| {
            let mut begin = [0_u8; 10];
            client.read_exact(&mut begin).unwrap();
            client.write_all(b"too large").unwrap();
            client.shutdown(Shutdown::Both).unwrap();
        }),
        0,
    );
    let mut client = relaying.connect();
    client.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let _ = client.write_all(&pattern(5, 4_000_000));
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer);
    assert!(answer.is_empty() || answer == b"too large", "{answer:?}");
    drop(client);
    assert!(relaying.ends_idle());
}

#[test]
fn many_connections_keep_to_themselves() {
    let relaying = Relaying::to(serve(echo), 0);
    let mut clients: Vec<TcpStream> = (0..200).map(|_| relaying.connect()).collect();
    for turn in 0..3 {
        for (number, client) in clients.iter_mut().enumerate() {
            client.write_all(&pattern(number + turn, 300)).unwrap();
        }
        for (number, client) in clients.iter_mut().enumerate() {
            let mut answer = vec![0_u8; 300];
            client.read_exact(&mut answer).unwrap();
            assert!(answer == pattern(number + turn, 300), "connection {number}");
        }
    }
    // Half of them leave without a word, and others take their places.
    clients.truncate(100);
    let mut others: Vec<TcpStream> = (0..100).map(|_| relaying.connect()).collect();
    for client in clients.iter_mut().chain(&mut others) {
        client.write_all(b"still").unwrap();
        let mut answer = [0_u8; 5];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"still");
    }
    drop((clients, others));
    assert!(relaying.ends_idle());
}

#[test]
fn a_client_before_the_server_is_turned_away_and_may_come_again() {
    let server = {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap();
        gone.local_addr().unwrap()
    };
    let relaying = Relaying::to(server, 0);
    for _ in 0..3 {
        let mut client = relaying.connect();
        let mut bytes = [0_u8; 1];
        assert!(matches!(client.read(&mut bytes), Ok(0) | Err(_)));
    }
    let listener = TcpListener::bind(server).unwrap();
    std::thread::spawn(move || echo(listener.accept().unwrap().0));
    let mut client = relaying.connect();
    client.write_all(b"now").unwrap();
    let mut answer = [0_u8; 3];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"now");
    drop(client);
    assert!(relaying.ends_idle());
}

#[test]
fn every_turnaround_costs_the_delay_and_a_body_in_parts_costs_it_once() {
    const DELAY: Duration = Duration::from_millis(2);
    let relaying = Relaying::to(serve(echo), u64::try_from(DELAY.as_nanos()).unwrap());
    let mut client = relaying.connect();
    client.set_nodelay(true).unwrap();
    let mut answer = [0_u8; 4];
    let begun = std::time::Instant::now();
    for _ in 0..20 {
        client.write_all(b"ping").unwrap();
        client.read_exact(&mut answer).unwrap();
    }
    // Burnt time passes at least; no test asserts that it does not pass otherwise.
    assert!(begun.elapsed() >= DELAY * 20, "{:?}", begun.elapsed());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]

    /// Whatever clients send, in whatever pieces, comes back, and none of it ends the relay.
    #[test]
    fn anything_passes(pieces in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 1..2_000), 1..12), abrupt in proptest::bool::ANY) {
        let relaying = Relaying::to(serve(echo), 10);
        let mut client = relaying.connect();
        for piece in &pieces {
            client.write_all(piece).unwrap();
        }
        if !abrupt {
            client.shutdown(Shutdown::Write).unwrap();
            let mut received = Vec::new();
            client.read_to_end(&mut received).unwrap();
            proptest::prop_assert_eq!(received, pieces.concat());
        }
        drop(client);
        proptest::prop_assert!(relaying.ends_idle());
    }
}
