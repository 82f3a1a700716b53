//! Baselines: on a branch of the double, and as a person meets them on the command line.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod bad_days;
mod branch;
mod command;
mod support;
