//! Lists, page by page. The next page is asked for by its number, never by an address that an answer gives: the token
//! stays where it belongs.

use super::address;
use super::client::Client;
use super::error::ApiError;
use serde::de::DeserializeOwned;

/// How many items are asked for at once, as long as GitHub manages that.
const MOST: u32 = 100;

/// Below this, smaller pages don't help.
const LEAST: u32 = 25;

/// How often a page that may be made smaller is tried as it is.
const TRIES_AS_IS: u32 = 2;

/// How a list arrives.
pub(super) trait Page: DeserializeOwned {
    /// What is in it.
    type Item;
    /// The items.
    fn items(self) -> Vec<Self::Item>;
}

impl<T: DeserializeOwned> Page for Vec<T> {
    type Item = T;
    fn items(self) -> Vec<T> {
        self
    }
}

/// What a walk over a list found.
#[derive(Debug)]
pub(super) struct Walk<T> {
    pub(super) items: Vec<T>,
    /// Whether the list goes on.
    pub(super) more: bool,
}

impl Client {
    /// The whole list, which is an error past `pages` pages of 100.
    pub(super) async fn list<P: Page>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        pages: u32,
    ) -> Result<Vec<P::Item>, ApiError> {
        let walk = self.walk::<P>(path, query, pages).await?;
        if walk.more {
            return Err(ApiError::TooLong { what: address::with_query(path, query), pages });
        }
        Ok(walk.items)
    }

    /// At most `pages` pages of 100 of a list, from its beginning.
    pub(super) async fn walk<P: Page>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        pages: u32,
    ) -> Result<Walk<P::Item>, ApiError> {
        let most = pages.saturating_mul(MOST);
        let mut size = MOST;
        let mut items = Vec::new();
        // How many items were asked for; fewer may have come, and the page numbers count what was asked for.
        let mut asked = 0;
        while asked < most {
            let (size_text, number) = (size.to_string(), (asked / size + 1).to_string());
            let mut all = query.to_vec();
            all.extend([("per_page", size_text.as_str()), ("page", number.as_str())]);
            let shown = address::with_query(path, &all);
            let shrinks = size > LEAST;
            let attempts = self.settings.limits.attempts;
            let answer = match self.fetch(&shown, if shrinks { attempts.min(TRIES_AS_IS) } else { attempts }).await {
                Err(error) if shrinks && is_too_much(&error) => {
                    size /= 2;
                    continue;
                }
                answer => answer?,
            };
            let page: P =
                answer.read().map_err(|reason| ApiError::Unreadable { what: format!("GET {shown}"), reason })?;
            let page = page.items();
            let full = page.len() >= size as usize;
            items.extend(page);
            asked += size;
            if !answer.has_next().unwrap_or(full) {
                return Ok(Walk { items, more: false });
            }
        }
        Ok(Walk { items, more: true })
    }
}

/// Whether a smaller page may get through where this one did not.
fn is_too_much(error: &ApiError) -> bool {
    match error {
        ApiError::Status { status, .. } => status.is_server_error(),
        ApiError::TooLarge { .. } | ApiError::Unreachable { .. } => true,
        _ => false,
    }
}
