//! From an event to what people see: real races, which nothing else may disturb, published to the double.
#![expect(clippy::unwrap_used, reason = "a test that can't set its stage has failed")]

mod events;
#[path = "../race/support.rs"]
#[expect(dead_code, reason = "other tests of races need more of it")]
mod support;
