//! A request as often as the rule of retrying allows, with the waits between.

use super::address::line;
use super::answer::Answer;
use super::client::{ANSWER_LIMIT, Client};
use super::error::ApiError;
use super::permission;
use super::retry::{self, Outcome, Repeat, RetryLimits, Ruling, Why};
use super::transport::{Reply, Request, Wanted};
use http::{Method, StatusCode};
use std::sync::PoisonError;
use std::time::Duration;

/// How many times a read follows GitHub to another address of its own: a repository that was renamed.
const MOVES: usize = 3;

impl Client {
    /// A good answer to a GET, tried at most `attempts` times.
    pub(super) async fn fetch(&self, path: &str, attempts: u32) -> Result<Answer, ApiError> {
        let (method, uri) = (Method::GET, self.api.join(path));
        let mut request = Request { method, uri, body: None, limit: ANSWER_LIMIT, wanted: Wanted::Json };
        for _ in 0..=MOVES {
            let answer = self.exchange(&request, path, Repeat::Harmless, attempts).await?;
            // Only on the API's own server: the token must not leave it.
            match answer.location().and_then(|to| self.api.own(to)) {
                Some(to) => request.uri = to,
                None => return self.good(answer, &Method::GET, path),
            }
        }
        Err(ApiError::Unreadable { what: format!("GET {path}"), reason: "it was moved too often".to_owned() })
    }

    /// Sends a request as often as the rule allows, but at most `attempts` times where it fails for another reason than
    /// a rate limit; the answer may be a refusal.
    pub(super) async fn exchange(
        &self,
        request: &Request<'_>,
        path: &str,
        repeat: Repeat,
        attempts: u32,
    ) -> Result<Answer, ApiError> {
        let what = format!("{} {}", request.method, line(path));
        let mut attempt = 1;
        loop {
            let reply = self.transport.send(request).await;
            let outcome = match &reply {
                Reply::Answer(answer) => Outcome::Answered(answer.signs(self.pace.now())),
                Reply::Unsent(_) => Outcome::Unsent,
                Reply::Lost(_) => Outcome::Lost,
                Reply::TooLarge => return Err(ApiError::TooLarge { what, limit: request.limit }),
                Reply::Unusable(reason) => return Err(ApiError::Unusable { what, reason: reason.clone() }),
            };
            let rule = |attempts| {
                let limits = RetryLimits { attempts, ..self.settings.limits };
                retry::rule(&limits, repeat, attempt, outcome, self.waited(), self.pace.jitter())
            };
            let ruling = match rule(self.settings.limits.attempts) {
                // What the caller can do about a failure, such as asking for less, does not help against a limit.
                Ruling::Again(_, Why::Failure) => rule(attempts),
                ruling => ruling,
            };
            match (ruling, reply) {
                (Ruling::Stands | Ruling::Exhausted, Reply::Answer(answer)) => return Ok(answer),
                (Ruling::Again(wait, why), reply) => {
                    self.wait(wait, &format!("{} ({what})", because(why, &reply))).await;
                    attempt += 1;
                }
                (Ruling::TooLong(wait, why), reply) => {
                    let (why, until, cap) = (because(why, &reply), self.in_utc(wait), self.settings.limits.cap);
                    return Err(ApiError::Limited { what, why, until, cap, message: said(&reply) });
                }
                (Ruling::Uncertain, reply) => return Err(ApiError::Uncertain { what, reason: said(&reply) }),
                (Ruling::Stands | Ruling::Exhausted, reply) => {
                    return Err(ApiError::Unreachable { what, reason: said(&reply), attempts: attempt });
                }
            }
        }
    }

    /// Waits after the try number `attempt` that brought no answer, or says that it was the last one.
    pub(super) async fn wait_after(&self, attempt: u32, what: &str, reason: String) -> Result<(), ApiError> {
        let limits = &self.settings.limits;
        let ruling = retry::rule(limits, Repeat::Harmless, attempt, Outcome::Lost, self.waited(), self.pace.jitter());
        let Ruling::Again(wait, _) = ruling else {
            return Err(ApiError::Unreachable { what: what.to_owned(), reason, attempts: attempt });
        };
        self.wait(wait, &format!("{reason} ({what})")).await;
        Ok(())
    }

    /// The answer, where it is a good one.
    pub(super) fn good(&self, answer: Answer, method: &Method, path: &str) -> Result<Answer, ApiError> {
        if answer.status.is_success() {
            return Ok(answer);
        }
        let hint = match (answer.status, &self.settings.token) {
            (StatusCode::UNAUTHORIZED, None) => Some("no token was given, which GITHUB_TOKEN would be".to_owned()),
            (StatusCode::UNAUTHORIZED, Some(_)) => Some("the token is wrong or has expired".to_owned()),
            (StatusCode::FORBIDDEN, _) => answer
                .accepted_permissions()
                .or_else(|| permission::probable(method, path))
                .map(|permission| format!("the token needs {permission}")),
            _ => None,
        };
        let what = format!("{method} {}", line(path));
        Err(ApiError::Status { what, status: answer.status, message: answer.message(), hint })
    }

    fn waited(&self) -> Duration {
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(&self, duration: Duration, why: &str) {
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner) += duration;
        self.pace.wait(duration, why).await;
    }

    fn in_utc(&self, wait: Duration) -> String {
        let second = i64::try_from(self.pace.now().saturating_add(wait.as_secs()));
        let time = second.ok().and_then(|second| jiff::Timestamp::from_second(second).ok());
        time.map_or_else(|| "a time far away".to_owned(), |time| time.to_string())
    }
}

fn because(why: Why, reply: &Reply) -> String {
    match why {
        Why::PrimaryLimit => "GitHub's rate limit".to_owned(),
        Why::SecondaryLimit => "GitHub's secondary rate limit".to_owned(),
        Why::Failure => said(reply),
    }
}

fn said(reply: &Reply) -> String {
    match reply {
        Reply::Answer(answer) => format!("GitHub answered {}: {}", answer.status, answer.message()),
        Reply::Unsent(reason) | Reply::Lost(reason) | Reply::Unusable(reason) => reason.clone(),
        Reply::TooLarge => "the answer is too large".to_owned(),
    }
}
