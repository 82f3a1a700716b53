//! What the template of a page sees: finished, safe texts and nothing to compute.

use super::super::notes::{self, FailureView};
use super::super::number;
use super::super::render::ReportError;
use super::super::reproduce;
use super::super::safe;
use super::super::setting::{self, Fact};
use super::super::table::Table;
use super::chart::{Chart, Theme, escaped};
use super::field::{Field, Heat};
use super::whole::Picture as File;
use super::{ahead, caveats, charts, claims, layers, measured, raced, tables};
use crate::model::{Case, EntryName, Suite};
use serde::Serialize;

/// Up to how many scenarios have a table of their own in plain sight.
const OPEN: usize = 4;
/// How many entries a title names.
const NAMED: usize = 5;

/// A picture in two colourings.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Picture {
    /// The link to the one for light backgrounds.
    pub(super) light: String,
    /// The link to the one for dark backgrounds.
    pub(super) dark: String,
    /// What it shows, in words, escaped for an attribute.
    pub(super) alt: String,
}

/// A part of the results.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Section {
    heading: &'static str,
    pictures: Vec<Picture>,
    tables: Vec<Table>,
    /// What folds the rest away.
    summary: &'static str,
    rest: Vec<Table>,
}

/// A page's content.
#[derive(Clone, Debug, Serialize)]
pub(super) struct View {
    title: String,
    lead: String,
    claims: Vec<String>,
    raced: Table,
    rules: Vec<String>,
    scenarios: Option<Table>,
    facts: Vec<Fact>,
    sections: Vec<Section>,
    ahead: Vec<String>,
    caveats: Vec<String>,
    /// Who was not measured, and why.
    absent: Vec<FailureView>,
    silent: Vec<String>,
    reproduce: String,
    reproduce_note: &'static str,
    version: String,
}

/// A section with its chart still to be drawn.
struct Draft {
    section: Section,
    charts: Vec<Chart>,
}

/// Builds the view of `field`, and the pictures as names and texts, where `stem` says how their names begin.
pub(super) fn view(field: &Field, stem: Option<&str>) -> Result<(View, Vec<File>), ReportError> {
    let mut files = Vec::new();
    let mut sections = Vec::new();
    for Draft { mut section, charts } in drafts(field) {
        for (chart, stem) in charts.iter().zip(std::iter::repeat(stem)).filter_map(|(chart, stem)| Some((chart, stem?)))
        {
            let mut link = |theme: Theme, word: &str| -> Result<String, ReportError> {
                let name = format!("{stem}-{}.{word}.svg", chart.name);
                let link = linked(&name);
                files.push(File { name, svg: chart.svg(theme)? });
                Ok(link)
            };
            let (light, dark) = (link(Theme::Light, "light")?, link(Theme::Dark, "dark")?);
            section.pictures.push(Picture { light, dark, alt: escaped(&chart.title) });
        }
        sections.push(section);
    }
    let run = field.run;
    let pictured = sections.iter().any(|section| !section.pictures.is_empty());
    let view = View {
        title: title(field),
        lead: lead(field),
        claims: claims::claims(field),
        raced: raced::table(field),
        rules: measured::rules(field, pictured),
        scenarios: measured::scenarios(field),
        facts: setting::whereabouts(run),
        sections,
        ahead: ahead::ahead(field),
        caveats: caveats::caveats(field),
        absent: notes::failures_of_head_before_the_race(run),
        silent: caveats::silent(field),
        reproduce: safe::code_of(&reproduce::command(run), 4_000),
        reproduce_note: reproduce::note(run),
        version: safe::code_of(&format!("deadheat {}", run.results.deadheat), 60),
    };
    Ok((view, files))
}

/// A file's name as a relative link.
fn linked(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn measured_entries<'f>(field: &'f Field) -> Vec<&'f EntryName> {
    let entries = field.run.results.entries.iter().map(|entry| &entry.name);
    entries.filter(|name| field.heats.iter().any(|heat| heat.lanes.iter().any(|lane| lane.entry == *name))).collect()
}

fn title(field: &Field) -> String {
    let entries = measured_entries(field);
    let mut names: Vec<String> = entries.iter().take(NAMED).map(|name| field.names.markdown(name)).collect();
    let more = entries.len().saturating_sub(NAMED);
    if more > 0 {
        names.push(format!("{} more", number::grouped(more)));
    }
    format!("{}, raced", super::words::listed(&names))
}

fn lead(field: &Field) -> String {
    let results = field.run.results;
    let dirty = if results.head.dirty { ", with uncommitted changes" } else { "" };
    format!(
        "{}, commit {}{dirty}, seed {}; started {}. In parentheses behind a multiple stands its 95\u{a0}% interval.",
        number::count(results.rounds as usize, "round", "rounds"),
        safe::code(results.head.sha.short()),
        safe::code(&results.seed.to_string()),
        safe::prose(&results.started),
    )
}

fn section(heading: &'static str, summary: &'static str) -> Section {
    Section { heading, pictures: Vec::new(), tables: Vec::new(), summary, rest: Vec::new() }
}

fn drafts(field: &Field) -> Vec<Draft> {
    let http = http(field);
    let layers = layers(field);
    let start = plain(field, Suite::Boot, section("Start and memory", "More figures"), charts::start(field));
    let open = plain(field, Suite::OpenLoop, section("Open loop", "More figures"), None);
    let runs =
        |suite, heading, name| plain(field, suite, section(heading, "More figures"), charts::runs(field, suite, name));
    let process = runs(Suite::Process, "Processes", "process");
    let build = runs(Suite::Build, "Builds", "build");
    let mut drafts: Vec<Draft> = [http, layers, open, start, process, build].into_iter().collect();
    drafts.retain(|draft| !draft.section.tables.is_empty());
    drafts
}

fn http(field: &Field) -> Draft {
    let mut section = section("Requests per second and latency", "Every scenario, and further figures");
    let mixes = field.of(Suite::Http, |case| matches!(case, Case::Mix(_)));
    let categories = field.of(Suite::Http, |case| matches!(case, Case::Category(_)));
    let scenarios = field.of(Suite::Http, |case| matches!(case, Case::Scenario(_)));
    section.tables.extend(mixes.iter().map(|heat| tables::of_heat(field, heat)));
    section.tables.extend(tables::side_by_side(field, "Categories, req/s", "category", &categories));
    let own = scenarios.iter().map(|heat| tables::of_heat(field, heat));
    if scenarios.len() <= OPEN {
        section.tables.extend(own);
    } else {
        section.tables.extend(tables::side_by_side(field, "Scenarios, req/s", "scenario", &scenarios));
        section.rest.extend(own);
    }
    section.rest.extend(scenarios.iter().filter_map(|heat| tables::rest_of_heat(field, heat)));
    Draft { section, charts: [charts::throughput(field), charts::latency(field)].into_iter().flatten().collect() }
}

fn layers(field: &Field) -> Draft {
    let mut section = section("What a layer costs", "In each scenario");
    let (first, rest) = layers::tables(field);
    section.tables.extend(first);
    section.rest.extend(rest);
    Draft { section, charts: charts::layer_costs(field).into_iter().collect() }
}

/// A suite of which every case has a table.
fn plain(field: &Field, suite: Suite, mut section: Section, chart: Option<Chart>) -> Draft {
    let heats: Vec<&Heat> = field.of(suite, |_| true);
    section.tables.extend(heats.iter().map(|heat| tables::of_heat(field, heat)));
    section.rest.extend(heats.iter().filter_map(|heat| tables::rest_of_heat(field, heat)));
    Draft { section, charts: chart.into_iter().collect() }
}
