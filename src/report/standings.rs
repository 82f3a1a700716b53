//! The entries of head side by side, by requests per second: per mix, per scenario, at start, and what a layer costs.

use super::cells::{Cell, Run};
use super::label::{self, Style};
use super::number;
use super::table::{Align, Table};
use crate::model::{Case, EntryName, Metric, RegimeName, Suite};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Head's figures of one entry in one heat.
pub(super) struct Place<'a> {
    /// The entry.
    pub(super) entry: &'a EntryName,
    /// Head's medians.
    pub(super) figures: BTreeMap<Metric, f64>,
    /// Rounds that gave them.
    pub(super) rounds: usize,
    /// The leading metric as a multiple of the first entry's.
    pub(super) relative: Option<f64>,
}

/// Entries that did the same thing under the same regime, sorted.
pub(super) struct Heat<'a> {
    /// The regime.
    pub(super) regime: Option<&'a RegimeName>,
    /// What they did.
    pub(super) case: &'a Case,
    /// The metric that they are sorted by: requests per second, or the cold start.
    pub(super) by: Metric,
    /// The entries, the best first.
    pub(super) places: Vec<Place<'a>>,
}

/// All heats: mixes first, then scenarios, categories and the start, in the order of the results.
pub(super) fn heats<'a>(run: &Run<'a>) -> Vec<Heat<'a>> {
    let mut heats: Vec<Heat<'a>> = Vec::new();
    let mut index: BTreeMap<(Option<&RegimeName>, &Case), usize> = BTreeMap::new();
    let mut entries: BTreeMap<(usize, &EntryName), usize> = BTreeMap::new();
    // A second copy of base is there to be raced against itself; what it stands for has a place of its own.
    let copies: BTreeSet<&EntryName> =
        run.results.entries.iter().filter(|entry| entry.copy_of.is_some()).map(|entry| &entry.name).collect();
    let stands = |cell: &&Cell| {
        cell.key.suite != Suite::OpenLoop && cell.key.metric != Metric::LayerCost && !copies.contains(&cell.key.entry)
    };
    for cell in run.cells.iter().filter(stands) {
        let Some(head) = cell.head() else { continue };
        let key: &'a crate::model::CellKey = cell.key;
        let at = *index.entry((key.regime.as_ref(), &key.case)).or_insert_with(|| {
            let by = match key.case {
                Case::Start => Metric::ColdStart,
                Case::Process(_) | Case::Build(_) => Metric::Wall,
                Case::Scenario(_) | Case::Mix(_) | Case::Category(_) => Metric::Rps,
            };
            heats.push(Heat { regime: key.regime.as_ref(), case: &key.case, by, places: Vec::new() });
            heats.len() - 1
        });
        let Some(places) = heats.get_mut(at).map(|heat| &mut heat.places) else { continue };
        let place = *entries.entry((at, &key.entry)).or_insert_with(|| {
            places.push(Place { entry: &key.entry, figures: BTreeMap::new(), rounds: 0, relative: None });
            places.len() - 1
        });
        if let Some(place) = places.get_mut(place) {
            place.figures.insert(key.metric, head);
            place.rounds = place.rounds.max(cell.head_rounds());
        }
    }
    for heat in &mut heats {
        sort(heat);
    }
    heats.retain(|heat| !heat.places.is_empty());
    heats.sort_by_key(|heat| match heat.case {
        Case::Mix(_) => 0,
        Case::Scenario(_) => 1,
        Case::Category(_) => 2,
        Case::Start => 3,
        Case::Process(_) => 4,
        Case::Build(_) => 5,
    });
    heats
}

fn sort(heat: &mut Heat) {
    let by = heat.by;
    heat.places.retain(|place| place.figures.contains_key(&by));
    let more_is_better = by == Metric::Rps;
    heat.places.sort_by(|a, b| match (a.figures.get(&by), b.figures.get(&by)) {
        (Some(a), Some(b)) if more_is_better => b.total_cmp(a),
        (Some(a), Some(b)) => a.total_cmp(b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    let first = heat.places.first().and_then(|place| place.figures.get(&by)).copied().filter(|first| *first > 0.0);
    for place in &mut heat.places {
        place.relative =
            first.zip(place.figures.get(&by)).map(|(first, value)| value / first).filter(|r| r.is_finite());
    }
}

/// Who leads the first heat, as a sentence.
pub(super) fn leader(run: &Run, style: Style) -> Option<String> {
    let heats = heats(run);
    let heat = heats.first()?;
    let first = heat.places.first()?;
    let value = number::value_in_words(heat.by, *first.figures.get(&heat.by)?);
    let mut text = format!("{} leads {} with {value}", style.name(first.entry.as_str()), title(heat, style));
    if let Some((second, relative)) = heat.places.get(1).and_then(|second| second.relative.map(|r| (second, r))) {
        text = format!("{text}, before {} ({})", style.name(second.entry.as_str()), share(relative));
    }
    text.push('.');
    Some(text)
}

fn title(heat: &Heat, style: Style) -> String {
    let case = match heat.case {
        Case::Scenario(name) => style.name(name.as_str()),
        Case::Mix(name) => format!("mix {}", style.name(name.as_str())),
        Case::Category(name) => format!("category {}", style.name(name.as_str())),
        Case::Start => "the start".to_owned(),
        Case::Process(name) => label::run("process", name, style),
        Case::Build(name) => label::run("build", name, style),
    };
    match heat.regime {
        Some(regime) => format!("{case} under {}", style.name(regime.as_str())),
        None => case,
    }
}

/// A multiple of the first as a percentage: `100 %`, `84.2 %`; as a factor from ten on, where nobody reads percentages.
fn share(relative: f64) -> String {
    if relative < 10.0 { number::percent(relative * 100.0) } else { format!("{relative:.0}{}x", number::SPACE) }
}

const AT_LOAD: [(Metric, &str); 6] = [
    (Metric::Rps, "req/s"),
    (Metric::P50, "p50"),
    (Metric::P99, "p99"),
    (Metric::CpuPerRequest, "CPU/request"),
    (Metric::LoadedMemory, "memory under load"),
    (Metric::BytesPerSecond, "bytes/s"),
];
const AT_START: [(Metric, &str); 3] =
    [(Metric::ColdStart, "cold start"), (Metric::BootCpu, "boot CPU"), (Metric::IdleMemory, "idle memory")];

const AT_RUN: [(Metric, &str); 4] = [
    (Metric::Wall, "wall time"),
    (Metric::Cpu, "CPU time"),
    (Metric::PeakMemory, "peak memory"),
    (Metric::OutputSize, "output size"),
];

/// The figures of a heat that a table shows, with what they are called. A mix has only requests per second, and a command
/// what it prints besides.
fn columns_of(heat: &Heat) -> Vec<(Metric, Cow<'static, str>)> {
    let known: &[(Metric, &str)] = match heat.by {
        Metric::ColdStart => &AT_START,
        Metric::Wall => &AT_RUN,
        _ => &AT_LOAD,
    };
    let printed: BTreeSet<Metric> = heat
        .places
        .iter()
        .flat_map(|place| place.figures.keys().copied())
        .filter(|metric| matches!(metric, Metric::Figure(_)))
        .collect();
    let known = known.iter().map(|(metric, name)| (*metric, Cow::Borrowed(*name)));
    let printed = printed.into_iter().map(|metric| (metric, label::metric(metric)));
    let is_there = |metric: &Metric| heat.places.iter().any(|place| place.figures.contains_key(metric));
    known.chain(printed).filter(|(metric, _)| is_there(metric)).collect()
}

/// The standings as tables. `brief` leaves out single scenarios where mixes sum them up, unless the standings are all that
/// there is.
pub(super) fn tables(run: &Run, brief: bool) -> Vec<Table> {
    let heats = heats(run);
    let mixed = brief && run.results.base.is_some() && heats.iter().any(|heat| matches!(heat.case, Case::Mix(_)));
    let shown = heats.iter().filter(|heat| !(mixed && matches!(heat.case, Case::Scenario(_) | Case::Category(_))));
    shown.map(table).chain(layers(run)).collect()
}

fn table(heat: &Heat) -> Table {
    let heading = if *heat.case == Case::Start && heat.regime.is_none() {
        "Start".to_owned()
    } else {
        title(heat, Style::Markdown)
    };
    let metrics = columns_of(heat);
    let mut columns = vec![("", Align::Right), ("entry", Align::Left)];
    for (metric, name) in &metrics {
        columns.push((name.as_ref(), Align::Right));
        if *metric == heat.by {
            columns.push(("of the first", Align::Right));
        }
    }
    columns.push(("rounds", Align::Right));
    let mut table = Table::new(heading, &columns);
    for (index, place) in heat.places.iter().enumerate() {
        let mut row = vec![(index + 1).to_string(), Style::Markdown.name(place.entry.as_str())];
        for (metric, _) in &metrics {
            let value = place.figures.get(metric);
            row.push(value.map_or_else(|| number::NONE.to_owned(), |value| number::value(*metric, *value)));
            if *metric == heat.by {
                row.push(place.relative.map_or_else(|| number::NONE.to_owned(), share));
            }
        }
        row.push(place.rounds.to_string());
        table.push(&row);
    }
    table
}

/// What each layer costs above its floor.
fn layers(run: &Run) -> Option<Table> {
    let cells: Vec<&Cell> =
        run.cells.iter().filter(|cell| cell.key.metric == Metric::LayerCost && cell.head().is_some()).collect();
    if cells.is_empty() {
        return None;
    }
    let floors: BTreeMap<&EntryName, &EntryName> =
        run.results.entries.iter().filter_map(|entry| Some((&entry.name, entry.floor.as_ref()?))).collect();
    let mut table = Table::new(
        "What a layer costs",
        &[
            ("entry", Align::Left),
            ("above", Align::Left),
            ("scenario", Align::Left),
            ("share of req/s", Align::Right),
            ("rounds", Align::Right),
        ],
    );
    for cell in cells {
        let floor = floors
            .get(&cell.key.entry)
            .map_or_else(|| number::NONE.to_owned(), |floor| Style::Markdown.name(floor.as_str()));
        let cost = cell.head().unwrap_or_default();
        table.push(&[
            Style::Markdown.name(cell.key.entry.as_str()),
            floor,
            super::label::case(cell.key, Style::Markdown),
            number::value(Metric::LayerCost, cost),
            cell.head_rounds().to_string(),
        ]);
    }
    Some(table)
}
