//! The page: plain sentences, and one table.

use super::document::{Calibration, ProvableRow};
use super::sentences;
use crate::report::label::Style;
use crate::report::number;
use crate::report::table::{Align, Table};
use crate::verdict::LOOKS;

/// Rows that are shown; a repository with more reads the document.
const MOST_ROWS: usize = 200;

/// The page of a calibration, as Markdown that reads well as it is.
pub fn calibration_page(calibration: &Calibration) -> String {
    let paragraphs = [
        "# What this machine can prove".to_owned(),
        sentences::raced(calibration),
        sentences::noise(calibration),
        sentences::false_flags(calibration),
        sentences::known_slowdown(calibration),
        sentences::machine(calibration),
        table(calibration),
        sentences::warnings(calibration),
    ];
    let mut page = paragraphs.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    page.push('\n');
    page
}

/// The fewest pairs that prove a change: the first look at which one is judged.
pub(super) fn fewest_for_a_change() -> u32 {
    let looks = LOOKS.iter().filter(|look| look.increment.is_some()).map(|look| look.pairs);
    looks.min().and_then(|pairs| u32::try_from(pairs).ok()).unwrap_or(u32::MAX)
}

fn table(calibration: &Calibration) -> String {
    let Some(first) = calibration.provable.first() else { return String::new() };
    let budgets: Vec<String> = first
        .budgets
        .iter()
        .map(|budget| {
            let rounds = number::count(budget.rounds as usize, "round", "rounds");
            format!("{} min, {rounds}", budget.minutes)
        })
        .collect();
    let mut columns = vec![("entry", Align::Left), ("scenario", Align::Left), ("of a round", Align::Right)];
    columns.extend(budgets.iter().map(|budget| (budget.as_str(), Align::Right)));
    let mut table = Table::new("", &columns);
    for row in calibration.provable.iter().take(MOST_ROWS) {
        table.push(&cells(row));
    }
    let left_out = calibration.provable.len().saturating_sub(MOST_ROWS);
    let more = if left_out > 0 {
        format!("\n\n{} more are in the JSON document.", number::grouped(left_out))
    } else {
        String::new()
    };
    format!("{}\n\n{}\n{}\n{}{more}", sentences::budgets(calibration), table.header, table.rule, table.rows.join("\n"))
}

fn cells(row: &ProvableRow) -> Vec<String> {
    let case = Style::Markdown.name(row.scenario.as_str());
    let case = match &row.regime {
        Some(regime) => format!("{case} under {}", Style::Markdown.name(regime.as_str())),
        None => case,
    };
    let mut cells = vec![Style::Markdown.name(row.entry.as_str()), case, number::duration(row.seconds)];
    cells.extend(row.budgets.iter().map(|budget| match budget.smallest_pct {
        _ if budget.rounds < fewest_for_a_change() => "no change".to_owned(),
        Some(percent) => number::percent(percent),
        None => number::NONE.to_owned(),
    }));
    cells
}
