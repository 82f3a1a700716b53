//! The command that runs the same race again.

use super::cells::Run;
use crate::model::Results;
use std::fmt::Display;

/// The most characters of the selection; a longer one is left to the results file.
const SELECTION: usize = 2_000;

/// The command: both commits, the seed, the budget, and what was selected.
pub(super) fn command(run: &Run) -> String {
    let results = run.results;
    let base = results.base.as_ref().map_or("none", |base| base.sha.as_str());
    if results.not_raced.is_some() {
        let base = results.base.as_ref().map(|base| format!(" --base {}", base.sha)).unwrap_or_default();
        return format!("deadheat run{base} --head {}", results.head.sha);
    }
    let mut command = format!("deadheat run --base {base} --head {} --seed {}", results.head.sha, results.seed);
    if results.quick {
        command.push_str(" --quick");
    } else {
        if let Some(budget) = budget(results.protocol.budget_s) {
            command.push_str(&budget);
        }
        if results.protocol.rounds_min == results.protocol.rounds_max {
            command.push_str(&format!(" --rounds {}", results.protocol.rounds_max));
        }
    }
    let selection = selection(results);
    if selection.len() <= SELECTION {
        command.push_str(&selection);
    }
    command
}

/// What else whoever repeats the race must know.
pub(super) fn note(run: &Run) -> &'static str {
    if selection(run.results).len() > SELECTION { ", with the selection that is in the results file" } else { "" }
}

/// A budget as the command line reads it, to the millisecond.
fn budget(seconds: f64) -> Option<String> {
    const UNITS: [(u64, &str); 4] = [(3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];
    const MOST: f64 = 1e12;
    let exact = (seconds * 1_000.0).round();
    if !(1.0..=MOST).contains(&exact) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between one and a million million")]
    let mut rest = exact as u64;
    let mut text = String::from(" --budget ");
    for (size, unit) in UNITS {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    Some(text)
}

fn selection(results: &Results) -> String {
    fn option<T: Display>(name: &str, values: &[T]) -> String {
        if values.is_empty() {
            return String::new();
        }
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        format!(" --{name} {}", values.join(","))
    }
    let selection = &results.selection;
    [
        option("variants", &selection.variants),
        option("runtimes", &selection.runtimes),
        option("suites", &selection.suites),
        option("scenarios", &selection.scenarios),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::model::{RuntimeName, ScenarioName, Suite, VariantName};
    use crate::verdict::judge;

    fn command_of(change: impl FnOnce(&mut Results)) -> String {
        let mut results = sample::unchanged();
        change(&mut results);
        command(&Run::new(&results, &judge(&results)))
    }

    #[test]
    fn everything_that_was_chosen_is_said_again() {
        let sides = format!("deadheat run --base {} --head {} --seed 42", "a".repeat(40), "b".repeat(40));
        assert_eq!(command_of(|_| {}), format!("{sides} --budget 12m"));
        assert_eq!(command_of(|run| run.quick = true), format!("{sides} --quick"));
        let chosen = command_of(|run| {
            run.protocol.budget_s = 3_690.5;
            (run.protocol.rounds_min, run.protocol.rounds_max) = (12, 12);
            run.selection.variants = ["a", "b"].map(|name| VariantName::new(name).unwrap()).to_vec();
            run.selection.runtimes = vec![RuntimeName::new("bun").unwrap()];
            run.selection.suites = vec![Suite::Http, Suite::Boot];
            run.selection.scenarios = vec![ScenarioName::new("get-user").unwrap()];
        });
        let options = "--variants a,b --runtimes bun --suites http,boot --scenarios get-user";
        assert_eq!(chosen, format!("{sides} --budget 1h1m30s500ms --rounds 12 {options}"));
        assert!(command_of(|run| run.base = None).starts_with("deadheat run --base none --head b"));
    }

    #[test]
    fn a_budget_that_is_none_and_a_selection_without_end_are_left_out() {
        for budget_s in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
            assert!(!command_of(|run| run.protocol.budget_s = budget_s).contains("--budget"), "{budget_s}");
        }
        let mut results = sample::unchanged();
        results.selection.scenarios = vec![ScenarioName::new("x".repeat(64)).unwrap(); 100];
        let verdict = judge(&results);
        let run = Run::new(&results, &verdict);
        assert!(!command(&run).contains("--scenarios") && note(&run).contains("results file"));
    }
}
