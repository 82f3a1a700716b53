//! What the rule reaches: pull requests that are simulated, or drawn from the rounds of a real race, raced by the rule
//! itself ([`super::still_racing`] after every round, [`super::judge`] at the end) and counted.
//!
//! [`simulated()`] draws rounds whose noise has a known shape. [`resampled()`] draws the rounds of a real race of base against
//! itself, and [`smallest_provable`] finds the smallest slowdown that such rounds would have proved. A pull request is
//! drawn from the seed and its own number alone, so that any split of the numbers over threads gives the same counts.
//!
//! Known limits. Simulated noise is independent from round to round but for the drift. What is resampled speaks for the
//! machine, the hours and the entries of the real race, and no more finely than its count of rounds allows: twenty rounds
//! are ten blocks. Failures are not drawn: every attempt is taken to have measured.

mod draws;
mod field;
mod made_up;
mod noise;
mod resampled;
mod simulated;
mod smallest;
mod tally;

pub use noise::NoiseKind;
pub use resampled::{Place, Slowdown, resampled};
pub use simulated::{Simulation, simulated};
pub use smallest::{Trial, smallest_provable};
pub use tally::Tally;

#[cfg(test)]
mod resampling_tests;

#[cfg(test)]
pub(crate) use made_up::blank;
