//! Foreign text inside Markdown: names, messages and outputs that can neither mention, link nor break anything.
//!
//! GitHub finds mentions, references and links after the Markdown is rendered, so no escaping of characters is enough:
//! only code spans and code blocks are left alone. Everything that is not plainly harmless therefore goes into one.

/// Whether a character must not reach a terminal or a browser: controls, line separators, bidirectional marks,
/// zero-width and other invisible format characters.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// How many backticks the longest run of `text` has.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// `text` cut to `limit` characters, the last of them an ellipsis where something was cut.
fn capped(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// One line of foreign text for places that are not Markdown: no control or invisible characters, at most `limit` long.
pub(super) fn line(text: &str, limit: usize) -> String {
    capped(text, limit).chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

/// A code span of at most `limit` characters of `text` that holds together inside a table.
pub(super) fn code_of(text: &str, limit: usize) -> String {
    let clean = line(text, limit).replace('|', "¦");
    if clean.trim().is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(&clean) + 1);
    // A space on both sides is stripped by the renderer; without it a backtick at an end would join the fence.
    let pad = if clean.starts_with(['`', ' ']) || clean.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{clean}{pad}{fence}")
}

/// A code span of a name.
pub(super) fn code(text: &str) -> String {
    code_of(text, 140)
}

/// A sentence: as prose where it is plainly harmless (its names, between backticks, as code), else as one code span.
pub(super) fn prose(text: &str) -> String {
    const LIMIT: usize = 400;
    let whole = || code_of(text, LIMIT);
    if text.chars().count() > LIMIT {
        return whole();
    }
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return whole();
    }
    let last = parts.len() - 1;
    let mut result = String::with_capacity(text.len() + 8);
    for (index, part) in parts.into_iter().enumerate() {
        let inside = index % 2 == 1;
        if inside && !part.trim().is_empty() {
            result.push_str(&code(part));
        } else if !inside && is_harmless(part) && (index == 0 || index == last || !part.is_empty()) {
            result.push_str(part);
        } else {
            return whole();
        }
    }
    if result.starts_with(|c: char| c.is_ascii_alphabetic() || c == '`') { result } else { whole() }
}

/// A foreign sentence that starts with a capital letter and ends in a full stop, unless code stands there.
pub(super) fn sentence(text: &str) -> String {
    capitalized(&prose(text))
}

/// The same of a text that is safe already.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    ended(&first.into_iter().chain(letters).collect::<String>())
}

/// With a full stop, unless code stands at the end.
pub(super) fn ended(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?', '`']) { "" } else { "." };
    format!("{text}{end}")
}

/// Whether a renderer can do nothing with `text` but show it: words, spaces and tame punctuation, and nothing that
/// GitHub would take for an address, an issue or a commit.
fn is_harmless(text: &str) -> bool {
    let tame = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(
                c,
                ' ' | '\u{a0}' | ',' | '.' | ';' | ':' | '(' | ')' | '%' | '\'' | '"' | '-' | '+' | '\u{2212}'
            )
    };
    // `req/s` is a unit; with anything but letters on both sides it could be an address.
    let slashes = text.split('/').collect::<Vec<_>>();
    let units = slashes.windows(2).all(|sides| {
        sides[0].ends_with(|c: char| c.is_ascii_alphabetic()) && sides[1].starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let text = text.replace('/', " ");
    let lower = text.to_ascii_lowercase();
    units
        && text.chars().all(tame)
        && !["www.", "gh-", "--", "  "].iter().any(|bad| lower.contains(bad))
        && lower.split(':').skip(1).all(|rest| rest.is_empty() || rest.starts_with(' '))
        && lower.split(|c: char| !c.is_ascii_alphanumeric()).all(|word| !looks_like_a_commit(word))
}

fn looks_like_a_commit(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A fenced block of the last `limit` characters of a child's output.
pub(super) fn fenced(output: &str, limit: usize) -> String {
    let total = output.chars().count();
    let tail: String = output.chars().skip(total.saturating_sub(limit)).collect();
    block(&tail, if total > limit { "…\n" } else { "" }, "")
}

/// A fenced block of the first `limit` characters of a text.
pub(super) fn fenced_start(text: &str, limit: usize) -> String {
    let start: String = text.chars().take(limit).collect();
    block(&start, "", if start.len() < text.len() { "\n…" } else { "" })
}

/// The fence is longer than any run of backticks inside, and control characters other than the line's end are replaced.
fn block(text: &str, before: &str, after: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for part in text.split('\n').map(|part| part.strip_suffix('\r').unwrap_or(part)) {
        clean.extend(part.chars().map(|c| match c {
            '\t' => ' ',
            c if is_unsafe(c) => '\u{fffd}',
            c => c,
        }));
        clean.push('\n');
    }
    let fence = "`".repeat(longest_run(&clean).max(2) + 1);
    format!("{fence}text\n{before}{}{after}\n{fence}", clean.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_span_holds_whatever_is_inside() {
        assert_eq!(code("get-user"), "`get-user`");
        assert_eq!(code("a|b"), "`a¦b`");
        assert_eq!(code("`x``y"), "``` `x``y ```");
        assert_eq!(code("@everyone\n# big\u{202e}"), "`@everyone\u{fffd}# big\u{fffd}`");
        assert_eq!(code(" \n"), "`  \u{fffd} `");
        assert_eq!(code(""), "(empty)");
        assert_eq!(code_of("abcdef", 4), "`abc…`");
    }

    #[test]
    fn harmless_sentences_stay_prose_and_all_others_become_code() {
        for good in [
            "Pinning was refused, so both sides share CPU 0.",
            "The race was interrupted: 7 of 12 rounds were run (58 %).",
            "Slower: req/s \u{2212}9.6\u{a0}%, CPU/request +10.7 %",
        ] {
            assert_eq!(prose(good), good);
        }
        assert_eq!(prose("server `a|b` and `c`"), "server `a¦b` and `c`");
        for bad in [
            "ask @octocat",
            "see #12",
            "see GH-12",
            "www.example.com",
            "http://example.com",
            "a //example.com",
            "a/1",
            "octocat/hello-world#1",
            "commit deadbeef1 broke",
            "a | b",
            "**bold**",
            "<img src=x>",
            "line\nbreak",
            "- item",
            "1. item",
            "odd ` tick",
            "`a``b`",
            "[x](y)",
            ":tada:",
        ] {
            assert_eq!(prose(bad), code_of(bad, 400), "{bad}");
        }
    }

    #[test]
    fn an_output_can_not_leave_its_block() {
        assert_eq!(fenced("a\r\nb\tc\n\n", 100), "```text\na\nb c\n```");
        assert_eq!(fenced("````\n</details>\u{1b}[31m", 100), "`````text\n````\n</details>\u{fffd}[31m\n`````");
        assert_eq!(fenced("0123456789", 4), "```text\n…\n6789\n```");
        assert_eq!(fenced_start("0123456789", 4), "```text\n0123\n…\n```");
    }

    /// The rule of the Markdown standard: a span ends at the first run of backticks as long as its opening run.
    fn is_one_span(text: &str) -> bool {
        let fence = text.len() - text.trim_start_matches('`').len();
        let mut inner = &text[fence..];
        loop {
            let Some(start) = inner.find('`') else { return false };
            let run = inner[start..].len() - inner[start..].trim_start_matches('`').len();
            inner = &inner[start + run..];
            if run == fence {
                return inner.is_empty();
            }
        }
    }

    proptest! {
        #[test]
        fn every_text_is_one_span_on_one_line(text in "[`| \\n@#<>a\u{202e}\u{200b}\\\\]{0,40}|\\PC{0,40}") {
            let span = code(&text);
            prop_assert!(span == "(empty)" || is_one_span(&span), "{}", span);
            let active = span.contains(['|', '\n', '\r', '\u{202e}', '\u{200b}']);
            prop_assert!(!active, "{}", span);
        }

        #[test]
        fn no_sentence_keeps_an_active_character_outside_code(text in "[`| \\n@#<>a-f0-9:/.*_w\\[\\]()-]{0,40}|\\PC{0,60}") {
            let shown = prose(&text);
            // Outside of code, only tame characters.
            let mut outside = String::new();
            let mut rest = shown.as_str();
            while let Some(start) = rest.find('`') {
                outside.push_str(&rest[..start]);
                let run = rest[start..].len() - rest[start..].trim_start_matches('`').len();
                let fence = "`".repeat(run);
                let mut inner = &rest[start + run..];
                loop {
                    let at = inner.find(&fence).expect("a closed span");
                    let length = inner[at..].len() - inner[at..].trim_start_matches('`').len();
                    inner = &inner[at + length..];
                    if length == run { break; }
                }
                rest = inner;
            }
            outside.push_str(rest);
            prop_assert!(!outside.contains(['@', '#', '<', '>', '*', '_', '[', '|', '\n', '\\', '&', '!']), "{}", shown);
            // A slash stands only between letters, as in `req/s`.
            let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
            let between = |sides: &[&str]| letter(sides[0].chars().last()) && letter(sides[1].chars().next());
            prop_assert!(outside.split('/').collect::<Vec<_>>().windows(2).all(between), "{}", shown);
        }

        #[test]
        fn a_block_ends_only_at_its_end(text in "[`~\\n\\r a]{0,60}|\\PC{0,60}") {
            let block = fenced(&text, 40);
            let fence: String = block.chars().take_while(|c| *c == '`').collect();
            let closing = block.lines().skip(1).filter(|line| line.trim_start().starts_with(&fence)).count();
            prop_assert_eq!(closing, 1);
            prop_assert!(block.ends_with(&fence));
        }
    }
}
