//! A rendered Markdown text as GitHub's parser sees it: nothing active in it, and its outline.

use comrak::nodes::{NodeValue, TableAlignment};
use comrak::{Arena, Options, parse_document};

/// Everything that GitHub's Markdown knows, and address detection as eager as it gets.
fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.math_dollars = true;
    options.extension.math_code = true;
    options.parse.relaxed_autolinks = true;
    options.parse.relaxed_tasklist_matching = true;
    options
}

/// The only HTML that a report has.
const FOLDED: [&str; 9] = [
    "Plots",
    "All verdicts",
    "Not measured",
    "Failures",
    "Noticed besides",
    "Standings of head",
    "How it was raced",
    "Every figure",
    "Earlier verdicts",
];

/// The blocks of `markdown` in order. Panics where anything in it is active: a link that is none of `links`, an image,
/// HTML, a mention, a reference, a formula, an emoji, a heading or a table that a name made.
pub(crate) fn outline(markdown: &str, links: &[&str]) -> Vec<String> {
    walk(markdown, links, &|text| no_commit(text, markdown))
}

/// The same where figures are so odd that their digits alone may be as long as a commit's name.
pub(crate) fn outline_of_odd_figures(markdown: &str) -> Vec<String> {
    walk(markdown, &[], &|_| {})
}

fn walk(markdown: &str, links: &[&str], look: &dyn Fn(&str)) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &options());
    let mut blocks = Vec::new();
    let mut folded = 0_usize;
    for node in root.descendants() {
        let value = &node.data().value;
        match value {
            NodeValue::Text(text) => {
                inspect(text, markdown);
                look(text);
            }
            NodeValue::Heading(heading) => blocks.push(format!("heading {}: {}", heading.level, text_below(node))),
            NodeValue::Table(table) => {
                let sides = |side| table.alignments.iter().filter(|other| **other == side).count();
                assert_eq!(sides(TableAlignment::Center), 0);
                blocks.push(format!("table {}/{}", sides(TableAlignment::None), sides(TableAlignment::Right)));
            }
            NodeValue::TableRow(_) => {
                let cells = node.children().count();
                let wanted = match &node.parent().unwrap().data().value {
                    NodeValue::Table(table) => table.num_columns,
                    other => panic!("a row below {other:?}"),
                };
                assert_eq!(cells, wanted, "{markdown}");
                blocks.push("row".to_owned());
            }
            NodeValue::HtmlBlock(block) => {
                let html = block.literal.trim_end();
                let title = html
                    .strip_prefix("<details><summary>")
                    .and_then(|rest| rest.strip_suffix("</summary>"))
                    .filter(|title| FOLDED.contains(title));
                if let Some(title) = title {
                    folded += 1;
                    blocks.push(format!("folded {title}"));
                } else {
                    assert_eq!(html, "</details>", "{markdown}");
                    folded = folded.checked_sub(1).unwrap_or_else(|| panic!("an end too many: {markdown}"));
                    blocks.push("end".to_owned());
                }
            }
            NodeValue::CodeBlock(block) => {
                assert!(block.fenced && block.info == "text" && block.closed, "{markdown}");
                blocks.push("code".to_owned());
            }
            NodeValue::Link(link) => {
                assert!(links.contains(&link.url.as_str()), "a link to {}: {markdown}", link.url);
            }
            NodeValue::Paragraph => blocks.push("paragraph".to_owned()),
            NodeValue::Item(_) => blocks.push("item".to_owned()),
            NodeValue::Alert(_) => blocks.push("alert".to_owned()),
            NodeValue::Document
            | NodeValue::List(_)
            | NodeValue::TableCell
            | NodeValue::Code(_)
            | NodeValue::Strong
            | NodeValue::SoftBreak => {}
            other => panic!("{other:?} is nothing that a report has: {markdown}"),
        }
    }
    assert_eq!(folded, 0, "a folded part without an end: {markdown}");
    blocks
}

fn text_below(node: comrak::nodes::Node<'_>) -> String {
    let texts = node.descendants().filter_map(|node| match &node.data().value {
        NodeValue::Text(text) => Some(text.to_string()),
        _ => None,
    });
    texts.collect()
}

/// GitHub looks for these in the text once it is rendered, outside of code only.
fn inspect(text: &str, markdown: &str) {
    assert!(
        !text.contains(['@', '#', '<', '>', '$', '[', ']', '|', '`', '~', '*', '_', '\\', '&']),
        "{text}: {markdown}"
    );
    assert!(!text.chars().any(is_invisible), "{text:?}");
    let lower = text.to_ascii_lowercase();
    for start in ["http", "www.", "gh-", "mailto", "xmpp"] {
        assert!(!lower.contains(start), "{text}: {markdown}");
    }
    let emoji = lower.split(':').skip(1).any(|part| !part.is_empty() && !part.contains(char::is_whitespace));
    assert!(!emoji || lower.matches(':').count() < 2, "{text}: {markdown}");
}

/// GitHub links what is the start of a commit's name.
fn no_commit(text: &str, markdown: &str) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        assert!(word.len() < 7 || !word.bytes().all(|b| b.is_ascii_hexdigit()), "{word} may be a commit: {markdown}");
    }
}

/// Controls and what Unicode calls format characters, as far as a terminal or a browser acts on them.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || ('\u{200b}'..='\u{200f}').contains(&c)
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{206f}').contains(&c)
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{e0001}'..='\u{e007f}')
}
