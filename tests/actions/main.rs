//! `deadheat run` as a step of GitHub Actions: event files, clones as a job has them, real builds and servers, and the
//! log read by a runner's rules. Every race is quick.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod decisions;
mod events;
mod job;
mod mistakes;
mod races;
#[path = "../../src/github/actions/runner.rs"]
mod runner;
#[path = "../race/support.rs"]
#[expect(dead_code, reason = "the races of another test need more of it")]
mod support;
