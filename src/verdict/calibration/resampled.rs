//! Pull requests drawn from the rounds of a real race of base against itself.
//!
//! What is drawn are blocks of two consecutive rounds, with replacement, and each over all cells at once: so the noise
//! keeps its shape, its correlation between cells, and the order of the sides that cancels within a block. Each cell's
//! log-ratios are first centred by their Hodges-Lehmann estimate, because the two sides are known to be the same; what is
//! left scatters as the real rounds did, a little less than the machine does (by 2.5 % at 20 rounds).
//!
//! Known limit: few blocks repeat themselves, and a draw of mostly the same ones looks tighter than the machine is. Over 40
//! made-up races of 32 cells with the heavy noise of the synthetic model, in which no fresh pull request of 4,000 has a
//! false flag, .33 % of those drawn from 12 rounds have one, .15 % from 20 and .03 % from 40; and unchanged scenarios stay
//! for a mean of 13.4, 12.2 and 11.5 rounds instead of 10.8. So what is drawn errs to the side of caution.

use super::draws::Draws;
use super::field::Field;
use super::tally::Tally;
use crate::model::{
    Case, CellKey, CellRecord, EntryName, Metric, RegimeName, Results, RoundValue, ScenarioName, Seed, Standing, Suite,
};
use crate::verdict::context::Context;
use crate::verdict::limits::log_of_share;
use crate::verdict::looks::{MAX_PAIRS, MIN_PAIRS};
use crate::verdict::pairs::{Pair, pairs};
use crate::verdict::walsh::hodges_lehmann;
use std::ops::Range;

/// Rounds from this one on are not drawn; no race has as many.
const MOST_ROUNDS: u32 = 1000;

/// A scenario of an entry under a regime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The entry.
    pub entry: EntryName,
    /// The regime, where the configuration names some.
    pub regime: Option<RegimeName>,
    /// The scenario.
    pub scenario: ScenarioName,
}

impl Place {
    fn holds(&self, key: &CellKey) -> bool {
        key.entry == self.entry
            && key.regime == self.regime
            && matches!(&key.case, Case::Scenario(scenario) if *scenario == self.scenario)
    }
}

/// A scenario of head made slower: of the closed loop its rps lower, and its p50 and CPU per request higher. p99, memory
/// and the open loop stay as they are, so that what is found is found by the judged cells of speed and CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Slowdown {
    /// What is slowed.
    pub place: Place,
    /// By how much, such as .03: base's rps is 1.03 times head's.
    pub share: f64,
}

/// Draws the pull requests with these numbers from `real`, races each for at most `rounds` rounds (up to 40) and counts
/// what became of them. There are none where `real` holds no block of two rounds.
pub fn resampled(real: &Results, effect: Option<&Slowdown>, rounds: u32, pulls: Range<u32>, seed: Seed) -> Tally {
    let mut resampling = Resampling::new(real, effect.map(|slowdown| &slowdown.place), rounds, false);
    let slowdown = effect.map_or(0.0, |slowdown| log_of_share(slowdown.share));
    let mut tally = Tally::default();
    for pull in pulls {
        tally += resampling.pull(seed, pull, slowdown);
    }
    tally
}

/// A real race, ready to be drawn from.
pub(super) struct Resampling {
    field: Field,
    cells: Vec<Source>,
    /// The first rounds of the blocks.
    blocks: Vec<u32>,
    rounds: u32,
}

/// Where a cell's values are drawn from.
struct Source {
    /// By round: the centred pair.
    pairs: Vec<Option<Pair>>,
    /// Where a slowdown moves it: up, down or not.
    direction: f64,
}

impl Resampling {
    /// Of the judged and control cells of `real`, of which those of `slowed` are slowed; or, `alone`, of these only. They
    /// are judged in the families of all: who is raced beside a scenario changes nothing else for it.
    pub(super) fn new(real: &Results, slowed: Option<&Place>, rounds: u32, alone: bool) -> Self {
        let context = Context::new(real);
        let is_slowed = |key: &CellKey| slowed.is_some_and(|place| place.holds(key));
        let raced =
            |cell: &&CellRecord| context.standing(cell) != Standing::Outside && (!alone || is_slowed(&cell.key));
        let kept: Vec<&CellRecord> = real.cells.iter().filter(raced).collect();
        let length = usize::try_from(real.rounds.min(MOST_ROUNDS)).unwrap_or(0);
        let cells: Vec<Source> = kept.iter().map(|cell| Source::of(cell, length)).collect();
        let measured = |round: usize| cells.iter().any(|cell| cell.pairs[round..round + 2].iter().any(Option::is_some));
        let blocks = (0..length.saturating_sub(1)).step_by(2).filter(|&round| measured(round));
        let blocks = blocks.filter_map(|round| u32::try_from(round).ok()).collect();

        let mut run = real.clone();
        run.cells = kept.iter().map(|cell| CellRecord { rounds: Vec::new(), ..(*cell).clone() }).collect();
        run.attempts.clear();
        let rounds = rounds.min(u32::try_from(MAX_PAIRS).unwrap_or(u32::MAX));
        run.protocol.rounds_max = rounds;
        run.protocol.rounds_min = u32::try_from(MIN_PAIRS).unwrap_or(u32::MAX);
        let field = Field::new(run, context.families(), is_slowed);
        Self { field, cells, blocks, rounds }
    }

    /// Draws and races one pull request, with what is slowed slower by `slowdown` log units.
    pub(super) fn pull(&mut self, seed: Seed, pull: u32, slowdown: f64) -> Tally {
        if self.blocks.is_empty() {
            return Tally::default();
        }
        let mut draws = Draws::new(seed, pull);
        let drawn: Vec<u32> =
            (0..self.rounds.div_ceil(2)).map(|_| self.blocks[draws.below(self.blocks.len())]).collect();
        let cells = &self.cells;
        self.field.race(|run, heat| {
            let round = run.rounds;
            let Some(first) = usize::try_from(round / 2).ok().and_then(|block| drawn.get(block)) else { return };
            let from = usize::try_from(first + round % 2).unwrap_or(usize::MAX);
            for &index in &heat.cells {
                let Some(pair) = cells[index].pairs.get(from).copied().flatten() else { continue };
                let moved = if heat.slowed { cells[index].direction * slowdown } else { 0.0 };
                let head = pair.head.map(|head| head * moved.exp());
                let log_ratio = Some(pair.ratio + moved);
                run.cells[index].rounds.push(RoundValue { round, base: pair.base, head, log_ratio });
            }
        })
    }
}

impl Source {
    fn of(cell: &CellRecord, length: usize) -> Self {
        let measured = pairs(cell);
        let mut ratios: Vec<f64> = measured.iter().map(|pair| pair.ratio).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let centre = hodges_lehmann(&ratios).unwrap_or(0.0);
        let mut by_round = vec![None; length];
        for pair in measured {
            let place = usize::try_from(pair.round).ok().and_then(|round| by_round.get_mut(round));
            if let Some(place) = place {
                let head = pair.head.map(|head| head * (-centre).exp());
                *place = Some(Pair { ratio: pair.ratio - centre, head, ..pair });
            }
        }
        let direction = match (cell.key.suite, cell.key.metric) {
            (Suite::Http, Metric::Rps) => -1.0,
            (Suite::Http, Metric::P50 | Metric::CpuPerRequest) => 1.0,
            _ => 0.0,
        };
        Self { pairs: by_round, direction }
    }
}
