//! The client: octocrab's requests under deadheat's own rules of waiting and retrying.

use super::address::{self, Address};
use super::answer::Answer;
use super::error::ApiError;
use super::pace::Pace;
use super::retry::Repeat;
use super::settings::{ClientSettings, RepositoryName};
use super::transport::{Request, Transport, Wanted};
use http::Method;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many bytes an answer may have.
pub(super) const ANSWER_LIMIT: usize = 32 << 20;

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
    /// How long this client has waited for all its requests.
    pub(super) waited: Mutex<Duration>,
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
        let body = Some(&body).filter(|body| !body.is_null());
        let request = Request { method, uri: self.api.join(&path), body, limit: ANSWER_LIMIT, wanted: Wanted::Json };
        let answer = self.exchange(&request, &path, repeat, self.settings.limits.attempts).await?;
        self.good(answer, &request.method, &path).map(Written::Done)
    }

    /// Asks GraphQL, which is a read whatever its method says.
    pub(super) async fn ask(&self, query: &str) -> Result<serde_json::Value, ApiError> {
        let (body, path) = (serde_json::json!({ "query": query }), self.graphql.path.as_str());
        let (method, uri) = (Method::POST, self.graphql.join(""));
        let request = Request { method, uri, body: Some(&body), limit: ANSWER_LIMIT, wanted: Wanted::Json };
        let answer = self.exchange(&request, path, Repeat::Harmless, self.settings.limits.attempts).await?;
        let answer = self.good(answer, &request.method, path)?;
        answer.read().map_err(|reason| ApiError::Unreadable { what: format!("POST {path}"), reason })
    }
}
