//! Which configuration a race was of, as a command line can name it.

use super::InvalidName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The path of a configuration below the root of its repository, `fixtures/hello4/deadheat.toml`. It holds nothing that a
/// shell or a text would take for something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ConfigurationPath(String);

impl ConfigurationPath {
    /// Checks and wraps a path.
    ///
    /// # Errors
    /// [`InvalidName`] where it is too long, leads out of the repository, or holds other characters than the rule allows.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
        const RULE: &str = "use up to 256 letters, digits, `.`, `_` or `-`, with `/` between names";
        let text = text.into();
        let plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
                && !matches!(name, "." | "..")
        };
        let fits = text.len() <= 256 && text.split('/').all(plain);
        if fits { Ok(Self(text)) } else { Err(InvalidName { what: "path of a configuration", text, rule: RULE }) }
    }
}

impl fmt::Display for ConfigurationPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ConfigurationPath> for String {
    fn from(path: ConfigurationPath) -> Self {
        path.0
    }
}

impl TryFrom<String> for ConfigurationPath {
    type Error = InvalidName;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_the_root_and_means_itself() {
        for path in ["deadheat.toml", "bench/deadheat.toml", ".github/race_1.toml"] {
            assert_eq!(ConfigurationPath::new(path).unwrap().to_string(), path);
        }
        let long = "a".repeat(257);
        for odd in ["", "/a", "a/", "a//b", "../a", "a/..", "./a", "-a", "a/-b", "a b", "a`b", "$(a)", "ä", &long] {
            assert!(ConfigurationPath::new(odd).is_err(), "{odd}");
        }
    }
}
