//! Text of others in the log, where no line of it is obeyed.

use super::random;

/// A block of text for the log in which nothing is a command, to be written at once: between a line that stops commands
/// until a word that is made anew each time, and a line with that word. Text that can't hold a command is left as it is.
/// Ends with a line's end, unless it is empty.
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    if is_inert(text) {
        return format!("{text}{end}");
    }
    match random::word() {
        Some(word) => format!("::stop-commands::{word}\n{text}{end}::{word}::\n"),
        None => "(a text is left out here: the system has no random numbers to quote it with)\n".to_owned(),
    }
}

/// Whether no runner could take a part of `text` for a command. Only plain characters are known to mean nothing: a
/// runner that compares by the rules of a language may look through invisible ones.
fn is_inert(text: &str) -> bool {
    let plain = |c: char| c == '\n' || c == ' ' || c.is_ascii_graphic();
    text.chars().all(plain) && !text.contains("::") && !text.contains("##[")
}

/// A JSON document in which no line can be taken for a command, and which means the same. Its lines start with
/// punctuation of JSON, so only the form that is obeyed anywhere in a line has to be broken; its first character can
/// stand in strings alone, where a character may be written as its number.
pub fn json_for_log(document: &str) -> String {
    document.replace('#', "\\u0023")
}
