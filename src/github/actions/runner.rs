//! The runner's side, for tests: which lines of a log it obeys.
//!
//! Written after the rules that GitHub documents for workflow commands and after how actions/runner reads a line: the
//! newer form is tried first, then the older one; while commands are stopped, only the word that stops them counts; names
//! are compared without regard to case. It is stricter than the runner: invisible characters are looked through, and
//! every name counts as that of a command.

use std::collections::BTreeMap;

/// A command that was obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Obeyed {
    pub(super) name: String,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) data: String,
}

/// What a runner makes of a log: the commands that it obeys, and the lines that it shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) obeyed: Vec<Obeyed>,
    pub(super) shown: Vec<String>,
}

/// Reads a log. Lines end at a line feed, a carriage return, or both.
pub(super) fn read(log: &str) -> Seen {
    let mut seen = Seen::default();
    let mut stopped: Option<String> = None;
    for line in log.replace("\r\n", "\n").split(['\n', '\r']) {
        let command = newer(line).or_else(|| older(line));
        match (command, &stopped) {
            (Some(command), Some(word)) => {
                if command.name.eq_ignore_ascii_case(word) {
                    stopped = None;
                } else {
                    seen.shown.push(line.to_owned());
                }
            }
            (Some(command), None) => {
                if command.name.eq_ignore_ascii_case("stop-commands") {
                    stopped = Some(command.data);
                } else {
                    seen.obeyed.push(command);
                }
            }
            (None, _) => seen.shown.push(line.to_owned()),
        }
    }
    assert_eq!(stopped, None, "commands are left stopped");
    seen
}

fn visible(line: &str) -> String {
    let invisible =
        |c: char| c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    line.chars().filter(|&c| c == '\t' || !invisible(c)).collect()
}

/// `::name key=value,key=value::data`.
fn newer(line: &str) -> Option<Obeyed> {
    let line = visible(line);
    let (information, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, properties) = information.split_once(' ').unwrap_or((information, ""));
    if name.is_empty() {
        return None;
    }
    let properties = properties
        .trim()
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), unescape(value, true)));
    Some(Obeyed { name: name.to_owned(), properties: properties.collect(), data: unescape(data, false) })
}

/// `##[name key=value;key=value]data`, anywhere in the line.
fn older(line: &str) -> Option<Obeyed> {
    let line = visible(line);
    let (information, data) = line.split_once("##[")?.1.split_once(']')?;
    let name = information.split(' ').next().unwrap_or(information);
    Some(Obeyed { name: name.to_owned(), properties: BTreeMap::new(), data: data.to_owned() })
}

fn unescape(text: &str, property: bool) -> String {
    let text = text.replace("%0D", "\r").replace("%0A", "\n");
    let text = if property { text.replace("%3A", ":").replace("%2C", ",") } else { text };
    text.replace("%25", "%")
}
