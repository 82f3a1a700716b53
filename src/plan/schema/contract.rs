//! A file of the contract.
#![expect(dead_code, reason = "only the schema of these types is used")]

use super::texts::{Name, Rate, RelativePath};
use schemars::JsonSchema;
use serde_json::Value;
use std::collections::BTreeMap;

/// Scenarios that every variant must answer.
#[derive(JsonSchema)]
#[schemars(rename = "a contract file", deny_unknown_fields)]
pub(super) struct ContractToml {
    /// The scenarios.
    scenario: Option<Vec<Scenario>>,
}

/// One request with its expected answer.
#[derive(JsonSchema)]
#[schemars(rename = "[[scenario]]", deny_unknown_fields)]
struct Scenario {
    /// Its name.
    name: Name,
    /// Groups scenarios, for mixes.
    category: Option<Name>,
    /// What is sent.
    request: Request,
    /// What must come back.
    expect: Expect,
    /// Also measured as an open loop at this rate.
    rate: Option<Rate>,
}

/// What is sent.
#[derive(JsonSchema)]
#[schemars(rename = "request", deny_unknown_fields)]
struct Request {
    /// In capitals.
    #[schemars(regex(pattern = r"^[A-Z-]{1,32}$"), extend("default" = "GET"))]
    method: Option<String>,
    /// Path and query, percent-encoded.
    #[schemars(regex(pattern = r"^/[\x21-\x22\x24-\x7e]*$"))]
    path: String,
    /// Headers; never Host, Content-Length or others that deadheat writes itself, nor Content-Type (see `type`).
    headers: Option<BTreeMap<String, String>>,
    /// Sent as one Cookie header.
    cookies: Option<BTreeMap<String, String>>,
    /// Any value, sent as JSON with its keys in the order of the file.
    json: Option<Value>,
    /// Text, sent as it is.
    body: Option<String>,
    /// The body's media type; `application/json` for `json`.
    r#type: Option<String>,
}

/// What must come back. Headers, and parameters of the media type, are not compared unless named.
#[derive(JsonSchema)]
#[schemars(rename = "expect", deny_unknown_fields)]
struct Expect {
    /// The status.
    #[schemars(range(min = 200, max = 599))]
    status: u16,
    /// The media type without parameters.
    #[schemars(regex(pattern = r"^[^/;\s]+/[^/;\s]+$"))]
    r#type: Option<String>,
    /// A golden file that is compared byte for byte, relative to the contract's directory.
    body: Option<RelativePath>,
    /// The exact body.
    text: Option<String>,
    /// A golden file whose JSON value is compared, relative to the contract's directory.
    json: Option<RelativePath>,
    /// JSON pointers into the golden value that are not compared, with `json` only.
    ignore: Option<Vec<Pointer>>,
    /// Headers that are compared.
    headers: Option<BTreeMap<String, String>>,
}

/// A JSON pointer.
#[derive(JsonSchema)]
struct Pointer(#[schemars(regex(pattern = r"^/([^~]|~[01])*$"))] String);
