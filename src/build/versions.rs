//! Resolved versions of named packages, looked up in the lock file beside a variant.
//!
//! Known lock files: npm's `package-lock.json` and cargo's `Cargo.lock`. In others nothing is found.

use std::collections::BTreeMap;
use std::path::Path;

/// The versions of `packages` in the lock file of `directory`; what is not found is left out.
pub fn resolved_versions(directory: &Path, packages: &[String]) -> BTreeMap<String, String> {
    let npm = std::fs::read_to_string(directory.join("package-lock.json")).ok();
    let cargo = std::fs::read_to_string(directory.join("Cargo.lock")).ok();
    let npm = npm.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let cargo = cargo.and_then(|text| text.parse::<toml::Table>().ok());
    let mut versions = BTreeMap::new();
    for package in packages {
        let in_npm = npm
            .as_ref()
            .and_then(|lock| lock.get("packages")?.get(format!("node_modules/{package}"))?.get("version")?.as_str());
        let in_cargo = cargo.as_ref().and_then(|lock| {
            let entries = lock.get("package")?.as_array()?;
            let entry =
                entries.iter().find(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(package))?;
            entry.get("version")?.as_str()
        });
        if let Some(version) = in_npm.or(in_cargo) {
            versions.insert(package.clone(), version.to_owned());
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_lock_file_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let lock = r#"{"packages": {"": {"version": "0"}, "node_modules/@nestjs/core": {"version": "12.5.1"}}}"#;
        std::fs::write(directory.path().join("package-lock.json"), lock).unwrap();
        std::fs::write(directory.path().join("Cargo.lock"), "[[package]]\nname = \"axum\"\nversion = \"0.8.6\"\n")
            .unwrap();
        let asked = ["@nestjs/core", "axum", "missing"].map(str::to_owned);
        let expected = [("@nestjs/core", "12.5.1"), ("axum", "0.8.6")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(resolved_versions(directory.path(), &asked), BTreeMap::from(expected));
        std::fs::write(directory.path().join("package-lock.json"), "not json").unwrap();
        assert_eq!(resolved_versions(directory.path(), &asked).len(), 1);
    }
}
