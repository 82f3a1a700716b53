//! What the action must be.

use crate::document::{Document, input_default, steps, text, words};
use crate::expression::{Context, Status, runs};
use serde_json::{Value, json};
use std::path::Path;

/// Everything that is wrong with the action.
pub(crate) fn findings(action: &Document) -> Vec<String> {
    let mut found = Vec::new();
    let whole = Value::Object(action.content.clone());
    if words(&whole).iter().any(|word| word.contains("secrets.") || word.contains("github.token }}")) {
        found.push("takes a token that it was not given".to_owned());
    }
    if input_default(action, "token") != Some(&json!("")) {
        found.push("has a token before it is given one".to_owned());
    }
    let runs_with = action.content.get("runs").and_then(Value::as_object).cloned().unwrap_or_default();
    if text(&runs_with, "using") != "composite" {
        found.push("is not composed of steps".to_owned());
    }
    for step in steps(&runs_with) {
        let name = text(step, "name");
        let script =
            text(step, "run").strip_prefix("bash \"$GITHUB_ACTION_PATH/").and_then(|rest| rest.strip_suffix('"'));
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Everything goes through the environment, and nothing through the text of a script.
        if text(step, "shell") != "bash" || !script.is_some_and(|script| root.join(script).is_file()) {
            found.push(format!("{name} runs something else than a script of this repository"));
        }
        for command in ["run", "check"] {
            let given = words(&Value::Object(step.clone())).iter().any(|word| word.contains("token"));
            let asked = Context { names: json!({ "inputs": { "command": command } }), status: Status::Success };
            match runs(step.get("if").and_then(Value::as_str), &asked) {
                Ok(true) if given => found.push(format!("{name} gives {command} a token")),
                Ok(_) => {}
                Err(error) => found.push(format!("{name}: {error}")),
            }
        }
    }
    found.into_iter().map(|what| format!("{}: {what}", action.name)).collect()
}
