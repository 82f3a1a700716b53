//! What chance decides about one pull request.

use crate::model::Seed;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;

/// A stream of random numbers of its own for every pull request.
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream of the pull request with this number.
    pub(super) fn new(seed: Seed, pull: u32) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed.0);
        stream.set_stream(u64::from(pull));
        Self(stream)
    }

    /// A number from 0 up to and without 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// A standard normal number, by Box and Muller.
    pub(super) fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (TAU * self.uniform()).cos()
    }

    /// True with this chance.
    pub(super) fn happens(&mut self, chance: f64) -> bool {
        self.uniform() < chance
    }

    /// A number from 0 up to and without `count`, which is not 0. The largest share by which one is likelier than another
    /// is `count` / 2^64.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.0.next_u64()) * count as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }
}
