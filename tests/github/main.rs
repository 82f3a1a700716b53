//! Publishing, end to end: the real binary against a double of GitHub on loopback.
#![expect(clippy::unwrap_used, reason = "a test that can't set its stage has failed")]

mod checks;
mod end_to_end;
mod publish;
mod publisher;
mod slash;
mod stage;
mod sticky;
#[path = "../race/support.rs"]
#[expect(dead_code, reason = "the races of another test need more of it")]
mod support;
