//! What a client is made of.

use super::retry::RetryLimits;
use std::fmt;
use std::time::Duration;

/// A token. Never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Wraps a token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
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

impl RepositoryName {
    /// Reads `owner/name`, as `GITHUB_REPOSITORY` holds it; nothing for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let plain = |part: &str| {
            !matches!(part, "" | "." | "..")
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        };
        (plain(owner) && plain(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// How long each part of a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To reach the server, TLS included.
    pub connect: Duration,
    /// Without a byte arriving.
    pub read: Duration,
    /// For a whole request and its answer.
    pub total: Duration,
    /// For a whole artifact.
    pub download: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            total: Duration::from_mins(1),
            download: Duration::from_mins(5),
        }
    }
}

/// What a client is made of.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The API's root, `https://api.github.com` or a GitHub Enterprise Server's `https://HOST/api/v3`.
    pub api: String,
    /// Where GraphQL is answered; derived from the root where it is not given.
    pub graphql: Option<String>,
    /// The token.
    pub token: Option<Token>,
    /// The repository that paths are relative to.
    pub repository: RepositoryName,
    /// Whether writes are only noted, and not sent.
    pub dry_run: bool,
    /// How long a request may take.
    pub timeouts: Timeouts,
    /// How often a request is tried, and how long is waited for it.
    pub limits: RetryLimits,
}

impl ClientSettings {
    /// Settings for `repository` at the API's root `api`, that send writes, within the usual limits.
    pub fn new(api: impl Into<String>, repository: RepositoryName, token: Option<Token>) -> Self {
        Self {
            api: api.into(),
            graphql: None,
            token,
            repository,
            dry_run: false,
            timeouts: Timeouts::default(),
            limits: RetryLimits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_an_owner_and_a_name() {
        let name = RepositoryName::parse("fastify/fastify.dev").unwrap();
        assert_eq!((name.owner.as_str(), name.name.as_str()), ("fastify", "fastify.dev"));
        assert_eq!(name.to_string(), "fastify/fastify.dev");
        for bad in ["", "a", "a/", "/b", "a/b/c", "a/..", "../b", "a b/c", "a/b?c", "a/b\n"] {
            assert_eq!(RepositoryName::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_token_is_never_shown() {
        let settings = ClientSettings::new(
            "https://api.github.com",
            RepositoryName::parse("o/r").unwrap(),
            Some(Token::new("ghs_secret")),
        );
        assert!(!format!("{settings:?}").contains("secret"));
    }
}
