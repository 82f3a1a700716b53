//! What a scenario sends.

use super::field::Field;
use super::mistake::quote;
use super::section::Section;
use super::words::refuse_key;
use crate::plan::Request;
use std::fmt::Write as _;
use toml::de::{DeTable, DeValue};

/// What the load generator writes itself, or what would end its connections.
const REFUSED_HEADERS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect"];

pub(super) fn request(section: Section<'_, '_>) -> Option<Request> {
    let method = section.optional("method").map_or(Some("GET"), |field| method(&field));
    let path = section.required("path", "path = \"/users/1\"").and_then(|field| path(&field));
    let headers_field = section.optional("headers");
    let headers = headers_field.and_then(|field| field.table("headers", "headers = { accept = \"application/json\" }"));
    let mut headers = headers.as_ref().map(|table| request_headers(table)).unwrap_or_default();
    if let Some(field) = section.optional("cookies")
        && let Some(table) = field.table("cookies", "cookies = { session = \"abc\" }")
        && let Some(cookie) = cookies(&table)
    {
        if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("cookie")) {
            field.refuse::<()>("cookies are given twice", "`headers` has a Cookie too", "keep one of the two");
        }
        headers.push(("cookie".to_owned(), cookie));
    }
    let body = body(&section, &mut headers);
    section.finish();
    Some(Request { method: method?.to_owned(), path: path?.to_owned(), headers, body })
}

fn method<'s>(field: &Field<'s, '_>) -> Option<&'s str> {
    let text = field.string("GET")?;
    let upper = text.to_ascii_uppercase();
    let plain = !text.is_empty() && text.len() <= 32 && upper.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    if plain && text != upper {
        field.invalid(format!("write it in capitals: \"{upper}\""))
    } else if !plain {
        field.invalid("write a method such as \"GET\" or \"POST\"")
    } else if text == "CONNECT" {
        field.invalid("CONNECT asks for a tunnel, not for an answer")
    } else {
        Some(text)
    }
}

fn path<'s>(field: &Field<'s, '_>) -> Option<&'s str> {
    let text = field.string("/users/1")?;
    if !text.starts_with('/') {
        let label = if text.contains("://") { "write only the path and the query" } else { "start it with `/`" };
        field.refuse(
            format!("invalid path {}", quote(text)),
            label,
            "write for example `path = \"/users/1?full=true\"`",
        )
    } else if text.contains('#') {
        field.invalid("a fragment is never sent: leave out what follows `#`, or write %23")
    } else if !text.bytes().all(|b| b.is_ascii_graphic()) {
        field.invalid("percent-encode spaces, control characters and other than ASCII, such as %20 for a space")
    } else if text.len() > 8192 {
        field.invalid("it is longer than 8192 bytes")
    } else {
        Some(text)
    }
}

/// Whether a text is a token of HTTP (RFC 9110, section 5.6.2), as names of headers and cookies are.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The value of a header: visible ASCII, with spaces and tabs only inside.
pub(super) fn header_value<'s>(field: &Field<'s, '_>) -> Option<&'s str> {
    let text = field.string("application/json")?;
    let plain = text.bytes().all(|b| b.is_ascii_graphic() || matches!(b, b' ' | b'\t'));
    if !plain {
        field.invalid("use visible ASCII characters only, without line breaks")
    } else if text.trim() != text {
        field.invalid("leave out the spaces around it")
    } else {
        Some(text)
    }
}

/// Notes what can't be the name of a header; the same name in other letters is one name.
pub(super) fn header_name(field: &Field<'_, '_>, earlier: &mut Vec<String>) -> Option<String> {
    let lower = field.key.to_ascii_lowercase();
    if !is_token(&field.key) {
        refuse_key(field, "invalid name of a header", "use letters, digits and `-`");
        return None;
    }
    if earlier.contains(&lower) {
        refuse_key(field, "a header given twice", "the case of its letters does not matter: keep one");
        return None;
    }
    earlier.push(lower.clone());
    Some(lower)
}

fn request_headers(table: &Section<'_, '_>) -> Vec<(String, String)> {
    let (mut headers, mut names) = (Vec::new(), Vec::new());
    for field in table.entries() {
        let Some(lower) = header_name(&field, &mut names) else { continue };
        if REFUSED_HEADERS.contains(&lower.as_str()) {
            refuse_key(&field, "a header that can't be given", "deadheat writes what its connections need itself");
        } else if lower == "content-type" {
            refuse_key(&field, "a header that can't be given", "write `type` beside `body` or `json` instead");
        } else if let Some(value) = header_value(&field) {
            headers.push((field.key.clone(), value.to_owned()));
        }
    }
    headers
}

fn cookies(table: &Section<'_, '_>) -> Option<String> {
    let mut cookie = String::new();
    for field in table.entries() {
        if !is_token(&field.key) {
            refuse_key(&field, "invalid name of a cookie", "use letters, digits, `-` and `_`");
            continue;
        }
        let Some(value) = header_value(&field) else { continue };
        if value.bytes().any(|b| matches!(b, b' ' | b'\t' | b'"' | b',' | b';' | b'\\')) {
            field.invalid::<()>("percent-encode spaces, quotes, commas, semicolons and backslashes");
            continue;
        }
        let separator = if cookie.is_empty() { "" } else { "; " };
        // Writing to a string never fails.
        let _ = write!(cookie, "{separator}{}={value}", field.key);
    }
    (!cookie.is_empty()).then_some(cookie)
}

fn body(section: &Section<'_, '_>, headers: &mut Vec<(String, String)>) -> Option<Vec<u8>> {
    let (json, text, media_type) = (section.optional("json"), section.optional("body"), section.optional("type"));
    if let (Some(_), Some(text)) = (&json, &text) {
        text.refuse::<()>("two bodies", "`json` is given too", "keep one of `body` and `json`");
    }
    if let (None, None, Some(media_type)) = (&json, &text, &media_type) {
        media_type.refuse::<()>("`type` without a body", "it is the body's media type", "add `body` or `json`");
    }
    let given = media_type
        .as_ref()
        .and_then(|field| header_value(field).filter(|_| super::expect::media_type(field, true).is_some()));
    let content_type = given.or_else(|| json.as_ref().map(|_| "application/json"));
    if let Some(content_type) = content_type {
        headers.push(("content-type".to_owned(), content_type.to_owned()));
    }
    if let Some(field) = json {
        let mut body = String::new();
        return write_json(&field, field.value, &mut body).map(|()| body.into_bytes());
    }
    text.and_then(|field| match field.value {
        DeValue::String(text) => Some(text.as_bytes().to_vec()),
        _ => field.wrong_type("a string", "body = \"text\"`, or `json = { a = 1 }").map(|()| Vec::new()),
    })
}

/// Writes a TOML value as compact JSON, its keys in the order of the file.
fn write_json(field: &Field<'_, '_>, value: &DeValue<'_>, out: &mut String) -> Option<()> {
    match value {
        DeValue::String(text) => out.push_str(&json_string(text)),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => out.push_str(&number.to_string()),
            Err(_) => return field.invalid("an integer in it does not fit into 64 bits"),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => out.push_str(&number.to_string()),
            None => return field.invalid("JSON has neither nan nor inf"),
        },
        DeValue::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        DeValue::Datetime(_) => return field.invalid("JSON has no dates: write the date as a string"),
        DeValue::Array(array) => {
            for (index, element) in array.iter().enumerate() {
                out.push(if index == 0 { '[' } else { ',' });
                write_json(field, element.get_ref(), out)?;
            }
            out.push_str(if array.is_empty() { "[]" } else { "]" });
        }
        DeValue::Table(table) => write_object(field, table, out)?,
    }
    Some(())
}

fn write_object(field: &Field<'_, '_>, table: &DeTable<'_>, out: &mut String) -> Option<()> {
    let mut members: Vec<_> = table.iter().collect();
    members.sort_by_key(|(key, _)| key.span().start);
    out.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&json_string(key.get_ref()));
        out.push(':');
        write_json(field, value.get_ref(), out)?;
    }
    out.push('}');
    Some(())
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
