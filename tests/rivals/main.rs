//! Rules that deadheat replays against the tools' own code, on the same rounds; and `deadheat replay` as a person meets it.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod cases;
mod command;
mod own_code;
