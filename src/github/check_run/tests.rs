use super::*;
use crate::github::crowd::{Fate, HEAD, Task, interleave, run, sha, step};
use crate::model::{RunAttempt, RunId};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;

#[derive(Default)]
struct World {
    checks: Vec<(CheckRun, CheckContent)>,
    fates: VecDeque<Fate>,
    late: Vec<CheckContent>,
    posts: usize,
}

impl World {
    fn make(&mut self, content: &CheckContent) -> CheckRun {
        let id = self.checks.len() as u64 + 1;
        let check = CheckRun {
            id: CheckId(id),
            name: content.name.clone(),
            status: content.status,
            conclusion: content.conclusion,
            external_id: content.external_id.clone().unwrap(),
            app: Some("github-actions".to_owned()),
            url: format!("https://github.com/o/r/runs/{id}"),
        };
        self.checks.push((check.clone(), content.clone()));
        check
    }
}

impl Checks for RefCell<World> {
    async fn list(&self) -> Result<Vec<CheckRun>, ApiError> {
        step().await;
        let checks = self.borrow().checks.iter().map(|(check, _)| check.clone()).collect();
        step().await;
        Ok(checks)
    }

    async fn create(&self, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        step().await;
        let answer = {
            let mut world = self.borrow_mut();
            world.posts += 1;
            let lost = ApiError::Uncertain { what: "POST".to_owned(), reason: "no answer".to_owned() };
            match world.fates.pop_front().unwrap_or(Fate::Good) {
                Fate::Good => Ok(Written::Done(world.make(content))),
                Fate::Unconfirmed | Fate::Garbled => {
                    world.make(content);
                    Err(lost)
                }
                Fate::Lost => Err(lost),
                Fate::Late => {
                    world.late.push(content.clone());
                    Err(lost)
                }
            }
        };
        step().await;
        answer
    }

    async fn update(&self, id: CheckId, content: &CheckContent) -> Result<Written<CheckRun>, ApiError> {
        step().await;
        let check = {
            let mut world = self.borrow_mut();
            let (check, old) = world.checks.iter_mut().find(|(check, _)| check.id == id).unwrap();
            (check.status, check.conclusion) = (content.status, content.conclusion);
            *old = content.clone();
            check.clone()
        };
        step().await;
        Ok(Written::Done(check))
    }

    async fn pause(&self) {
        step().await;
        let late = std::mem::take(&mut self.borrow_mut().late);
        for content in late {
            self.borrow_mut().make(&content);
        }
    }
}

fn topic(run_id: u64) -> CheckTopic {
    CheckTopic {
        head: sha(HEAD),
        name: "deadheat".to_owned(),
        key: RunKey { run: RunId(run_id), attempt: RunAttempt(1) },
        details_url: format!("https://github.com/o/r/actions/runs/{run_id}"),
    }
}

/// Runs of even numbers succeed, the others fail.
fn result(run_id: u64) -> CheckResult {
    let conclusion = if run_id.is_multiple_of(2) { Conclusion::Success } else { Conclusion::Failure };
    CheckResult { conclusion, title: format!("run {run_id}"), summary: "text".to_owned() }
}

fn begun(world: &RefCell<World>, run_id: u64) -> Checked {
    run(begin(world, &topic(run_id))).unwrap()
}

fn completed(world: &RefCell<World>, run_id: u64) -> Checked {
    run(complete(world, &topic(run_id), &result(run_id))).unwrap()
}

/// The title and the conclusion of each check, oldest first.
fn shown(world: &RefCell<World>) -> Vec<(String, Option<Conclusion>)> {
    let title = |content: &CheckContent| content.output.as_ref().map_or("", |output| &output.title).to_owned();
    world.borrow().checks.iter().map(|(_, content)| (title(content), content.conclusion)).collect()
}

#[test]
fn a_check_is_begun_once_and_then_completed() {
    let world: RefCell<World> = RefCell::default();
    assert!(matches!(begun(&world, 2), Checked::Created(_)));
    assert!(matches!(begun(&world, 2), Checked::There(_)));
    assert_eq!(shown(&world), [(String::new(), None)]);
    assert!(matches!(completed(&world, 2), Checked::Completed(_)));
    assert!(matches!(completed(&world, 2), Checked::Completed(_)));
    assert!(matches!(begun(&world, 2), Checked::There(_)));
    assert_eq!(shown(&world), [("run 2".to_owned(), Some(Conclusion::Success))]);
    let content = world.borrow().checks[0].1.clone();
    assert_eq!(content.external_id.as_deref(), Some("2/1"));
    assert_eq!(content.details_url.as_deref(), Some("https://github.com/o/r/actions/runs/2"));
}

#[test]
fn a_check_that_was_never_begun_is_made_completed() {
    let world: RefCell<World> = RefCell::default();
    assert!(matches!(completed(&world, 3), Checked::Created(_)));
    assert_eq!(shown(&world), [("run 3".to_owned(), Some(Conclusion::Failure))]);
}

#[test]
fn an_earlier_run_never_comes_above_a_later_one() {
    let world: RefCell<World> = RefCell::default();
    begun(&world, 2);
    completed(&world, 3);
    assert_eq!(completed(&world, 2), Checked::KeptNewer);
    assert_eq!(begun(&world, 1), Checked::KeptNewer);
    assert_eq!(completed(&world, 1), Checked::KeptNewer);
    let superseded = "Superseded by a later run".to_owned();
    assert_eq!(
        shown(&world),
        [(superseded, Some(Conclusion::Failure)), ("run 3".to_owned(), Some(Conclusion::Failure))]
    );
}

#[test]
fn a_later_run_comes_above_an_earlier_one_that_was_made_after_it() {
    let world: RefCell<World> = RefCell::default();
    begun(&world, 3);
    world.borrow_mut().make(&topic(2).content(CheckStatus::InProgress));
    assert!(matches!(completed(&world, 3), Checked::Created(_)));
    completed(&world, 2);
    assert_eq!(shown(&world).pop(), Some(("run 3".to_owned(), Some(Conclusion::Failure))));
}

#[test]
fn checks_of_the_name_that_are_no_run_of_ours_are_left_alone() {
    let world: RefCell<World> = RefCell::default();
    let mut job = topic(1).content(CheckStatus::InProgress);
    for external_id in ["", "ca395085-040a-526b-2ce8-bdc85f692774", "9/9/9"] {
        job.external_id = Some(external_id.to_owned());
        world.borrow_mut().make(&job);
    }
    completed(&world, 2);
    assert_eq!(shown(&world)[..3], [(String::new(), None), (String::new(), None), (String::new(), None)]);
    assert_eq!(shown(&world).len(), 4);
}

#[test]
fn a_check_without_an_answer_is_looked_for() {
    for (fate, posts) in [(Fate::Unconfirmed, 1), (Fate::Late, 1), (Fate::Lost, 2)] {
        for is_begun in [true, false] {
            let world = RefCell::new(World { fates: [fate].into(), ..World::default() });
            let checked = if is_begun { begun(&world, 2) } else { completed(&world, 2) };
            assert!(matches!(checked, Checked::Created(_)), "{fate:?}: {checked:?}");
            assert_eq!((world.borrow().checks.len(), world.borrow().posts), (1, posts), "{fate:?}");
        }
    }
    let world = RefCell::new(World { fates: [Fate::Lost; 20].into(), ..World::default() });
    assert!(matches!(run(begin(&world, &topic(1))), Err(ApiError::Uncertain { .. })));
    assert!(matches!(run(complete(&world, &topic(1), &result(1))), Err(ApiError::Uncertain { .. })));
}

#[test]
fn texts_fit_what_github_takes() {
    let long =
        CheckResult { conclusion: Conclusion::Neutral, title: "ü".repeat(40_000), summary: "🏁".repeat(20_000) };
    let output = topic(1).completed(&long).output.unwrap();
    assert!(output.title.len() <= CHECK_TEXT_LIMIT && output.title.ends_with("ü\n\n…"));
    assert!((CHECK_TEXT_LIMIT - 3..=CHECK_TEXT_LIMIT).contains(&output.summary.len()));
    let fits = "x".repeat(CHECK_TEXT_LIMIT);
    assert_eq!(capped(&fits), fits);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Every run begins and ends in its own time: nothing stays in progress, and what is shown is the latest's result.
    #[test]
    fn whatever_the_order_the_latest_result_is_shown(
        runs in prop::collection::vec(1u64..5, 1..4),
        fates in prop::collection::vec(prop::sample::select(vec![Fate::Good, Fate::Unconfirmed, Fate::Lost, Fate::Late]), 0..3),
        order in prop::collection::vec(0usize..8, 0..120),
    ) {
        let world = RefCell::new(World { fates: fates.into(), ..World::default() });
        let (world, latest) = (&world, *runs.iter().max().unwrap());
        let mut tasks: Vec<Task<'_, Result<Checked, ApiError>>> = Vec::new();
        for run_id in runs {
            tasks.push(Box::pin(async move { begin(world, &topic(run_id)).await }));
            tasks.push(Box::pin(async move { complete(world, &topic(run_id), &result(run_id)).await }));
        }
        for outcome in interleave(tasks, &order) {
            prop_assert!(outcome.is_ok(), "{outcome:?}");
        }
        let all = shown(world);
        prop_assert!(all.iter().all(|(_, conclusion)| conclusion.is_some()), "{:?}", all);
        prop_assert_eq!(all.last().unwrap().1, Some(result(latest).conclusion), "{:?}", all);
    }
}
