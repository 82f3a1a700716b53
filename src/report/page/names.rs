//! How a page calls the entries: by their labels, told apart where two are alike.

use super::super::safe;
use crate::model::{EntryName, EntryRecord, Results};
use std::collections::BTreeMap;

/// The most characters of a label.
const LONGEST: usize = 60;
/// The same beside a bar.
const LONGEST_PLAIN: usize = 40;

/// The names of all entries.
pub(super) struct Names<'a>(BTreeMap<&'a EntryName, Name>);

struct Name {
    markdown: String,
    plain: String,
}

impl<'a> Names<'a> {
    /// Names the entries of `results`.
    pub(super) fn new(results: &'a Results) -> Self {
        let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
        let mut runtimes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for entry in &results.entries {
            *labels.entry(entry.label.trim()).or_default() += 1;
            *runtimes.entry((entry.label.trim(), entry.runtime.as_str())).or_default() += 1;
        }
        let alike = |entry: &EntryRecord| labels.get(entry.label.trim()).is_some_and(|count| *count > 1);
        let doubled = |entry: &EntryRecord| {
            runtimes.get(&(entry.label.trim(), entry.runtime.as_str())).is_some_and(|count| *count > 1)
        };
        let name = |entry: &'a EntryRecord| {
            let text = entry.label.trim();
            let text = if text.is_empty() || doubled(entry) { entry.name.as_str() } else { text };
            let mut name = Name { markdown: label(text), plain: plain(text) };
            if alike(entry) && !doubled(entry) {
                name.markdown = format!("{} on {}", name.markdown, safe::code(entry.runtime.as_str()));
                name.plain = format!("{} on {}", name.plain, entry.runtime);
            }
            (&entry.name, name)
        };
        Self(results.entries.iter().map(name).collect())
    }

    /// As Markdown: prose where the label is plainly harmless, else a code span.
    pub(super) fn markdown(&self, entry: &EntryName) -> String {
        self.0.get(entry).map_or_else(|| safe::code(entry.as_str()), |name| name.markdown.clone())
    }

    /// Without any markup, for charts.
    pub(super) fn plain(&self, entry: &EntryName) -> String {
        self.0.get(entry).map_or_else(|| plain(entry.as_str()), |name| name.plain.clone())
    }
}

/// A short foreign text as a name in running text.
pub(super) fn label(text: &str) -> String {
    if text.chars().count() > LONGEST { safe::code_of(text, LONGEST) } else { safe::prose(text) }
}

/// The same for a chart. What XML has no way to write is replaced, too.
pub(super) fn plain(text: &str) -> String {
    safe::line(text, LONGEST_PLAIN).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;
    use crate::model::{Lineup, Role};

    #[test]
    fn entries_with_one_label_are_told_apart() {
        let mut results = sample::unchanged();
        let entry = |name: &str, label: &str| sample::entry_record(name, label, Role::Subject, Lineup::OneSided);
        results.entries = vec![
            entry("fastify@node", "Fastify"),
            entry("fastify@bun", "Fastify"),
            entry("express", "Express"),
            entry("a", "Same"),
            entry("b", "Same"),
            entry("evil", "@octocat | x"),
            entry("silent", "  "),
            entry("node-http", "node:http"),
        ];
        let names = Names::new(&results);
        let of = |name: &str| names.markdown(&sample::entry(name));
        assert_eq!(of("fastify@node"), "Fastify on `node`");
        assert_eq!(names.plain(&sample::entry("fastify@bun")), "Fastify on bun");
        assert_eq!((of("express"), of("silent")), ("Express".to_owned(), "silent".to_owned()));
        assert_eq!((of("a"), of("b")), ("a".to_owned(), "b".to_owned()));
        assert_eq!(of("evil"), "`@octocat ¦ x`");
        assert_eq!(of("node-http"), "`node:http`");
        assert_eq!(of("unknown"), "`unknown`");
    }
}
