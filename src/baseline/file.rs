//! Where a commit's file lies, in either store.

use crate::model::CommitSha;

/// The directory of all files.
pub(super) const DIRECTORY: &str = "runs";

/// The path of a commit's file, with `/` between its parts: `runs/ab/<sha>.json`.
pub fn file_of(sha: &CommitSha) -> String {
    format!("{DIRECTORY}/{}/{sha}.json", &sha.as_str()[..2])
}

/// The commit whose file lies at `path`; none where the path is no such file's.
pub fn sha_of(path: &str) -> Option<CommitSha> {
    let mut parts = path.strip_prefix(DIRECTORY)?.strip_prefix('/')?.split('/');
    let (directory, name, None) = (parts.next()?, parts.next()?, parts.next()) else { return None };
    let sha = CommitSha::new(name.strip_suffix(".json")?).ok()?;
    sha.as_str().starts_with(directory).then_some(sha).filter(|_| directory.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_exact_path_names_a_commit() {
        let sha = "ab".repeat(20);
        assert_eq!(file_of(&CommitSha::new(sha.as_str()).unwrap()), format!("runs/ab/{sha}.json"));
        for other in [
            format!("runs/cd/{sha}.json"),
            format!("runs/{sha}.json"),
            format!("runs/a/{sha}.json"),
            format!("runs/aba/{sha}.json"),
            format!("runs//{sha}.json"),
            format!("runs/ab/x/{sha}.json"),
            format!("runs/ab/{sha}.json.gz"),
            format!("runs/ab/{sha}"),
            format!("runs/ab/.{sha}.json"),
            format!("/runs/ab/{sha}.json"),
            format!("runsab/{sha}.json"),
            "runs/ab/README.json".to_owned(),
            String::new(),
        ] {
            assert_eq!(sha_of(&other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_path_leads_back_to_its_commit(sha in "[0-9a-f]{40}|[0-9a-f]{64}") {
            let sha = CommitSha::new(sha).unwrap();
            prop_assert_eq!(sha_of(&file_of(&sha)), Some(sha));
        }

        #[test]
        fn no_path_is_too_odd(path in "\\PC*|runs/\\PC{0,3}/\\PC*") {
            let _ = sha_of(&path);
        }
    }
}
