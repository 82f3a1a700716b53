//! What became of many pull requests.

use crate::verdict::{BinomialInterval, binomial_interval};
use std::ops::AddAssign;

/// Counts over pull requests. They are whole numbers and only added, so that the order of adding does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pull requests.
    pub pulls: u32,
    /// Those with a proved difference in any cell that was not slowed, whether or not a control forbade to show it.
    pub flagged: u32,
    /// Those whose slowed scenario was shown as worse.
    pub found: u32,
    /// Those whose run was called shifted as a whole.
    pub shifted: u32,
    /// Those of which a control was proved changed, so that nothing of them was shown as proved.
    pub unusable: u32,
    /// Slowed scenarios.
    pub slowed_scenarios: u64,
    /// Rounds that they raced.
    pub slowed_rounds: u64,
    /// Scenarios that were not slowed.
    pub unchanged_scenarios: u64,
    /// Rounds that they raced.
    pub unchanged_rounds: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.pulls += other.pulls;
        self.flagged += other.flagged;
        self.found += other.found;
        self.shifted += other.shifted;
        self.unusable += other.unusable;
        self.slowed_scenarios += other.slowed_scenarios;
        self.slowed_rounds += other.slowed_rounds;
        self.unchanged_scenarios += other.unchanged_scenarios;
        self.unchanged_rounds += other.unchanged_rounds;
    }
}

impl Tally {
    /// The share of pull requests with a false flag; absent where there are none.
    pub fn false_flag_rate(&self) -> Option<f64> {
        self.share(self.flagged)
    }

    /// Where the chance of a false flag lies, with 95 %.
    pub fn false_flag_interval(&self) -> Option<BinomialInterval> {
        binomial_interval(self.flagged, self.pulls)
    }

    /// The share of pull requests whose slowed scenario was found; absent where nothing was slowed.
    pub fn found_rate(&self) -> Option<f64> {
        self.share(self.found).filter(|_| self.slowed_scenarios > 0)
    }

    /// Where the chance to find it lies, with 95 %.
    pub fn found_interval(&self) -> Option<BinomialInterval> {
        binomial_interval(self.found, self.pulls).filter(|_| self.slowed_scenarios > 0)
    }

    /// The share of pull requests that were called shifted.
    pub fn shifted_rate(&self) -> Option<f64> {
        self.share(self.shifted)
    }

    /// The mean of the rounds that a slowed scenario raced.
    pub fn mean_rounds_slowed(&self) -> Option<f64> {
        mean(self.slowed_rounds, self.slowed_scenarios)
    }

    /// The mean of the rounds that a scenario raced that was not slowed.
    pub fn mean_rounds_unchanged(&self) -> Option<f64> {
        mean(self.unchanged_rounds, self.unchanged_scenarios)
    }

    fn share(&self, count: u32) -> Option<f64> {
        mean(u64::from(count), u64::from(self.pulls))
    }
}

fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}
