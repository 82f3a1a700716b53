//! Which changed files can change what is raced.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A glob that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read the pattern `{pattern}` of [build] ignore: {reason}")]
pub struct BadPattern {
    pattern: String,
    reason: String,
}

/// The files of `changed` that none of `patterns` matches. A pattern without a slash matches at any depth, as git's do;
/// `*` stays within a directory and `**` does not.
///
/// # Errors
/// [`BadPattern`] for the first that is no glob.
pub fn relevant_files<'a>(changed: &'a [String], patterns: &[String]) -> Result<Vec<&'a str>, BadPattern> {
    let ignored = glob_set(patterns)?;
    Ok(changed.iter().map(String::as_str).filter(|file| !ignored.is_match(file)).collect())
}

fn glob_set(patterns: &[String]) -> Result<GlobSet, BadPattern> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bad = |error: globset::Error| BadPattern { pattern: pattern.clone(), reason: error.kind().to_string() };
        let anchored = pattern.trim_start_matches('/');
        let mut glob = if pattern.contains('/') { anchored.to_owned() } else { format!("**/{pattern}") };
        if glob.ends_with('/') {
            glob.push_str("**");
        }
        set.add(GlobBuilder::new(&glob).literal_separator(true).build().map_err(bad)?);
    }
    set.build().map_err(|error| BadPattern { pattern: patterns.join(", "), reason: error.kind().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_a_slash_matches_at_any_depth() {
        let changed =
            ["README.md", "lib/notes.md", "docs/a/b.html", "lib/docs/x.js", "lib/index.js", "LICENSE", "src/gen/a.js"];
        let changed = changed.map(str::to_owned);
        let patterns = ["*.md", "docs/**", "/LICENSE", "src/gen/"].map(str::to_owned);
        assert_eq!(relevant_files(&changed, &patterns).unwrap(), ["lib/docs/x.js", "lib/index.js"]);
        assert_eq!(relevant_files(&changed, &[]).unwrap().len(), 7);
        let error = relevant_files(&changed, &["a{".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("`a{`"), "{error}");
    }
}
