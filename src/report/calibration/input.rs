//! What a calibration hands over to be described.

use crate::model::{Case, EntryName, RegimeName, Results, ScenarioName};
use crate::verdict::MAX_PAIRS;

/// The budgets that are spoken of, in minutes.
pub const BUDGETS_MIN: [u32; 3] = [5, 10, 20];

/// A part of a round: what one scenario, or a start, of one entry takes.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundPart {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// The scenario, or the start where nothing else is raced.
    pub case: Case,
    /// Seconds of both sides together.
    pub seconds: f64,
}

/// How many rounds of so many seconds a budget holds; no race has more than the rule knows.
pub fn rounds_held(minutes: u32, round_s: f64) -> u32 {
    let held = f64::from(minutes) * 60.0 / round_s;
    let most = u32::try_from(MAX_PAIRS).unwrap_or(u32::MAX);
    (1..=most).take_while(|&rounds| f64::from(rounds) <= held).last().unwrap_or(0)
}

/// The smallest slowdown that a number of rounds proves, as far as the rounds of a calibration tell.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvableSlowdown {
    /// The entry.
    pub entry: EntryName,
    /// The regime.
    pub regime: Option<RegimeName>,
    /// The scenario, or the start.
    pub case: Case,
    /// Rounds.
    pub rounds: u32,
    /// As a share of the time that a request, or a start, takes; absent where none that was tried is proved.
    pub share: Option<f64>,
}

/// Everything that was found out.
#[derive(Debug)]
pub struct CalibrationInput<'a> {
    /// The race of identical builds.
    pub identical: &'a Results,
    /// The rounds that it was asked for.
    pub asked_rounds: u32,
    /// How the time of a round of it is shared out.
    pub parts: &'a [RoundPart],
    /// The pull requests that were drawn from its rounds, where there were enough.
    pub resampled: Option<super::Resampled>,
    /// What is provable, by entry, case and rounds.
    pub provable: &'a [ProvableSlowdown],
    /// The race of the known slowdown, or why there was none.
    pub slowed: Result<SlowedInput<'a>, String>,
}

/// The race of a known slowdown.
#[derive(Clone, Copy, Debug)]
pub struct SlowedInput<'a> {
    /// The race.
    pub results: &'a Results,
    /// The entry.
    pub entry: &'a EntryName,
    /// The scenario.
    pub scenario: &'a ScenarioName,
    /// Nanoseconds of CPU time that every request of head's burnt.
    pub delay_ns: u64,
    /// CPU microseconds that server and pass-through use for a request without.
    pub request_us: f64,
    /// The share of their CPU's time that they used without, where it could be read.
    pub busy: Option<f64>,
}
