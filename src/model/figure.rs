//! What a command's runs are told apart by: the parameters of a case, and the names of the figures that it prints.

use super::{InvalidName, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The parameters of one run of a command as a text, `providers=100, layers=10`; `once` where there are none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CaseName(String);

impl CaseName {
    /// Checks and wraps a text.
    ///
    /// # Errors
    /// [`InvalidName`] where it is empty, longer than 128 characters, or not on one line.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
        const RULE: &str = "use 1 to 128 characters on one line";
        let text = text.into();
        let fits = (1..=128).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if fits { Ok(Self(text)) } else { Err(InvalidName { what: "case", text, rule: RULE }) }
    }

    /// The name of the only run of a command without cases.
    pub fn once() -> Self {
        Self("once".to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<CaseName> for String {
    fn from(name: CaseName) -> Self {
        name.0
    }
}

impl TryFrom<String> for CaseName {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

const LONGEST: usize = 32;
const CAPACITY: usize = FigureName::PREFIX.len() + LONGEST;

/// The name of a figure that a command prints: `create_ms`. Its end gives the unit.
///
/// It is held in place, so that a metric is as cheap to copy as the names that are known beforehand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FigureName {
    /// The prefix and the name, filled up with zeros.
    text: [u8; CAPACITY],
    length: u8,
}

impl FigureName {
    /// What files put before the name, so that no figure is taken for a metric of deadheat's own.
    pub const PREFIX: &'static str = "figure:";

    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`InvalidName`] where it is no such name.
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        const RULE: &str = "use 1 to 32 lowercase letters, digits or `_`, starting with a letter";
        let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !plain || name.len() > LONGEST {
            return Err(InvalidName { what: "figure name", text: name.to_owned(), rule: RULE });
        }
        let mut text = [0; CAPACITY];
        for (place, byte) in text.iter_mut().zip(Self::PREFIX.bytes().chain(name.bytes())) {
            *place = byte;
        }
        let length = u8::try_from(Self::PREFIX.len() + name.len()).unwrap_or(u8::MAX);
        Ok(Self { text, length })
    }

    /// The name as files write it: `figure:create_ms`.
    pub fn in_files(&self) -> &str {
        let text = self.text.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }

    /// The name as the command printed it.
    pub fn as_str(&self) -> &str {
        self.in_files().strip_prefix(Self::PREFIX).unwrap_or_default()
    }

    /// The unit that the end of the name gives: `_us`, `_ms`, `_s`, `_bytes`, `_per_s`; else a plain count.
    pub fn unit(&self) -> Unit {
        let units = [
            ("_per_s", Unit::PerSecond),
            ("_us", Unit::Microseconds),
            ("_ms", Unit::Milliseconds),
            ("_s", Unit::Seconds),
            ("_bytes", Unit::Bytes),
        ];
        let found = units.iter().find(|(end, _)| self.as_str().ends_with(end));
        found.map_or(Unit::Count, |(_, unit)| *unit)
    }
}

impl fmt::Debug for FigureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for FigureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figures_name_is_what_it_was() {
        for (name, unit) in [
            ("create_ms", Unit::Milliseconds),
            ("boot_us", Unit::Microseconds),
            ("total_s", Unit::Seconds),
            ("jobs_per_s", Unit::PerSecond),
            ("heap_bytes", Unit::Bytes),
            ("providers", Unit::Count),
            ("ms", Unit::Count),
            ("a23456789_123456789_123456789_12", Unit::Count),
        ] {
            let figure = FigureName::new(name).unwrap();
            assert_eq!((figure.as_str(), figure.to_string().as_str(), figure.unit()), (name, name, unit));
            assert_eq!(figure.in_files(), format!("figure:{name}"));
        }
        for odd in ["", "A", "1a", "_a", "a b", "ä", "a-b", "a23456789_123456789_123456789_123"] {
            assert!(FigureName::new(odd).is_err(), "{odd}");
        }
        // Names sort as their texts do.
        let sorted = ["a", "a_ms", "ab", "b"].map(|name| FigureName::new(name).unwrap());
        assert!(sorted.is_sorted());
    }

    #[test]
    fn a_case_is_a_line() {
        assert_eq!(CaseName::new("providers=100").unwrap().as_str(), "providers=100");
        for odd in [String::new(), "a\nb".to_owned(), "x".repeat(129)] {
            assert!(CaseName::new(odd).is_err());
        }
    }
}
