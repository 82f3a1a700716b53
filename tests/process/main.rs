//! Children under the guard: real processes, started by the real binary.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod accounting;
mod children;
mod clean_build;
mod commands;
mod guard;
mod measured;
mod pass_through;
mod support;
