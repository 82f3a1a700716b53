//! How many more rounds a scenario would likely take to leave the race.
//!
//! A forecast decides only who is raced first where the budget can't hold everybody. It is no part of a verdict: a cell is
//! judged at its own looks, whoever took part in which round.

use super::context::Context;
use super::decide::Decision;
use super::family::is_speed;
use super::looks::{LOOKS, MIN_PAIRS};
use super::pairs::{Pair, pairs};
use super::remaining::Present;
use super::robust::robust;
use super::walsh::hodges_lehmann;
use crate::model::{Case, CellKey, EntryName, RegimeName, Results, ScenarioName, Standing};
use std::collections::BTreeMap;

/// When a cell would likely be decided, as counts of its pairs; none where it would not within all looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CellForecast {
    /// As changed.
    change: Option<usize>,
    /// As the same.
    same: Option<usize>,
}

impl CellForecast {
    /// As either.
    fn decided(self) -> Option<usize> {
        [self.change, self.same].into_iter().flatten().min()
    }
}

/// How many more rounds would likely decide each scenario that was raced in pairs, by entry and regime. Those that are not
/// likely to be decided at all are absent, and so are those that have not come to their first look.
pub fn rounds_left(results: &Results) -> BTreeMap<(EntryName, Option<RegimeName>), BTreeMap<ScenarioName, usize>> {
    let context = Context::new(results);
    let mut groups: BTreeMap<_, BTreeMap<_, Vec<Post>>> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| context.standing(cell) == Standing::Judged) {
        let Case::Scenario(scenario) = &cell.key.case else { continue };
        let pairs = pairs(cell);
        if !context.is_barred(cell, pairs.len()) && !context.is_generator_limited(&cell.key) {
            let lane = (cell.key.entry.clone(), cell.key.regime.clone());
            let post = Post::of(&context, &cell.key, &pairs);
            groups.entry(lane).or_default().entry(scenario.clone()).or_default().push(post);
        }
    }
    let left = |posts: Vec<Post>| until_decided(&posts);
    let scenarios = |group: BTreeMap<ScenarioName, Vec<Post>>| {
        group.into_iter().filter_map(|(name, posts)| Some((name, left(posts)?))).collect()
    };
    groups.into_iter().map(|(lane, group)| (lane, scenarios(group))).collect()
}

/// How one cell stands.
struct Post {
    pairs: usize,
    speed: bool,
    open: bool,
    /// Nothing is known before the first look.
    forecast: Option<CellForecast>,
}

impl Post {
    fn of(context: &Context<'_>, key: &CellKey, pairs: &[Pair]) -> Self {
        let open = context.decision(Standing::Judged, key, pairs) == Decision::Undecided;
        let forecast = if open && pairs.len() >= MIN_PAIRS { forecast(context, key, pairs) } else { None };
        Self { pairs: pairs.len(), speed: is_speed(key), open, forecast }
    }
}

/// When the open cell would be judged as what, should its mean and spread stay what they are.
fn forecast(context: &Context<'_>, key: &CellKey, pairs: &[Pair]) -> Option<CellForecast> {
    let critical = context.critical(Standing::Judged, key)?;
    let limits = context.limits(key);
    let mut ratios: Vec<f64> = pairs.iter().map(|pair| pair.ratio).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let (found, centre) = (robust(&ratios)?, hodges_lehmann(&ratios)?);
    let present = Present { mean: found.mean, centre, spread: found.spread(limits.floor_of(pairs)) };
    let mut coming = LOOKS.iter().map(|look| look.pairs).filter(|look| *look > pairs.len());
    Some(CellForecast {
        change: coming.clone().find(|look| present.proves_change(*look, &limits, critical)),
        same: coming.find(|look| present.proves_same(*look, &limits)),
    })
}

/// The rounds after which a scenario would likely leave: its key cells keep it, or what is open besides where those are
/// decided.
fn until_decided(posts: &[Post]) -> Option<usize> {
    let keys = posts.iter().any(|post| post.speed && post.open);
    let keeping = posts.iter().filter(|post| post.open && post.speed == keys);
    let forecasts: Option<Vec<_>> = keeping.map(|post| Some((post.pairs, post.forecast?))).collect();
    until(forecasts?)
}

/// The rounds until a scenario would likely leave, from the cells that keep it in, each with its count of pairs: as soon as
/// one of them is changed, or once all are decided. None where that is not likely at all.
fn until(keeping: impl IntoIterator<Item = (usize, CellForecast)>) -> Option<usize> {
    let mut first_change: Option<usize> = None;
    let mut all_decided = Some(0);
    for (pairs, forecast) in keeping {
        let left = |at: usize| at.saturating_sub(pairs);
        first_change = [first_change, forecast.change.map(left)].into_iter().flatten().min();
        all_decided = all_decided.zip(forecast.decided().map(left)).map(|(all, one)| all.max(one));
    }
    [first_change, all_decided].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{A12, B12, cell, results};
    use super::*;
    use crate::model::Metric;

    fn of(ratios: &[f64]) -> Post {
        let run = results(vec![cell("get", Metric::Rps, 1e3, ratios), cell("other", Metric::Rps, 1e3, &[])]);
        Post::of(&Context::new(&run), &run.cells[0].key, &pairs(&run.cells[0]))
    }

    #[test]
    fn a_clear_difference_needs_the_first_look_for_a_change() {
        assert_eq!(of(&A12[..8]).forecast, Some(CellForecast { change: Some(12), same: None }));
        assert_eq!(of(&A12[..7]).forecast, None, "nothing is known before the first look");
        assert!(of(&B12).forecast.is_none() && !of(&B12).open, "it is decided");
    }

    #[test]
    fn a_scenario_is_held_by_its_speed() {
        let run = results(vec![
            cell("get", Metric::Rps, 1e3, &A12[..8]),
            cell("get", Metric::P50, 1e3, &B12[..8]),
            cell("get", Metric::P99, 1e3, &A12[..8]),
            cell("post", Metric::Rps, 1e3, &A12[..3]),
        ]);
        let left = rounds_left(&run);
        let lane = left.values().next().unwrap();
        let named: Vec<_> = lane.iter().map(|(name, left)| (name.as_str(), *left)).collect();
        assert_eq!((left.len(), named), (1, vec![("get", 4)]));
    }

    #[test]
    fn one_change_is_enough_and_sameness_needs_all() {
        let cell = |change, same| CellForecast { change, same };
        assert_eq!(until([(8, cell(Some(20), None)), (8, cell(None, None))]), Some(12));
        assert_eq!(until([(8, cell(None, Some(12))), (8, cell(None, Some(20)))]), Some(12));
        assert_eq!(until([(8, cell(None, Some(12))), (8, cell(None, None))]), None);
        assert_eq!(until([(8, cell(Some(30), Some(16)))]), Some(8));
        assert_eq!(until([]), Some(0));
    }
}
