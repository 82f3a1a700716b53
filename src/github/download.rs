//! Artifacts, which GitHub keeps elsewhere: the token does not go there, and no more is read than allowed.

use super::address::is_loopback;
use super::client::Client;
use super::error::ApiError;
use super::retry::Repeat;
use super::runs::ArtifactId;
use super::transport::{self, Request, Wanted};
use http::{Method, header};
use reqwest::Url;

/// How many times storage may send the reader on.
const MOVES: usize = 3;

/// Why a download brought nothing.
enum Miss {
    /// For good.
    Final(ApiError),
    /// A fresh address from GitHub may help: they are good for a minute.
    Lost(String),
}

impl Client {
    /// Downloads the archive of an artifact, of at most `limit` bytes.
    ///
    /// # Errors
    /// [`ApiError`]; not found where it has expired, [`ApiError::TooLarge`] past the limit.
    pub async fn download_artifact(&self, id: ArtifactId, limit: usize) -> Result<Vec<u8>, ApiError> {
        let path = self.path(&["actions", "artifacts", &id.to_string(), "zip"])?;
        let what = format!("GET {path}");
        let (method, uri) = (Method::GET, self.api.join(&path));
        let request = Request { method, uri, body: None, limit, wanted: Wanted::Bytes };
        let mut attempt = 1;
        loop {
            let answer = self.exchange(&request, &path, Repeat::Harmless, self.settings.limits.attempts).await?;
            let Some(location) = answer.location() else {
                return self.good(answer, &Method::GET, &path).map(|answer| answer.body);
            };
            match self.fetch_elsewhere(location, &what, limit).await {
                Ok(bytes) => return Ok(bytes),
                Err(Miss::Final(error)) => return Err(error),
                Err(Miss::Lost(reason)) => self.wait_after(attempt, &what, reason).await?,
            }
            attempt += 1;
        }
    }

    /// Reads what is kept at an address that is a secret as long as it is good, and is never shown therefore.
    async fn fetch_elsewhere(&self, location: &str, what: &str, limit: usize) -> Result<Vec<u8>, Miss> {
        let timeouts = &self.settings.timeouts;
        let refused =
            |reason: &str| Miss::Final(ApiError::Unreadable { what: what.to_owned(), reason: reason.to_owned() });
        let lost = |error: &reqwest::Error| Miss::Lost(transport::reason(error, timeouts));
        let mut address = Url::parse(location).map_err(|_| refused("GitHub names no address for it"))?;
        for _ in 0..=MOVES {
            let loopback = address.host_str().is_some_and(is_loopback);
            if address.scheme() != "https" && !(address.scheme() == "http" && loopback && self.api.loopback) {
                return Err(refused("it is kept at an address that is not https"));
            }
            let client = transport::client(loopback, timeouts)
                .timeout(timeouts.download)
                .build()
                .map_err(|error| refused(&transport::innermost(&error)))?;
            let mut response = client.get(address.clone()).send().await.map_err(|error| lost(&error))?;
            let status = response.status();
            if status.is_redirection() {
                let next = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
                let next = next.and_then(|next| address.join(next).ok());
                address = next.ok_or_else(|| refused("its storage moved it to no address"))?;
                continue;
            }
            if !status.is_success() {
                return Err(Miss::Lost(format!("its storage answered {status}")));
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
                if bytes.len() + chunk.len() > limit {
                    return Err(Miss::Final(ApiError::TooLarge { what: what.to_owned(), limit }));
                }
                bytes.extend_from_slice(&chunk);
            }
            return Ok(bytes);
        }
        Err(refused("its storage moved it too often"))
    }
}
