//! What a run on one's own machine leaves for later ones, and what it finds of earlier ones.

use super::outcome::CommandError;
use super::own_directory::hide_from_git;
use super::progress::note;
use super::stores;
use super::surroundings::Surroundings;
use crate::baseline::{BaselineRecord, CellFigures, DirectoryStore, Nearest, Stored, Trend, nearest_measured, trend};
use crate::build::Repository;
use crate::cli::StoreChoice;
use crate::github::in_actions;
use crate::model::Results;
use crate::report::{Publication, TrendLine};
use crate::verdict::{MIN_PAIRS, RunVerdict};
use std::path::PathBuf;

/// How far back a measured commit is looked for: further back it would say little.
const ANCESTORS: usize = 1000;

/// The verdict's figures, as a baseline keeps them.
pub(super) fn figures(verdict: &RunVerdict) -> Vec<CellFigures> {
    let cells = verdict.cells.iter().map(|cell| CellFigures {
        rounds: u32::try_from(cell.pairs).unwrap_or(u32::MAX),
        base: cell.base,
        head: cell.head,
        centre: cell.centre,
    });
    cells.collect()
}

/// Why a run is no measure for later ones; none where it is. What a workflow selects it selects every time, so that a part
/// is a measure there; on one's own machine it is a moment's choice.
pub(super) fn no_measure(results: &Results, verdict: &RunVerdict) -> Option<String> {
    if results.quick || results.not_raced.is_some() {
        return Some("nothing was measured that could be judged".to_owned());
    }
    if results.calibration.is_some() {
        return Some("a calibration is no run".to_owned());
    }
    if !verdict.usable {
        return Some("the control moved".to_owned());
    }
    // Fewer prove nothing, and would take the place of a longer run of the same commit.
    let few = (results.rounds as usize) < MIN_PAIRS;
    few.then(|| format!("{MIN_PAIRS} rounds are needed and {} were raced", results.rounds))
}

/// Keeps the baseline of a clean commit of the default branch of which nothing was left out, and says so. What can't be
/// kept is said and fails no run: its results are written.
pub(super) fn keep_baseline(around: &Surroundings, repository: &Repository, results: &Results, verdict: &RunVerdict) {
    let is_commit = !results.head.dirty && repository.is_on_default_branch(&results.head.sha);
    if results.quick || !is_commit || in_actions(&around.environment) {
        return;
    }
    let short = results.head.sha.short();
    let part = (!results.selection.is_everything()).then(|| "only a part was raced".to_owned());
    if let Some(reason) = no_measure(results, verdict).or(part) {
        return note(around.show, &format!("baseline: {short} is not kept, {reason}"));
    }
    let said = match put(around, results, verdict) {
        Ok(None) => return,
        Ok(Some((Stored::Left, place))) => {
            format!("baseline: a newer run of {short} is kept in {}", place.display())
        }
        Ok(Some((_, place))) => format!("baseline: kept {short} in {}", place.display()),
        Err(error) => format!("baseline: {error}"),
    };
    note(around.show, &said);
}

fn put(
    around: &Surroundings,
    results: &Results,
    verdict: &RunVerdict,
) -> Result<Option<(Stored, PathBuf)>, CommandError> {
    let Some(root) = stores::directory(around, StoreChoice::Auto)? else { return Ok(None) };
    let failed = |error: &dyn std::fmt::Display| {
        CommandError::infrastructure(format!("failed to keep the baseline of {}: {error}", results.head.sha.short()))
    };
    let record = BaselineRecord::from_results(results, &figures(verdict)).map_err(|error| failed(&error))?;
    std::fs::create_dir_all(&root).and_then(|()| hide_from_git(&root)).map_err(|error| failed(&error))?;
    let stored = DirectoryStore::new(&root).put(&record).map_err(CommandError::infrastructure)?;
    Ok(Some((stored, root)))
}

/// What the comment of a run on one's own machine says beyond its results: how head stands to the nearest measured
/// ancestor of base, base itself included.
pub(super) fn publication(
    around: &Surroundings,
    repository: &Repository,
    results: &Results,
    verdict: &RunVerdict,
) -> Publication {
    let trend = find_trend(around, repository, results, verdict).unwrap_or_else(|error| {
        note(around.show, &format!("the trend is left out: {error}"));
        None
    });
    Publication { trend, ..Publication::default() }
}

fn find_trend(
    around: &Surroundings,
    repository: &Repository,
    results: &Results,
    verdict: &RunVerdict,
) -> Result<Option<TrendLine>, CommandError> {
    let Some(base) = results.base.as_ref().filter(|_| !in_actions(&around.environment)) else { return Ok(None) };
    let Some(root) = stores::directory(around, StoreChoice::Auto)? else { return Ok(None) };
    let store = DirectoryStore::new(root);
    let measured = store.measured().map_err(CommandError::infrastructure)?;
    if measured.is_empty() {
        return Ok(None);
    }
    let ancestors = repository.ancestors(&base.sha, ANCESTORS)?;
    let Some(Nearest { sha, place }) = nearest_measured(&ancestors, &measured) else { return Ok(None) };
    let Some(earlier) = store.get(sha).map_err(CommandError::infrastructure)? else { return Ok(None) };
    Ok(trend(results, &figures(verdict), &earlier).map(|trend| shown_trend(trend, place)))
}

/// A trend from a commit that many before base, as a report shows it.
pub(super) fn shown_trend(trend: Trend, commits_before: usize) -> TrendLine {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    TrendLine {
        commit: trend.commit,
        commits_before: Some(commits_before),
        mean_pct: percent(trend.ratio),
        lowest_pct: percent(trend.lowest),
        highest_pct: percent(trend.highest),
        cells: trend.cells,
    }
}
