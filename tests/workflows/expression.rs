//! The part of GitHub's expressions that the workflows use, so that a test can ask what an `if` or a group means for an
//! event instead of comparing its text. An expression that uses anything else is an error.

use serde_json::Value;

/// What an expression is evaluated in.
pub(crate) struct Context {
    /// `github`, `inputs` and the like, as one object.
    pub(crate) names: Value,
    /// How what came before ended.
    pub(crate) status: Status,
}

/// How what came before ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    Failure,
    Cancelled,
}

/// Whether a job or step with this `if` runs; without a question for the status, only after success.
pub(crate) fn runs(condition: Option<&str>, context: &Context) -> Result<bool, String> {
    let condition = condition.unwrap_or("success()").trim();
    let inner = condition.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(condition);
    let asks = ["always()", "cancelled()", "failure()", "success()"].iter().any(|call| inner.contains(call));
    Ok((asks || context.status == Status::Success) && truthy(&evaluate(inner, context)?))
}

/// A text with expressions in it; one that is nothing but an expression keeps its type.
pub(crate) fn fill(text: &str, context: &Context) -> Result<Value, String> {
    let text = text.trim();
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (inner, behind) = after.split_once("}}").ok_or_else(|| format!("`{text}` does not end its expression"))?;
        let value = evaluate(inner, context)?;
        if before.is_empty() && behind.is_empty() && filled.is_empty() {
            return Ok(value);
        }
        filled.push_str(before);
        filled.push_str(&shown(&value));
        rest = behind;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

fn evaluate(text: &str, context: &Context) -> Result<Value, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, context };
    let value = parser.either()?;
    if parser.at == tokens.len() { Ok(value) } else { Err(format!("`{text}` goes on after its end")) }
}

pub(crate) fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(u64),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    'next: while let Some(first) = rest.chars().next() {
        for sign in ["&&", "||", "==", "!=", "!", "(", ")", ","] {
            if let Some(after) = rest.strip_prefix(sign) {
                tokens.push(Token::Sign(sign));
                rest = after.trim_start();
                continue 'next;
            }
        }
        let length = if first == '\'' {
            let end = rest[1..].find('\'').ok_or_else(|| format!("`{text}` does not end its string"))?;
            tokens.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            tokens.push(match word.parse() {
                Ok(number) => Token::Number(number),
                Err(_) if length > 0 => Token::Name(word.to_owned()),
                Err(_) => return Err(format!("`{text}` holds `{first}`, which this reader does not know")),
            });
            length
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    context: &'a Context,
}

impl Parser<'_> {
    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<Value, String> {
        let mut value = self.both()?;
        while self.take("||") {
            let other = self.both()?;
            value = if truthy(&value) { value } else { other };
        }
        Ok(value)
    }

    fn both(&mut self) -> Result<Value, String> {
        let mut value = self.compared()?;
        while self.take("&&") {
            let other = self.compared()?;
            value = if truthy(&value) { other } else { value };
        }
        Ok(value)
    }

    fn compared(&mut self) -> Result<Value, String> {
        let left = self.one()?;
        if self.take("==") {
            Ok(Value::Bool(equal(&left, &self.one()?)?))
        } else if self.take("!=") {
            Ok(Value::Bool(!equal(&left, &self.one()?)?))
        } else {
            Ok(left)
        }
    }

    fn one(&mut self) -> Result<Value, String> {
        if self.take("!") {
            return Ok(Value::Bool(!truthy(&self.one()?)));
        }
        if self.take("(") {
            let value = self.either()?;
            return if self.take(")") { Ok(value) } else { Err("a bracket stays open".to_owned()) };
        }
        let token = self.tokens.get(self.at).cloned().ok_or("an expression ends early")?;
        self.at += 1;
        match token {
            Token::Text(text) => Ok(Value::String(text)),
            Token::Number(number) => Ok(number.into()),
            Token::Name(name) if self.take("(") => {
                let mut arguments = Vec::new();
                while !self.take(")") {
                    arguments.push(self.either()?);
                    if !self.take(",") && self.tokens.get(self.at) != Some(&Token::Sign(")")) {
                        return Err(format!("the arguments of {name} do not end"));
                    }
                }
                self.call(&name, &arguments)
            }
            Token::Name(name) => {
                // Whatever is missing is null.
                let found = name.split('.').try_fold(&self.context.names, |value, part| value.get(part));
                Ok(found.cloned().unwrap_or(Value::Null))
            }
            Token::Sign(sign) => Err(format!("`{sign}` stands where a value should be")),
        }
    }

    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, String> {
        let status = self.context.status;
        match (name, arguments) {
            ("always", []) => Ok(true.into()),
            ("success", []) => Ok((status == Status::Success).into()),
            ("failure", []) => Ok((status == Status::Failure).into()),
            ("cancelled", []) => Ok((status == Status::Cancelled).into()),
            ("startsWith", [text, start]) => {
                Ok(shown(text).to_lowercase().starts_with(&shown(start).to_lowercase()).into())
            }
            ("format", [pattern, values @ ..]) => {
                let fill =
                    |text: String, (at, value): (usize, &Value)| text.replace(&format!("{{{at}}}"), &shown(value));
                Ok(values.iter().enumerate().fold(shown(pattern), fill).into())
            }
            _ => Err(format!("{name} with {} arguments is not known to this reader", arguments.len())),
        }
    }
}

/// Strings are equal whatever their case, and nothing else is converted.
fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(left.to_lowercase() == right.to_lowercase()),
        (Value::Null, Value::String(_)) | (Value::String(_), Value::Null) => Ok(false),
        (left, right) if std::mem::discriminant(left) == std::mem::discriminant(right) => Ok(left == right),
        _ => Err(format!("{left} and {right} are of two types")),
    }
}

#[test]
fn expressions_mean_what_github_says() {
    let names = serde_json::json!({ "github": { "event_name": "push", "n": 7, "on": true, "event": {} }, "inputs": { "head": "" } });
    let context = Context { names, status: Status::Failure };
    let value = |text: &str| fill(text, &context).unwrap();
    assert_eq!(value("${{ github.event_name == 'PUSH' }}"), true);
    assert_eq!(value("${{ github.event.none == 'x' || inputs.head || 'last' }}"), "last");
    assert_eq!(value("a-${{ github.n }}-b-${{ !github.on }}"), "a-7-b-false");
    assert_eq!(value("${{ github.on && format('{0}/{1}', github.n, 'x') || 'other' }}"), "7/x");
    assert_eq!(value("${{ (github.on || github.n) && inputs.head || 360 }}"), 360);
    assert_eq!(value("${{ startsWith('/Deadheat x', '/deadheat') }}"), true);
    assert!(runs(Some("always() && github.on"), &context).unwrap());
    assert!(runs(Some("${{ !cancelled() }}"), &context).unwrap());
    assert!(!runs(Some("github.on"), &context).unwrap(), "after a failure nothing runs that does not ask");
    assert!(!runs(None, &context).unwrap());
    for wrong in [
        "${{ github.on",
        "${{ 'a }}",
        "${{ (1 }}",
        "${{ 1 2 }}",
        "${{ a[0] }}",
        "${{ fromJSON('1') }}",
        "${{ 1 == 'a' }}",
    ] {
        assert!(fill(wrong, &context).is_err(), "{wrong}");
    }
}
