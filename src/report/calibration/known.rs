//! The known slowdown: what is known of it beside what was measured.

use super::describe::interval_pct;
use super::document::{KnownMetric, KnownSlowdown};
use super::input::SlowedInput;
use crate::model::{Case, CellRecord, Metric, Suite};
use crate::report::number::log_to_percent;
use crate::verdict::{CellVerdict, judge};

/// The metrics whose difference is known by construction.
const KNOWN: [Metric; 3] = [Metric::Rps, Metric::P50, Metric::CpuPerRequest];

/// What was found of a known slowdown.
pub(super) fn known_slowdown(input: &SlowedInput<'_>) -> KnownSlowdown {
    let verdict = judge(input.results);
    let of_scenario = |case: &Case| matches!(case, Case::Scenario(name) if name == input.scenario);
    let find = |metric: Metric| {
        let cells = input.results.cells.iter().zip(&verdict.cells);
        cells
            .into_iter()
            .find(|(cell, _)| cell.key.suite == Suite::Http && cell.key.metric == metric && of_scenario(&cell.key.case))
    };
    let found: Vec<(Metric, (&CellRecord, &CellVerdict))> =
        KNOWN.into_iter().filter_map(|metric| Some((metric, find(metric)?))).collect();
    let proved =
        found.iter().filter(|(metric, (_, cell))| *metric != Metric::CpuPerRequest && cell.word.is_regression());
    let slower =
        slower(input, found.iter().find(|(metric, _)| *metric == Metric::CpuPerRequest).map(|(_, (_, cell))| *cell));
    let found_after = proved.filter_map(|(_, (_, cell))| cell.decision.decided_at()).min();
    KnownSlowdown {
        entry: input.entry.clone(),
        scenario: input.scenario.clone(),
        regime: found.first().and_then(|(_, (cell, _))| cell.key.regime.clone()),
        slower_pct: slower * 100.0,
        delay_ns: input.delay_ns,
        request_us: input.request_us,
        busy_pct: input.busy.map(|share| share * 100.0),
        found: found_after.is_some(),
        found_after,
        rounds: input.results.rounds,
        metrics: found.iter().map(|(metric, (_, cell))| known_metric(slower, *metric, cell)).collect(),
    }
}

/// By which share a request of head's cost more: the delay over what base's cost in the same race, which says more than
/// the short measurement that the delay was chosen by. That one stands in where the race has no such figure.
fn slower(input: &SlowedInput<'_>, cpu: Option<&CellVerdict>) -> f64 {
    let base = cpu.filter(|cell| cell.pairs > 0).and_then(|cell| cell.base).filter(|base| *base > 0.0);
    input.delay_ns as f64 / 1e3 / base.unwrap_or(input.request_us)
}

fn known_metric(slower: f64, metric: Metric, cell: &CellVerdict) -> KnownMetric {
    // A CPU that is kept busy answers 1 / (1 + slower) as much.
    let known = if metric == Metric::Rps { -slower / (1.0 + slower) } else { slower };
    KnownMetric {
        metric,
        known_pct: known * 100.0,
        measured_pct: cell.centre.map(log_to_percent),
        interval_pct: interval_pct(cell),
        rounds: cell.pairs,
        verdict: cell.word.as_str().to_owned(),
    }
}
