//! An answer of GitHub's, and what its headers and its message say.

use super::address::line;
use super::retry::{LimitWords, Signs};
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// What GitHub sends with an error.
#[derive(Deserialize)]
struct WireError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: serde_json::Value,
}

impl Answer {
    /// Whether a good answer is JSON to its end, or has none by its status.
    pub(super) fn is_whole(&self) -> bool {
        !self.status.is_success()
            || self.status == StatusCode::NO_CONTENT
            || serde_json::from_slice::<IgnoredAny>(&self.body).is_ok()
    }

    /// The body as what was asked for.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|error| line(&error.to_string()))
    }

    /// Whether the list goes on after this page; unknown where the answer holds no links.
    pub(super) fn has_next(&self) -> Option<bool> {
        let link = self.headers.get(header::LINK)?.to_str().ok()?;
        Some(
            link.split(',')
                .any(|part| part.split(';').skip(1).any(|item| item.trim().eq_ignore_ascii_case("rel=\"next\""))),
        )
    }

    /// Where the answer sends the reader.
    pub(super) fn location(&self) -> Option<&str> {
        self.headers
            .get(header::LOCATION)
            .and_then(|value| value.to_str().ok())
            .filter(|_| self.status.is_redirection())
    }

    /// The permission that GitHub asks for, as it is written in a workflow.
    pub(super) fn accepted_permissions(&self) -> Option<String> {
        let text = self.headers.get("x-accepted-github-permissions")?.to_str().ok()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let set = |set: &str| {
            let needs = set.split(',').filter_map(|need| need.trim().split_once('='));
            let needs: Vec<String> = needs
                .filter(|(name, level)| name.chars().chain(level.chars()).all(plain))
                .map(|(name, level)| format!("`{}: {level}`", name.replace('_', "-")))
                .collect();
            needs.join(" and ")
        };
        let sets: Vec<String> = text.split(';').map(set).filter(|set| !set.is_empty()).collect();
        (!sets.is_empty()).then(|| line(&sets.join(" or ")))
    }

    /// GitHub's own words, as a line.
    pub(super) fn message(&self) -> String {
        let said = match serde_json::from_slice::<WireError>(&self.body) {
            Ok(error) => {
                let details = error.errors.as_array().map(Vec::as_slice).unwrap_or_default();
                let details: Vec<String> = details.iter().take(3).filter_map(detail).collect();
                if details.is_empty() { error.message } else { format!("{} ({})", error.message, details.join("; ")) }
            }
            Err(_) => page_title(&String::from_utf8_lossy(&self.body)),
        };
        let said = line(&said);
        if said.is_empty() { "no message".to_owned() } else { said }
    }

    /// The parts that decide about another try; `now` is in seconds since 1970.
    pub(super) fn signs(&self, now: u64) -> Signs {
        let number = |name: &str| self.headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
        // The server's own clock, where it says it: a runner's may be off.
        let now = self.headers.get(header::DATE).and_then(|date| seconds(date.to_str().ok()?)).unwrap_or(now);
        let retry_after = number("retry-after").or_else(|| {
            let date = seconds(self.headers.get(header::RETRY_AFTER)?.to_str().ok()?)?;
            Some(date.saturating_sub(now))
        });
        let words = if self.status.is_client_error() { limit_words(&self.message()) } else { LimitWords::None };
        Signs {
            status: self.status,
            retry_after,
            used_up: number("x-ratelimit-remaining") == Some(0),
            reset_in: number("x-ratelimit-reset").map(|reset| reset.saturating_sub(now)),
            words,
        }
    }
}

fn limit_words(message: &str) -> LimitWords {
    let message = message.to_ascii_lowercase();
    if message.contains("secondary rate limit") || message.contains("abuse detection") {
        LimitWords::Secondary
    } else if message.contains("rate limit exceeded") {
        LimitWords::Primary
    } else {
        LimitWords::None
    }
}

fn detail(error: &serde_json::Value) -> Option<String> {
    if let Some(text) = error.as_str().or_else(|| error["message"].as_str()) {
        return Some(text.to_owned());
    }
    let parts: Vec<&str> = ["resource", "field", "code"].iter().filter_map(|key| error[key].as_str()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// What a page says in its title, or in its first words.
fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    if let Some(start) = lower.find("<title>").map(|at| at + "<title>".len()) {
        let end = lower[start..].find("</title>").map_or(page.len(), |length| start + length);
        return page[start..end].to_owned();
    }
    let mut text = String::new();
    let mut inside = false;
    for c in page.chars().take(4096) {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                text.push(' ');
            }
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// An HTTP date in seconds since 1970.
fn seconds(date: &str) -> Option<u64> {
    let zoned = jiff::fmt::rfc2822::parse(date).ok()?;
    u64::try_from(zoned.timestamp().as_second()).ok()
}
