//! From bytes that arrived to results that are safe to work with.

use super::error::{ArrivalError, TextFault};
use super::{archive, bounds, survey};
use crate::model::{Results, SCHEMA_VERSION};
use serde::Deserialize;
use serde_json::error::Category;
use std::borrow::Cow;

/// The one entry of an artifact.
pub const RESULTS_FILE: &str = "results.json";
/// Most bytes that may arrive, compressed or not; whoever downloads stops there.
pub const MAX_ARRIVED: usize = 64 << 20;
/// Most bytes of a zip. 50 entries and 20 scenarios with all their metrics over 40 rounds are 53 MiB, and 16 MiB packed.
pub const MAX_ZIP: usize = 32 << 20;
/// Most bytes of a results file once it is unpacked.
pub const MAX_UNPACKED: usize = MAX_ARRIVED;

/// Reads what arrived: a zip or a bare results file, told apart by their first bytes, whatever either is called.
///
/// # Errors
/// [`ArrivalError`] says which rule the bytes break. Nothing of the file's own text is in it.
pub fn arrived(bytes: &[u8]) -> Result<Results, ArrivalError> {
    let text = if bytes.starts_with(b"PK") {
        if bytes.len() > MAX_ZIP {
            return Err(ArrivalError::TooLarge { what: "the archive", mebibytes: MAX_ZIP >> 20 });
        }
        Cow::Owned(archive::only_entry(bytes)?)
    } else {
        Cow::Borrowed(bytes)
    };
    if text.len() > MAX_UNPACKED {
        return Err(ArrivalError::TooLarge { what: RESULTS_FILE, mebibytes: MAX_UNPACKED >> 20 });
    }
    let results = read(&text)?;
    bounds::check(&results)?;
    Ok(results)
}

fn read(text: &[u8]) -> Result<Results, ArrivalError> {
    survey::survey(text)?;
    let read = serde_json::from_slice::<Results>(text);
    // What a later version wrote may not even parse: then its number says more than the first field that is missing.
    let schema = match &read {
        Ok(results) => results.schema,
        Err(_) => serde_json::from_slice::<Version>(text).map_or(SCHEMA_VERSION, |version| version.schema),
    };
    if schema > SCHEMA_VERSION {
        return Err(ArrivalError::LaterSchema { found: schema, known: SCHEMA_VERSION });
    }
    read.map_err(|error| TextFault::Unreadable(fault(&error)).into())
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// Where and why reading stopped, without a word of the file's: serde's own messages quote it.
fn fault(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    let message = error.to_string();
    // The names of missing and repeated fields are deadheat's own.
    let own = ["missing field `", "duplicate field `"].into_iter().find_map(|start| message.strip_prefix(start));
    match (error.classify(), own.and_then(|rest| rest.split_once('`'))) {
        (Category::Data, Some((field, _))) if message.starts_with("missing") => {
            format!("{place}: `{field}` is missing")
        }
        (Category::Data, Some((field, _))) => format!("{place}: `{field}` is there twice"),
        (Category::Data, None) => format!("{place}: the value there is none that deadheat writes"),
        (Category::Eof, _) => format!("{place}: it ends in the middle"),
        (Category::Syntax | Category::Io, _) => format!("{place}: it is no JSON there"),
    }
}
