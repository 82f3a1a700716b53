//! What came of simulated pull requests, as people and scripts read it.

use crate::report::{percent, small_percent};
use crate::verdict::BinomialInterval;
use crate::verdict::calibration::{NoiseKind, Simulation, Tally};
use serde::Serialize;
use std::fmt::Write;

/// One document for scripts. `mean_rounds` is that of the slowed scenario where one was slowed, else of an unchanged one.
pub(super) fn json(simulation: &Simulation, tally: &Tally) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document {
        pulls: u32,
        cells: u32,
        sd_pct: f64,
        effect_pct: Option<f64>,
        noise: &'static str,
        correlation: f64,
        seed: u64,
        false_flag_rate: Option<f64>,
        false_flag_interval: Option<[f64; 2]>,
        found: Option<f64>,
        mean_rounds: Option<f64>,
        mean_rounds_unchanged: Option<f64>,
        shifted_rate: Option<f64>,
    }
    let document = Document {
        pulls: tally.pulls,
        cells: simulation.cells,
        sd_pct: in_percent(simulation.sd),
        effect_pct: simulation.effect.map(in_percent),
        noise: simulation.noise.as_str(),
        correlation: simulation.correlation,
        seed: simulation.seed.0,
        false_flag_rate: tally.false_flag_rate(),
        false_flag_interval: tally.false_flag_interval().map(|interval| [interval.low, interval.high]),
        found: tally.found_rate(),
        mean_rounds: tally.mean_rounds_slowed().or_else(|| tally.mean_rounds_unchanged()),
        mean_rounds_unchanged: tally.mean_rounds_unchanged(),
        shifted_rate: tally.shifted_rate(),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// A share as percent, free of the last digit's error of the division that made it.
fn in_percent(share: f64) -> f64 {
    (share * 1e11).round() / 1e9
}

/// Sentences and a table for people.
pub(super) fn text(simulation: &Simulation, tally: &Tally) -> String {
    let Simulation { cells, sd, effect, noise, correlation, seed } = simulation;
    let share = |share: f64| percent(100.0 * share);
    let slowed = match effect {
        Some(effect) => {
            format!("In each, one scenario was slowed by {}, and nothing else was changed.", share(*effect))
        }
        None => "Nothing was changed in any of them.".to_owned(),
    };
    let mut text = format!(
        "The decision rule judged {} simulated pull requests of {cells} cells each, whose pairs scatter by {}:\n{}.\n\
         {slowed} The seed was {seed}.\n\n",
        tally.pulls,
        share(*sd),
        shape(*noise),
    );
    row(&mut text, "false flags", &counted(tally.flagged, tally.pulls, tally.false_flag_interval()));
    if effect.is_some() {
        row(&mut text, "slowdown found", &counted(tally.found, tally.pulls, tally.found_interval()));
    }
    row(&mut text, "run called shifted", &counted(tally.shifted, tally.pulls, None));
    if let Some(rounds) = tally.mean_rounds_slowed() {
        row(&mut text, "rounds, slowed", &format!("{rounds:.1} in the mean, of the scenario that was slowed"));
    }
    if let Some(rounds) = tally.mean_rounds_unchanged() {
        row(&mut text, "rounds, unchanged", &format!("{rounds:.1} in the mean, of a scenario that was not slowed"));
    }
    text.push('\n');
    text.push_str(
        "A false flag is a proved difference in any cell that was not slowed. In parentheses: where the true share\n\
         lies, with 95 %.\n",
    );
    if *noise == NoiseKind::TwoPoint {
        text.push_str(
            "\nNoise of two points is a known weak spot of the rule: a few such values often look tighter than they are.\n\
             The four metrics of a scenario are drawn each for itself, whatever the correlation.\n",
        );
    } else if *correlation > 0.0 {
        text.push_str(
            "\nA round's requests per second and p50 were drawn with a positive correlation, as the rule's reference\n\
             values were. On a real machine it is negative: a round that is slow by chance answers less and takes longer.\n\
             With --correlation -0.8 small slowdowns are found less often (2 % at a scatter of 1.6 %: in about five of\n\
             six pull requests), and all else is the same.\n",
        );
    }
    text
}

fn row(text: &mut String, name: &str, figure: &str) {
    // Writing to a String can't fail.
    let _ = writeln!(text, "  {name:<20}{figure}");
}

fn counted(count: u32, of: u32, interval: Option<BinomialInterval>) -> String {
    let rate = small_percent(100.0 * f64::from(count) / f64::from(of));
    let interval = interval.map(|interval| {
        format!(" ({} to {})", small_percent(100.0 * interval.low), small_percent(100.0 * interval.high))
    });
    format!("{count} of {of}: {rate}{}", interval.unwrap_or_default())
}

fn shape(noise: NoiseKind) -> &'static str {
    match noise {
        NoiseKind::Gauss => "normally",
        NoiseKind::Heavy => "normally, and five measurements of a hundred ten times as wide",
        NoiseKind::Bimodal => {
            "normally, around one of two modes; a side is in the one that is four standard deviations slower with a\n\
             chance of 15 %"
        }
        NoiseKind::Drift => {
            "normally, on a machine that becomes half a standard deviation slower with every round, give or take as\n\
             much; the second side of a pair is measured half a round after the first"
        }
        NoiseKind::TwoPoint => "at one of two points, 1.875 standard deviations to each side, and nowhere else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Seed;

    fn simulation(effect: Option<f64>, noise: NoiseKind, correlation: f64) -> Simulation {
        Simulation { cells: 40, sd: 0.016, effect, noise, correlation, seed: Seed(42) }
    }

    const UNCHANGED: Tally = Tally {
        pulls: 2000,
        flagged: 3,
        found: 0,
        shifted: 12,
        unusable: 0,
        slowed_scenarios: 0,
        slowed_rounds: 0,
        unchanged_scenarios: 20_000,
        unchanged_rounds: 216_400,
    };
    const SLOWED: Tally =
        Tally { found: 1991, slowed_scenarios: 2000, slowed_rounds: 28_140, unchanged_scenarios: 18_000, ..UNCHANGED };

    #[test]
    fn texts() {
        insta::assert_snapshot!("unchanged", text(&simulation(None, NoiseKind::Heavy, 0.8), &UNCHANGED));
        insta::assert_snapshot!("slowed", text(&simulation(Some(0.03), NoiseKind::Drift, -0.8), &SLOWED));
        insta::assert_snapshot!("two_point", text(&simulation(None, NoiseKind::TwoPoint, 0.8), &UNCHANGED));
        // Ten scenarios of which one is slowed leave nine; one that is slowed leaves none.
        let alone = Tally { unchanged_scenarios: 0, unchanged_rounds: 0, ..SLOWED };
        insta::assert_snapshot!("alone", text(&simulation(Some(0.03), NoiseKind::Bimodal, 0.0), &alone));
    }

    #[test]
    fn documents() {
        let document = |simulation, tally| json(&simulation, &tally).unwrap();
        insta::assert_snapshot!("unchanged_json", document(simulation(None, NoiseKind::Heavy, 0.8), UNCHANGED));
        insta::assert_snapshot!("slowed_json", document(simulation(Some(0.03), NoiseKind::TwoPoint, -0.8), SLOWED));
    }

    #[test]
    fn percentages_are_those_that_were_typed() {
        for typed in [1.6, 0.1, 3.0, 2.7, 14.3, 100.0, 1e-6] {
            assert!((in_percent(typed / 100.0) - typed).abs() <= f64::EPSILON * typed, "{typed}");
        }
    }
}
