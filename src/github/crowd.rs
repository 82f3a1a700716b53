//! For tests: many publishers at once on one pull request, step by step and without a clock. A list of numbers says
//! whose step is next, so that every order of events can be had again.

use super::client::Written;
use super::comments::{Comment, CommentId};
use super::error::ApiError;
use super::marker::{ConfigurationPath, Marker};
use super::thread::Thread;
use super::upsert::StickyThread;
use super::wire::Account;
use crate::model::{CommitSha, RunAttempt, RunId};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub(super) const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

pub(super) fn sha(text: &str) -> CommitSha {
    CommitSha::new(text).unwrap()
}

pub(super) fn marker(run: u64) -> Marker {
    let configuration = ConfigurationPath::new("deadheat.toml").unwrap();
    Marker { configuration, head: sha(HEAD), run: RunId(run), attempt: RunAttempt(1) }
}

pub(super) fn comment(id: u64, (login, is_bot): (&str, bool), body: &str) -> Comment {
    Comment {
        id: CommentId(id),
        body: body.to_owned(),
        author: Account { login: login.to_owned(), is_bot },
        created_at: String::new(),
        url: format!("https://github.com/o/r/pull/1#issuecomment-{id}"),
    }
}

/// What becomes of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is carried out and confirmed.
    Good,
    /// It is carried out, and the confirmation is lost.
    Unconfirmed,
    /// It is carried out, and the confirmation is garbage.
    Garbled,
    /// It is lost.
    Lost,
    /// It is carried out while its publisher waits.
    Late,
}

pub(super) struct World {
    pub(super) comments: Vec<Comment>,
    pub(super) head: Option<CommitSha>,
    pub(super) fates: VecDeque<Fate>,
    /// How often something was posted, changed and deleted.
    pub(super) writes: (usize, usize, usize),
    late: Vec<String>,
    next: u64,
}

impl World {
    pub(super) fn new(comments: Vec<Comment>, fates: &[Fate]) -> RefCell<Self> {
        let next = comments.iter().map(|comment| comment.id.0).max().unwrap_or(0) + 1;
        let fates = fates.iter().copied().collect();
        RefCell::new(Self { comments, head: Some(sha(HEAD)), fates, writes: (0, 0, 0), late: Vec::new(), next })
    }

    fn post(&mut self, body: &str) -> Comment {
        let made = comment(self.next, ("github-actions[bot]", true), body);
        self.next += 1;
        self.comments.push(made.clone());
        made
    }
}

/// One publisher's view of the world.
pub(super) struct Publisher<'a>(pub(super) &'a RefCell<World>);

fn missing() -> ApiError {
    ApiError::Status {
        what: "PATCH".to_owned(),
        status: http::StatusCode::NOT_FOUND,
        message: String::new(),
        hint: None,
    }
}

impl Thread for Publisher<'_> {
    async fn list(&self) -> Result<Vec<Comment>, ApiError> {
        step().await;
        let comments = self.0.borrow().comments.clone();
        step().await;
        Ok(comments)
    }

    async fn create(&self, body: &str) -> Result<Written<Comment>, ApiError> {
        step().await;
        let answer = {
            let mut world = self.0.borrow_mut();
            world.writes.0 += 1;
            let (what, reason) = ("POST".to_owned(), "no answer".to_owned());
            match world.fates.pop_front().unwrap_or(Fate::Good) {
                Fate::Good => Ok(Written::Done(world.post(body))),
                Fate::Unconfirmed => {
                    world.post(body);
                    Err(ApiError::Uncertain { what, reason })
                }
                Fate::Garbled => {
                    world.post(body);
                    Err(ApiError::Unreadable { what, reason })
                }
                Fate::Lost => Err(ApiError::Uncertain { what, reason }),
                Fate::Late => {
                    world.late.push(body.to_owned());
                    Err(ApiError::Uncertain { what, reason })
                }
            }
        };
        step().await;
        answer
    }

    async fn delete(&self, id: CommentId) -> Result<Written<()>, ApiError> {
        step().await;
        let mut world = self.0.borrow_mut();
        world.writes.2 += 1;
        world.comments.retain(|comment| comment.id != id);
        Ok(Written::Done(()))
    }

    async fn pause(&self) {
        step().await;
        let mut world = self.0.borrow_mut();
        for body in std::mem::take(&mut world.late) {
            world.post(&body);
        }
    }
}

impl StickyThread for Publisher<'_> {
    async fn update(&self, id: CommentId, body: &str) -> Result<Written<Comment>, ApiError> {
        step().await;
        let answer = {
            let mut world = self.0.borrow_mut();
            world.writes.1 += 1;
            let found = world.comments.iter_mut().find(|comment| comment.id == id);
            found.map(|comment| {
                body.clone_into(&mut comment.body);
                Written::Done(comment.clone())
            })
        };
        step().await;
        answer.ok_or_else(missing)
    }

    async fn head(&self) -> Result<Option<CommitSha>, ApiError> {
        step().await;
        let head = self.0.borrow().head.clone();
        step().await;
        Ok(head)
    }
}

/// Lets the others go first.
pub(super) async fn step() {
    let mut went = false;
    poll_fn(|_| if std::mem::replace(&mut went, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Something to be done by one of many.
pub(super) type Task<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs all to their end; `order` says who takes the next step, and when it is used up they take turns.
pub(super) fn interleave<T>(tasks: Vec<Task<'_, T>>, order: &[usize]) -> Vec<T> {
    let mut results: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let mut running: Vec<(usize, Task<'_, T>)> = tasks.into_iter().enumerate().collect();
    let mut context = Context::from_waker(Waker::noop());
    let mut turn = 0;
    while !running.is_empty() {
        let at = order.get(turn).copied().unwrap_or(turn) % running.len();
        turn += 1;
        assert!(turn < 100_000, "somebody never ends");
        if let Poll::Ready(result) = running[at].1.as_mut().poll(&mut context) {
            let (index, _) = running.remove(at);
            results[index] = Some(result);
        }
    }
    results.into_iter().map(Option::unwrap).collect()
}

/// Runs one to its end.
pub(super) fn run<T>(task: impl Future<Output = T>) -> T {
    interleave(vec![Box::pin(task)], &[]).remove(0)
}
