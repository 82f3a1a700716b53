//! What is said about a `/deadheat` that cannot be read. Pure.

use super::slash::{LINE_LIMIT, LIST_LIMIT};
use std::fmt;

/// The most characters of an offending part that are shown.
const SHOWN_LIMIT: usize = 60;

/// What is wrong with a part of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    NoValue,
    UnknownKey,
    Twice,
    EmptyName,
    NoName(&'static str),
    NoBudget,
    TooMany,
    TooLong,
}

/// A command that cannot be read; shown, it is Markdown that says what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlashMistake {
    /// The offending part, safe inside a code span.
    part: String,
    reason: Reason,
}

impl SlashMistake {
    pub(super) fn new(part: &str, reason: Reason) -> Self {
        Self { part: shown(part), reason }
    }
}

/// `text` cut short, and made of nothing that could end a code span or hide: letters, digits and plain punctuation.
fn shown(text: &str) -> String {
    let cut = text.chars().nth(SHOWN_LIMIT).is_some();
    let clean = text.chars().take(SHOWN_LIMIT).map(|c| match c {
        '`' => '\'',
        c if c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ' => c,
        _ => '\u{fffd}',
    });
    clean.chain(cut.then_some('…')).collect()
}

impl fmt::Display for SlashMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = &self.part;
        match self.reason {
            Reason::NoValue => write!(f, "`{part}` is not of the form `key=value`; lists have no spaces."),
            Reason::UnknownKey if part.is_empty() => f.write_str("A key is missing before `=`."),
            Reason::UnknownKey => write!(f, "`{part}` is not a key."),
            Reason::Twice => write!(f, "`{part}` gives a key a second time."),
            Reason::EmptyName => write!(f, "`{part}` holds an empty name."),
            Reason::NoName("suite") => write!(f, "`{part}` is not a suite: there are `http` and `boot`."),
            Reason::NoName(kind) => write!(
                f,
                "`{part}` can't be the name of a {kind}: names have 1 to 64 letters, digits, `.`, `_` or `-`, and \
                 start with a letter or digit."
            ),
            Reason::NoBudget => write!(f, "`{part}` is not a time from `1s` to `6h`, such as `90s`, `20m` or `1h30m`."),
            Reason::TooMany => write!(f, "`{part}` names more than {LIST_LIMIT}."),
            Reason::TooLong => write!(f, "`{part}` is longer than {LINE_LIMIT} characters."),
        }?;
        f.write_str(
            "\n\nThe keys are `variants`, `runtimes`, `suites`, `scenarios` (lists with commas) and `budget`, each \
             optional and on the first line of the comment:\n\n```text\n/deadheat\n\
             /deadheat variants=a,b suites=http budget=20m\n```",
        )
    }
}
