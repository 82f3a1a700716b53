//! Counts what a reader of a JSON text would have to hold, before anything is read.
//!
//! A file of 64 MiB can hold millions of empty strings, each of which costs many times its bytes in memory. Rounds are the
//! bulk of an honest file and cheap to hold; everything else is small. So each has its own cap, and what may be held is
//! bounded before the first value is: the costliest part that passes takes about 110 MiB. The text need not be JSON: up
//! to its first fault this sees the structure that a reader sees, and behind it nobody reads.

use super::error::TextFault;

/// Most levels of lists and objects; five are used.
const MOST_LEVELS: usize = 32;

/// A first-level field with a cap of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    name: &'static str,
    /// Most elements and members in and below it.
    most: usize,
}

/// The lists that grow with a race, by what an element has: a round five, an attempt eight, a failure ten, a finding of
/// the gate five. The last is all the rest.
const SECTIONS: [Section; 5] = [
    Section { name: "cells", most: 4_000_000 },
    Section { name: "attempts", most: 2_000_000 },
    Section { name: "failures", most: 1_000_000 },
    Section { name: "gate", most: 1_000_000 },
    OTHERS,
];
const OTHERS: Section = Section { name: "other fields", most: 500_000 };

/// Refuses a text that is nested too deeply or holds too many values.
pub(super) fn survey(text: &[u8]) -> Result<(), TextFault> {
    let mut counts = [0_usize; SECTIONS.len()];
    let mut section = SECTIONS.len() - 1;
    let mut levels = 0_usize;
    // Whether the first level is an object, and whether a string there would be the name of a field.
    let mut named = false;
    let mut before_name = false;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let start = at;
                at = end_of_string(text, at);
                if levels == 1 && before_name {
                    section = section_of(text.get(start..at.saturating_sub(1)).unwrap_or_default());
                }
                before_name = false;
            }
            b'{' | b'[' | b',' => {
                if *byte != b',' {
                    levels += 1;
                    named = if levels == 1 { *byte == b'{' } else { named };
                }
                before_name = named;
                if levels > MOST_LEVELS {
                    return Err(TextFault::TooDeep(MOST_LEVELS));
                }
                count(&mut counts, section)?;
            }
            b'}' | b']' => levels = levels.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn count(counts: &mut [usize; SECTIONS.len()], section: usize) -> Result<(), TextFault> {
    let (Some(count), Some(Section { name, most })) = (counts.get_mut(section), SECTIONS.get(section).copied()) else {
        return Ok(());
    };
    *count += 1;
    if *count > most { Err(TextFault::TooMany { below: name, most }) } else { Ok(()) }
}

/// A name that is written in another way than deadheat writes it counts among the others, whose cap is the smallest.
fn section_of(name: &[u8]) -> usize {
    let found = SECTIONS.iter().position(|section| section.name.as_bytes() == name);
    found.unwrap_or(SECTIONS.len() - 1)
}

/// The place behind the quote that ends the string whose text starts at `at`.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => return at,
            b'\\' => at += 1,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_counted_whatever_holds_them() {
        let deep = |levels: usize| format!("{}{}", "[{\"a\":".repeat(levels), "1");
        assert_eq!(survey(deep(MOST_LEVELS / 2).as_bytes()), Ok(()));
        let too_deep = Err(TextFault::TooDeep(MOST_LEVELS));
        assert_eq!(survey(deep(MOST_LEVELS / 2 + 1).as_bytes()), too_deep);
        assert_eq!(survey("[".repeat(10_000_000).as_bytes()), too_deep);
        assert_eq!(survey("[]".repeat(1_000).as_bytes()), Ok(()));
        // Brackets inside strings are text, also behind an escaped quote.
        let quoted = format!(r#"["{}", "\"{}", "\\"]"#, "[".repeat(100), "{".repeat(100));
        assert_eq!(survey(quoted.as_bytes()), Ok(()));
    }

    #[test]
    fn every_first_level_field_has_a_cap() {
        let text = |name: &str, elements: usize| format!(r#"{{"x":"cells","{name}":["a"{}]}}"#, ",0".repeat(elements));
        let refused = |name: &str, elements: usize| match survey(text(name, elements).as_bytes()) {
            Err(TextFault::TooMany { below, .. }) => Some(below),
            _ => None,
        };
        for (name, elements, expected) in [
            ("cells", 3_999_000, None),
            ("cells", 4_000_000, Some("cells")),
            ("attempts", 1_999_000, None),
            ("attempts", 2_000_000, Some("attempts")),
            ("failures", 1_000_000, Some("failures")),
            ("gate", 999_000, None),
            ("warnings", 499_000, None),
            ("warnings", 500_000, Some("other fields")),
            // An escaped name is read as `cells`, and yet gets the smallest cap.
            ("ce\\u006cls", 500_000, Some("other fields")),
        ] {
            assert_eq!(refused(name, elements), expected, "{name} {elements}");
        }
    }

    #[test]
    fn only_names_of_the_first_level_choose_the_cap() {
        for text in [
            format!(r#"{{"a":{{"cells":["a"{}]}}}}"#, ",0".repeat(600_000)),
            format!(r#"["cells",["a"{}]]"#, ",0".repeat(600_000)),
            format!(r#"[1,"cells",["a"{}]]"#, ",0".repeat(600_000)),
            format!(r#"{{"cells":1,"a":["a"{}]}}"#, ",0".repeat(600_000)),
        ] {
            assert_eq!(
                survey(text.as_bytes()),
                Err(TextFault::TooMany { below: "other fields", most: OTHERS.most }),
                "{}",
                &text[..20]
            );
        }
        let twice = format!(r#"{{"cells":[0{0}],"cells":[0{0}]}}"#, ",0".repeat(2_100_000));
        assert!(survey(twice.as_bytes()).is_err());
    }
}
