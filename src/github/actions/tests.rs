//! What is written, read back by the rules that a runner reads by.

use super::runner::{Seen, read};
use super::*;
use proptest::prelude::*;
use std::fs;

/// Text that tries to be obeyed, among text that does not.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        Just("::error::boom".to_owned()),
        Just("::set-output name=verdict::same".to_owned()),
        Just("##[add-path]/tmp".to_owned()),
        Just("##[error]".to_owned()),
        Just("::endgroup::".to_owned()),
        Just("::stop-commands::".to_owned()),
        Just("::stop-commands::word".to_owned()),
        Just("::word::".to_owned()),
        Just("::".to_owned()),
        Just(":".to_owned()),
        Just("##".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("%0A".to_owned()),
        Just("%25".to_owned()),
        Just(",".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\r\n".to_owned()),
        Just("\u{200b}".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("\u{85}".to_owned()),
        Just("\u{2028}".to_owned()),
        Just(" \t".to_owned()),
        "[ -~]{0,12}",
        "\\PC{0,6}",
    ];
    proptest::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    text.split(['\n', '\r']).map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_foreign_text_is_obeyed(before in hostile(), text in hostile()) {
        let log = format!("{}::group::race\n{}::endgroup::\n", quoted(&before), quoted(&text));
        let seen = read(&log);
        let names: Vec<&str> = seen.obeyed.iter().map(|command| command.name.as_str()).collect();
        prop_assert_eq!(names, ["group", "endgroup"]);
    }

    #[test]
    fn every_line_of_foreign_text_is_shown(text in hostile()) {
        let shown = read(&quoted(&text)).shown;
        let ended = if text.is_empty() || text.ends_with('\n') { text } else { format!("{text}\n") };
        prop_assert_eq!(shown, lines(&ended));
    }

    #[test]
    fn a_command_carries_any_text_as_it_is(title in hostile(), message in hostile(), file in hostile()) {
        let annotation = Annotation {
            level: AnnotationLevel::Error,
            title: title.clone(),
            message: message.clone(),
            place: Some((file.clone(), 3, 9)),
        };
        let line = annotation.to_string();
        prop_assert!(!line.contains(['\n', '\r']));
        // The runner's own reading of what is visible is what is compared: it may look through invisible characters.
        let seen = read(&line);
        prop_assert_eq!(seen.obeyed.len(), 1, "{:?}", seen);
        prop_assert_eq!(&seen.obeyed[0].name, "error");
        let visible = |text: &str| text.chars().filter(|c| c.is_ascii() && (!c.is_ascii_control() || "\r\n\t".contains(*c))).collect::<String>();
        let property = |name: &str| visible(&seen.obeyed[0].properties[name]);
        prop_assert_eq!(property("title"), visible(&title));
        prop_assert_eq!(property("file"), visible(&file));
        prop_assert_eq!(property("line"), "3");
        prop_assert_eq!(visible(&seen.obeyed[0].data), visible(&message));
    }

    #[test]
    fn a_title_of_a_group_is_no_second_command(title in hostile()) {
        let seen = read(&group(&title));
        prop_assert_eq!(seen.obeyed.len(), 1);
        prop_assert_eq!(&seen.obeyed[0].name, "group");
    }

    #[test]
    fn json_means_the_same_and_commands_nothing(text in hostile(), key in hostile()) {
        let value = serde_json::json!({ key: [text, 1, { "a": null }] });
        for document in [serde_json::to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap()] {
            let written = json_for_log(&document);
            prop_assert_eq!(read(&written).obeyed, []);
            prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&written).unwrap(), &value);
        }
    }

    #[test]
    fn an_output_is_its_whole_value_and_no_other_output(value in hostile()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("output");
        append_outputs(&file, &[("one", value.clone()), ("two", "2".to_owned())]).unwrap();
        let outputs = read_outputs(&fs::read_to_string(&file).unwrap());
        prop_assert_eq!(outputs, [("one".to_owned(), value), ("two".to_owned(), "2".to_owned())]);
    }
}

/// The runner's reading of its file: `name<<word`, lines, `word`.
fn read_outputs(text: &str) -> Vec<(String, String)> {
    let mut outputs = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        let Some((name, word)) = line.split_once("<<") else {
            assert!(line.is_empty(), "{line:?} is no output");
            continue;
        };
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
        outputs.push((name.to_owned(), value.join("\n")));
    }
    outputs
}

#[test]
fn plain_text_is_left_as_it_is_and_anything_else_is_quoted() {
    assert_eq!(quoted(""), "");
    assert_eq!(quoted("round 1 of 40: nest-fastify@bun"), "round 1 of 40: nest-fastify@bun\n");
    assert_eq!(quoted("a: b\nc\n"), "a: b\nc\n");
    for text in ["::error::x", "a ##[x] b", "caf\u{e9}", "a\rb", "\u{1b}[31m", "a::b"] {
        let block = quoted(text);
        let word = block.strip_prefix("::stop-commands::").unwrap().split('\n').next().unwrap();
        assert!(word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit()), "{block}");
        assert_eq!(block, format!("::stop-commands::{word}\n{text}\n::{word}::\n"));
        assert_ne!(block, quoted(text), "another word each time");
    }
}

#[test]
fn annotations_are_written_as_github_documents_them() {
    let mut annotation = Annotation {
        level: AnnotationLevel::Error,
        title: "deadheat: a, b".to_owned(),
        message: "100 % worse\nin 2 cells: x".to_owned(),
        place: Some(("bench/deadheat.toml".to_owned(), 2, 7)),
    };
    assert_eq!(
        annotation.to_string(),
        "::error title=deadheat%3A a%2C b,file=bench/deadheat.toml,line=2,col=7::100 %25 worse%0Ain 2 cells: x"
    );
    annotation.level = AnnotationLevel::Notice;
    annotation.place = None;
    annotation.message = "m".to_owned();
    assert_eq!(annotation.to_string(), "::notice title=deadheat%3A a%2C b::m");
    assert_eq!((group("build").as_str(), end_group()), ("::group::build", "::endgroup::"));
}

#[test]
fn files_are_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary");
    append_summary(&summary, "# one").unwrap();
    append_summary(&summary, "two\n").unwrap();
    assert_eq!(fs::read_to_string(&summary).unwrap(), "# one\ntwo\n");
    assert!(append_outputs(&folder.path().join("no/such"), &[]).is_err());
}

#[test]
fn the_runner_of_these_tests_obeys_what_a_runner_obeys() {
    let names = |log: &str| -> Vec<String> {
        let Seen { obeyed, .. } = read(log);
        obeyed.into_iter().map(|command| command.name).collect()
    };
    assert_eq!(names("  ::error::x"), ["error"]);
    assert_eq!(names("text ##[warning]x"), ["warning"]);
    assert_eq!(names("text ::error::x"), [] as [&str; 0]);
    assert_eq!(names("a\r::error::x"), ["error"]);
    assert_eq!(names("::stop-commands::T\n::error::x\n##[t]\n::notice::y"), ["notice"]);
}
