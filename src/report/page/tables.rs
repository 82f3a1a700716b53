//! The tables of a page: a row per entry with medians and their spread, or all entries side by side in a row per case.

use super::super::label::{self, Style};
use super::super::number::{self, NONE};
use super::super::table::{Align, Table};
use super::field::{Doubt, Field, Heat, Lane};
use super::series::Series;
use super::words;
use crate::model::{Case, EntryName, Metric, Polarity, Suite};

/// What stands beside a median.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// The lowest and the highest round.
    Range,
    /// The first and the third quartile.
    Quartiles,
}

/// A metric's columns.
struct Column {
    metric: Metric,
    spread: Option<Spread>,
    /// Whether each entry is compared with the best.
    compared: bool,
}

/// The columns that a heat's table has room for; the rest goes into a second one.
fn columns(heat: &Heat) -> Vec<Column> {
    let column = |metric, spread, compared| Column { metric, spread, compared };
    let plain = |metric| column(metric, None, false);
    let present = heat.metrics();
    let mut columns = match heat.suite {
        Suite::Http => vec![
            column(Metric::Rps, Some(Spread::Range), true),
            plain(Metric::P50),
            plain(Metric::P90),
            column(Metric::P99, Some(Spread::Range), false),
            plain(Metric::P999),
        ],
        Suite::OpenLoop => vec![
            plain(Metric::P50),
            plain(Metric::P90),
            column(Metric::P99, Some(Spread::Range), true),
            plain(Metric::P999),
        ],
        Suite::Boot => vec![
            column(Metric::ColdStart, Some(Spread::Quartiles), true),
            plain(Metric::BootCpu),
            column(Metric::IdleMemory, Some(Spread::Quartiles), true),
        ],
        Suite::Process | Suite::Build => {
            let printed = present.iter().copied().filter(|metric| matches!(metric, Metric::Figure(_)));
            let printed = printed.map(|metric| column(metric, Some(Spread::Quartiles), true));
            let end = [
                column(Metric::Wall, Some(Spread::Quartiles), true),
                plain(Metric::Cpu),
                plain(Metric::PeakMemory),
                column(Metric::OutputSize, None, true),
            ];
            printed.chain(end).collect()
        }
    };
    columns.retain(|column| present.contains(&column.metric));
    columns
}

/// What a heat's entries did: the figures that people ask for first.
pub(super) fn of_heat(field: &Field, heat: &Heat) -> Table {
    let title = words::title(heat, Style::Markdown);
    let mut table = filled(field, heat, &title, &columns(heat), &extra(field, heat));
    table.note = notes(field, heat);
    table
}

/// All other figures of a heat; nothing where there are none.
pub(super) fn rest_of_heat(field: &Field, heat: &Heat) -> Option<Table> {
    let shown = columns(heat);
    let rest: Vec<Column> = heat
        .metrics()
        .into_iter()
        .filter(|metric| !shown.iter().any(|column| column.metric == *metric))
        .map(|metric| Column { metric, spread: None, compared: false })
        .collect();
    let title = words::title(heat, Style::Markdown);
    (!rest.is_empty()).then(|| filled(field, heat, &title, &rest, &[]))
}

/// A column that comes from other heats: its header and a text per lane.
type Extra = (&'static str, Vec<String>);

/// Beside idle memory belongs that under load: the most that any scenario needed.
fn extra(field: &Field, heat: &Heat) -> Vec<Extra> {
    if heat.suite != Suite::Boot {
        return Vec::new();
    }
    let most = |lane: &Lane| {
        let loads = field
            .of(Suite::Http, |_| true)
            .into_iter()
            .filter(|load| heat.regime.is_none() || load.regime == heat.regime);
        let medians = loads.flat_map(|load| load.lanes.iter().filter(|other| other.entry == lane.entry));
        medians.filter_map(|other| other.median(Metric::LoadedMemory)).max_by(f64::total_cmp)
    };
    let values: Vec<Option<f64>> = heat.lanes.iter().map(most).collect();
    if values.iter().all(Option::is_none) {
        return Vec::new();
    }
    let text =
        |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), |value| number::value(Metric::LoadedMemory, value));
    vec![("most under load", values.into_iter().map(text).collect())]
}

fn filled(field: &Field, heat: &Heat, title: &str, columns: &[Column], extra: &[Extra]) -> Table {
    let mut header = vec![("entry".to_owned(), Align::Left)];
    for column in columns {
        header.push((label::metric(column.metric).into_owned(), Align::Right));
        header.extend(column.spread.map(|spread| (spread_name(spread).to_owned(), Align::Right)));
        if column.compared {
            header.push(("vs best".to_owned(), Align::Right));
        }
    }
    header.extend(extra.iter().map(|(name, _)| ((*name).to_owned(), Align::Right)));
    let header: Vec<(&str, Align)> = header.iter().map(|(name, align)| (name.as_str(), *align)).collect();
    let mut table = Table::new(title, &header);
    let bests: Vec<Option<&Series>> = columns
        .iter()
        .map(|column| column.compared.then(|| heat.ranked(column.metric).first().map(|(_, best)| *best)).flatten())
        .collect();
    for (place, lane) in heat.lanes.iter().enumerate() {
        let mut row = vec![format!("{}{}", field.names.markdown(lane.entry), mark(lane))];
        for (column, best) in columns.iter().zip(&bests) {
            let series = lane.figures.get(&column.metric);
            row.push(median(column.metric, series));
            if let Some(spread) = column.spread {
                let of = |series: &Series| if spread == Spread::Range { series.range() } else { series.quartiles() };
                row.push(words::span(column.metric, series.and_then(of)));
            }
            if column.compared {
                row.push(vs_best(series, *best));
            }
        }
        row.extend(extra.iter().filter_map(|(_, texts)| texts.get(place).cloned()));
        table.push(&row);
    }
    table
}

fn spread_name(spread: Spread) -> &'static str {
    match spread {
        Spread::Range => "range",
        Spread::Quartiles => "quartiles",
    }
}

fn median(metric: Metric, series: Option<&Series>) -> String {
    series.and_then(Series::median).map_or_else(|| NONE.to_owned(), |value| number::value(metric, value))
}

fn vs_best(series: Option<&Series>, best: Option<&Series>) -> String {
    match series.zip(best) {
        Some((own, best)) if std::ptr::eq(own, best) => "best".to_owned(),
        Some((own, best)) => own.ratio_to(best).map_or_else(|| NONE.to_owned(), words::times_in_a_column),
        None => NONE.to_owned(),
    }
}

/// A dagger for what stands for nothing.
fn mark(lane: &Lane) -> &'static str {
    match lane.doubt {
        Some(Doubt::GeneratorLimited) => "\u{a0}†",
        Some(Doubt::Failing) => "\u{a0}‡",
        None => "",
    }
}

/// How many rounds stand behind a table, and what its marks mean.
fn notes(field: &Field, heat: &Heat) -> String {
    let counts = |lane: &Lane| lane.figures.get(&heat.lead()).map_or(0, Series::len);
    let fewest = heat.lanes.iter().map(counts).min().unwrap_or(0);
    let most = heat.lanes.iter().map(counts).max().unwrap_or(0);
    let unit = match heat.suite {
        Suite::Boot => ("start", "starts"),
        Suite::Process => ("run", "runs"),
        Suite::Build => ("build", "builds"),
        Suite::Http | Suite::OpenLoop => ("round", "rounds"),
    };
    let rounds = number::count(most, unit.0, unit.1);
    let mut notes = vec![if fewest == most {
        format!("Medians of {rounds}.")
    } else {
        let few = heat.lanes.iter().filter(|lane| counts(lane) < most);
        let few: Vec<String> = few
            .map(|lane| format!("{} ({})", field.names.markdown(lane.entry), number::grouped(counts(lane))))
            .collect();
        format!("Medians of {rounds}, or fewer: {}.", words::listed(&few))
    }];
    let marked = |doubt| heat.lanes.iter().any(|lane| lane.doubt == Some(doubt));
    if marked(Doubt::GeneratorLimited) {
        notes.push("† The load generator was the limit: the server can do at least this.".to_owned());
    }
    if marked(Doubt::Failing) {
        notes.push("‡ It failed too often for a claim.".to_owned());
    }
    notes.join(" ")
}

/// Requests per second of all entries side by side, a row per case; the leader is set bold where it is apart from all.
pub(super) fn side_by_side(field: &Field, title: &str, first: &str, heats: &[&Heat]) -> Option<Table> {
    let mut entries: Vec<&EntryName> = Vec::new();
    for lane in heats.iter().flat_map(|heat| &heat.lanes) {
        if !entries.contains(&lane.entry) {
            entries.push(lane.entry);
        }
    }
    if heats.is_empty() {
        return None;
    }
    let names: Vec<String> = entries.iter().map(|entry| field.names.markdown(entry)).collect();
    let mut columns = vec![(first, Align::Left)];
    columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    let mut table = Table::new(title, &columns);
    for heat in heats {
        let metric = heat.lead();
        let leader = heat.leader(metric).map(|lane| lane.entry);
        let mut row = vec![words::bare(heat, Style::Markdown)];
        for entry in &entries {
            let lane = heat.lanes.iter().find(|lane| lane.entry == *entry);
            let text = median(metric, lane.and_then(|lane| lane.figures.get(&metric)));
            let text = format!("{text}{}", lane.map_or("", mark));
            row.push(if leader == Some(*entry) { format!("**{text}**") } else { text });
        }
        table.push(&row);
    }
    Some(table)
}

/// Whether a case sums up several scenarios.
pub(super) fn is_sum(case: &Case) -> bool {
    matches!(case, Case::Mix(_) | Case::Category(_))
}

/// The metrics by which a heat has a winner.
pub(super) fn judged(heat: &Heat) -> Vec<Metric> {
    heat.metrics().into_iter().filter(|metric| metric.polarity(heat.suite) != Polarity::Info).collect()
}
