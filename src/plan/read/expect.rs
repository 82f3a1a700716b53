//! What a scenario's answer must be.

use super::field::Field;
use super::mistake::quote;
use super::request::{header_name, header_value, is_token};
use super::section::Section;
use super::sources::{Content, FileText};
use super::words::inside;
use crate::plan::{Expect, ExpectedBody};
use serde_json::Value;
use std::collections::BTreeMap;

/// The golden answers: every file below the contract's directory that is no contract file itself.
pub(super) struct Golden<'s> {
    /// The contract's directory.
    pub(super) directory: &'s str,
    pub(super) files: &'s [FileText],
}

impl<'s> Golden<'s> {
    fn bytes(&self, field: &Field<'_, '_>) -> Option<&'s [u8]> {
        let text = field.line(1024, "golden/answer.json")?;
        if text.starts_with('/') || inside("", text).is_none() {
            return field.invalid("write a path below the contract's directory, such as \"golden/answer.json\"");
        }
        let path = inside(self.directory, text)?;
        match self.files.iter().find(|file| file.path == path).map(|file| &file.content) {
            Some(Content::Bytes(bytes)) => Some(bytes),
            Some(Content::Unreadable(why)) => {
                field.refuse(format!("failed to read {}", quote(&path)), why.as_str(), "")
            }
            None => {
                let looked = format!("looked for {}", quote(&path));
                field.refuse("no such golden file", looked, "golden files lie below the contract's directory")
            }
        }
    }
}

pub(super) fn expect(section: Section<'_, '_>, golden: &Golden<'_>, method: Option<&str>) -> Option<Expect> {
    let status = section.required("status", "status = 200").and_then(|field| status(&field));
    let media_type = section.optional("type").and_then(|field| media_type(&field, false));
    let headers =
        section.optional("headers").and_then(|field| field.table("headers", "headers = { vary = \"accept\" }"));
    let headers = headers.as_ref().map(answer_headers).unwrap_or_default();
    let body = expected_body(&section, golden, method, status);
    section.finish();
    Some(Expect { status: status?, media_type, headers, body: body? })
}

fn status(field: &Field<'_, '_>) -> Option<u16> {
    // Below 200 there are no final answers.
    field.integer(200..=599, 200).and_then(|status| u16::try_from(status).ok())
}

/// A media type in lowercase; its parameters are sent where it is a request's, and never compared.
pub(super) fn media_type(field: &Field<'_, '_>, parameters: bool) -> Option<String> {
    let text = field.string("application/json")?;
    let essence = text.split(';').next().unwrap_or_default().trim();
    let plain = essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    if !plain {
        field.invalid("write a media type such as \"application/json\"")
    } else if essence.len() < text.len() && !parameters {
        field.invalid(format!("parameters are not compared: write \"{essence}\""))
    } else {
        Some(essence.to_ascii_lowercase())
    }
}

fn answer_headers(table: &Section<'_, '_>) -> BTreeMap<String, String> {
    let mut names = Vec::new();
    let mut headers = BTreeMap::new();
    for field in table.entries() {
        if let Some(name) = header_name(&field, &mut names)
            && let Some(value) = header_value(&field)
        {
            headers.insert(name, value.to_owned());
        }
    }
    headers
}

fn expected_body(
    section: &Section<'_, '_>,
    golden: &Golden<'_>,
    method: Option<&str>,
    status: Option<u16>,
) -> Option<ExpectedBody> {
    let (bytes, text, json) = (section.optional("body"), section.optional("text"), section.optional("json"));
    let ignore = section.optional("ignore");
    let given: Vec<&Field<'_, '_>> = [&bytes, &text, &json].into_iter().flatten().collect();
    if let [first, second, ..] = given[..] {
        let message = format!("both `{}` and `{}` say what the body is", first.key, second.key);
        second.refuse::<()>(message, format!("`{}` is given too", first.key), "keep one of `body`, `text` and `json`");
    }
    if let Some(field) = given.first()
        && (method == Some("HEAD") || matches!(status, Some(204 | 304)))
    {
        field.refuse::<()>("an answer that has no body", "HEAD, 204 and 304 answer without one", "leave it out");
    }
    if let (Some(ignore), None) = (&ignore, &json) {
        ignore.refuse::<()>("`ignore` without `json`", "there is no JSON to leave something out of", "add `json`");
    }
    if let Some(field) = json {
        let value = golden.bytes(&field).and_then(|bytes| parse_json(&field, bytes));
        let ignore = ignore.map(|field| pointers(&field, value.as_ref())).unwrap_or_default();
        return value.map(|value| ExpectedBody::Json { value, ignore });
    }
    if let Some(field) = bytes {
        return golden.bytes(&field).map(|bytes| ExpectedBody::Bytes(bytes.to_vec()));
    }
    let Some(field) = text else { return Some(ExpectedBody::Anything) };
    match field.value.as_str() {
        Some(text) => Some(ExpectedBody::Bytes(text.as_bytes().to_vec())),
        None => field.wrong_type("a string", "text = \"Hello\""),
    }
}

fn parse_json(field: &Field<'_, '_>, bytes: &[u8]) -> Option<Value> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Some(value),
        Err(error) => {
            let label = format!("failed to parse the file: {error}");
            field.refuse("the golden file is not JSON", label, "mend the file, or compare it byte for byte with `body`")
        }
    }
}

/// JSON pointers (RFC 6901) that must lead somewhere in the golden value.
fn pointers(field: &Field<'_, '_>, value: Option<&Value>) -> Vec<String> {
    let elements = field.list("a list of JSON pointers", "ignore = [\"/id\"]").unwrap_or_default();
    let pointer = |element: &Field<'_, '_>| {
        let text = element.string("/id")?;
        // An escape is ~0 or ~1; the whole document, "", would leave nothing to compare.
        let escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        if !text.starts_with('/') || !escaped {
            element.invalid("write a JSON pointer: `/` before each key, ~1 for a `/` and ~0 for a `~` in a key")
        } else if value.is_some_and(|value| value.pointer(text).is_none()) {
            element.refuse(
                format!("{} leads nowhere", quote(text)),
                "the golden file has nothing there",
                "give the value any content in the golden file, or leave the pointer out",
            )
        } else {
            Some(text.to_owned())
        }
    };
    elements.iter().filter_map(pointer).collect()
}
