//! The Handlebars templates: compiled in, each replaceable by a text of the same name.

use super::render::ReportError;
use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, JsonTruthy, Output, RenderContext, RenderErrorReason,
    Renderable, no_escape,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Texts that replace templates, by name: `comment`, `summary`, `commit`, `page`, or one of their parts.
///
/// Every text that a template is given is safe in Markdown already, so nothing is escaped.
pub type TemplateOverrides = BTreeMap<String, String>;

const TEMPLATES: [(&str, &str); 15] = [
    ("comment", include_str!("../../templates/comment.hbs")),
    ("summary", include_str!("../../templates/summary.hbs")),
    ("commit", include_str!("../../templates/commit.hbs")),
    ("page", include_str!("../../templates/page.hbs")),
    ("page-table", include_str!("../../templates/page-table.hbs")),
    ("headline", include_str!("../../templates/headline.hbs")),
    ("remarks", include_str!("../../templates/remarks.hbs")),
    ("findings", include_str!("../../templates/findings.hbs")),
    ("changed", include_str!("../../templates/changed.hbs")),
    ("standings", include_str!("../../templates/standings.hbs")),
    ("details", include_str!("../../templates/details.hbs")),
    ("figures", include_str!("../../templates/figures.hbs")),
    ("table", include_str!("../../templates/table.hbs")),
    ("history", include_str!("../../templates/history.hbs")),
    ("footer", include_str!("../../templates/footer.hbs")),
];

/// The names of all templates.
pub fn template_names() -> impl Iterator<Item = &'static str> {
    TEMPLATES.into_iter().map(|(name, _)| name)
}

/// `if` and `unless` as Handlebars has them, but strict: its own take a variable that does not exist for a false one,
/// so that a misspelt condition would silently drop a part of the report.
#[derive(Clone, Copy)]
struct StrictCondition {
    /// The value for which the block is rendered.
    wanted: bool,
}

impl HelperDef for StrictCondition {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let condition = helper.param(0).ok_or(RenderErrorReason::ParamNotFoundForIndex("if", 0))?;
        if condition.is_value_missing() {
            return Err(RenderErrorReason::MissingVariable(condition.relative_path().cloned()).into());
        }
        let holds = condition.value().is_truthy(false) == self.wanted;
        let block = if holds { helper.template() } else { helper.inverse() };
        block.map_or(Ok(()), |block| block.render(registry, context, render, out))
    }
}

/// The templates of one rendering.
pub(super) struct Templates(Handlebars<'static>);

impl Templates {
    /// Compiles the templates, with `overrides` in place of those that they name.
    pub(super) fn new(overrides: &TemplateOverrides) -> Result<Self, ReportError> {
        if let Some(name) = overrides.keys().find(|name| !template_names().any(|known| known == name.as_str())) {
            return Err(ReportError::UnknownTemplate {
                name: name.clone(),
                known: template_names().collect::<Vec<_>>().join(", "),
            });
        }
        let mut registry = Handlebars::new();
        registry.set_strict_mode(true);
        registry.register_escape_fn(no_escape);
        registry.register_helper("if", Box::new(StrictCondition { wanted: true }));
        registry.register_helper("unless", Box::new(StrictCondition { wanted: false }));
        for (name, text) in TEMPLATES {
            let text = overrides.get(name).map_or(text, String::as_str);
            registry.register_template_string(name, text).map_err(|error| ReportError::Template {
                name: name.to_owned(),
                line: error.pos().map_or(0, |(line, _)| line),
                reason: error.reason().to_string(),
            })?;
        }
        Ok(Self(registry))
    }

    /// Renders the template `name`.
    pub(super) fn render(&self, name: &str, view: &impl Serialize) -> Result<String, ReportError> {
        self.0.render(name, view).map_err(|error| ReportError::Template {
            name: error.template_name.clone().unwrap_or_else(|| name.to_owned()),
            line: error.line_no.unwrap_or(0),
            reason: match error.reason() {
                RenderErrorReason::MissingVariable(Some(path)) => format!("there is no variable `{path}` here"),
                other => other.to_string(),
            },
        })
    }
}
