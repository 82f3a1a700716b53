//! What changed, told by scenario: requests per second, latency and CPU of one route are one finding, not three.

use super::cells::{Cell, Direction, Run};
use super::label::{self, Style};
use super::number;
use crate::model::{Case, EntryName, Metric};
use crate::verdict::Word;
use std::collections::BTreeMap;

/// All proved differences of one case of an entry, the worst first.
pub(super) struct Finding<'r> {
    /// The cells that changed.
    cells: Vec<&'r Cell<'r>>,
}

/// The findings of a run: regressions before improvements, larger ones first.
pub(super) fn findings<'r>(run: &'r Run<'r>) -> Vec<Finding<'r>> {
    let mut groups: BTreeMap<_, Vec<&Cell>> = BTreeMap::new();
    for cell in run.changed() {
        groups.entry((&cell.key.entry, &cell.key.regime, &cell.key.case)).or_default().push(cell);
    }
    let mut findings: Vec<Finding> = groups
        .into_values()
        .map(|mut cells| {
            cells.sort_by(|a, b| a.direction().cmp(&b.direction()).then(size(b).total_cmp(&size(a))));
            Finding { cells }
        })
        .collect();
    findings.sort_by(|a, b| {
        a.direction().cmp(&b.direction()).then_with(|| {
            let largest = |finding: &Finding| finding.cells.first().map_or(0.0, |cell| size(cell));
            largest(b).total_cmp(&largest(a))
        })
    });
    findings
}

fn size(cell: &Cell) -> f64 {
    cell.log().map_or(0.0, f64::abs)
}

impl<'r> Finding<'r> {
    /// Whether the worst of it is a regression.
    fn direction(&self) -> Option<Direction> {
        self.cells.first().and_then(|cell| cell.direction())
    }

    /// The cells, the worst first.
    pub(super) fn cells(&self) -> &[&'r Cell<'r>] {
        &self.cells
    }

    fn entry(&self) -> Option<&'r EntryName> {
        self.cells.first().map(|cell| &cell.key.entry)
    }

    fn is_of_a_scenario(&self) -> bool {
        self.cells.first().is_some_and(|cell| matches!(cell.key.case, Case::Scenario(_)))
    }

    /// `is slower`, `needs less`: what the cells of one direction say together.
    fn verb(&self, direction: Direction) -> &'static str {
        let mut cells = self.cells.iter().filter(|cell| cell.direction() == Some(direction));
        let starts = self.cells.first().is_some_and(|cell| cell.key.case == Case::Start);
        // More CPU alone makes nothing slower for who asks.
        let uses = |cell: &&&Cell| matches!(cell.key.metric, Metric::CpuPerRequest | Metric::BootCpu | Metric::Cpu);
        let speed = cells.clone().any(|cell| !uses(&cell) && matches!(cell.verdict.word, Word::Slower | Word::Faster));
        let amount = cells.all(|cell| uses(&cell) || matches!(cell.verdict.word, Word::More | Word::Less));
        match (direction, speed, amount) {
            (Direction::Worse, true, _) if starts => "starts slower",
            (Direction::Better, true, _) if starts => "starts faster",
            (Direction::Worse, true, _) => "is slower",
            (Direction::Better, true, _) => "is faster",
            (Direction::Worse, false, true) => "needs more",
            (Direction::Better, false, true) => "needs less",
            (Direction::Worse, false, false) => "is worse",
            (Direction::Better, false, false) => "is better",
        }
    }

    fn side_of(&self, direction: Direction) -> Vec<String> {
        self.cells
            .iter()
            .filter(|cell| cell.direction() == Some(direction))
            .map(|cell| {
                let change = cell.change_pct().map_or_else(|| number::NONE.to_owned(), number::signed_percent);
                format!("{}{}{change}", label::metric_of(cell.key.suite, cell.key.metric), number::SPACE)
            })
            .collect()
    }

    /// The interval of the worst cell, in parentheses.
    fn interval(&self) -> String {
        let interval = self.cells.first().and_then(|cell| cell.interval_pct());
        interval
            .map(|(low, high)| format!(" (95\u{a0}% interval {})", number::percent_interval(low, high)))
            .unwrap_or_default()
    }

    fn case(&self, style: Style) -> String {
        self.cells.first().map(|cell| label::case_of_entry(cell.key, style)).unwrap_or_default()
    }

    /// The subject and its worst figure, nothing else.
    pub(super) fn short(&self, style: Style) -> String {
        let (Some(entry), Some(direction)) = (self.entry(), self.direction()) else { return String::new() };
        let figures = self.side_of(direction);
        let worst = figures.first().map_or("", String::as_str);
        format!("{}{} {}: {worst}", style.name(entry.as_str()), self.case(style), self.verb(direction))
    }

    /// One sentence: the subject and its worst figure with weight, the others behind it.
    pub(super) fn sentence(&self, style: Style) -> String {
        let Some(direction) = self.direction() else { return String::new() };
        let figures = self.side_of(direction);
        let others = figures.get(1..).unwrap_or_default();
        let mut text = format!("{}{}", style.strong(&self.short(style)), self.interval());
        for other in others {
            text.push_str(", ");
            text.push_str(other);
        }
        if direction == Direction::Worse {
            let better = self.side_of(Direction::Better);
            if !better.is_empty() {
                text = format!("{text}; but it {}: {}", self.verb(Direction::Better), better.join(", "));
            }
        }
        text.push('.');
        text
    }
}

/// How many sentences a headline may have before it only counts.
const SENTENCES: usize = 4;
/// From how many findings of one direction on an entry is told as one.
const TOGETHER: usize = 3;

/// The findings as sentences: an entry with many of one direction in one, and never more than a few in all.
pub(super) fn sentences(run: &Run, findings: &[Finding], style: Style) -> Vec<String> {
    let key = |finding: &Finding| (finding.entry().cloned(), finding.direction(), finding.is_of_a_scenario());
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for finding in findings {
        let place = *places.entry(key(finding)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let mut sentences: Vec<String> = Vec::new();
    let mut untold = 0;
    // A file may hold thousands of findings, and a sentence is not made to be only counted.
    let mut tell = |findings: usize, sentence: &dyn Fn() -> String| {
        if sentences.len() < SENTENCES { sentences.push(sentence()) } else { untold += findings }
    };
    for group in groups {
        match group.first() {
            Some(first) if group.len() >= TOGETHER && first.is_of_a_scenario() => {
                tell(group.len(), &|| together(run, first, group.len(), style));
            }
            _ => group.iter().for_each(|finding| tell(1, &|| finding.sentence(style))),
        }
    }
    if untold > 0 {
        sentences
            .push(format!("{} in the table below.", number::count(untold, "more finding is", "more findings are")));
    }
    sentences
}

/// `fastify` is slower in 5 of 8 scenarios, most in `get-user`: req/s −9.8 % (...).
fn together(run: &Run, first: &Finding, number_of: usize, style: Style) -> String {
    let (Some(entry), Some(direction)) = (first.entry(), first.direction()) else { return String::new() };
    let raced: std::collections::BTreeSet<_> = run
        .judged()
        .filter(|cell| &cell.key.entry == entry && matches!(cell.key.case, Case::Scenario(_)))
        .map(|cell| (&cell.key.regime, &cell.key.case))
        .collect();
    let worst = first.side_of(direction).into_iter().next().unwrap_or_default();
    let text = format!(
        "{} {} in {number_of} of {}, most in{}: {worst}",
        style.name(entry.as_str()),
        first.verb(direction),
        number::count(raced.len(), "scenario", "scenarios"),
        first.case(style),
    );
    format!("{}{}.", style.strong(&text), first.interval())
}
