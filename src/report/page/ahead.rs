//! Where each entry is ahead of all others.

use super::super::label::{self, Style};
use super::super::number;
use super::field::Field;
use super::{tables, words};
use crate::model::{EntryName, Metric, Suite};

/// How many places are named per metric; the rest is counted.
const PLACES: usize = 12;

/// A line per entry: by metric, the cases in which it is better than every other and apart from each. Nothing where no
/// two entries can be compared.
pub(super) fn ahead(field: &Field) -> Vec<String> {
    let mut led: Vec<(&EntryName, Suite, Metric, Vec<String>)> = Vec::new();
    let mut compared = false;
    for heat in &field.heats {
        for metric in tables::judged(heat) {
            compared |= heat.ranked(metric).len() > 1;
            let Some(leader) = heat.leader(metric) else { continue };
            let place = words::case(heat, Style::Markdown);
            match led
                .iter_mut()
                .find(|(entry, suite, of, _)| (*entry, *suite, *of) == (leader.entry, heat.suite, metric))
            {
                Some((_, _, _, places)) => places.push(place),
                None => led.push((leader.entry, heat.suite, metric, vec![place])),
            }
        }
    }
    if !compared {
        return Vec::new();
    }
    let entries = field.run.results.entries.iter().map(|entry| &entry.name);
    let raced = entries.filter(|name| field.heats.iter().any(|heat| heat.lanes.iter().any(|lane| lane.entry == *name)));
    raced
        .map(|entry| {
            let parts: Vec<String> = led
                .iter()
                .filter(|(of, ..)| *of == entry)
                .map(|(_, suite, metric, places)| part(field, *suite, *metric, places))
                .collect();
            let name = field.names.markdown(entry);
            if parts.is_empty() { format!("{name}: nowhere.") } else { format!("{name}: {}.", parts.join("; ")) }
        })
        .collect()
}

fn part(field: &Field, suite: Suite, metric: Metric, places: &[String]) -> String {
    let name = label::metric_of(suite, metric);
    let possible = field.heats.iter().filter(|heat| heat.suite == suite && heat.ranked(metric).len() > 1).count();
    if possible == 1 && matches!(suite, Suite::Boot | Suite::Process | Suite::Build) {
        return name;
    }
    if places.len() == possible && possible > 1 {
        return format!("{name} everywhere");
    }
    let shown = places.get(..PLACES).unwrap_or(places);
    let more = places.len() - shown.len();
    let rest = if more > 0 { format!(" and {} more", number::grouped(more)) } else { String::new() };
    if more > 0 {
        format!("{name} in {}{rest}", shown.join(", "))
    } else {
        format!("{name} in {}", words::listed(shown))
    }
}
