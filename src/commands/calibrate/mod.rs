//! `deadheat calibrate`: what this machine can prove, and what the rule does on simulated rounds.
//!
//! Known limits: the real calibration speaks for this machine, these entries and these rounds; the simulated one for the
//! rule alone, with noise of a known shape.

mod command;
mod drawn;
mod identical;
mod one_build;
mod parallel;
mod real;
mod slowed;
mod stage;
mod synthetic;
mod synthetic_text;

pub use command::calibrate;
