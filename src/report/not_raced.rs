//! A run that raced nothing: the reason is the headline, and there is nothing to be shown in tables.

use super::label::Style;
use super::safe;
use crate::model::{NotRaced, NotRacedReason};

/// How much is shown of the user's mistakes.
const MISTAKES: usize = 20_000;

/// The reason as a paragraph.
pub(super) fn headline(not_raced: &NotRaced, style: Style) -> String {
    match not_raced.reason {
        NotRacedReason::Mistakes => {
            let text = "Nothing was raced: the benchmark's own files have mistakes.";
            style.strong(text)
        }
        NotRacedReason::NothingToCompare | NotRacedReason::NotAsked => {
            let message = safe::capitalized(&style.prose(&not_raced.message));
            format!("{} {message}", style.strong("Nothing was raced."))
        }
    }
}

/// The user's mistakes as a fenced block, or nothing.
pub(super) fn mistakes(not_raced: Option<&NotRaced>) -> String {
    match not_raced {
        Some(NotRaced { reason: NotRacedReason::Mistakes, message }) => safe::fenced_start(message, MISTAKES),
        _ => String::new(),
    }
}
