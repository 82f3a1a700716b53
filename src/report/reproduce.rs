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
    // A calibration builds what is checked out.
    let configuration = results.configuration.as_ref().map(|path| format!(" --config {path}")).unwrap_or_default();
    let first = match results.calibration {
        Some(_) => format!("deadheat calibrate{configuration} --seed {}", results.seed),
        None => {
            format!("deadheat run{configuration} --base {base} --head {} --seed {}", results.head.sha, results.seed)
        }
    };
    let mut words = vec![first];
    let rounds = (results.protocol.rounds_min, results.protocol.rounds_max);
    if results.quick {
        words.push("--quick".to_owned());
    } else {
        words.extend(budget(results.protocol.budget_s).map(|budget| format!("--budget {budget}")));
        words.extend((rounds.0 == rounds.1).then(|| format!("--rounds {}", rounds.1)));
    }
    let selection = selection(results);
    if selection.len() <= SELECTION {
        words.push(selection);
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
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
    let parts = UNITS.map(|(size, unit)| {
        let count = rest / size;
        rest %= size;
        if count > 0 { format!("{count}{unit}") } else { String::new() }
    });
    Some(parts.concat())
}

fn selection(results: &Results) -> String {
    fn option<T: Display>(name: &str, values: &[T]) -> Option<String> {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        (!values.is_empty()).then(|| format!("--{name} {}", values.join(",")))
    }
    let selection = &results.selection;
    let options = [
        option("variants", &selection.variants),
        option("runtimes", &selection.runtimes),
        option("suites", &selection.suites),
        option("scenarios", &selection.scenarios),
    ];
    options.into_iter().flatten().collect::<Vec<_>>().join(" ")
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
        let calibration = command_of(|run| run.calibration = Some(crate::model::CalibrationRecord::default()));
        assert!(calibration.starts_with("deadheat calibrate --seed "), "{calibration}");
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
        let path = crate::model::ConfigurationPath::new("bench/deadheat.toml").unwrap();
        let elsewhere = command_of(|run| run.configuration = Some(path));
        assert!(elsewhere.starts_with("deadheat run --config bench/deadheat.toml --base a"), "{elsewhere}");
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
