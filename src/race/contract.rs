//! An answer held against the contract: media type, named headers, and the body byte for byte or as JSON.
//!
//! Not compared unless named: every other header, and the parameters of the media type.

use crate::plan::{Expect, ExpectedBody};
use serde_json::Value;
use std::fmt;

/// How an answer differs from the contract, as a lowercase fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another status.
    Status {
        /// The contract's.
        expected: u16,
        /// The answer's.
        found: u16,
    },
    /// Another media type, or none.
    MediaType {
        /// The contract's.
        expected: String,
        /// The answer's.
        found: String,
    },
    /// Another value of a header that is compared, or none.
    Header {
        /// The header.
        name: String,
        /// The contract's.
        expected: String,
        /// The answer's.
        found: String,
    },
    /// Another body; the text says where.
    Body(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { expected, found } => write!(f, "status {found} instead of {expected}"),
            Self::MediaType { expected, found } => write!(f, "media type {found} instead of {expected}"),
            Self::Header { name, expected, found } => write!(f, "header {name} is {found} instead of {expected}"),
            Self::Body(text) => f.write_str(text),
        }
    }
}

/// The first difference of an answer from the contract; `header` gives the value of a header by name.
pub fn difference<'a>(
    expect: &Expect,
    status: u16,
    header: impl Fn(&str) -> Option<&'a [u8]>,
    body: &[u8],
) -> Option<Difference> {
    if status != expect.status {
        return Some(Difference::Status { expected: expect.status, found: status });
    }
    if let Some(expected) = &expect.media_type {
        let found = header("content-type").map(media_type);
        if found.as_deref() != Some(expected.to_ascii_lowercase().as_str()) {
            return Some(Difference::MediaType {
                expected: expected.clone(),
                found: found.unwrap_or_else(|| "none".into()),
            });
        }
    }
    for (name, expected) in &expect.headers {
        let found = header(name).map(String::from_utf8_lossy);
        if found.as_deref() != Some(expected) {
            let found = found.map_or_else(|| "missing".to_owned(), |value| format!("`{}`", excerpt(value.as_bytes())));
            return Some(Difference::Header { name: name.clone(), expected: format!("`{expected}`"), found });
        }
    }
    match &expect.body {
        ExpectedBody::Anything => None,
        ExpectedBody::Bytes(expected) => bytes_differ(expected, body),
        ExpectedBody::Json { value, ignore } => json_differs(value, ignore, body),
    }
    .map(Difference::Body)
}

/// The body length that every good answer has, where the contract fixes one. An answer to HEAD has none whatever it says.
pub fn fixed_length(expect: &Expect, method: &str) -> Option<u64> {
    match &expect.body {
        _ if method == "HEAD" => Some(0),
        ExpectedBody::Bytes(bytes) => Some(bytes.len() as u64),
        _ => None,
    }
}

fn media_type(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn bytes_differ(expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let at = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let part = |bytes: &[u8]| excerpt(bytes.get(at..).unwrap_or_default());
    let lengths = if expected.len() == found.len() {
        String::new()
    } else {
        format!(" ({} bytes instead of {})", found.len(), expected.len())
    };
    Some(format!("body differs at byte {at}: `{}` instead of `{}`{lengths}", part(found), part(expected)))
}

fn json_differs(expected: &Value, ignore: &[String], body: &[u8]) -> Option<String> {
    let Ok(mut found) = serde_json::from_slice::<Value>(body) else {
        return Some(format!("body is no JSON: `{}`", excerpt(body)));
    };
    let mut expected = expected.clone();
    for pointer in ignore {
        // What is ignored must still be there: an answer that lost a field is another answer.
        match (expected.pointer_mut(pointer), found.pointer_mut(pointer)) {
            (Some(expected), Some(found)) => (*expected, *found) = (Value::Null, Value::Null),
            (None, None) => {}
            (Some(_), None) => return Some(format!("body has nothing at {pointer}")),
            (None, Some(found)) => *found = Value::Null,
        }
    }
    first_difference(&expected, &found, "")
}

fn first_difference(expected: &Value, found: &Value, at: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let missing =
                a.keys().find(|key| !b.contains_key(*key)).map(|key| format!("body has nothing at {at}/{key}"));
            let more = b.keys().find(|key| !a.contains_key(*key)).map(|key| format!("body has {at}/{key} besides"));
            let inside =
                || a.iter().find_map(|(key, value)| first_difference(value, b.get(key)?, &format!("{at}/{key}")));
            missing.or(more).or_else(inside)
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(index, (a, b))| first_difference(a, b, &format!("{at}/{index}")))
        }
        (a, b) if a == b => None,
        (a, b) => {
            let at = if at.is_empty() { "at its top" } else { at };
            let text = |value: &Value| excerpt(value.to_string().as_bytes());
            Some(format!("body differs at {at}: `{}` instead of `{}`", text(b), text(a)))
        }
    }
}

/// The first characters of a text, on one line and without control characters.
fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(bytes.get(..4 * SHOWN).unwrap_or(bytes));
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() || c == '`' { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > SHOWN || bytes.len() > 4 * SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn expect(body: ExpectedBody) -> Expect {
        Expect { status: 200, media_type: Some("application/json".to_owned()), headers: BTreeMap::new(), body }
    }

    fn differs(expect: &Expect, status: u16, headers: &[(&str, &str)], body: &str) -> Option<String> {
        let header = |name: &str| {
            headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_bytes())
        };
        difference(expect, status, header, body.as_bytes()).map(|difference| difference.to_string())
    }

    const JSON: (&str, &str) = ("Content-Type", "application/json; charset=utf-8");

    #[test]
    fn bytes_are_compared_byte_for_byte_and_parameters_of_the_media_type_are_not() {
        let expect = expect(ExpectedBody::Bytes(b"{\"id\":1}".to_vec()));
        assert_eq!(differs(&expect, 200, &[JSON], "{\"id\":1}"), None);
        let found = differs(&expect, 200, &[JSON], "{\"id\":2}").unwrap();
        assert_eq!(found, "body differs at byte 6: `2}` instead of `1}`");
        let found = differs(&expect, 200, &[JSON], "").unwrap();
        assert_eq!(found, "body differs at byte 0: `` instead of `{\"id\":1}` (0 bytes instead of 8)");
        assert_eq!(differs(&expect, 500, &[JSON], "x").unwrap(), "status 500 instead of 200");
        let found = differs(&expect, 200, &[("content-type", "text/html")], "{\"id\":1}").unwrap();
        assert_eq!(found, "media type text/html instead of application/json");
        assert_eq!(differs(&expect, 200, &[], "").unwrap(), "media type none instead of application/json");
    }

    #[test]
    fn json_is_compared_as_a_value_without_what_is_ignored() {
        let golden = serde_json::json!({"id": 1001, "name": "Ada", "tags": ["a", {"b": 1}]});
        let expect = expect(ExpectedBody::Json { value: golden, ignore: vec!["/id".to_owned()] });
        let body = |text: &str| differs(&expect, 200, &[JSON], text);
        assert_eq!(body(r#"{"tags": ["a", {"b": 1}], "name": "Ada", "id": 7}"#), None);
        assert_eq!(body(r#"{"tags": ["a", {"b": 1}], "name": "Ada"}"#).unwrap(), "body has nothing at /id");
        assert_eq!(
            body(r#"{"id":1,"tags":["a",{"b":2}],"name":"Ada"}"#).unwrap(),
            "body differs at /tags/1/b: `2` instead of `1`"
        );
        assert_eq!(
            body(r#"{"id":1,"tags":["a"],"name":"Ada"}"#).unwrap(),
            "body differs at /tags: `[\"a\"]` instead of `[\"a\",{\"b\":1}]`"
        );
        assert_eq!(body(r#"{"id":1,"tags":["a",{"b":1}],"name":"Ada","x":1}"#).unwrap(), "body has /x besides");
        assert_eq!(body("oops\n").unwrap(), "body is no JSON: `oops\u{fffd}`");
        assert_eq!(body("1").unwrap(), "body has nothing at /id");
    }

    #[test]
    fn named_headers_are_compared() {
        let mut expect = expect(ExpectedBody::Anything);
        expect.headers.insert("x-served-by".to_owned(), "a".to_owned());
        assert_eq!(differs(&expect, 200, &[JSON, ("X-Served-By", "a")], ""), None);
        assert_eq!(
            differs(&expect, 200, &[JSON, ("X-Served-By", "b")], "").unwrap(),
            "header x-served-by is `b` instead of `a`"
        );
        assert_eq!(differs(&expect, 200, &[JSON], "").unwrap(), "header x-served-by is missing instead of `a`");
    }
}
