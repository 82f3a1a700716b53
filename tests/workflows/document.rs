//! A workflow or an action, as text and as what a YAML parser makes of it.

use serde_json::{Map, Value};

/// A workflow or an action.
pub(crate) struct Document {
    /// Its file name.
    pub(crate) name: String,
    /// Its text, for what only comments hold.
    pub(crate) text: String,
    /// Its content.
    pub(crate) content: Map<String, Value>,
}

/// A job of a workflow.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// Its id.
    pub(crate) id: &'a str,
    /// What it says.
    pub(crate) content: &'a Map<String, Value>,
}

impl Document {
    /// Reads a file; a key that is given twice, for which readers may choose differently, is an error.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, String> {
        let content = serde_saphyr::from_str(text).map_err(|error| format!("{name} is no YAML: {error}"))?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), content })
    }

    /// Its jobs.
    pub(crate) fn jobs(&self) -> Vec<Job<'_>> {
        let jobs = self.content.get("jobs").and_then(Value::as_object);
        jobs.into_iter().flatten().filter_map(|(id, job)| Some(Job { id, content: job.as_object()? })).collect()
    }
}

impl<'a> Job<'a> {
    /// Its steps.
    pub(crate) fn steps(self) -> Vec<&'a Map<String, Value>> {
        steps(self.content)
    }
}

/// The steps of a job, or of what an action runs.
pub(crate) fn steps(content: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let steps = content.get("steps").and_then(Value::as_array);
    steps.into_iter().flatten().filter_map(Value::as_object).collect()
}

/// A text of a step or job; empty where it has none.
pub(crate) fn text<'a>(content: &'a Map<String, Value>, key: &str) -> &'a str {
    content.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// One input of a step.
pub(crate) fn input<'a>(step: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    step.get("with")?.get(key)
}

/// The action that a step uses, without its version; empty where it uses none.
pub(crate) fn action(step: &Map<String, Value>) -> &str {
    let uses = text(step, "uses");
    uses.split_once('@').map_or(uses, |(name, _)| name)
}

/// Every key and every text below a value.
pub(crate) fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(words).collect(),
        Value::Object(values) => {
            values.iter().flat_map(|(key, value)| std::iter::once(key.as_str()).chain(words(value))).collect()
        }
        _ => Vec::new(),
    }
}

/// The default of an action's input.
pub(crate) fn input_default<'a>(action: &'a Document, name: &str) -> Option<&'a Value> {
    action.content.get("inputs")?.get(name)?.get("default")
}
