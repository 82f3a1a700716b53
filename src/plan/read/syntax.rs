//! TOML's own mistakes: bytes that are no text, and text that is no TOML.

use super::mistake::{Mistake, Place};
use super::section::{Notes, Section, Source};
use super::sources::{Content, FileText};
use std::borrow::Cow;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The text of a file as far as it has one, with mistakes noted where it has none.
pub(super) fn text<'f>(file: &'f FileText, notes: &Notes) -> (Cow<'f, str>, bool) {
    let bytes = match &file.content {
        Content::Bytes(bytes) => bytes,
        Content::Unreadable(why) => {
            note(notes, file, &(0..0), format!("failed to read {}", file.path), why);
            return (Cow::Borrowed(""), false);
        }
    };
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => (Cow::Borrowed(text), true),
        Cow::Owned(text) => {
            let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
            let message = format!("{} is not UTF-8", file.path);
            note(notes, file, &(valid..valid + '\u{fffd}'.len_utf8()), message, "save the file as UTF-8");
            (Cow::Owned(text), false)
        }
    }
}

/// Reads a file's text through its top section; none where there is no text to read.
pub(super) fn with_top<T>(
    file: &FileText,
    text: &str,
    kind: &'static str,
    notes: &Notes,
    read: impl FnOnce(Section<'_, '_>) -> T,
) -> (T, bool) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut values = Vec::new();
    collect_values(table.get_ref(), &mut values);
    let mut broken_at = None;
    let mut last: Option<Range<usize>> = None;
    let mut errors: Vec<(Range<usize>, &str)> =
        errors.iter().map(|error| (error.span().unwrap_or(0..0), error.message())).collect();
    errors.sort_by_key(|(span, _)| span.start);
    for (span, message) in errors {
        // What follows in the same value or line is mostly the parser losing its way.
        let around = around(&values, &span);
        let same = |last: &Range<usize>| span.start <= last.end || !text[last.end..span.start].contains('\n');
        if last.as_ref().is_some_and(same) {
            continue;
        }
        broken_at.get_or_insert(around.start.min(span.start));
        let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
        let label = if expected.is_empty() { String::new() } else { format!("expected {expected}") };
        note(notes, file, &span, format!("not TOML: {what}"), &label);
        last = Some(around.start..around.end.max(span.end));
    }
    let source = Source { notes, file: &file.path, broken_at };
    (read(Section::new(source, kind, 0..0, table.get_ref())), broken_at.is_none())
}

fn note(notes: &Notes, file: &FileText, span: &Range<usize>, message: String, label: &str) {
    let mistake =
        Mistake { place: Place::new(&file.path, span), message, label: label.to_owned(), help: None, also: None };
    notes.mistakes.borrow_mut().push(mistake);
}

/// Where values stand that are not tables of their own.
fn collect_values(table: &DeTable<'_>, values: &mut Vec<Range<usize>>) {
    for value in table.values() {
        match value.get_ref() {
            DeValue::Table(table) => collect_values(table, values),
            DeValue::Array(array) if array.iter().any(|element| element.get_ref().is_table()) => {
                array.iter().filter_map(|element| element.get_ref().as_table()).for_each(|t| collect_values(t, values));
            }
            _ => values.push(value.span()),
        }
    }
}

/// The value that an error is in, or else the error's own place.
fn around(values: &[Range<usize>], span: &Range<usize>) -> Range<usize> {
    let within = values.iter().find(|value| value.start <= span.start && span.start <= value.end);
    within.unwrap_or(span).clone()
}
