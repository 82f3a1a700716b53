//! What a layer costs above the HTTP layer that it stands on: over mixes and categories, and in each scenario.

use super::super::label::{self, Style};
use super::super::number::{self, NONE};
use super::super::table::{Align, Table};
use super::field::{Field, Heat};
use super::series::Ratio;
use super::words;
use crate::model::{Case, EntryName, Metric, RegimeName, Suite};

/// The cost of one layer in one case.
pub(super) struct Layer<'f> {
    /// The entry.
    pub(super) entry: &'f EntryName,
    /// What it stands on.
    pub(super) floor: &'f EntryName,
    /// Where.
    pub(super) heat: &'f Heat<'f>,
    /// The share of the floor's requests per second that is kept.
    pub(super) kept: Ratio,
}

impl Layer<'_> {
    /// The cost as a share of the floor's requests per second.
    pub(super) fn cost(&self) -> f64 {
        1.0 - self.kept.centre
    }

    /// From the least cost to the most.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        self.kept.interval.map(|kept| (1.0 - kept.high, 1.0 - kept.low))
    }
}

/// Every layer's cost where both it and its floor were measured in the same rounds: entry by entry, mixes first.
pub(super) fn layers<'f>(field: &'f Field<'f>) -> Vec<Layer<'f>> {
    let place = |case: &Case| match case {
        Case::Mix(_) => 0,
        Case::Category(_) => 1,
        _ => 2,
    };
    let mut heats: Vec<&Heat> = field.of(Suite::Http, |_| true);
    heats.sort_by_key(|heat| place(heat.case));
    let mut layers = Vec::new();
    for entry in &field.run.results.entries {
        let Some(floor) = &entry.floor else { continue };
        for heat in &heats {
            let lane = |name: &EntryName| {
                heat.lanes.iter().find(|lane| lane.entry == name && lane.doubt.is_none())?.figures.get(&Metric::Rps)
            };
            let kept = lane(&entry.name).zip(lane(floor)).and_then(|(own, below)| own.ratio_to(below));
            layers.extend(kept.map(|kept| Layer { entry: &entry.name, floor, heat, kept }));
        }
    }
    layers
}

/// A sentence for each layer and regime: over every mix, or over every scenario of a few.
pub(super) fn claims(field: &Field) -> Vec<String> {
    const FEW: usize = 4;
    let layers = layers(field);
    let mut groups: Vec<(&EntryName, Option<&RegimeName>, Vec<&Layer>)> = Vec::new();
    for layer in &layers {
        match groups.iter_mut().find(|(entry, regime, _)| *entry == layer.entry && *regime == layer.heat.regime) {
            Some((_, _, group)) => group.push(layer),
            None => groups.push((layer.entry, layer.heat.regime, vec![layer])),
        }
    }
    let mut sentences = Vec::new();
    for (entry, regime, group) in groups {
        let mixes: Vec<&Layer> =
            group.iter().copied().filter(|layer| matches!(layer.heat.case, Case::Mix(_))).collect();
        let scenarios = group.into_iter().filter(|layer| matches!(layer.heat.case, Case::Scenario(_)));
        let told = if mixes.is_empty() { scenarios.take(FEW).collect() } else { mixes };
        let parts: Vec<String> = told.iter().filter_map(|layer| part(layer)).collect();
        let Some(floor) = told.first().map(|layer| layer.floor).filter(|_| !parts.is_empty()) else { continue };
        let under =
            regime.map(|regime| format!(" under {}", Style::Markdown.name(regime.as_str()))).unwrap_or_default();
        sentences.push(format!(
            "The layer of {} above {}{under}, as a share of the latter's requests per second: {}.",
            field.names.markdown(entry),
            field.names.markdown(floor),
            words::listed(&parts)
        ));
    }
    sentences
}

fn part(layer: &Layer) -> Option<String> {
    let (low, high) = layer.interval()?;
    let case = label::case_of(layer.heat.case, Style::Markdown);
    Some(if low > 0.0 || high < 0.0 {
        format!("{} ({}) in {case}", percent(layer.cost()), interval(low, high))
    } else {
        format!("no cost could be shown in {case} ({})", interval(low, high))
    })
}

fn percent(share: f64) -> String {
    number::percent(share * 100.0)
}

/// `10.8 to 12.1 %`.
fn interval(low: f64, high: f64) -> String {
    let (low, high) = (percent(low), percent(high));
    let digits = low.split(number::SPACE).next().unwrap_or_default();
    format!("{digits} to {high}")
}

/// The costs as a table of what sums several scenarios up, and one of single scenarios; where nothing sums them up, the
/// first is of scenarios.
pub(super) fn tables(field: &Field) -> (Option<Table>, Option<Table>) {
    let layers = layers(field);
    let (sums, single): (Vec<&Layer>, Vec<&Layer>) =
        layers.iter().partition(|layer| !matches!(layer.heat.case, Case::Scenario(_)));
    if sums.is_empty() {
        (table(field, "", &single), None)
    } else {
        (table(field, "", &sums), table(field, "By scenario", &single))
    }
}

fn table(field: &Field, title: &str, layers: &[&Layer]) -> Option<Table> {
    if layers.is_empty() {
        return None;
    }
    let columns = [
        ("layer", Align::Left),
        ("above", Align::Left),
        ("in", Align::Left),
        ("cost, of its req/s", Align::Right),
        ("95\u{a0}% interval", Align::Right),
    ];
    let mut table = Table::new(title, &columns);
    for layer in layers {
        table.push(&[
            field.names.markdown(layer.entry),
            field.names.markdown(layer.floor),
            words::case(layer.heat, Style::Markdown),
            percent(layer.cost()),
            layer.interval().map_or_else(|| NONE.to_owned(), |(low, high)| interval(low, high)),
        ]);
    }
    Some(table)
}
