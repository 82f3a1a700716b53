//! The client: octocrab's requests under deadheat's own rules of waiting and retrying.

use super::address::{self, Address, line};
use super::answer::Answer;
use super::error::ApiError;
use super::pace::Pace;
use super::permission;
use super::retry::{self, Outcome, Repeat, Ruling, Why};
use super::settings::{ClientSettings, RepositoryName};
use super::transport::{Reply, Request, Transport};
use http::{Method, StatusCode};
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many bytes an answer may have.
pub(super) const ANSWER_LIMIT: usize = 32 << 20;

/// How many times a read follows GitHub to another address of its own: a repository that was renamed.
const MOVES: usize = 3;

/// A request that changes something.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path below the API's root, such as `/repos/o/r/issues/1/comments`.
    pub path: String,
    /// The body; `null` for none.
    pub body: serde_json::Value,
    /// Whether it may be repeated.
    pub repeat: Repeat,
}

/// How a write ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written<T> {
    /// It was carried out, with this answer.
    Done(T),
    /// It was only noted: a dry run.
    Noted,
}

impl<T> Written<T> {
    /// The answer, where the write was carried out.
    pub fn done(self) -> Option<T> {
        if let Self::Done(answer) = self { Some(answer) } else { None }
    }

    /// The same with another answer.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Written<U> {
        match self {
            Self::Done(answer) => Written::Done(change(answer)),
            Self::Noted => Written::Noted,
        }
    }
}

/// A write that a dry run did not send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The method.
    pub method: Method,
    /// The path below the API's root.
    pub path: String,
    /// The body; `null` for none.
    pub body: serde_json::Value,
}

/// The client.
pub struct Client {
    pub(super) settings: ClientSettings,
    pub(super) api: Address,
    graphql: Address,
    pub(super) transport: Transport,
    pub(super) pace: Arc<dyn Pace>,
    waited: Mutex<Duration>,
    noted: Mutex<Vec<Noted>>,
}

impl Client {
    /// A client.
    ///
    /// # Errors
    /// [`ApiError::Unusable`] where the root is no address that a token may be sent to, or the token is none.
    pub fn new(settings: ClientSettings, pace: Arc<dyn Pace>) -> Result<Self, ApiError> {
        let api = Address::parse(&settings.api, "the API's root")?;
        let graphql = settings.graphql.as_deref().map(|text| Address::parse(text, "the address of GraphQL"));
        let graphql = graphql.transpose()?.unwrap_or_else(|| api.graphql());
        let transport = Transport::new(&settings, &api)?;
        let (waited, noted) = (Mutex::default(), Mutex::default());
        Ok(Self { settings, api, graphql, transport, pace, waited, noted })
    }

    /// The repository.
    pub fn repository(&self) -> &RepositoryName {
        &self.settings.repository
    }

    /// What passes time, for those who wait between requests of their own.
    pub fn pace(&self) -> &dyn Pace {
        self.pace.as_ref()
    }

    /// The writes that a dry run has not sent, in their order.
    pub fn noted(&self) -> Vec<Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A path below the repository, of one encoded segment per part.
    pub(super) fn path<S: AsRef<str>>(&self, parts: &[S]) -> Result<String, ApiError> {
        let RepositoryName { owner, name } = self.repository();
        Ok(address::path(&["repos", owner, name])? + &address::path(parts)?)
    }

    /// Reads what must be there.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, ApiError> {
        let shown = address::with_query(path, query);
        let answer = self.fetch(&shown, self.settings.limits.attempts).await?;
        answer.read().map_err(|reason| ApiError::Unreadable { what: format!("GET {shown}"), reason })
    }

    /// Reads what may be missing.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn find<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<Option<T>, ApiError> {
        match self.get(path, query).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes, and reads the answer.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn write<T: DeserializeOwned>(&self, call: Call) -> Result<Written<T>, ApiError> {
        let what = format!("{} {}", call.method, call.path);
        match self.write_unread(call).await? {
            Written::Noted => Ok(Written::Noted),
            Written::Done(answer) => {
                answer.read().map(Written::Done).map_err(|reason| ApiError::Unreadable { what, reason })
            }
        }
    }

    /// Writes, and does not care what is answered.
    pub(super) async fn write_unread(&self, call: Call) -> Result<Written<Answer>, ApiError> {
        let Call { method, path, body, repeat } = call;
        if self.settings.dry_run {
            self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(Noted { method, path, body });
            return Ok(Written::Noted);
        }
        let uri = format!("{}{}{path}", self.api.origin, self.api.path);
        let request = Request { method, uri, body: Some(&body).filter(|body| !body.is_null()), limit: ANSWER_LIMIT };
        let answer = self.exchange(&request, &path, repeat, self.settings.limits.attempts).await?;
        good(answer, &request.method, &path).map(Written::Done)
    }

    /// Asks GraphQL, which is a read whatever its method says.
    pub(super) async fn ask(&self, query: &str) -> Result<serde_json::Value, ApiError> {
        let body = serde_json::json!({ "query": query });
        let uri = format!("{}{}", self.graphql.origin, self.graphql.path);
        let request = Request { method: Method::POST, uri, body: Some(&body), limit: ANSWER_LIMIT };
        let answer =
            self.exchange(&request, &self.graphql.path, Repeat::Harmless, self.settings.limits.attempts).await?;
        let answer = good(answer, &request.method, &self.graphql.path)?;
        answer.read().map_err(|reason| ApiError::Unreadable { what: format!("POST {}", self.graphql.path), reason })
    }

    /// A good answer to a GET, tried at most `attempts` times.
    pub(super) async fn fetch(&self, path: &str, attempts: u32) -> Result<Answer, ApiError> {
        let uri = format!("{}{}{path}", self.api.origin, self.api.path);
        let mut request = Request { method: Method::GET, uri, body: None, limit: ANSWER_LIMIT };
        for _ in 0..MOVES {
            let answer = self.exchange(&request, path, Repeat::Harmless, attempts).await?;
            // Only on the API's own origin: the token must not leave it.
            match answer.location().filter(|to| self.is_own(to)) {
                Some(to) => request.uri = to.to_owned(),
                None => return good(answer, &Method::GET, path),
            }
        }
        Err(ApiError::Unreadable { what: format!("GET {path}"), reason: "it was moved too often".to_owned() })
    }

    fn is_own(&self, address: &str) -> bool {
        address.strip_prefix(&self.api.origin).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Sends a request as often as the rule allows; the answer may be a refusal.
    pub(super) async fn exchange(
        &self,
        request: &Request<'_>,
        path: &str,
        repeat: Repeat,
        attempts: u32,
    ) -> Result<Answer, ApiError> {
        let what = format!("{} {path}", request.method);
        let limits = retry::RetryLimits { attempts, ..self.settings.limits };
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
            let ruling = retry::rule(&limits, repeat, attempt, outcome, self.waited(), self.pace.jitter());
            match (ruling, reply) {
                (Ruling::Stands | Ruling::Exhausted, Reply::Answer(answer)) => return Ok(answer),
                (Ruling::Again(wait, why), reply) => {
                    self.wait(wait, &format!("{} ({what})", because(why, &reply))).await;
                    attempt += 1;
                }
                (Ruling::TooLong(wait, why), reply) => {
                    let why = because(why, &reply);
                    return Err(self.limited(what, why, wait, &reply));
                }
                (Ruling::Uncertain, reply) => return Err(ApiError::Uncertain { what, reason: said(&reply) }),
                (Ruling::Stands | Ruling::Exhausted, reply) => {
                    return Err(ApiError::Unreachable { what, reason: said(&reply), attempts: attempt });
                }
            }
        }
    }

    fn waited(&self) -> Duration {
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait(&self, duration: Duration, why: &str) {
        *self.waited.lock().unwrap_or_else(PoisonError::into_inner) += duration;
        self.pace.wait(duration, why).await;
    }

    fn limited(&self, what: String, why: String, wait: Duration, reply: &Reply) -> ApiError {
        let until = self.pace.now().saturating_add(wait.as_secs());
        let until = i64::try_from(until).ok().and_then(|second| jiff::Timestamp::from_second(second).ok());
        let until = until.map_or_else(|| "a time far away".to_owned(), |time| time.to_string());
        ApiError::Limited { what, why, until, cap: self.settings.limits.cap, message: said(reply) }
    }
}

fn good(answer: Answer, method: &Method, path: &str) -> Result<Answer, ApiError> {
    if answer.status.is_success() { Ok(answer) } else { Err(status_error(&answer, method, path)) }
}

/// The error that a refusal is.
pub(super) fn status_error(answer: &Answer, method: &Method, path: &str) -> ApiError {
    let refused = matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let permission = refused.then(|| answer.accepted_permissions().or_else(|| permission::probable(method, path)));
    ApiError::Status {
        what: format!("{method} {}", line(path)),
        status: answer.status,
        message: answer.message(),
        permission: permission.flatten(),
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
