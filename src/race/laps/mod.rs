//! The measured laps of one scenario: warm-up, then slices of base and head that alternate while both servers live.
//!
//! Slices come in pairs of neighbours. A pair that the machine disturbed is thrown away and measured again, both slices in
//! the same order, whatever they showed; how often is limited, and what comes after that counts as disturbed. Wrong
//! answers count wherever they are given.

mod failure;
mod lapping;
mod notice;
mod units;

pub(super) use lapping::{LapPlan, Laps, run};
