//! Newtypes for the names that a user chooses, for commits and for the seed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A name that cannot be used, with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {what} `{text}`: {rule}")]
pub struct InvalidName {
    /// What was to be named, such as `variant name`.
    pub what: &'static str,
    /// The offending text.
    pub text: String,
    /// What would be right.
    pub rule: &'static str,
}

const NAME_RULE: &str = "use 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or digit";

fn is_plain_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            #[doc = concat!("Checks and wraps a ", $what, ".")]
            ///
            /// # Errors
            /// [`InvalidName`] where the text is empty, too long, or holds other characters than the rule allows.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
                let text = text.into();
                if is_plain_name(&text) { Ok(Self(text)) } else { Err(InvalidName { what: $what, text, rule: NAME_RULE }) }
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }
    )*};
}

names! {
    /// The name of a variant: one implementation to build and run.
    VariantName, "variant name";
    /// What a variant runs on: `node`, `bun`, `native`.
    RuntimeName, "runtime name";
    /// The name of a scenario of the contract.
    ScenarioName, "scenario name";
    /// A category that groups scenarios.
    CategoryName, "category name";
    /// A named set of connections, pipelining and CPUs.
    RegimeName, "regime name";
    /// One number over several scenarios.
    MixName, "mix name";
    /// Something that a variant needs beside it.
    ServiceName, "service name";
}

impl RuntimeName {
    /// Whether the runtime is native code, whose differences below 2 % are mostly code layout.
    pub fn is_native(&self) -> bool {
        self.0 == "native"
    }
}

/// A variant on a runtime: `fastify`, or `fastify@bun` where the variant has several runtimes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct EntryName(String);

impl EntryName {
    /// The entry of `variant`, with its runtime where one must be told from others.
    pub fn of(variant: &VariantName, runtime: Option<&RuntimeName>) -> Self {
        Self(runtime.map_or_else(|| variant.to_string(), |runtime| format!("{variant}@{runtime}")))
    }

    /// Checks and wraps `variant` or `variant@runtime`.
    ///
    /// # Errors
    /// [`InvalidName`] where a part is no name, or there are more than two parts.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
        let text = text.into();
        let plain = text.split_once('@').map_or_else(
            || is_plain_name(&text),
            |(variant, runtime)| is_plain_name(variant) && is_plain_name(runtime),
        );
        if plain { Ok(Self(text)) } else { Err(InvalidName { what: "entry name", text, rule: NAME_RULE }) }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<EntryName> for String {
    fn from(name: EntryName) -> Self {
        name.0
    }
}

impl TryFrom<String> for EntryName {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

/// A full commit id in lowercase hexadecimal: 40 digits, or 64 in a SHA-256 repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommitSha(String);

impl CommitSha {
    /// Checks and wraps a commit id.
    ///
    /// # Errors
    /// [`InvalidName`] where the text is not 40 or 64 lowercase hexadecimal digits.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
        let text = text.into();
        let hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if hex && matches!(text.len(), 40 | 64) {
            Ok(Self(text))
        } else {
            Err(InvalidName { what: "commit sha", text, rule: "use the full 40 (or 64) hexadecimal digits" })
        }
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, as people write them.
    pub fn short(&self) -> &str {
        &self.0[..7]
    }
}

impl fmt::Display for CommitSha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<CommitSha> for String {
    fn from(sha: CommitSha) -> Self {
        sha.0
    }
}

impl TryFrom<String> for CommitSha {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

/// What every coin and shuffle of a race is derived from; the same seed gives the same schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_to_the_rule() {
        for good in ["a", "node24", "nest-fastify", "v1.2_x", &"x".repeat(64)] {
            assert!(VariantName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", ".a", "a b", "a@b", "a/b", "ü", "a\n", &"x".repeat(65)] {
            assert!(VariantName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_entry_leaves_the_runtime_out_where_there_is_only_one() {
        let variant = VariantName::new("express").unwrap();
        let bun = RuntimeName::new("bun").unwrap();
        assert_eq!(EntryName::of(&variant, None).as_str(), "express");
        assert_eq!(EntryName::of(&variant, Some(&bun)).as_str(), "express@bun");
        assert!(EntryName::new("express@bun").is_ok());
        for bad in ["@", "a@", "@b", "a@b@c", ""] {
            assert!(EntryName::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sha_is_whole_and_lowercase() {
        assert_eq!(CommitSha::new("0123456789abcdef0123456789abcdef01234567").unwrap().short(), "0123456");
        for bad in ["0123456", "0123456789ABCDEF0123456789abcdef01234567", ""] {
            assert!(CommitSha::new(bad).is_err(), "{bad}");
        }
    }
}
