//! Who may import whom: every `crate::` path of every file is held against the one direction that data runs in.
#![expect(clippy::expect_used, reason = "a test that cannot read the sources has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may import.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    BTreeMap::from([
        ("model", &[] as &[&str]),
        ("plan", &["model"]),
        ("verdict", &["model"]),
        ("report", &["model", "verdict"]),
        ("process", &["model"]),
        ("build", &["model", "plan", "process"]),
        ("race", &["model", "plan", "process"]),
        ("github", &["model"]),
        ("baseline", &["model", "github"]),
        ("cli", &["model", "plan"]),
        ("commands", &["model", "plan", "verdict", "report", "process", "build", "race", "github", "baseline", "cli"]),
    ])
}

const PURE: [&str; 4] = ["model", "plan", "verdict", "report"];

fn source_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("src can be read") {
        let path = entry.expect("an entry of src can be read").path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The rooms that a text names after `crate::`, also inside `use crate::{a, b::c}`; comments and strings don't count.
fn imported(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        // `pub(in crate::x)` and `$crate::x` name a room just as well.
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut start = true;
            for (index, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => start = true,
                    c if c.is_whitespace() => {}
                    _ if start => {
                        rooms.insert(word(&group[index..]));
                        start = false;
                    }
                    _ => {}
                }
            }
        } else {
            rooms.insert(word(rest));
        }
    }
    rooms
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn room_of(path: &Path, src: &Path) -> String {
    let inside = path.strip_prefix(src).expect("the file lies below src");
    let first = inside.components().next().expect("the file has a name");
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

#[test]
fn data_runs_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed = allowed();
    let mut wrong = Vec::new();
    for file in source_files(&src) {
        let room = room_of(&file, &src);
        if matches!(room.as_str(), "main" | "lib") {
            continue;
        }
        let may =
            allowed.get(room.as_str()).unwrap_or_else(|| panic!("{}: the design has no room {room}", file.display()));
        let text = fs::read_to_string(&file).expect("a source file can be read");
        for import in imported(&text) {
            if import != room && allowed.contains_key(import.as_str()) && !may.contains(&import.as_str()) {
                wrong.push(format!("{}: {room} may not import {import}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_rooms_deny_what_is_impure() {
    for room in PURE {
        let head = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room).join("mod.rs");
        let text = fs::read_to_string(&head).expect("a room has a mod.rs");
        assert!(text.contains("#![deny(clippy::disallowed_methods, clippy::disallowed_types)]"), "{}", head.display());
    }
}

#[test]
fn a_module_file_only_re_exports() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in allowed().keys() {
        let head = src.join(room).join("mod.rs");
        let Ok(text) = fs::read_to_string(&head) else { continue };
        for item in ["fn ", "struct ", "enum ", "impl ", "const ", "static "] {
            let found = text
                .lines()
                .any(|line| line.trim_start_matches("pub ").trim_start_matches("pub(super) ").starts_with(item));
            assert!(!found, "{}: holds a `{item}`", head.display());
        }
    }
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let text = "use crate::model::{A, B};\nuse crate::{plan::C, race::{load::D, e}, verdict};\n// crate::report::X\nlet y = crate::process::now();";
    let expected: BTreeSet<String> = ["model", "plan", "race", "verdict", "process"].map(str::to_owned).into();
    assert_eq!(imported(text), expected);
}
