//! The inputs of a workflow that was dispatched, by hand or by a comment.

use super::EventError;
use crate::model::PullNumber;
use serde_json::Value;
use std::collections::BTreeMap;

/// Longer than any list of names that somebody types; GitHub allows 65,535 characters for all inputs.
const LONGEST: usize = 10_000;

/// A workflow was dispatched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowDispatch {
    /// What it was told.
    pub inputs: DispatchInputs,
    /// The branch or tag whose workflow file runs, such as `refs/heads/main`.
    pub reference: String,
    /// The default branch.
    pub default_branch: Option<String>,
}

/// Inputs that deadheat knows, as text: trimmed, never empty, one line without control characters, of bounded length. What the text
/// means is checked by whoever uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DispatchInputs {
    /// The commit to compare with, as `--base`.
    pub base: Option<String>,
    /// The commit to judge, as `--head`.
    pub head: Option<String>,
    /// As `--variants`.
    pub variants: Option<String>,
    /// As `--runtimes`.
    pub runtimes: Option<String>,
    /// As `--suites`.
    pub suites: Option<String>,
    /// As `--scenarios`.
    pub scenarios: Option<String>,
    /// As `--budget`.
    pub budget: Option<String>,
    /// The number of the pull request that is to be told.
    pub pr: Option<String>,
    /// Inputs that a workflow has besides.
    pub others: BTreeMap<String, String>,
}

impl DispatchInputs {
    /// Reads the payload's object of inputs.
    pub(super) fn read(inputs: BTreeMap<String, Value>) -> Result<Self, EventError> {
        let mut texts = BTreeMap::new();
        let mut mistakes = Vec::new();
        for (name, value) in inputs {
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.trim().to_owned(),
                Value::Bool(_) | Value::Number(_) => value.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    mistakes.push(format!("{name:?} is no text"));
                    continue;
                }
            };
            if text.is_empty() {
                continue;
            }
            if text.chars().any(char::is_control) {
                mistakes.push(format!("{name:?} holds a line break or another control character"));
            } else if text.len() > LONGEST {
                mistakes.push(format!("{name:?} is longer than {LONGEST} bytes"));
            } else {
                texts.insert(name, text);
            }
        }
        if !mistakes.is_empty() {
            return Err(EventError::Inputs(mistakes));
        }
        let mut take = |name: &str| texts.remove(name);
        Ok(Self {
            base: take("base"),
            head: take("head"),
            variants: take("variants"),
            runtimes: take("runtimes"),
            suites: take("suites"),
            scenarios: take("scenarios"),
            budget: take("budget"),
            pr: take("pr"),
            others: texts,
        })
    }

    /// The pull request that is to be told, where one is named: `123` or `#123`.
    ///
    /// # Errors
    /// [`EventError::Inputs`] where the text is no number of a pull request.
    pub fn pull(&self) -> Result<Option<PullNumber>, EventError> {
        let Some(text) = &self.pr else { return Ok(None) };
        let digits = text.strip_prefix('#').unwrap_or(text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(number) if plain && number > 0 => Ok(Some(PullNumber(number))),
            _ => Err(EventError::Inputs(vec![format!("pr: `{text}` is no number of a pull request")])),
        }
    }
}
