//! What is found about one cell.

use super::beside_control::ControlMovement;
use super::context::Context;
use super::decide::{Decision, theta};
use super::failing::{Failing, UnmeasuredReason};
use super::gate::Standpoint;
use super::limits::share_of_log;
use super::pairs::{Pair, pairs};
use super::remaining::{Needed, needed};
use super::robust::{median, robust, robust_deviation};
use super::signed_rank::signed_rank;
use super::walsh::{Interval, hodges_lehmann, walsh_interval};
use super::words::Word;
use crate::model::{CellRecord, Side, Standing};

/// The smallest difference that a cell's own rounds could have proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseThreshold {
    /// As a share: 0.014 for 1.4 %.
    pub share: f64,
    /// Whether the count of pairs is no look for a change, so that the coming look's level stands in.
    pub provisional: bool,
}

/// The verdict on a cell, with everything that is shown beside it. Estimates are over all valid pairs, a decision is of
/// the look that made it. Logarithms are natural; a share is e^log - 1.
#[derive(Clone, Debug, PartialEq)]
pub struct CellVerdict {
    /// The cell's place in `results.cells`.
    pub index: usize,
    /// As what it was judged: a cell recorded as judged stands outside where it is new, gone or info.
    pub standing: Standing,
    /// The word. Cells that stand outside are `undecided` at most; an unusable run proves nothing.
    pub word: Word,
    /// What its own rounds prove, also where the run is unusable or the cell failing.
    pub decision: Decision,
    /// n: the number of valid pairs.
    pub pairs: usize,
    /// m: the trimmed mean of the log-ratios; needs two pairs.
    pub mean: Option<f64>,
    /// s: the scatter of one pair, in log units; needs two pairs.
    pub spread: Option<f64>,
    /// The Hodges-Lehmann estimate, in log units: the difference that is shown.
    pub centre: Option<f64>,
    /// The same less what the control did in the same rounds; of judged cells beside a control with the metric.
    pub beside_control: Option<f64>,
    /// Its interval, as of this cell alone; needs six pairs.
    pub interval: Option<Interval>,
    /// theta, in log units; needs eight pairs and a family.
    pub theta: Option<f64>,
    /// r, in log units.
    pub relevant: f64,
    /// b, in log units.
    pub band: f64,
    /// max(theta, r) as a share.
    pub noise_threshold: Option<NoiseThreshold>,
    /// Two-sided p of the signed-rank test.
    pub signed_rank_p: Option<f64>,
    /// The robust standard deviation of the log-ratios.
    pub pair_noise: Option<f64>,
    /// The median of base's values over the valid pairs, or over all rounds where there is no pair.
    pub base: Option<f64>,
    /// The median of head's values likewise.
    pub head: Option<f64>,
    /// How many pairs would decide it; of judged and control cells that are open after eight.
    pub needed: Option<Needed>,
    /// Why it is unmeasured.
    pub unmeasured: Option<UnmeasuredReason>,
    /// Why it is failing.
    pub failing: Option<Failing>,
}

impl CellVerdict {
    /// The band as a share: 0.03 for "same, within 3 %".
    pub fn band_share(&self) -> f64 {
        share_of_log(self.band)
    }
}

/// Judges one cell; the word does not yet know whether the run is usable.
pub(crate) fn judge_cell(
    context: &Context<'_>,
    moved: &ControlMovement,
    index: usize,
    cell: &CellRecord,
) -> CellVerdict {
    let standing = context.standing(cell);
    let pairs = pairs(cell);
    let decision = context.decision(standing, &cell.key, &pairs);
    let limits = context.limits(&cell.key);
    let critical = context.critical(standing, &cell.key);

    let mut ratios: Vec<f64> = pairs.iter().map(|pair| pair.ratio).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let found = robust(&ratios);
    let spread = found.map(|found| found.spread(limits.floor_of(&pairs)));
    let (centre, interval) = (hodges_lehmann(&ratios), walsh_interval(&ratios));
    let theta = critical.zip(found).zip(spread).and_then(|((critical, found), spread)| theta(&found, spread, critical));
    let noise_threshold = theta.filter(|theta| theta.is_finite()).map(|theta| NoiseThreshold {
        share: share_of_log(theta.max(limits.relevant)),
        provisional: !super::looks::LOOKS.iter().any(|look| look.pairs == pairs.len() && look.increment.is_some()),
    });
    let (unmeasured, failing) = match context.standpoint(cell, pairs.len()) {
        Standpoint::Comparable => (None, None),
        Standpoint::Unmeasured(reason) => (Some(reason), None),
        Standpoint::Failing(failing) => (None, Some(failing)),
    };
    let word = match (failing, unmeasured) {
        (Some(_), _) => Word::Failing,
        (_, Some(_)) => Word::Unmeasured,
        _ => Word::of(decision, cell.key.suite, cell.key.metric),
    };
    let forecast = || {
        let (found, spread, centre) = (found?, spread?, centre?);
        theta?;
        Some(needed(pairs.len(), found.mean, centre, spread, &limits, critical?))
    };
    CellVerdict {
        index,
        standing,
        word,
        decision,
        pairs: pairs.len(),
        mean: found.map(|found| found.mean + 0.0),
        spread,
        centre,
        beside_control: if standing == Standing::Judged { moved.beside(cell) } else { None },
        interval,
        theta,
        relevant: limits.relevant,
        band: limits.band,
        noise_threshold,
        signed_rank_p: (!ratios.is_empty()).then(|| signed_rank(&ratios).p),
        pair_noise: robust_deviation(&ratios),
        base: side_median(cell, &pairs, Side::Base),
        head: side_median(cell, &pairs, Side::Head),
        needed: if word == Word::Undecided { forecast() } else { None },
        unmeasured,
        failing,
    }
}

fn side_median(cell: &CellRecord, pairs: &[Pair], side: Side) -> Option<f64> {
    let of = |base, head| if side == Side::Base { base } else { head };
    let mut values: Vec<f64> = if pairs.is_empty() {
        cell.rounds.iter().filter_map(|value| of(value.base, value.head)).collect()
    } else {
        pairs.iter().filter_map(|pair| of(pair.base, pair.head)).collect()
    };
    values.retain(|value| value.is_finite());
    median(&mut values).map(|value| value + 0.0)
}
