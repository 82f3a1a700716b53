//! Command lines, argument lists, environment variables and paths.

use super::field::Field;
use super::mistake::quote;
use super::section::Section;
use crate::plan::CommandLine;
use std::collections::BTreeMap;

/// Words that only a shell understands.
const SHELL_WORDS: [&str; 11] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "<<"];

impl Field<'_, '_> {
    /// A list of command lines, each split into words.
    pub(super) fn command_lines(&self) -> Vec<CommandLine> {
        let found = self.value.as_str().unwrap_or("npm ci").replace(['"', '\\', '\n', '\r'], "");
        let suggested: Vec<String> = found.split("&&").map(|line| format!("\"{}\"", line.trim())).collect();
        let example = format!("{} = [{}]", self.key, suggested.join(", "));
        let lines = self.list("a list of command lines", &example).unwrap_or_default();
        lines.iter().filter_map(Field::command_line).collect()
    }

    fn command_line(&self) -> Option<CommandLine> {
        let words = shlex::split(self.string("npm ci")?);
        match words {
            None => self.invalid("close the quote, or write the backslash twice"),
            Some(words) => match words.iter().find(|word| SHELL_WORDS.contains(&word.as_str())) {
                _ if words.first().is_none_or(String::is_empty) => self.invalid("the command line is empty"),
                Some(word) => self.refuse(
                    format!("{} needs a shell, and command lines run without one", quote(word)),
                    "split into words only",
                    "write one command line each, or call a script",
                ),
                None => Some(CommandLine(words)),
            },
        }
    }

    /// An argument list whose first word is a program.
    pub(super) fn arguments(&self) -> Option<Vec<String>> {
        let suggested = self.value.as_str().and_then(shlex::split).filter(|words| !words.is_empty());
        let suggested = suggested.unwrap_or_else(|| vec!["node".to_owned(), "server.mjs".to_owned()]);
        let quoted: Vec<String> = suggested.iter().map(|word| format!("\"{}\"", word.escape_default())).collect();
        let example = format!("{} = [{}]", self.key, quoted.join(", "));
        let elements = self.list("a list of arguments", &example)?;
        let words: Vec<Option<&str>> = elements.iter().map(|element| element.string("node")).collect();
        let words: Vec<String> =
            words.into_iter().collect::<Option<Vec<_>>>()?.into_iter().map(str::to_owned).collect();
        if words.first().is_none_or(|program| program.trim().is_empty()) {
            return self.refuse(
                format!("{} names no program", quote(&self.key)),
                "the program comes first",
                &format!("write for example `{example}`"),
            );
        }
        Some(words)
    }

    /// A list of single lines of text.
    pub(super) fn lines(&self, longest: usize, example: &str) -> Vec<String> {
        let elements = self.list("a list of strings", &format!("{} = [\"{example}\"]", self.key)).unwrap_or_default();
        elements.iter().filter_map(|element| element.line(longest, example)).map(str::to_owned).collect()
    }

    /// A path below the directory of `deadheat.toml`, written relative to `base`; given without `.` and `..`, relative to that directory.
    pub(super) fn path(&self, base: &str, example: &str) -> Option<String> {
        let text = self.line(1024, example)?;
        if text.starts_with('/') {
            return self.invalid("write a relative path");
        }
        inside(base, text).or_else(|| self.invalid("the path leaves the directory of deadheat.toml"))
    }
}

/// Joins two relative paths by their text alone; none where they lead out of the directory they start from.
pub(super) fn inside(base: &str, text: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(text.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Reads a table of variables.
pub(super) fn environment(section: &Section<'_, '_>) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for field in section.entries() {
        let reserved = matches!(field.key.as_str(), "PORT" | "HOST");
        if !is_variable(&field.key) {
            refuse_key(&field, "invalid name of a variable", "use letters, digits and `_`, not starting with a digit");
        } else if reserved {
            refuse_key(
                &field,
                "deadheat sets this variable itself",
                "leave it out: the server is told where to listen",
            );
        } else if let Some(value) = field.string("value") {
            variables.insert(field.key.clone(), value.to_owned());
        }
    }
    variables
}

/// Notes a mistake at a key that the user chose.
pub(super) fn refuse_key(field: &Field<'_, '_>, message: &str, right: &str) {
    field.source.note(&field.key_span, format!("{message}: {}", quote(&field.key)), right, None);
}

fn is_variable(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    plain && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Reads the names of variables that are passed on from deadheat's own environment.
pub(super) fn passed_variables(field: &Field<'_, '_>) -> Vec<String> {
    let mut names = Vec::new();
    let elements = field.list("a list of names", &format!("{} = [\"CARGO_HOME\"]", field.key)).unwrap_or_default();
    for element in elements {
        let Some(name) = element.string("CARGO_HOME") else { continue };
        let upper = name.to_ascii_uppercase();
        let of_the_runner = ["GITHUB_", "ACTIONS_", "RUNNER_"].iter().any(|prefix| upper.starts_with(prefix));
        if !is_variable(name) {
            element.invalid::<()>("use letters, digits and `_`, not starting with a digit");
        } else if of_the_runner || upper.contains("TOKEN") || upper.contains("SECRET") {
            element.refuse::<()>(
                format!("{} is never passed on", quote(name)),
                "it may hold what the code of a pull request must not see",
                "GITHUB_*, ACTIONS_*, RUNNER_* and names with TOKEN or SECRET stay with deadheat",
            );
        } else {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for (base, text, joined) in [("", "bench//x/.", "bench/x"), ("bench/v", "../lib", "bench/lib"), ("a", "..", "")]
        {
            assert_eq!(inside(base, text).as_deref(), Some(joined));
        }
        for (base, text) in [("", ".."), ("a", "../.."), ("", "x/../../x")] {
            assert_eq!(inside(base, text), None);
        }
    }
}
