//! TOML's own mistakes: bytes that are no text, and text that is no TOML.

use super::mistake::{Mistake, Place, quote};
use super::section::{Notes, Section, Source};
use super::sources::{Content, FileText};
use std::borrow::Cow;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A file's text, and where it stops being text.
struct Text<'f> {
    file: &'f FileText,
    whole: Cow<'f, str>,
    broken_at: Option<usize>,
}

/// Reads bytes as text, and notes where they are none.
fn text<'f>(file: &'f FileText, notes: &Notes) -> Text<'f> {
    let bytes = match &file.content {
        Content::Bytes(bytes) => bytes,
        Content::Unreadable(why) => {
            note(notes, file, &(0..0), format!("failed to read {}", quote(&file.path)), why);
            return Text { file, whole: Cow::Borrowed(""), broken_at: Some(0) };
        }
    };
    let whole = String::from_utf8_lossy(bytes);
    let valid = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    if let Err(valid) = valid {
        let span = valid..valid + char::REPLACEMENT_CHARACTER.len_utf8();
        note(notes, file, &span, format!("{} is not UTF-8", quote(&file.path)), "save the file as UTF-8");
    }
    Text { file, whole, broken_at: valid.err() }
}

/// Reads a file through its top section, and says whether all of it could be read as TOML.
pub(super) fn with_top<T>(
    file: &FileText,
    kind: &'static str,
    notes: &Notes,
    read: impl FnOnce(Section<'_, '_>) -> T,
) -> (T, bool) {
    let text = text(file, notes);
    let (table, errors) = DeTable::parse_recoverable(&text.whole);
    let errors = errors.iter().map(|error| (error.span().unwrap_or(0..0), error.message())).collect();
    let broken_at = note_errors(&text, table.get_ref(), errors, notes);
    let source = Source { notes, file: &file.path, broken_at };
    (read(Section::new(source, kind, 0..0, table.get_ref())), broken_at.is_none())
}

/// Notes syntax errors, and gives the place from which nothing can be trusted.
fn note_errors(
    text: &Text<'_>,
    table: &DeTable<'_>,
    mut errors: Vec<(Range<usize>, &str)>,
    notes: &Notes,
) -> Option<usize> {
    let mut values = Vec::new();
    collect_values(table, &mut values);
    values.sort_by_key(|value| value.start);
    let mut broken_at = text.broken_at;
    let mut last: Option<Range<usize>> = None;
    errors.sort_by_key(|(span, _)| span.start);
    for (span, message) in errors {
        // What follows in the same value or line is mostly the parser losing its way.
        let around = around(&values, &span);
        let same = |last: &Range<usize>| span.start <= last.end || !text.whole[last.end..span.start].contains('\n');
        if last.as_ref().is_some_and(same) {
            continue;
        }
        broken_at = Some(broken_at.map_or(around.start, |earlier| earlier.min(around.start)));
        let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
        let label = if expected.is_empty() { String::new() } else { format!("expected {expected}") };
        note(notes, text.file, &span, format!("not TOML: {what}"), &label);
        last = Some(around.start..around.end.max(span.end));
    }
    broken_at
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

/// The value that an error is in, or else the error's own place. The values are sorted and do not overlap.
fn around(values: &[Range<usize>], span: &Range<usize>) -> Range<usize> {
    let before = values.partition_point(|value| value.start <= span.start);
    let within = values[..before].last().filter(|value| span.start <= value.end);
    within.unwrap_or(span).clone()
}
