//! A cursor over a table of a TOML file: it hands out values by key, remembers which keys it was asked for, and notes
//! every mistake with its place instead of stopping at the first.
//!
//! A file that is no TOML is still read as far as the parser recovers, but only what stands before its first syntax
//! error can be trusted: mistakes behind it, and missing keys, are not noted then.

use super::field::Field;
use super::mistake::{Mistake, Place, quote};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// The mistakes that were noted, and the keys that sections were asked for.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) mistakes: RefCell<Vec<Mistake>>,
    /// By kind of section; a test holds the schema to it.
    pub(super) accepted: RefCell<BTreeMap<&'static str, BTreeSet<&'static str>>>,
}

/// A file that is being read.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) notes: &'s Notes,
    /// Relative to the directory of `deadheat.toml`.
    pub(super) file: &'s str,
    /// Where its first syntax error is.
    pub(super) broken_at: Option<usize>,
}

impl Source<'_> {
    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        Place::new(self.file, span)
    }

    pub(super) fn note(
        &self,
        span: &Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        if self.broken_at.is_none_or(|broken_at| span.end < broken_at) {
            let (message, label) = (message.into(), label.into());
            let mistake = Mistake { place: self.place(span), message, label, help, also: None };
            self.notes.mistakes.borrow_mut().push(mistake);
        }
    }
}

/// A table that is being read.
pub(super) struct Section<'s, 'i> {
    pub(super) source: Source<'s>,
    /// As the file writes it: `[protocol]`, `[[scenario]]`; the file's name for the top of a file.
    pub(super) kind: &'static str,
    /// Its header, or the whole of an inline table; the file's beginning for the top of a file.
    pub(super) span: Range<usize>,
    table: &'s DeTable<'i>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'s, 'i> Section<'s, 'i> {
    pub(super) fn new(source: Source<'s>, kind: &'static str, span: Range<usize>, table: &'s DeTable<'i>) -> Self {
        Self { source, kind, span, table, asked: RefCell::default() }
    }

    /// The value of a key, where the table has it.
    pub(super) fn optional(&self, key: &'static str) -> Option<Field<'s, 'i>> {
        self.asked.borrow_mut().insert(key);
        self.table.get_key_value(key).map(|(name, value)| Field {
            source: self.source,
            key: key.to_owned(),
            key_span: name.span(),
            span: value.span(),
            value: value.get_ref(),
            in_list: false,
        })
    }

    /// The value of a key that must be there. `example` is a right line, shown where it isn't.
    pub(super) fn required(&self, key: &'static str, example: &str) -> Option<Field<'s, 'i>> {
        let field = self.optional(key);
        if field.is_none() {
            self.lacks(key, example);
        }
        field
    }

    /// Notes that a key is missing.
    pub(super) fn lacks(&self, key: &str, example: &str) {
        if self.source.broken_at.is_none() {
            let message = format!("missing key `{key}` in {}", self.kind);
            self.source.note(&self.span, message, "it is missing here", Some(format!("add for example `{example}`")));
        }
    }

    /// Every key with its value, in the order of the file: for tables whose keys the user chooses.
    pub(super) fn entries(&self) -> Vec<Field<'s, 'i>> {
        let mut fields: Vec<_> = self
            .table
            .iter()
            .map(|(name, value)| Field {
                source: self.source,
                key: name.get_ref().to_string(),
                key_span: name.span(),
                span: value.span(),
                value: value.get_ref(),
                in_list: false,
            })
            .collect();
        fields.sort_by_key(|field| field.key_span.start);
        fields
    }

    /// Notes every key that nobody asked for.
    pub(super) fn finish(self) {
        self.finish_besides(&[]);
    }

    /// The same, but for keys that were reported already.
    pub(super) fn finish_besides(self, reported: &[&str]) {
        let asked = self.asked.into_inner();
        for (name, value) in self.table {
            let key = name.get_ref().as_ref();
            if asked.contains(key) || reported.contains(&key) {
                continue;
            }
            let label = nearest(key, asked.iter().copied())
                .map_or_else(|| "this key has no meaning here".to_owned(), |known| format!("did you mean `{known}`?"));
            let keys: Vec<&str> = asked.iter().copied().collect();
            let what = if matches!(value.get_ref(), DeValue::Table(_)) { "table" } else { "key" };
            let message = format!("unknown {what} {} in {}", quote(key), self.kind);
            let help = format!("{} takes {}", self.kind, keys.join(", "));
            self.source.note(&name.span(), message, label, Some(help));
        }
        self.source.notes.accepted.borrow_mut().entry(self.kind).or_default().extend(asked);
    }
}

/// The known word that a typing error most likely stands for.
pub(super) fn nearest<'k>(text: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if text.len() > 100 {
        return None;
    }
    let scored = known.map(|word| (strsim::jaro_winkler(text, word), word));
    scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}
