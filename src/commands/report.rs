//! `deadheat report`: renders a results file; verdicts are recomputed, never read.

use super::outcome::{CommandError, Finish};
use super::progress::note;
use super::surroundings::Surroundings;
use crate::cli::{ReportArgs, ReportFormat};
use crate::model::{Results, SCHEMA_VERSION};
use crate::report::{Format, Publication, TemplateOverrides, page, render, render_published, template_names};
use crate::verdict::RunVerdict;
use std::fs;
use std::path::Path;

/// Renders what the arguments name.
///
/// # Errors
/// [`CommandError`].
pub fn report(around: &mut Surroundings, arguments: &ReportArgs) -> Result<Finish, CommandError> {
    let results = read_results(&around.directory.join(&arguments.results))?;
    let overrides = match &arguments.templates {
        Some(directory) => overrides(&around.directory.join(directory))?,
        None => TemplateOverrides::new(),
    };
    let format = match arguments.format {
        ReportFormat::Page => return write_page(around, &results, arguments, &overrides),
        ReportFormat::Markdown => Format::Markdown,
        ReportFormat::Summary => Format::Summary,
        ReportFormat::Json => Format::Json,
        ReportFormat::Csv => Format::Csv,
    };
    let text = render(&results, format, &overrides).map_err(CommandError::usage)?;
    match &arguments.out {
        None => around.print(&text)?,
        Some(file) => {
            let path = around.directory.join(file);
            fs::write(&path, text).map_err(|error| {
                CommandError::infrastructure(format!("failed to write {}: {error}", path.display()))
            })?;
        }
    }
    Ok(Finish::Done)
}

/// A benchmark page with its charts beside it; on standard output it has none.
fn write_page(
    around: &mut Surroundings,
    results: &Results,
    arguments: &ReportArgs,
    overrides: &TemplateOverrides,
) -> Result<Finish, CommandError> {
    let path = arguments.out.as_ref().map(|file| around.directory.join(file));
    let stem = path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let page = page(results, stem.as_deref(), overrides).map_err(CommandError::usage)?;
    let Some(path) = path else {
        around.print(&page.markdown)?;
        note(around.show, "note: this page has no charts; with --out FILE they are written beside it");
        return Ok(Finish::Done);
    };
    // The pictures first, so that there is never a page that links to nothing.
    let files = page.pictures.iter().map(|picture| (path.with_file_name(&picture.name), &picture.svg));
    for (path, text) in files.chain([(path.clone(), &page.markdown)]) {
        fs::write(&path, text)
            .map_err(|error| CommandError::infrastructure(format!("failed to write {}: {error}", path.display())))?;
    }
    Ok(Finish::Done)
}

/// The comment of a run, with the built-in templates.
pub(super) fn markdown(
    results: &Results,
    verdict: &RunVerdict,
    publication: &Publication,
) -> Result<String, CommandError> {
    render_published(results, verdict, Some(publication), Format::Markdown, &TemplateOverrides::new())
        .map_err(CommandError::infrastructure)
}

/// The job summary of a run.
pub(super) fn summary(results: &Results) -> Result<String, CommandError> {
    render(results, Format::Summary, &TemplateOverrides::new()).map_err(CommandError::infrastructure)
}

/// The stable interface for scripts.
pub(super) fn json(results: &Results) -> Result<String, CommandError> {
    render(results, Format::Json, &TemplateOverrides::new()).map_err(CommandError::infrastructure)
}

/// Reads a results file of this version or an earlier one.
pub(super) fn read_results(path: &Path) -> Result<Results, CommandError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CommandError::usage(format!("failed to read {}: {error}", path.display())))?;
    let failed = |reason: String| {
        CommandError::usage(format!("failed to read {}: it is no results file of deadheat: {reason}", path.display()))
    };
    let results = serde_json::from_str::<Results>(&text);
    // What a later version wrote may not even parse: then its number says more than the first field that is missing.
    let schema = match &results {
        Ok(results) => results.schema,
        Err(_) => serde_json::from_str::<Version>(&text).map_or(0, |version| version.schema),
    };
    if schema > SCHEMA_VERSION {
        return Err(failed(format!(
            "it has schema {schema}, and this deadheat knows {SCHEMA_VERSION}; use the version that wrote it, or a later one"
        )));
    }
    results.map_err(|error| failed(error.to_string()))
}

/// The one field that every version has.
#[derive(serde::Deserialize)]
struct Version {
    schema: u32,
}

fn overrides(directory: &Path) -> Result<TemplateOverrides, CommandError> {
    let mut found = TemplateOverrides::new();
    for name in template_names() {
        let path = directory.join(format!("{name}.hbs"));
        if path.is_file() {
            let text = fs::read_to_string(&path)
                .map_err(|error| CommandError::usage(format!("failed to read {}: {error}", path.display())))?;
            found.insert(name.to_owned(), text);
        }
    }
    if found.is_empty() {
        let known = template_names().map(|name| format!("{name}.hbs")).collect::<Vec<_>>().join(", ");
        return Err(CommandError::usage(format!(
            "failed to find a template in {}: there can be {known}",
            directory.display()
        )));
    }
    Ok(found)
}
