//! The load generator against servers that answer with scripted bytes. Slices are short, and no figure that depends on
//! the machine's speed is asserted.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot be set up has failed")]

mod answers;
mod command;
mod errors;
mod open_loop;
mod server;

use deadheat::race::load::{Expectation, Generator, LoadSettings, PreparedRequest, Waiting};
use server::Server;
use std::time::Duration;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn settings(connections: usize, pipelining: usize) -> LoadSettings {
    LoadSettings { connections, pipelining, waiting: Waiting::Sleep, timeout: Duration::from_secs(5) }
}

fn get() -> PreparedRequest {
    PreparedRequest::new("test.invalid", "GET", "/", &[], None).unwrap()
}

fn generator(server: &Server, settings: &LoadSettings) -> Generator {
    Generator::new(server.address, get(), Expectation::of_status(200), settings).unwrap()
}
