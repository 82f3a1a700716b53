//! `deadheat replay`: the rounds of runs judged by other tools' published rules, beside deadheat's own.

use super::outcome::{CommandError, Finish};
use super::report::read_results;
use super::surroundings::Surroundings;
use crate::cli::{ReplayArgs, SlowedRuns};
use crate::model::{Results, Standing};
use crate::report::{ReplayGroup, ReplayedRun, replay_json, replay_text};
use crate::verdict::rivals::{Replay, SlowedScenario, Truth, replay};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Replays what the arguments name.
///
/// # Errors
/// [`CommandError`], with every file that can't be replayed.
pub fn replay_runs(around: &mut Surroundings, arguments: &ReplayArgs) -> Result<Finish, CommandError> {
    let asked = asked(arguments);
    if asked.is_empty() {
        return Err(CommandError::usage(
            "failed to replay: no results file is named; give some, or say what is true of them with `--unchanged` and `--slowed`",
        ));
    }
    let mut seen = BTreeSet::new();
    let mut problems = Vec::new();
    let mut groups = Vec::new();
    for (truth, percent, files) in asked {
        let mut runs = Vec::new();
        for file in files {
            let path = around.directory.join(&file);
            if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                problems
                    .push(format!("failed to replay {}: it is named twice, and each run counts once", file.display()));
                continue;
            }
            match read_results(&path).map_err(|error| error.to_string()).and_then(|results| {
                replayed(&results, truth.as_ref())
                    .map_err(|reason| format!("failed to replay {}: {reason}", path.display()))
            }) {
                Ok(replay) => runs.push(ReplayedRun { file: file.display().to_string(), replay }),
                Err(problem) => problems.push(problem),
            }
        }
        groups.push(ReplayGroup { truth, percent, runs });
    }
    if !problems.is_empty() {
        return Err(CommandError::usage(problems.join("\n")));
    }
    if arguments.json {
        around.print_json(&replay_json(&groups).map_err(CommandError::infrastructure)?)?;
    } else {
        around.print_text("replay", &replay_text(&groups))?;
    }
    Ok(Finish::Done)
}

type Asked = (Option<Truth>, Option<f64>, Vec<PathBuf>);

/// The groups of files with what is true of them; none is empty.
fn asked(arguments: &ReplayArgs) -> Vec<Asked> {
    let slowed = arguments.told.slowed.iter().cloned().map(|SlowedRuns { entry, scenario, percent, files }| {
        (Some(Truth::Slowed(SlowedScenario { entry, scenario })), percent, files)
    });
    let untold = (None, None, arguments.results.clone());
    let unchanged = (Some(Truth::Unchanged), None, arguments.told.unchanged.clone());
    [untold, unchanged].into_iter().chain(slowed).filter(|(_, _, files)| !files.is_empty()).collect()
}

/// The replay of a run, or why it is no evidence.
fn replayed(results: &Results, truth: Option<&Truth>) -> Result<Replay, String> {
    if results.not_raced.is_some() {
        return Err("nothing was raced in it".to_owned());
    }
    if results.quick {
        return Err("it is of a quick run, which judges nothing and is no evidence".to_owned());
    }
    if results.base.is_none() {
        return Err("it holds head's standings alone, and there is no base to compare with".to_owned());
    }
    if let Some(Truth::Slowed(slowed)) = truth
        && !results.cells.iter().any(|cell| cell.standing == Standing::Judged && slowed.holds(&cell.key))
    {
        let of = slowed.entry.as_ref().map_or_else(String::new, |entry| format!(" of {entry}"));
        return Err(format!("no judged comparison in it is one of the scenario {}{of}", slowed.scenario));
    }
    let replay = replay(results);
    if replay.cells.is_empty() { Err("it holds no judged comparison".to_owned()) } else { Ok(replay) }
}
