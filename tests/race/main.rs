//! Races with real servers on loopback, run by the real binary in repositories made for the purpose. Every race is short.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod builds;
mod calibrate;
mod changes;
mod cleanliness;
mod commands;
mod controls;
mod disturbance;
mod misbehaving;
mod support;
