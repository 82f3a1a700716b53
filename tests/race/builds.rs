//! What is built, where, how often, and what a build that fails does to the others.

use super::support::{LIBRARY, Repository, stderr, stdout};
use std::fs;
use std::path::PathBuf;
use std::process::Output;

const BUILT: &str = "build = [\"sh build.sh\"]\npass_env = [\"BUILD_NOTES\"]\n";

/// A repository whose variants note where each of their builds ran.
struct Noted {
    repository: Repository,
    notes: PathBuf,
}

impl Noted {
    fn new() -> Self {
        let repository = Repository::new();
        for variant in ["plain", "control"] {
            let manifest = repository.root().join(format!("bench/{variant}/variant.toml"));
            let text = fs::read_to_string(&manifest).unwrap();
            let (name, rest) = text.split_once('\n').unwrap();
            repository.write(&format!("bench/{variant}/variant.toml"), &format!("{name}\n{BUILT}{rest}"));
            repository.write(&format!("bench/{variant}/build.sh"), "echo \"$PWD\" >> \"$BUILD_NOTES\"\n");
        }
        repository.commit("build");
        repository.write("lib/answer.js", &format!("// changed\n{LIBRARY}"));
        repository.commit("change");
        let notes = repository.root().with_file_name("notes");
        Self { repository, notes }
    }

    fn run(&self) -> Output {
        let mut command = self.repository.deadheat(&["run", "--quick", "--suites", "boot"]);
        let output = command.env("BUILD_NOTES", &self.notes).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        output
    }

    fn places(&self) -> Vec<String> {
        fs::read_to_string(&self.notes).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn lineup(&self, entry: &str) -> String {
        let results = self.repository.json("quick.json");
        let entries = results["entries"].as_array().unwrap();
        entries.iter().find(|row| row["name"] == entry).unwrap()["lineup"].as_str().unwrap().to_owned()
    }
}

#[test]
fn each_side_is_built_in_a_tree_of_its_own_and_a_reference_once() {
    let noted = Noted::new();
    noted.run();
    let places = noted.places();
    assert_eq!(places.len(), 3, "base, head and one reference: {places:?}");
    let sides: Vec<&String> = places.iter().filter(|place| place.ends_with("bench/plain")).collect();
    assert!(sides.len() == 2 && sides[0] != sides[1] && sides[0].len() == sides[1].len(), "{sides:?}");
    let root = noted.repository.root();
    assert!(
        places.iter().all(|place| !place.starts_with(root.to_str().unwrap())),
        "outside the repository: {places:?}"
    );
    assert_eq!(noted.lineup("control"), "control");

    noted.run();
    assert_eq!(noted.places().len(), 3, "the same commits are not built again");

    noted.repository.write(
        "bench/control/server.mjs",
        &fs::read_to_string(root.join("bench/control/server.mjs")).unwrap().replace("url.slice(1)", "url.substring(1)"),
    );
    noted.repository.commit("change the reference");
    noted.run();
    assert_eq!(noted.lineup("control"), "one-sided", "a reference that the pull request changes is no control");
    let references = noted.places().iter().filter(|place| place.ends_with("bench/control")).count();
    assert_eq!(references, 2, "other contents are another build");
}

#[test]
fn a_build_that_fails_is_shown_with_its_output_and_ends_nothing() {
    let noted = Noted::new();
    noted.repository.write("bench/plain/build.sh", "echo compiling; echo 'no such module: left' >&2; exit 7\n");
    noted.repository.commit("break the build");
    let output = noted.run();
    let results = noted.repository.json("quick.json");
    let failures = results["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!((failures[0]["side"].as_str(), failures[0]["kind"].as_str()), (Some("head"), Some("build-failed")));
    assert!(failures[0]["message"].as_str().unwrap().contains("`sh build.sh` ended with exit code 7"), "{failures:?}");
    assert!(stdout(&output).contains("no such module: left"), "{}", stdout(&output));
    let log = fs::read_to_string(noted.repository.out("logs/build-head-plain.log")).unwrap();
    assert!(log.starts_with("compiling"), "{log}");
    assert_eq!(noted.lineup("plain"), "absent");
    // Mended, head is shown alone: its base is the commit that does not build.
    noted.repository.write("bench/plain/build.sh", "echo \"$PWD\" >> \"$BUILD_NOTES\"\n");
    noted.repository.commit("mend the build");
    noted.run();
    assert_eq!(noted.lineup("plain"), "one-sided");
}
