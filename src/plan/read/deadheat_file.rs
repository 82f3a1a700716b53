//! `deadheat.toml`.

use super::field::At;
use super::protocol::{protocol, regime};
use super::quantity::positive_duration;
use super::section::Section;
use super::words::{environment, refuse_key};
use crate::model::{CategoryName, Metric, MixName, Polarity, ServiceName, Suite};
use crate::plan::{
    BaselineStore, CommentWhen, GithubSettings, Judging, Mix, Protocol, Regime, Service, SideBuild, parse_percent,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// What `deadheat.toml` says. Paths are relative to its directory, without `.` and `..`.
pub(super) struct DeadheatFile {
    pub(super) variants: Option<At<String>>,
    pub(super) contract: Option<At<String>>,
    pub(super) build: SideBuild,
    pub(super) protocol: Protocol,
    pub(super) judging: Judging,
    pub(super) regimes: Vec<At<Regime>>,
    pub(super) services: Vec<At<Service>>,
    pub(super) mixes: Vec<At<Mix>>,
    /// The categories that the mixes name.
    pub(super) weighted: Vec<At<CategoryName>>,
    pub(super) github: GithubSettings,
    pub(super) baseline: BaselineStore,
}

pub(super) fn deadheat_file(section: Section<'_, '_>) -> DeadheatFile {
    let directory = |key: &'static str, example: &'static str| {
        let field = section.required(key, &format!("{key} = \"{example}\""))?;
        field.path("", example).map(|path| field.at(path))
    };
    let protocol = protocol(section.optional("protocol").and_then(|field| field.table("[protocol]", "[protocol]")));
    let mut weighted = Vec::new();
    let tables = |key: &'static str, kind: &'static str| {
        section.optional(key).map(|field| field.tables(kind)).unwrap_or_default()
    };
    let file = DeadheatFile {
        variants: directory("variants", "bench/variants"),
        contract: directory("contract", "bench/contract"),
        build: side_build(section.optional("build").and_then(|field| field.table("[build]", "[build]"))),
        judging: judging(section.optional("verdict").and_then(|field| field.table("[verdict]", "[verdict]"))),
        regimes: tables("regime", "[[regime]]").into_iter().filter_map(|table| regime(table, &protocol)).collect(),
        services: tables("service", "[[service]]").into_iter().filter_map(service).collect(),
        mixes: tables("mix", "[[mix]]").into_iter().filter_map(|table| mix(table, &mut weighted)).collect(),
        weighted,
        github: github(section.optional("github").and_then(|field| field.table("[github]", "[github]"))),
        baseline: baseline(section.optional("baseline").and_then(|field| field.table("[baseline]", "[baseline]"))),
        protocol,
    };
    section.finish();
    file
}

fn side_build(section: Option<Section<'_, '_>>) -> SideBuild {
    let mut build = SideBuild {
        run: Vec::new(),
        ignore: vec!["*.md".to_owned(), "docs/**".to_owned()],
        time_limit: Duration::from_mins(20),
    };
    let Some(section) = section else { return build };
    if let Some(field) = section.optional("run") {
        build.run = field.command_lines();
    }
    if let Some(field) = section.optional("ignore") {
        let example = "ignore = [\"*.md\", \"docs/**\"]";
        let globs = field.list("a list of globs", example).unwrap_or_default();
        let glob = |text: &str| match globset::Glob::new(text) {
            _ if text.starts_with('/') || text.is_empty() => Err("write a glob relative to the repository".to_owned()),
            Ok(_) => Ok(text.to_owned()),
            Err(error) => Err(error.kind().to_string()),
        };
        build.ignore = globs.iter().filter_map(|field| field.parsed("*.md", glob)).collect();
    }
    if let Some(field) = section.optional("time_limit") {
        build.time_limit = field.parsed("20m", positive_duration).unwrap_or(build.time_limit);
    }
    section.finish();
    build
}

/// Whether any suite judges a metric.
pub(in crate::plan) fn is_judged(metric: Metric) -> bool {
    // The size of a build's output is compared exactly.
    metric != Metric::OutputSize && Suite::ALL.iter().any(|suite| metric.polarity(*suite) != Polarity::Info)
}

fn judging(section: Option<Section<'_, '_>>) -> Judging {
    let mut judging = Judging::default();
    let Some(section) = section else { return judging };
    if let Some(field) = section.optional("false_alarms")
        && let Some(chance) = field.number("0.01")
    {
        let sane = chance > 0.0 && chance <= 0.2;
        judging.false_alarms =
            if sane { chance } else { field.invalid("write a chance above 0 and up to 0.2").unwrap_or(0.01) };
    }
    if let Some(table) = section.optional("relevant").and_then(|f| f.table("relevant", "relevant = { rps = \"1%\" }")) {
        let judged: Vec<&str> = Metric::ALL.iter().filter(|m| is_judged(**m)).map(Metric::as_str).collect();
        for field in table.entries() {
            match Metric::named(&field.key).filter(|metric| is_judged(*metric)) {
                None => {
                    let right = format!("write one of {}, or figure:NAME", judged.join(", "));
                    refuse_key(&field, "not a judged metric", &right);
                }
                Some(metric) => {
                    judging.relevant.extend(field.parsed("1%", parse_percent).map(|share| (metric, share)));
                }
            }
        }
    }
    if let Some(field) = section.optional("fail_on") {
        judging.fail_on_regression = field.choice(&[("never", false), ("regression", true)]).unwrap_or_default();
    }
    if let Some(label) = section.optional("accepted_label").and_then(|field| field.line(50, "perf-accepted")) {
        label.clone_into(&mut judging.accepted_label);
    }
    section.finish();
    judging
}

fn service(section: Section<'_, '_>) -> Option<At<Service>> {
    let name = section.required("name", "name = \"redis\"").and_then(|field| field.name(ServiceName::new));
    let start = section.required("start", "start = [\"redis-server\", \"--port\", \"{port}\"]");
    let start = start.and_then(|field| field.arguments());
    let env =
        section.optional("env").and_then(|field| field.table("env", "env = { URL = \"redis://127.0.0.1:{port}\" }"));
    let env = env.as_ref().map(environment).unwrap_or_default();
    section.finish();
    let At { value: name, place } = name?;
    Some(At { value: Service { name, start: start.unwrap_or_default(), env }, place })
}

fn mix(section: Section<'_, '_>, weighted: &mut Vec<At<CategoryName>>) -> Option<At<Mix>> {
    const EXAMPLE: &str = "weights = { reads = 42, writes = 18 }";
    let name = section.required("name", "name = \"everyday\"").and_then(|field| field.name(MixName::new));
    let mut weights = BTreeMap::new();
    if let Some(field) = section.required("weights", EXAMPLE)
        && let Some(table) = field.table("weights", EXAMPLE)
    {
        let entries = table.entries();
        if entries.is_empty() {
            field.invalid::<()>("name at least one category");
        }
        for field in entries {
            let category = match CategoryName::new(field.key.as_str()) {
                Ok(category) => category,
                Err(error) => {
                    refuse_key(&field, "invalid category", error.rule);
                    continue;
                }
            };
            weighted.push(At { value: category.clone(), place: field.source.place(&field.key_span) });
            let weight = field.number("42").filter(|weight| {
                *weight > 0.0 || field.invalid::<()>("write a weight above zero, or leave the category out").is_some()
            });
            weights.insert(category, weight.unwrap_or(1.0));
        }
    }
    section.finish();
    let At { value: name, place } = name?;
    Some(At { value: Mix { name, weights }, place })
}

fn github(section: Option<Section<'_, '_>>) -> GithubSettings {
    let mut settings = GithubSettings::default();
    let Some(section) = section else { return settings };
    if let Some(field) = section.optional("comment") {
        let words = [("always", CommentWhen::Always), ("changed", CommentWhen::Changed), ("never", CommentWhen::Never)];
        settings.comment = field.choice(&words).unwrap_or_default();
    }
    if let Some(field) = section.optional("label") {
        let empty = field.value.as_str() == Some("");
        let label = if empty { Some("") } else { field.line(50, "race") };
        label.unwrap_or_default().clone_into(&mut settings.label);
    }
    settings.drafts = section.optional("drafts").and_then(|field| field.boolean()).unwrap_or_default();
    section.finish();
    settings
}

fn baseline(section: Option<Section<'_, '_>>) -> BaselineStore {
    let Some(section) = section else { return BaselineStore::default() };
    let words =
        [("auto", BaselineStore::Auto), ("branch", BaselineStore::Branch), ("directory", BaselineStore::Directory)];
    let store = section.optional("store").and_then(|field| field.choice(&words));
    section.finish();
    store.unwrap_or_default()
}
