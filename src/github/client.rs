//! The client: octocrab's requests under deadheat's own rules of waiting and retrying.

use super::error::ApiError;
use super::pace::Pace;
use http::Method;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;

/// A token. Never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Wraps a token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryName {
    /// Who it belongs to.
    pub owner: String,
    /// Its own name.
    pub name: String,
}

/// What a client is made of.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The API's root, `https://api.github.com` or a GitHub Enterprise Server's `https://HOST/api/v3`.
    pub api: String,
    /// The token.
    pub token: Option<Token>,
    /// The repository that paths are relative to.
    pub repository: RepositoryName,
    /// Whether writes are only noted, and not sent.
    pub dry_run: bool,
}

/// Whether a request may be sent again when nobody knows if it was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Carried out twice it does no more than once: PATCH, DELETE, and what git names by its content.
    Harmless,
    /// It makes something new each time.
    MakesAnother,
}

/// A request that changes something.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The path below the API's root, such as `/repos/o/r/issues/1/comments`.
    pub path: String,
    /// The body.
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

/// The client.
pub struct Client {
    settings: ClientSettings,
    _pace: Arc<dyn Pace>,
}

impl Client {
    /// A client.
    ///
    /// # Errors
    /// [`ApiError`] where the root is no address.
    pub fn new(settings: ClientSettings, pace: Arc<dyn Pace>) -> Result<Self, ApiError> {
        Ok(Self { settings, _pace: pace })
    }

    /// The repository.
    pub fn repository(&self) -> &RepositoryName {
        &self.settings.repository
    }

    /// Reads what must be there.
    ///
    /// # Errors
    /// [`ApiError`].
    pub async fn get<T: DeserializeOwned>(&self, path: &str, _query: &[(&str, &str)]) -> Result<T, ApiError> {
        Err(ApiError::Uncertain { what: path.to_owned(), reason: "there is no client yet".to_owned() })
    }
}
