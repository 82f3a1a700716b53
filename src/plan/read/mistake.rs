//! Mistakes in the user's files, collected and shown with the lines they are in.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::ops::Range;

/// More than these are counted, not drawn: drawing takes time in the length of the file.
const MOST_DRAWN: usize = 100;

/// A stretch of one of the user's files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, relative to the directory of `deadheat.toml`.
    pub file: String,
    /// Bytes of its text.
    pub span: (usize, usize),
}

impl Place {
    pub(super) fn new(file: &str, span: &Range<usize>) -> Self {
        Self { file: file.to_owned(), span: (span.start, span.end) }
    }
}

/// One mistake. The sentences are lowercase fragments without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What stands at the place, or what was expected there.
    pub label: String,
    /// What would be right.
    pub help: Option<String>,
    /// Another place that has to do with it, and how.
    pub also: Option<(Place, String)>,
}

/// All mistakes of all files, sorted by file and position; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    mistakes: Vec<Mistake>,
    texts: BTreeMap<String, String>,
}

impl Mistakes {
    /// Sorts the mistakes; the texts are those of the files they are in, by the file's name.
    pub(super) fn new(mut mistakes: Vec<Mistake>, mut texts: BTreeMap<String, String>) -> Self {
        mistakes.sort_by(|a, b| a.place.cmp(&b.place));
        mistakes.dedup();
        texts.retain(|file, _| {
            let beside = |also: &Option<(Place, String)>| also.as_ref().is_some_and(|(place, _)| place.file == *file);
            mistakes.iter().any(|mistake| mistake.place.file == *file || beside(&mistake.also))
        });
        Self { mistakes, texts }
    }

    /// The mistakes in order.
    pub fn iter(&self) -> impl Iterator<Item = &Mistake> {
        self.mistakes.iter()
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "there is always at least one")]
    pub fn len(&self) -> usize {
        self.mistakes.len()
    }

    /// Line and column of a place, both from 1; columns count characters.
    pub fn position(&self, place: &Place) -> (usize, usize) {
        let text = self.text(&place.file);
        let before = &text[..clamp(text, place.span.0)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// Every mistake with the line it is in, then a line that counts them. Ends with a newline.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for mistake in self.mistakes.iter().take(MOST_DRAWN) {
            let snippet = self.snippet(&mistake.place, AnnotationKind::Primary, &mistake.label);
            let mut primary = Level::ERROR.primary_title(mistake.message.as_str()).element(snippet);
            if let Some(help) = &mistake.help {
                primary = primary.element(Level::HELP.message(help.as_str()));
            }
            let mut report = vec![primary];
            if let Some((place, how)) = &mistake.also {
                let snippet = self.snippet(place, AnnotationKind::Context, "");
                report.push(Level::NOTE.secondary_title(how.as_str()).element(snippet));
            }
            out.push_str(&renderer.render(&report));
            out.push_str("\n\n");
        }
        let files: std::collections::BTreeSet<&str> = self.mistakes.iter().map(|m| m.place.file.as_str()).collect();
        let more = self.len().saturating_sub(MOST_DRAWN);
        if more > 0 {
            // Writing to a string never fails.
            let _ = writeln!(out, "(and {more} more)");
        }
        let _ = writeln!(out, "{} in {}", counted(self.len(), "mistake"), counted(files.len(), "file"));
        out
    }

    /// One line each: `file:line:column: message: label (help)`.
    pub fn lines(&self) -> Vec<String> {
        let line = |mistake: &Mistake| {
            let (line, column) = self.position(&mistake.place);
            let Mistake { place, message, label, .. } = mistake;
            let label = if label.is_empty() { String::new() } else { format!(": {label}") };
            let help = mistake.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
            format!("{}:{line}:{column}: {message}{label}{help}", quote_controls(&place.file))
        };
        self.mistakes.iter().map(line).collect()
    }

    fn text(&self, file: &str) -> &str {
        self.texts.get(file).map_or("", String::as_str)
    }

    /// The line in which a place starts, marked no further than the line's end.
    fn snippet<'s>(
        &'s self,
        place: &'s Place,
        kind: AnnotationKind,
        label: &'s str,
    ) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
        let text = self.text(&place.file);
        let start = clamp(text, place.span.0);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let line_end = if text[start..line_end].ends_with('\r') { line_end - 1 } else { line_end };
        let end = clamp(text, place.span.1).clamp(start, line_end.max(start));
        let annotation = kind.span(start..end);
        let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
        Snippet::source(text).path(place.file.as_str()).annotation(annotation)
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to read the configuration: {}", counted(self.len(), "mistake"))
    }
}

impl std::error::Error for Mistakes {}

/// The nearest end of a character at or before an index.
fn clamp(text: &str, index: usize) -> usize {
    text.floor_char_boundary(index.min(text.len()))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn quote_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Text out of a user's file between backticks, cut and without control characters.
pub(super) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut: String = text.chars().take(LONGEST).collect();
    let dots = if cut.len() < text.len() { "..." } else { "" };
    format!("`{}{dots}`", quote_controls(&cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, span: (usize, usize)) -> Mistakes {
        let mistake = Mistake {
            place: Place { file: "a.toml".into(), span },
            message: "m".into(),
            label: "l".into(),
            help: None,
            also: None,
        };
        Mistakes::new(vec![mistake], BTreeMap::from([("a.toml".to_owned(), text.to_owned())]))
    }

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mistakes = one("x\nüü = 1\n", (4, 6));
        assert_eq!(mistakes.lines(), ["a.toml:2:2: m: l"]);
    }

    #[test]
    fn no_span_is_too_wild_to_be_drawn() {
        for text in ["", "\n", "ü", "a\r\nb", "\u{1b}[31m\0"] {
            for start in 0..8 {
                for end in 0..8 {
                    let mistakes = one(text, (start, end));
                    assert!(mistakes.render(true).contains("a.toml") && mistakes.lines().len() == 1);
                }
            }
        }
    }

    #[test]
    fn quoted_text_is_short_and_harmless() {
        assert_eq!(quote("a\u{1b}\nb"), "`a\u{fffd}\u{fffd}b`");
        assert_eq!(quote(&"x".repeat(61)).len(), 60 + "...``".len());
    }
}
