//! Runs judged by several rules, as people read them: a table with a row per rule.

use super::label::{self, Style};
use super::number;
use super::table::{Align, Table};
use crate::verdict::rivals::{Finding, OURS, RULES, Replay, RuleName, Score, Truth, scores};
use std::fmt::Write;

/// The most comparisons of a run that are listed one by one.
const MOST_LISTED: usize = 60;

/// A run that was judged by every rule.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayedRun {
    /// The file as it was named.
    pub file: String,
    /// What the rules say.
    pub replay: Replay,
}

/// Runs of which the same is true.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayGroup {
    /// What is known to be true of them, where anything is.
    pub truth: Option<Truth>,
    /// By how many percent head is slower, where that was said.
    pub percent: Option<f64>,
    /// The runs.
    pub runs: Vec<ReplayedRun>,
}

impl ReplayGroup {
    /// What is true of these runs, as the middle of a sentence.
    fn described(&self) -> String {
        match &self.truth {
            None => "of which nothing is known".to_owned(),
            Some(Truth::Unchanged) => "unchanged".to_owned(),
            Some(Truth::Slowed(_)) => format!("with {}", self.slowed()),
        }
    }

    /// The scenario that is slower, and by how much; empty where none is.
    fn slowed(&self) -> String {
        let Some(Truth::Slowed(slowed)) = &self.truth else { return String::new() };
        let scenario = Style::Markdown.name(slowed.scenario.as_str());
        let entry = slowed.entry.as_ref().map(|entry| format!("{} ", Style::Markdown.name(entry.as_str())));
        let by = self.percent.map_or_else(String::new, |percent| format!("{} ", number::percent(percent)));
        format!("{}{scenario} {by}slower", entry.unwrap_or_default())
    }

    /// The scores of each run, one per rule.
    pub(super) fn scores(&self) -> Vec<Vec<Score>> {
        let truth = self.truth.as_ref().unwrap_or(&Truth::Unchanged);
        self.runs.iter().map(|run| scores(&run.replay, truth)).collect()
    }
}

/// The rules in the order of every table: deadheat's own first.
pub(super) fn rules() -> impl Iterator<Item = RuleName> {
    [OURS].into_iter().chain(RULES.into_iter().map(|rule| rule.name))
}

/// The page: what each rule flags and, where the truth is known, how often it is wrong and what it finds.
pub fn replay_text(groups: &[ReplayGroup]) -> String {
    let mut text = String::from("# The same rounds under other tools' rules\n\n");
    text.push_str(&sentence(groups));
    let told = groups.iter().all(|group| group.truth.is_some());
    let all: Vec<Vec<Vec<Score>>> = groups.iter().map(ReplayGroup::scores).collect();
    push_table(&mut text, &if told { table_of_truth(groups, &all) } else { table_of_flags(&all) });
    text.push_str(if told {
        "\nA false alarm is a run in which the rule flags a comparison that did not change, or one that did in the wrong \
         direction. Found is a run in which it flags the slower scenario as slower. What a slower scenario does to \
         the memory of its server, which answers the other scenarios as well, is not known: such a flag counts as neither.\n"
    } else {
        "\nWhether a flag is right is not known here: `--unchanged` and `--slowed` say what is true of the runs.\n"
    });
    if all.iter().flatten().flatten().any(|score| score.refused > 0) {
        text.push_str(
            "\nNot judged are comparisons that have rounds, but too few of them or too little scatter for the rule.\n",
        );
    }
    if let ([ReplayGroup { runs, .. }], false) = (groups, told)
        && let [run] = &runs[..]
    {
        push_flagged(&mut text, &run.replay);
    }
    push_rules(&mut text);
    text
}

fn sentence(groups: &[ReplayGroup]) -> String {
    let runs = || groups.iter().flat_map(|group| &group.runs);
    let cells: Vec<usize> = runs().map(|run| run.replay.cells.len()).collect();
    let rounds: Vec<usize> = runs().flat_map(|run| run.replay.rounds.iter().copied()).collect();
    let parts: Vec<String> = groups
        .iter()
        .filter(|group| group.truth.is_some())
        .map(|group| format!("{} {}", group.runs.len(), group.described()))
        .collect();
    let of = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let mut text = format!(
        "{}{of}: {}{}, with {} each.",
        number::count(cells.len(), "run", "runs"),
        range(&cells, "judged comparison", "judged comparisons"),
        if cells.len() == 1 { "" } else { " in each run" },
        range(&rounds, "round", "rounds"),
    );
    let unusable = runs().filter(|run| !run.replay.usable).count();
    if unusable > 0 {
        let _ = write!(
            text,
            " In {} the control moved, and deadheat calls nothing proved there.",
            number::count(unusable, "run", "runs")
        );
    }
    text + "\n\n"
}

/// `12 rounds`, or `8 to 24 rounds`.
fn range(counts: &[usize], one: &str, many: &str) -> String {
    let (low, high) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
    let high = number::count(high, one, many);
    if counts.iter().all(|count| *count == low) { high } else { format!("{} to {high}", number::grouped(low)) }
}

/// `3 of 10`.
fn of(part: usize, all: usize) -> String {
    format!("{} of {}", number::grouped(part), number::grouped(all))
}

fn table_of_truth(groups: &[ReplayGroup], all: &[Vec<Vec<Score>>]) -> Table {
    let slowed: Vec<usize> = (0..groups.len()).filter(|index| !groups[*index].slowed().is_empty()).collect();
    let found: Vec<String> = slowed.iter().map(|index| format!("found: {}", groups[*index].slowed())).collect();
    let mut columns = vec![("rule", Align::Left), ("false alarms", Align::Right)];
    columns.extend(found.iter().map(|name| (name.as_str(), Align::Right)));
    columns.extend([("flags", Align::Right), ("of them false", Align::Right), ("not judged", Align::Right)]);
    let mut table = Table::new("", &columns);
    for (place, rule) in rules().enumerate() {
        let runs = || all.iter().flatten().filter_map(|scores| scores.get(place));
        let sum = |of: fn(&Score) -> usize| number::grouped(runs().map(of).sum());
        let alarms = runs().filter(|score| score.false_flags > 0).count();
        let mut row = vec![rule.name.to_owned(), of(alarms, runs().count())];
        row.extend(slowed.iter().map(|index| {
            let found = all[*index].iter().filter_map(|scores| scores.get(place)).filter(|score| score.finds > 0);
            of(found.count(), all[*index].len())
        }));
        row.extend([sum(|score| score.flags), sum(|score| score.false_flags), sum(|score| score.refused)]);
        table.push(&row);
    }
    table
}

fn table_of_flags(all: &[Vec<Vec<Score>>]) -> Table {
    let columns = [
        ("rule", Align::Left),
        ("runs with a flag", Align::Right),
        ("flags", Align::Right),
        ("not judged", Align::Right),
    ];
    let mut table = Table::new("", &columns);
    for (place, rule) in rules().enumerate() {
        let runs = || all.iter().flatten().filter_map(|scores| scores.get(place));
        let sum = |of: fn(&Score) -> usize| number::grouped(runs().map(of).sum());
        let flagging = runs().filter(|score| score.flags > 0).count();
        let row = [rule.name.to_owned(), of(flagging, runs().count())];
        table.push(&[&row[..], &[sum(|score| score.flags), sum(|score| score.refused)]].concat());
    }
    table
}

/// The comparisons that any rule flags, with the rules that do.
fn push_flagged(text: &mut String, replay: &Replay) {
    let columns =
        [("comparison", Align::Left), ("rounds", Align::Right), ("worse", Align::Left), ("better", Align::Left)];
    let mut table = Table::new("", &columns);
    for (place, key) in replay.cells.iter().enumerate() {
        let by = |wanted: Finding| {
            let flagging = replay.rules.iter().filter(|rule| rule.findings.get(place) == Some(&wanted));
            flagging.map(|rule| rule.rule.name).collect::<Vec<_>>().join("; ")
        };
        let (worse, better) = (by(Finding::Worse), by(Finding::Better));
        if worse.is_empty() && better.is_empty() {
            continue;
        }
        let name = format!(
            "{}{} {}",
            Style::Markdown.name(key.entry.as_str()),
            label::case_of_entry(key, Style::Markdown),
            label::metric_of(key.suite, key.metric)
        );
        let rounds = replay.rounds.get(place).copied().unwrap_or(0);
        table.push(&[name, number::grouped(rounds), worse, better]);
    }
    if table.rows.is_empty() {
        return;
    }
    text.push_str("\n## What is flagged\n\n");
    let more = table.rows.len().saturating_sub(MOST_LISTED);
    table.rows.truncate(MOST_LISTED);
    push_table(text, &table);
    if more > 0 {
        let _ = writeln!(text, "\nAnd {} more.", number::count(more, "comparison", "comparisons"));
    }
}

fn push_rules(text: &mut String) {
    text.push_str(
        "\n## The rules\n\nThe other tools' rules are shown the values of both sides of every round that a comparison has, \
         not the ratio of each round. A comparison that was decided early has fewer rounds. They are the rules alone, not \
         the tools: rounds that are raced alternately are kinder to most of them than two separate runs.\n\n",
    );
    for RuleName { name, source, rule, .. } in rules() {
        let _ = writeln!(text, "- {name}: {rule} Source: {source}.");
    }
}

fn push_table(text: &mut String, table: &Table) {
    for line in [&table.header, &table.rule].into_iter().chain(&table.rows) {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay_json;
    use super::super::sample;
    use super::*;
    use crate::model::{EntryName, Results, ScenarioName};
    use crate::verdict::rivals::{SlowedScenario, replay};

    fn run(file: &str, results: &Results) -> ReplayedRun {
        ReplayedRun { file: file.to_owned(), replay: replay(results) }
    }

    fn told() -> Vec<ReplayGroup> {
        let slowed = |entry: Option<&str>, percent| {
            let entry = entry.map(|name| EntryName::new(name).unwrap());
            let truth = Truth::Slowed(SlowedScenario { entry, scenario: ScenarioName::new("get-user").unwrap() });
            ReplayGroup { truth: Some(truth), percent, runs: vec![run("c.json", &sample::changed())] }
        };
        let unchanged = vec![run("a.json", &sample::unchanged()), run("b.json", &sample::unchanged())];
        vec![
            ReplayGroup { truth: Some(Truth::Unchanged), percent: None, runs: unchanged },
            slowed(None, Some(3.0)),
            slowed(Some("fastify"), None),
        ]
    }

    #[test]
    fn against_the_truth() {
        insta::assert_snapshot!("replay_told", replay_text(&told()));
    }

    #[test]
    fn without_the_truth() {
        let of = |runs| vec![ReplayGroup { truth: None, percent: None, runs }];
        insta::assert_snapshot!("replay_untold", replay_text(&of(vec![run("c.json", &sample::changed())])));
        let several = replay_text(&of(vec![run("a.json", &sample::unchanged()), run("c.json", &sample::changed())]));
        assert!(several.starts_with("# The same") && !several.contains("## What is flagged"), "{several}");
    }

    #[test]
    fn no_rule_and_no_run_is_lost_in_the_document() {
        let groups = told();
        let document: serde_json::Value = serde_json::from_str(&replay_json(&groups).unwrap()).unwrap();
        assert_eq!(document["rules"].as_array().unwrap().len(), RULES.len() + 1);
        let first = &document["groups"][0];
        assert_eq!((first["truth"].as_str(), first["totals"][0]["found"].as_u64()), (Some("unchanged"), None));
        assert_eq!(first["totals"][0]["runs"], 2);
        let second = &document["groups"][1];
        assert_eq!((second["scenario"].as_str(), second["percent"].as_f64()), (Some("get-user"), Some(3.0)));
        assert_eq!(second["totals"][0]["found"], 1);
        let comparison = &second["runs"][0]["comparisons"][0];
        assert_eq!(comparison["findings"].as_array().unwrap().len(), RULES.len() + 1);
        assert!(comparison["entry"].is_string() && comparison["rounds"].is_u64(), "{comparison}");
    }
}
