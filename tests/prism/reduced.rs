//! The description without what nobody asked about.
//!
//! Prism takes half a minute to read all of it, and a second or two to read what is below the repository and begins as a
//! recorded path does. What begins otherwise could not have matched.

use crate::recorded::Request;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The file that Prism reads.
pub(crate) fn description(requests: &[Request]) -> PathBuf {
    let path = github_double::packages().join("@octokit/openapi/generated/api.github.com.json");
    let mut document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let subjects: BTreeSet<_> = requests.iter().map(|request| subject(&request.target)).collect();
    let paths = document["paths"].as_object_mut().unwrap();
    paths.retain(|path, _| path.starts_with("/repos/{owner}/{repo}") && subjects.contains(subject(path)));
    let mut needed = BTreeSet::new();
    needs(&document["paths"], &document, &mut needed);
    for (kind, components) in document["components"].as_object_mut().unwrap() {
        let kept = |name: &String| needed.contains(&format!("#/components/{kind}/{name}"));
        let components = components.as_object_mut().unwrap();
        components.retain(|name, _| kept(name));
    }
    let kept = ["openapi", "info", "servers", "paths", "components"];
    let reduced: Map<_, _> = kept.iter().map(|name| ((*name).to_owned(), document[name].take())).collect();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("prism-{}.json", std::process::id()));
    std::fs::write(&path, Value::Object(reduced).to_string()).unwrap();
    path
}

/// What comes right after the repository.
fn subject(path: &str) -> &str {
    path.split(['/', '?']).nth(4).unwrap_or("")
}

fn needs(value: &Value, document: &Value, needed: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str)
                && needed.insert(reference.to_owned())
            {
                needs(document.pointer(&reference[1..]).unwrap(), document, needed);
            }
            object.values().for_each(|value| needs(value, document, needed));
        }
        Value::Array(items) => items.iter().for_each(|value| needs(value, document, needed)),
        _ => {}
    }
}
