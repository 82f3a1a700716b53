//! What the default branch says: the only settings and templates that a publisher believes.

use crate::github::{ApiError, Client};
use crate::plan::{Content, FileText, Settings, read_settings};
use crate::report::{TemplateOverrides, template_names};

/// Settings and templates of the default branch.
#[derive(Clone, Debug, Default)]
pub(super) struct Authority {
    pub(super) settings: Settings,
    pub(super) templates: TemplateOverrides,
    /// What people should know of how they were found.
    pub(super) notes: Vec<String>,
}

/// Reads `configuration` and, where a directory of them is named, the templates from the default branch.
pub(super) async fn read(
    client: &Client,
    branch: &str,
    configuration: &str,
    templates: Option<&str>,
) -> Result<Authority, ApiError> {
    let mut authority = Authority::default();
    match client.file(configuration, branch).await? {
        None => authority.notes.push(format!(
            "the default branch has no {configuration}, so every setting has its default until it is merged"
        )),
        Some(bytes) => {
            match read_settings(&FileText { path: configuration.to_owned(), content: Content::Bytes(bytes) }) {
                Ok(settings) => authority.settings = settings,
                Err(mistakes) => authority.notes.push(format!(
                    "{configuration} on the default branch has {} mistakes, so every setting has its default: {}",
                    mistakes.len(),
                    mistakes.lines().join("; ")
                )),
            }
        }
    }
    if let Some(directory) = templates {
        for name in template_names() {
            let path = format!("{}/{name}.hbs", directory.trim_end_matches('/'));
            if let Some(bytes) = client.file(&path, branch).await? {
                authority.templates.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(authority)
}
