//! The race of identical builds: everybody against itself, for a number of rounds that no figure decides.

use super::one_build::line_up;
use super::stage::{Conditions, Everybody, Stage};
use crate::commands::field::{Asked, ControlChoice, Field};
use crate::commands::outcome::CommandError;
use crate::commands::prepare::Grid;
use crate::commands::progress::{Display, minutes};
use crate::commands::sides::Sides;
use crate::commands::tracks::Tracks;
use crate::model::{CalibrationRecord, Lineup, Results, Suite};
use crate::plan::{Lane, LanePlan, Protocol};
use crate::race::LaneCost;
use crate::report::RoundPart;
use std::time::Duration;

/// Fewer rounds prove nothing.
const FEWEST: u32 = 8;
/// How much longer than expected the fewest rounds may take.
const PATIENCE: f64 = 1.5;

/// What was raced.
pub(super) struct Identical {
    pub(super) results: Results,
    /// How the time of a round is shared out.
    pub(super) parts: Vec<RoundPart>,
}

/// How many of the rounds that are asked for the budget holds: a whole number of blocks where it is fewer, and never fewer
/// than prove anything.
fn rounds_within(asked: u32, budget: Duration, round_s: f64) -> u32 {
    let holds = (budget.as_secs_f64() / round_s).floor();
    if holds >= f64::from(asked) {
        return asked;
    }
    let blocks = (1..=asked / 2).take_while(|blocks| f64::from(2 * blocks) <= holds).last().unwrap_or(0);
    (2 * blocks).max(FEWEST.min(asked))
}

/// Races everybody against itself.
pub(super) fn race_identical(
    stage: &Stage<'_>,
    grid: &Grid,
    sides: &Sides,
    tracks: &Tracks,
    asked: &Asked<'_>,
    display: &mut Display,
) -> Result<Identical, CommandError> {
    let field = line_up(grid, sides, tracks, asked, CalibrationRecord::default());
    let http = asked.selection.has_suite(Suite::Http);
    let cost = LaneCost::new(asked.protocol, &grid.configuration.scenarios, http, field.run_times.clone());
    let round_s = cost.round_s(&paired(&field));
    if round_s <= 0.0 {
        return Err(CommandError::usage(nothing_to_race(grid)));
    }
    let budget = asked.protocol.budget;
    let rounds = rounds_within(asked.protocol.rounds_max, budget, round_s);
    let protocol = Protocol { rounds_min: rounds, rounds_max: rounds, ..asked.protocol.clone() };
    let asked = Asked { protocol: &protocol, control: ControlChoice::Nobody, ..*asked };
    let field = line_up(grid, sides, tracks, &asked, CalibrationRecord::default());
    display.say(&plan_text(&field, rounds, round_s, budget));
    let least = Duration::from_secs_f64(PATIENCE * round_s * f64::from(FEWEST));
    let everybody = Everybody(&field.lanes);
    let conditions = Conditions { cost: &cost, budget: budget.max(least), referee: &everybody };
    let results = stage.race(&field, &conditions, display)?;
    Ok(Identical { parts: parts(&field, &cost, &results), results })
}

fn paired(field: &Field) -> Vec<LanePlan> {
    field.lanes.iter().filter(|plan| plan.lineup == Lineup::Paired).cloned().collect()
}

fn plan_text(field: &Field, rounds: u32, round_s: f64, budget: Duration) -> String {
    let names: Vec<String> = paired(field).iter().map(|plan| plan.lane.to_string()).collect();
    format!(
        "{} against itself: {rounds} rounds of about {round_s:.1} s, in a budget of {}",
        names.join(", "),
        minutes(budget)
    )
}

/// Why nobody can be raced, as far as building and the gate know.
fn nothing_to_race(grid: &Grid) -> String {
    let failures = grid.failures.iter().take(5).map(|failure| format!("\n  {}: {}", failure.entry, failure.message));
    let text = "failed to calibrate: nothing that was chosen builds, starts and answers as the contract says";
    format!("{text}{}", failures.collect::<String>())
}

/// What a round really took, shared out as it was expected to be.
fn parts(field: &Field, cost: &LaneCost, results: &Results) -> Vec<RoundPart> {
    let lanes = paired(field);
    let expected = cost.round_s(&lanes);
    let real = results.time.race_s / f64::from(results.rounds.max(1));
    let scale = if expected > 0.0 { real / expected } else { 0.0 };
    let part = |plan: &LanePlan| {
        let Lane { entry, regime } = plan.lane.clone();
        let parts = cost.parts_s(plan).into_iter();
        let parts = parts.map(move |(case, seconds)| RoundPart {
            entry: entry.clone(),
            regime: regime.clone(),
            case,
            seconds: seconds * scale,
        });
        parts.collect::<Vec<_>>()
    };
    lanes.iter().flat_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_holds_fewer_rounds_gets_whole_blocks_and_never_fewer_than_eight() {
        let rounds = |asked, seconds| rounds_within(asked, Duration::from_secs(seconds), 10.0);
        assert_eq!(rounds(20, 200), 20);
        assert_eq!(rounds(19, 190), 19);
        assert_eq!(rounds(20, 199), 18);
        assert_eq!(rounds(20, 130), 12);
        assert_eq!(rounds(20, 89), 8);
        assert_eq!(rounds(20, 1), 8);
        assert_eq!(rounds(8, 1), 8);
    }
}
