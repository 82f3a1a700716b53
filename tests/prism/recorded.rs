//! What the tests recorded, each shape of request once.

use serde_json::Value;
use std::collections::BTreeMap;

/// A request as it was recorded, with the repository by its name.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    pub(crate) body: String,
    /// The recording that has it first.
    pub(crate) file: String,
}

/// Every shape of request that any recording has; GraphQL is in no description of REST.
pub(crate) fn requests() -> Vec<Request> {
    let mut shapes = BTreeMap::new();
    let directory = std::fs::read_dir(github_double::recordings()).into_iter().flatten();
    let mut files: Vec<_> = directory.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "ndjson")) {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| value[name].as_str().unwrap_or("").to_owned();
            let request =
                Request { method: text("method"), target: text("target"), body: text("body"), file: file.clone() };
            if request.target != "/graphql" {
                shapes.entry(shape(&request)).or_insert(request);
            }
        }
    }
    shapes.into_values().collect()
}

/// Method, path and query without their numbers and ids, and what the body is made of: no kind of request is left out, and
/// none is asked a hundred times.
fn shape(request: &Request) -> String {
    let separator = |character: char| "/?&=".contains(character);
    let parts = request.target.split_inclusive(separator).map(|part| {
        let value = part.trim_end_matches(separator);
        let end = &part[value.len()..];
        if value.bytes().all(|byte| byte.is_ascii_digit()) || is_id(value) {
            format!("*{end}")
        } else {
            part.to_owned()
        }
    });
    let mut body = Vec::new();
    made_of(&serde_json::from_str(&request.body).unwrap_or(Value::Null), "", &mut body);
    body.dedup();
    format!("{} {} {}", request.method, parts.collect::<Vec<_>>().concat(), body.join(" "))
}

fn is_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Each value's place and kind; words are kept as they are, since a description lists them.
fn made_of(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                made_of(value, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                made_of(item, &format!("{place}/*"), found);
            }
        }
        Value::String(text)
            if text.len() < 20 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') =>
        {
            found.push(format!("{place}={text}"));
        }
        Value::String(_) => found.push(format!("{place}:text")),
        other => found.push(format!("{place}={other}")),
    }
}
