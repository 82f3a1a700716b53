//! How simulated measurements scatter.
//!
//! Everything is in log units of head over base, and a share of sd as a log unit: 1.6 % is .016. p50 scatters by .8 sd
//! and is correlated with rps, p99 scatters by 2 sd, rps and CPU per request by sd. What makes a side slower lowers its
//! rps and raises the other three.

use super::draws::Draws;

/// Rps, p50, p99, CPU: the standard deviations in units of sd.
const WIDTHS: [f64; 4] = [1.0, 0.8, 2.0, 1.0];
/// Where slowness moves them.
const SLOWER: [f64; 4] = [-1.0, 1.0, 1.0, 1.0];

/// A way in which simulated measurements scatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoiseKind {
    /// Normally.
    Gauss,
    /// Normally, and five measurements of a hundred are ten times as wide.
    #[default]
    Heavy,
    /// Normally, around one of two modes: with a chance of 15 % for each side, scenario and round, a side is in a mode
    /// that is slower by four standard deviations (a process that was laid out or compiled badly). So a quarter of the
    /// pairs lie far to one side or the other.
    Bimodal,
    /// Normally, on a machine that becomes slower while it measures: by half a standard deviation a round (a third over 40
    /// rounds at 1.6 %), give or take another half at random.
    ///
    /// Pairs cancel all of it but what happens between their two sides, of which the second is taken to be measured half a
    /// round after the first: half a round's step, the same for all scenarios of the round. Who is second changes within
    /// each block of two rounds, so that the steady part cancels there and the random part remains as noise.
    Drift,
    /// At one of two points, 1.875 standard deviations to each side (3 % at 1.6 %), all four metrics alike and each for
    /// itself. A known weak spot: a few such values often look tighter than they are.
    TwoPoint,
}

impl NoiseKind {
    /// The name on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gauss => "gauss",
            Self::Heavy => "heavy",
            Self::Bimodal => "bimodal",
            Self::Drift => "drift",
            Self::TwoPoint => "two-point",
        }
    }
}

/// The chance of a side to be in the slower mode.
const SLOWER_MODE: f64 = 0.15;
/// How much slower it is, in units of sd.
const MODE: f64 = 4.0;
/// How much slower the drifting machine is after a round, in units of sd, and the standard deviation of that.
const STEP: f64 = 0.5;
/// The two points, in units of sd: 3 % at 1.6 %.
const POINT: f64 = 1.875;

/// Measurements of one pull request.
pub(super) struct Noise {
    kind: NoiseKind,
    sd: f64,
    correlation: f64,
    /// How much slower head is than base in this round because the machine drifts.
    drift: f64,
    /// Whether head is second in the first round of this block.
    head_second: bool,
}

impl Noise {
    /// Of this shape, with `sd` in log units.
    pub(super) fn new(kind: NoiseKind, sd: f64, correlation: f64) -> Self {
        Self { kind, sd, correlation: correlation.clamp(-1.0, 1.0), drift: 0.0, head_second: false }
    }

    /// Opens a round, which all scenarios share.
    pub(super) fn open_round(&mut self, draws: &mut Draws, round: u32) {
        if self.kind != NoiseKind::Drift {
            return;
        }
        if round.is_multiple_of(2) {
            self.head_second = draws.happens(0.5);
        }
        let step = STEP * self.sd * (1.0 + draws.normal());
        let second = self.head_second == round.is_multiple_of(2);
        self.drift = if second { 0.5 * step } else { -0.5 * step };
    }

    /// One scenario's log-ratios of a round: rps, p50, p99, CPU.
    pub(super) fn scenario(&mut self, draws: &mut Draws) -> [f64; 4] {
        if self.kind == NoiseKind::TwoPoint {
            return WIDTHS.map(|_| if draws.happens(0.5) { POINT * self.sd } else { -POINT * self.sd });
        }
        let rps = draws.normal();
        let p50 = self.correlation * rps + (1.0 - self.correlation * self.correlation).sqrt() * draws.normal();
        let standard = [rps, p50, draws.normal(), draws.normal()];
        let mode = |draws: &mut Draws| f64::from(u8::from(draws.happens(SLOWER_MODE)));
        let slower = match self.kind {
            NoiseKind::Bimodal => MODE * self.sd * (mode(draws) - mode(draws)),
            _ => 0.0,
        };
        let mut ratios = [0.0; 4];
        for (metric, ratio) in ratios.iter_mut().enumerate() {
            let wide = if self.kind == NoiseKind::Heavy && draws.happens(0.05) { 10.0 } else { 1.0 };
            let scatter = standard[metric] * wide * self.sd + SLOWER[metric] * slower;
            *ratio = WIDTHS[metric] * scatter + SLOWER[metric] * self.drift;
        }
        ratios
    }
}
