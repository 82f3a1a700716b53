//! Which charts a page has: what sums a suite up, in few panels.

use super::super::label::Style;
use super::super::number;
use super::chart::{Bar, Chart, Panel, in_words};
use super::field::{Field, Heat};
use super::{layers, tables, words};
use crate::model::{Case, EntryName, Metric, Role, Suite};

/// How many panels a chart may have, and how many bars a panel.
const PANELS: usize = 6;
const BARS: usize = 24;

/// Requests per second: of the mixes and, where there are few, of the scenarios; else of the categories.
pub(super) fn throughput(field: &Field) -> Option<Chart> {
    let sums = field.of(Suite::Http, |case| matches!(case, Case::Mix(_)));
    let scenarios = field.of(Suite::Http, |case| matches!(case, Case::Scenario(_)));
    let categories = field.of(Suite::Http, |case| matches!(case, Case::Category(_)));
    let rest = if sums.len() + scenarios.len() <= PANELS || categories.is_empty() { scenarios } else { categories };
    let panels = sums.iter().chain(&rest).map(|heat| panel(field, heat, Metric::Rps));
    chart("rps", panels.collect())
}

/// p99 of the scenarios, where they are few.
pub(super) fn latency(field: &Field) -> Option<Chart> {
    let scenarios = field.of(Suite::Http, |case| matches!(case, Case::Scenario(_)));
    if scenarios.len() > PANELS {
        return None;
    }
    chart("p99", scenarios.iter().map(|heat| panel(field, heat, Metric::P99)).collect())
}

/// Cold start and idle memory.
pub(super) fn start(field: &Field) -> Option<Chart> {
    let heats = field.of(Suite::Boot, |_| true);
    let metrics = [Metric::ColdStart, Metric::IdleMemory];
    let panels = heats.iter().flat_map(|heat| metrics.map(|metric| panel(field, heat, metric)));
    chart("start", panels.collect())
}

/// What commands that run to their end print of themselves, and their wall time; of the last case first.
pub(super) fn runs(field: &Field, suite: Suite, name: &'static str) -> Option<Chart> {
    let heats = field.of(suite, |_| true);
    let told = |metric: &Metric| matches!(metric, Metric::Figure(_) | Metric::Wall);
    let panels = heats
        .iter()
        .rev()
        .flat_map(|heat| heat.metrics().into_iter().filter(told).map(|metric| panel(field, heat, metric)));
    chart(name, panels.collect())
}

/// What layers cost in what sums scenarios up, or in the scenarios.
pub(super) fn layer_costs(field: &Field) -> Option<Chart> {
    let layers = layers::layers(field);
    let sums = layers.iter().any(|layer| matches!(layer.heat.case, Case::Mix(_)));
    let mut panels: Vec<Panel> = Vec::new();
    for layer in &layers {
        if sums != matches!(layer.heat.case, Case::Mix(_)) || (!sums && tables::is_sum(layer.heat.case)) {
            continue;
        }
        let title = format!(
            "Share of the floor's req/s that the layer costs, {} (less is better)",
            words::case(layer.heat, Style::Plain)
        );
        let whisker = layer.interval().map(|(low, high)| super::series::Span { low: low.max(0.0), high });
        let bar = Bar {
            label: format!("{} above {}", field.names.plain(layer.entry), field.names.plain(layer.floor)),
            value: layer.cost().max(0.0),
            whisker,
            text: number::percent(layer.cost() * 100.0),
            role: role(field, layer.entry),
        };
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.bars.push(bar),
            None => panels.push(Panel { title, bars: vec![bar] }),
        }
    }
    chart("layers", panels)
}

fn chart(name: &'static str, mut panels: Vec<Panel>) -> Option<Chart> {
    panels.retain(|panel| !panel.bars.is_empty());
    panels.truncate(PANELS);
    (!panels.is_empty()).then(|| Chart { name, title: in_words(&panels), panels })
}

fn panel(field: &Field, heat: &Heat, metric: Metric) -> Panel {
    let bars = heat.ranked(metric).into_iter().take(BARS).filter_map(|(lane, series)| {
        let value = series.median()?;
        Some(Bar {
            label: field.names.plain(lane.entry),
            value,
            whisker: series.interval(),
            text: number::value_in_words(metric, value),
            role: role(field, lane.entry),
        })
    });
    let better = words::better(metric.polarity(heat.suite));
    let topic = words::topic(heat, metric, Style::Plain);
    let title = if metric == Metric::Rps {
        format!("{topic}, requests per second ({better})")
    } else {
        format!("{topic} ({better})")
    };
    Panel { title, bars: bars.collect() }
}

fn role(field: &Field, name: &EntryName) -> Role {
    field.run.results.entries.iter().find(|entry| entry.name == *name).map_or(Role::Subject, |entry| entry.role)
}
