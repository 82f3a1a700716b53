//! The rule alone, on simulated rounds.

use super::parallel::in_parallel;
use super::synthetic_text::{json, text};
use crate::cli::{CalibrateArgs, NoiseChoice};
use crate::commands::sides::seed;
use crate::commands::{CommandError, Finish, Surroundings};
use crate::verdict::calibration::{NoiseKind, Simulation, Tally, simulated};

/// So many pull requests are simulated between two looks at whether the user ended it.
const SHARE: u32 = 20;

/// Judges simulated pull requests whose pairs scatter by `sd_percent`.
///
/// # Errors
/// [`CommandError`].
pub(super) fn synthetic(
    around: &mut Surroundings,
    arguments: &CalibrateArgs,
    sd_percent: f64,
) -> Result<Finish, CommandError> {
    let asked = &arguments.simulation;
    let simulation = Simulation {
        cells: asked.cells,
        sd: sd_percent / 100.0,
        effect: asked.effect.map(|percent| percent / 100.0),
        noise: noise(asked.noise),
        correlation: asked.correlation,
        seed: seed(arguments.seed),
    };
    let tallies = in_parallel(asked.pulls.div_ceil(SHARE), &around.cancel, |share| {
        let first = share * SHARE;
        simulated(&simulation, first..asked.pulls.min(first + SHARE))
    });
    let tallies = tallies.ok_or_else(|| CommandError::Interrupted("interrupted; nothing was counted".to_owned()))?;
    let mut tally = Tally::default();
    for share in tallies {
        tally += share;
    }
    if arguments.json {
        let document = json(&simulation, &tally).map_err(CommandError::infrastructure)?;
        around.print_json(&document)?;
    } else {
        around.print_text("The rule on simulated rounds", &text(&simulation, &tally))?;
    }
    Ok(Finish::Done)
}

fn noise(choice: NoiseChoice) -> NoiseKind {
    match choice {
        NoiseChoice::Gauss => NoiseKind::Gauss,
        NoiseChoice::Heavy => NoiseKind::Heavy,
        NoiseChoice::Bimodal => NoiseKind::Bimodal,
        NoiseChoice::Drift => NoiseKind::Drift,
        NoiseChoice::TwoPoint => NoiseKind::TwoPoint,
    }
}
