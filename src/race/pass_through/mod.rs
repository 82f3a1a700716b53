//! The pass-through: a relay that stands before a server on loopback and slows it by a known amount.
//!
//! `calibrate` puts one before both sides, so that both pay for the relay, and lets head's alone burn CPU time for
//! every request. Sleeping would lower no throughput while other connections are served: the CPU is what is scarce, so
//! the CPU is what is burnt, on the server's own.
//!
//! Known limits: Linux only. A request is a turnaround: bytes from the client after bytes from the server. Requests that
//! are pipelined and arrive together are one turnaround, so the delay per request is known only without pipelining.
//! The server must listen on the address in HOST or on all of them. What server and relay save by working in batches
//! depends a little on how long each takes, and with it what a request costs beside the delay.

mod burn;
mod known;
mod link;
mod pipe;
mod relay;
mod run;

#[cfg(test)]
mod tests;

pub use known::{KnownDelay, known_delay};
pub use relay::{Relay, Woken};
pub use run::{argv, is_patient, run};
