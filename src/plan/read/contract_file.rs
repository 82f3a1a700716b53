//! A file of the contract.

use super::expect::{Golden, expect as expected_answer};
use super::field::At;
use super::request::request;
use super::section::Section;
use crate::model::{CategoryName, ScenarioName};
use crate::plan::{Scenario, parse_rate};

/// What a contract file says of a scenario, and the names in it that other files use.
pub(super) struct ScenarioTable {
    pub(super) name: Option<At<ScenarioName>>,
    pub(super) category: Option<CategoryName>,
    /// None where a part of it can't be read.
    pub(super) scenario: Option<Scenario>,
}

pub(super) fn contract_file(section: Section<'_, '_>, golden: &Golden<'_>) -> Vec<ScenarioTable> {
    let field = section.optional("scenario");
    let tables = field.map(|field| field.tables("[[scenario]]")).unwrap_or_default();
    let scenarios = tables.into_iter().map(|table| scenario(table, golden)).collect();
    section.finish();
    scenarios
}

fn scenario(section: Section<'_, '_>, golden: &Golden<'_>) -> ScenarioTable {
    const REQUEST: &str = "request = { method = \"GET\", path = \"/\" }";
    const EXPECT: &str = "expect = { status = 200 }";
    let name = section.required("name", "name = \"get-user\"").and_then(|field| field.name(ScenarioName::new));
    let category = section.optional("category").and_then(|field| field.name(CategoryName::new)).map(|at| at.value);
    let request =
        section.required("request", REQUEST).and_then(|field| field.table("request", REQUEST)).and_then(request);
    let method = request.as_ref().map(|request| request.method.as_str());
    let expect = section.required("expect", EXPECT).and_then(|field| field.table("expect", EXPECT));
    let expect = expect.and_then(|table| expected_answer(table, golden, method));
    let rate = section.optional("rate").map(|field| field.parsed("5000/s", parse_rate));
    section.finish();
    let scenario = name.as_ref().zip(request).zip(expect).map(|((name, request), expect)| Scenario {
        name: name.value.clone(),
        category: category.clone(),
        request,
        expect,
        rate: rate.flatten(),
    });
    ScenarioTable { name, category, scenario }
}
