//! The figures that a command prints: one line of JSON, such as `{"create_ms": 20.4}`.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest name of a figure.
const LONGEST_NAME: usize = 32;
/// More figures than this are no line of figures.
const MOST: usize = 64;

/// What a command's output says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// By name, as printed.
    pub values: BTreeMap<String, f64>,
    /// Why the last line that looks like figures does not count, as a lowercase fragment that names what is wrong with
    /// it; absent where it does count. A program that logs JSON has one beside its figures.
    pub refused: Option<String>,
}

/// The figures of an output: its last line that is a JSON object of at least one and only finite numbers. Names are 1 to
/// 32 of a-z, 0-9 and _, and begin with a letter. All other lines are passed over. Of a name that is given twice the last
/// value counts.
pub fn figures(output: &str) -> Figures {
    let mut refused = None;
    for line in output.lines().rev().map(str::trim).filter(|line| line.starts_with('{') && line.ends_with('}')) {
        match read(line) {
            Ok(values) if values.is_empty() => {}
            Ok(values) => return Figures { values, refused },
            Err(reason) => {
                refused.get_or_insert(reason);
            }
        }
    }
    Figures { values: BTreeMap::new(), refused }
}

fn read(line: &str) -> Result<BTreeMap<String, f64>, String> {
    let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| format!("it is no JSON: {error}"))?;
    if object.len() > MOST {
        return Err(format!("it has {} figures, more than {MOST}", object.len()));
    }
    let figure = |(name, value): (String, Value)| {
        if !is_name(&name) {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            return Err(format!(
                "{name:?} is no name of a figure: 1 to {LONGEST_NAME} of a-z, 0-9 and _, first a letter"
            ));
        }
        match value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => Ok((name, number)),
            None => Err(format!("the value of {name} is no number")),
        }
    };
    object.into_iter().map(figure).collect()
}

fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|other| other.is_ascii_lowercase() || other.is_ascii_digit() || other == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(output: &str) -> Vec<(String, f64)> {
        figures(output).values.into_iter().collect()
    }

    fn pairs(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn the_last_line_of_figures_counts() {
        let output =
            "starting\n{\"create_ms\": 1}\nmore\n  {\"create_ms\": 20.4, \"heap_bytes\": 1e6, \"x\": -3}\r\ndone\n";
        assert_eq!(values(output), pairs(&[("create_ms", 20.4), ("heap_bytes", 1e6), ("x", -3.0)]));
        assert_eq!(figures(output).refused, None);
        assert_eq!(values("{\"a\":1}\n{}\n"), pairs(&[("a", 1.0)]));
        assert_eq!(values("{\"a\":1,\"a\":2}"), pairs(&[("a", 2.0)]));
    }

    #[test]
    fn other_lines_are_passed_over() {
        for other in ["", "plain", "[1, 2]", "3", "{}", "{ a: 1 }x", "x{\"a\":1}", "null"] {
            assert_eq!(figures(other), Figures::default(), "{other}");
        }
    }

    #[test]
    fn a_line_that_looks_like_figures_is_refused_with_a_reason() {
        let long = format!("{{\"{}\": 1}}", "a".repeat(33));
        let many = format!("{{{}}}", (0..65).map(|n| format!("\"a{n}\":1")).collect::<Vec<_>>().join(","));
        for (line, reason) in [
            ("{\"level\": 30, \"msg\": \"listening\"}", "the value of msg is no number"),
            ("{\"a\": null}", "the value of a is no number"),
            ("{\"a\": [1]}", "the value of a is no number"),
            ("{\"a\": \"1\"}", "the value of a is no number"),
            ("{\"Create\": 1}", "\"Create\" is no name of a figure"),
            ("{\"\": 1}", "\"\" is no name of a figure"),
            ("{\"1a\": 1}", "\"1a\" is no name of a figure"),
            ("{\"_a\": 1}", "\"_a\" is no name of a figure"),
            ("{\"a-b\": 1}", "\"a-b\" is no name of a figure"),
            ("{\"\u{e4}\": 1}", "\"\u{e4}\" is no name of a figure"),
            (&long, "is no name of a figure"),
            (&many, "it has 65 figures, more than 64"),
            ("{\"a\": 1e999}", "it is no JSON: number out of range"),
            ("{\"a\": NaN}", "it is no JSON"),
            ("{ create_ms: 20.4 }", "it is no JSON"),
        ] {
            let found = figures(line);
            assert!(
                found.values.is_empty() && found.refused.as_ref().is_some_and(|text| text.contains(reason)),
                "{found:?}"
            );
        }
        assert_eq!(values(&format!("{{\"{}\": 1}}", "a".repeat(32))), pairs(&[(&"a".repeat(32), 1.0)]));
    }

    #[test]
    fn a_refused_line_hides_no_figures_and_is_told_only_where_it_comes_last() {
        let log = "{\"level\": 30, \"msg\": \"x\"}";
        let after = figures(&format!("{{\"a\": 1}}\n{log}\n"));
        assert_eq!((after.values.len(), after.refused.as_deref()), (1, Some("the value of msg is no number")));
        assert_eq!(figures(&format!("{log}\n{{\"a\": 1}}\n")).refused, None);
    }

    proptest! {
        #[test]
        fn reading_any_text_never_panics_and_gives_only_what_is_allowed(
            wild in "\\PC*",
            json in "[{}\\[\\]\":,0-9a-cE.\n -]{0,80}",
            pair in ("\\PC{0,40}", any::<f64>()),
        ) {
            let printed = format!("{{{}:{:e}}}", Value::from(pair.0.as_str()), pair.1);
            for text in [&wild, &json, &printed, &format!("{wild}\n{printed}\n{json}")] {
                for (name, value) in figures(text).values {
                    prop_assert!(is_name(&name) && value.is_finite());
                }
            }
        }

        #[test]
        fn what_is_printed_is_read(
            printed in proptest::collection::btree_map("[a-z][a-z0-9_]{0,31}", -1e300..1e300, 1..8),
            before in "\\PC*",
        ) {
            let line = serde_json::to_string(&printed).unwrap();
            prop_assert_eq!(figures(&format!("{before}\n{line}\n")).values, printed);
        }
    }
}
