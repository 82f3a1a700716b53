//! Where each entry is ahead of all others.

use super::super::label::{self, Style};
use super::super::number;
use super::field::Field;
use super::{tables, words};
use crate::model::{EntryName, Metric, Suite};

/// How many places are named per metric, and how many are where the others are only counted.
const PLACES: usize = 8;
const AMONG: usize = 3;

/// Who leads by a metric in which cases.
struct Board<'f> {
    suite: Suite,
    metric: Metric,
    /// Every case in which at least two were measured, with who leads it for certain.
    cases: Vec<(String, Option<&'f EntryName>)>,
}

/// A line per entry: by metric, the cases in which it is better than every other and apart from each. Nothing where no
/// two entries can be compared.
pub(super) fn ahead(field: &Field) -> Vec<String> {
    let mut boards: Vec<Board> = Vec::new();
    for heat in &field.heats {
        for metric in tables::judged(heat).into_iter().filter(|metric| heat.ranked(*metric).len() > 1) {
            let case = (words::case(heat, Style::Markdown), heat.leader(metric).map(|lane| lane.entry));
            match boards.iter_mut().find(|board| board.suite == heat.suite && board.metric == metric) {
                Some(board) => board.cases.push(case),
                None => boards.push(Board { suite: heat.suite, metric, cases: vec![case] }),
            }
        }
    }
    if boards.is_empty() {
        return Vec::new();
    }
    let entries = field.run.results.entries.iter().map(|entry| &entry.name);
    let raced = entries.filter(|name| field.heats.iter().any(|heat| heat.lanes.iter().any(|lane| lane.entry == *name)));
    raced
        .map(|entry| {
            let parts: Vec<String> = boards.iter().filter_map(|board| board.part(entry)).collect();
            let name = field.names.markdown(entry);
            if parts.is_empty() { format!("{name}: nowhere.") } else { format!("{name}: {}.", parts.join("; ")) }
        })
        .collect()
}

impl Board<'_> {
    /// Where `entry` leads, as a part of a line.
    fn part(&self, entry: &EntryName) -> Option<String> {
        let of = |wanted: bool| -> Vec<String> {
            let cases = self.cases.iter().filter(|(_, leader)| (*leader == Some(entry)) == wanted);
            cases.map(|(case, _)| case.clone()).collect()
        };
        let (led, rest) = (of(true), of(false));
        let metric = label::metric_of(self.suite, self.metric);
        let alone = self.cases.len() == 1 && matches!(self.suite, Suite::Boot | Suite::Process | Suite::Build);
        match led.len() {
            0 => None,
            1 if alone => Some(metric),
            2.. if rest.is_empty() => Some(format!("{metric} everywhere")),
            count if count > PLACES && rest.len() <= AMONG => {
                Some(format!("{metric} everywhere but in {}", words::listed(&rest)))
            }
            count if count > PLACES => Some(format!(
                "{metric} in {} of {} cases, among them {}",
                number::grouped(count),
                number::grouped(self.cases.len()),
                words::listed(led.get(..AMONG).unwrap_or_default())
            )),
            _ => Some(format!("{metric} in {}", words::listed(&led))),
        }
    }
}
