//! Artifacts, which GitHub keeps elsewhere: the token does not go there, and no more is read than allowed.

use super::address::is_loopback;
use super::client::{ANSWER_LIMIT, Client, status_error};
use super::error::ApiError;
use super::retry::Repeat;
use super::runs::ArtifactId;
use super::transport::{self, Request, innermost};
use http::Method;
use reqwest::Url;

/// How many times storage may send the reader on.
const MOVES: usize = 3;

impl Client {
    /// Downloads the archive of an artifact, of at most `limit` bytes.
    ///
    /// # Errors
    /// [`ApiError`]; not found where it has expired, [`ApiError::TooLarge`] past the limit.
    pub async fn download_artifact(&self, id: ArtifactId, limit: usize) -> Result<Vec<u8>, ApiError> {
        let path = self.path(&["actions", "artifacts", &id.to_string(), "zip"])?;
        let uri = format!("{}{}{path}", self.api.origin, self.api.path);
        let request = Request { method: Method::GET, uri, body: None, limit: ANSWER_LIMIT.max(limit) };
        let answer = self.exchange(&request, &path, Repeat::Harmless, self.settings.limits.attempts).await?;
        let Some(location) = answer.location() else {
            return Err(status_error(&answer, &Method::GET, &path));
        };
        self.fetch_elsewhere(location, &path, limit).await
    }

    async fn fetch_elsewhere(&self, location: &str, path: &str, limit: usize) -> Result<Vec<u8>, ApiError> {
        let what = format!("GET {path}");
        let unreadable = |reason: &str| ApiError::Unreadable { what: what.clone(), reason: reason.to_owned() };
        let mut address = Url::parse(location).map_err(|_| unreadable("GitHub names no address for it"))?;
        for _ in 0..=MOVES {
            let loopback = address.host_str().is_some_and(is_loopback);
            if address.scheme() != "https" && !(loopback && self.api.loopback) {
                return Err(unreadable("it is kept at an address that is not https"));
            }
            let client = transport::client(loopback, &self.settings.timeouts)
                .timeout(self.settings.timeouts.download)
                .build()
                .map_err(|error| unreadable(&innermost(&error)))?;
            let mut response =
                client.get(address.clone()).send().await.map_err(|error| unreadable(&innermost(&error)))?;
            let status = response.status();
            if status.is_redirection() {
                let next = response.headers().get(http::header::LOCATION).and_then(|value| value.to_str().ok());
                address = next
                    .and_then(|next| address.join(next).ok())
                    .ok_or_else(|| unreadable("it was moved to no address"))?;
                continue;
            }
            if !status.is_success() {
                return Err(unreadable(&format!("its storage answered {status}")));
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| unreadable(&innermost(&error)))? {
                if bytes.len() + chunk.len() > limit {
                    return Err(ApiError::TooLarge { what, limit });
                }
                bytes.extend_from_slice(&chunk);
            }
            return Ok(bytes);
        }
        Err(unreadable("it was moved too often"))
    }
}
