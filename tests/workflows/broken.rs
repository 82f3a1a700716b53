//! Workflows and actions broken on purpose, one edit each: the rules must find every one.

use crate::document::Document;
use crate::{action, all_findings, broken_publish, broken_race, named, own, the_action, written};

/// A file, what is replaced in it wherever it stands, by what, and a word of what must be found.
pub(crate) type Edit = (&'static str, &'static str, &'static str, &'static str);

/// The workflow that races.
pub(crate) const RACE: &str = "deadheat.yml";
/// The workflow that publishes.
pub(crate) const PUBLISH: &str = "deadheat-publish.yml";

const ACTION: &[Edit] = &[
    (
        "",
        "run: bash \"$GITHUB_ACTION_PATH/.github/action/deadheat.sh\"",
        "run: deadheat ${{ inputs.arguments }}",
        "something else than a script",
    ),
    ("", "deadheat.sh\"", "deadheat.sh\" \"${{ inputs.arguments }}\"", "something else than a script"),
    ("", "action/install.sh", "action/missing.sh", "something else than a script"),
    ("", "shell: bash", "shell: bash {0}", "something else than a script"),
    ("", "      if: ${{ inputs.command == 'publish' }}\n", "", "gives run a token"),
    (
        "",
        "DEADHEAT_COMMAND: ${{ inputs.command }}\n",
        "DEADHEAT_COMMAND: ${{ inputs.command }}\n        TOKEN: ${{ inputs.token }}\n",
        "gives check a token",
    ),
    (
        "",
        "        GITHUB_TOKEN: ${{ inputs.token }}",
        "        GITHUB_TOKEN: ${{ inputs.token || github.token }}",
        "that it was not given",
    ),
    (
        "",
        "Only publish gets it\"\n    default: \"\"",
        "Only publish gets it\"\n    default: ${{ github.token }}",
        "before it is given one",
    ),
];

fn broken(original: &Document, (_, from, to, _): Edit) -> Result<Document, String> {
    assert!(original.text.contains(from), "{}: nothing to replace: {from}", original.name);
    Document::parse(&original.name, &original.text.replace(from, to))
}

fn missed(original: &Document, edit: Edit, findings: impl Fn(&Document) -> Vec<String>) -> Option<String> {
    let (_, from, to, word) = edit;
    let found = broken(original, edit).map_or_else(|error| vec![error], |document| findings(&document));
    let seen = found.iter().any(|what| what.contains(word));
    (!seen).then(|| format!("{}: {from:?} -> {to:?}: `{word}` is not among {found:?}", original.name))
}

#[test]
fn every_broken_workflow_is_found() {
    let both = [broken_race::EDITS, broken_publish::EDITS];
    let sets =
        [(own(), [both[0], both[1], broken_publish::OWN]), (written(), [both[0], both[1], broken_publish::WRITTEN])];
    let edits = |(workflows, tables): &(Vec<Document>, [&[Edit]; 3])| -> Vec<String> {
        let all = tables.iter().flat_map(|table| table.iter());
        all.filter_map(|edit| missed(named(workflows, edit.0), *edit, all_findings)).collect()
    };
    let missed: Vec<String> = sets.iter().flat_map(edits).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_broken_action_is_found() {
    let original = the_action();
    let missed: Vec<String> = ACTION.iter().filter_map(|edit| missed(&original, *edit, action::findings)).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
