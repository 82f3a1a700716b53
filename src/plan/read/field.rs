//! A value with its key and place, read as what it should be. Each reader notes what is wrong and gives `None` then.

use super::mistake::{Place, quote};
use super::section::{Section, Source, nearest};
use crate::model::InvalidName;
use std::ops::{Range, RangeInclusive};
use toml::de::DeValue;

/// A value of the user's, with the place it was read from.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) place: Place,
}

/// A value that is being read.
#[derive(Clone)]
pub(super) struct Field<'s, 'i> {
    pub(super) source: Source<'s>,
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) span: Range<usize>,
    pub(super) value: &'s DeValue<'i>,
    /// Whether it is an element of the list that the key stands for.
    pub(super) in_list: bool,
}

impl<'s, 'i> Field<'s, 'i> {
    /// Notes a mistake at the value. The label says what is wrong with it, the help what would be right.
    pub(super) fn refuse<T>(&self, message: impl Into<String>, label: impl Into<String>, help: &str) -> Option<T> {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.source.note(&self.span, message, label, help);
        None
    }

    /// Notes that the value of this key can't be used, and what would be right.
    pub(super) fn invalid<T>(&self, right: impl Into<String>) -> Option<T> {
        self.refuse(self.invalid_message(), right, "")
    }

    fn invalid_message(&self) -> String {
        let text = match self.value {
            DeValue::String(text) => text,
            DeValue::Integer(integer) => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => "",
        };
        let key = quote(&self.key);
        if text.trim().is_empty() { format!("invalid {key}") } else { format!("invalid {key}: {}", quote(text)) }
    }

    pub(super) fn wrong_type<T>(&self, expected: &str, example: &str) -> Option<T> {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let key = quote(&self.key);
        let message = if self.in_list { format!("{key} has {found} in it") } else { format!("{key} is {found}") };
        let help = if self.in_list { String::new() } else { format!("write for example `{example}`") };
        self.refuse(message, format!("expected {expected}"), &help)
    }

    pub(super) fn at<T>(&self, value: T) -> At<T> {
        At { value, place: self.source.place(&self.span) }
    }

    /// Text without NUL, which neither arguments nor variables nor paths can hold.
    pub(super) fn string(&self, example: &str) -> Option<&'s str> {
        match self.value {
            DeValue::String(text) if text.contains('\0') => self.invalid("a NUL character can't be used"),
            DeValue::String(text) => Some(text),
            _ => self.wrong_type("a string", &format!("{} = \"{example}\"", self.key)),
        }
    }

    /// Text on one line, neither blank nor longer than `longest` characters.
    pub(super) fn line(&self, longest: usize, example: &str) -> Option<&'s str> {
        let text = self.string(example)?;
        if text.trim().is_empty() {
            self.invalid("it is empty")
        } else if text.chars().any(char::is_control) {
            self.invalid("write it on one line, without control characters")
        } else if text.chars().count() > longest {
            self.invalid(format!("it is longer than {longest} characters"))
        } else {
            Some(text)
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong_type("true or false", &format!("{} = true", self.key)),
        }
    }

    pub(super) fn integer(&self, range: RangeInclusive<u32>, example: u32) -> Option<u32> {
        let DeValue::Integer(integer) = self.value else {
            return self.wrong_type("a whole number", &format!("{} = {example}", self.key));
        };
        let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.and_then(|number| u32::try_from(number).ok()).filter(|number| range.contains(number));
        number.or_else(|| self.invalid(format!("write a whole number from {} to {}", range.start(), range.end())))
    }

    /// A finite number, whole or not.
    pub(super) fn number(&self, example: &str) -> Option<f64> {
        let number: Option<f64> = match self.value {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).map(|number| number as f64).ok()
            }
            _ => return self.wrong_type("a number", &format!("{} = {example}", self.key)),
        };
        number.filter(|number| number.is_finite()).or_else(|| self.invalid("write a finite number"))
    }

    /// Text that a parser of quantities or of names understands; its error says what would be right.
    pub(super) fn parsed<T>(&self, example: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = self.string(example)?;
        match parse(text) {
            Ok(value) => Some(value),
            Err(right) => self.invalid(right),
        }
    }

    /// A name, with its place.
    pub(super) fn name<T>(&self, new: impl Fn(String) -> Result<T, InvalidName>) -> Option<At<T>> {
        let name = self.parsed("name", |text| new(text.to_owned()).map_err(|error| error.rule.to_owned()))?;
        Some(self.at(name))
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.string(words.first().map_or("", |(word, _)| *word))?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        found.or_else(|| {
            let known: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let label = nearest(text, words.iter().map(|(word, _)| *word))
                .map_or_else(|| "unknown word".to_owned(), |word| format!("did you mean \"{word}\"?"));
            self.refuse(self.invalid_message(), label, &format!("write {}", known.join(" or ")))
        })
    }

    /// The elements of a list, each a field of its own under the list's key.
    pub(super) fn list(&self, what: &str, example: &str) -> Option<Vec<Field<'s, 'i>>> {
        let DeValue::Array(array) = self.value else {
            return self.wrong_type(what, example);
        };
        let element = |value: &'s toml::Spanned<DeValue<'i>>| Field {
            span: value.span(),
            value: value.get_ref(),
            in_list: true,
            ..self.clone()
        };
        Some(array.iter().map(element).collect())
    }

    /// The table that the value is.
    pub(super) fn table(&self, kind: &'static str, example: &str) -> Option<Section<'s, 'i>> {
        match self.value {
            DeValue::Table(table) => Some(Section::new(self.source, kind, self.span.clone(), table)),
            _ => self.wrong_type("a table", example),
        }
    }

    /// The tables of `[[key]]`.
    pub(super) fn tables(&self, kind: &'static str) -> Vec<Section<'s, 'i>> {
        if let DeValue::Table(_) = self.value {
            let message = format!("{} is one table", quote(&self.key));
            self.refuse::<()>(message, "expected a list of tables", &format!("write {kind} with two brackets"));
            return Vec::new();
        }
        let elements = self.list("a list of tables", kind);
        elements.unwrap_or_default().iter().filter_map(|element| element.table(kind, kind)).collect()
    }
}
