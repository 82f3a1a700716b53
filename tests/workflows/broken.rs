//! Workflows broken on purpose, one edit each: the rules must find every one.

use crate::document::Document;
use crate::{action, all_findings, named, own, the_action, written};

/// A file, what is replaced in it wherever it stands, by what, and a word of what must be found.
type Edit = (&'static str, &'static str, &'static str, &'static str);

const RACE: &str = "deadheat.yml";
const PUBLISH: &str = "deadheat-publish.yml";
const READ: &str =
    "      contents: read # to check out; this job runs what the pull request brings, so it gets nothing else\n";
const KEEP: &str = "      - name: Keep the results\n";
const PINNED_CHECKOUT: &str = "uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n";

/// What can be broken in this repository's workflows and in a user's alike.
const EDITS: &[Edit] = &[
    // The job that races.
    (RACE, READ, "      contents: write\n", "may do"),
    (RACE, READ, "      contents: read\n      actions: write\n", "may do"),
    (RACE, READ, "      contents: read\n      id-token: write\n", "may do"),
    (
        RACE,
        "    permissions:\n      contents: read # to check out",
        "    permissions: write-all\n    env:\n      X: x #",
        "permissions are not listed",
    ),
    (RACE, "          persist-credentials: false\n", "", "leaves its token"),
    (RACE, "persist-credentials: false", "persist-credentials: true", "leaves its token"),
    (RACE, "persist-credentials: false", "persist-credentials: ${{ inputs.head == '' }}", "leaves its token"),
    (RACE, "fetch-depth: 0", "fetch-depth: 1", "head with its history"),
    (RACE, "github.event.pull_request.head.sha || ", "", "head with its history"),
    (
        RACE,
        KEEP,
        "      - name: Cache\n        uses: actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9 # v6.1.0\n      - name: Keep the results\n",
        "uses a cache",
    ),
    (
        RACE,
        KEEP,
        "      - name: Node\n        uses: actions/setup-node@820762786026740c76f36085b0efc47a31fe5020 # v7.0.0\n        with:\n          cache: npm\n      - name: Keep the results\n",
        "uses a cache",
    ),
    (
        RACE,
        KEEP,
        "      - name: Rust\n        uses: Swatinem/rust-cache@e18b497796c12c097a38f9edb9d0641fb99eee32 # v2.9.1\n      - name: Keep the results\n",
        "uses Swatinem/rust-cache",
    ),
    (RACE, "cache-mode: none\n", "", "the cache can be reached"),
    (RACE, "cache-mode: none", "cache-mode: write", "the cache can be reached"),
    (
        RACE,
        "      - name: Race\n",
        "      - name: Race\n        env:\n          GITHUB_TOKEN: ${{ github.token }}\n",
        "holds a token",
    ),
    (
        RACE,
        "      - name: Race\n",
        "      - name: Race\n        env:\n          KEY: ${{ secrets.DEPLOY_KEY }}\n",
        "reads secrets",
    ),
    (
        RACE,
        "      - name: Race\n",
        "      - name: Race\n        env:\n          ALL: ${{ toJSON(github) }}\n",
        "holds a token",
    ),
    (RACE, "    runs-on: ubuntu-24.04\n", "    runs-on: ubuntu-24.04\n    secrets: inherit\n", "the key `secrets`"),
    (
        RACE,
        "    runs-on: ubuntu-24.04\n",
        "    runs-on: ubuntu-24.04\n    continue-on-error: true\n",
        "the key `continue-on-error`",
    ),
    (RACE, "permissions: {}\n", "permissions: {}\nenv:\n  GH_TOKEN: ${{ github.token }}\n", "the key `env`"),
    (RACE, "permissions: {}\n", "", "at the top"),
    (RACE, "permissions: {}\n", "permissions:\n  contents: write\n", "at the top"),
    (RACE, "permissions: {}\n", "permissions: read-all\n", "at the top"),
    (RACE, "permissions: {}\n", "permissions: {}\npermissions: write-all\n", "no YAML"),
    (RACE, "  pull_request:\n", "  pull_request_target:\n", "the trigger pull_request_target"),
    (RACE, "  merge_group:\n", "  merge_group:\n  pull_request_target:\n", "the trigger pull_request_target"),
    (RACE, "  merge_group:\n", "  merge_group:\n  schedule:\n    - cron: '0 0 * * *'\n", "the trigger schedule"),
    (RACE, "/deadheat/results.json\n", "/deadheat\n", "something else than the results"),
    (
        RACE,
        "/deadheat/results.json\n",
        "/deadheat/results.json\n          include-hidden-files: true\n",
        "something else than the results",
    ),
    (RACE, "deadheat-results-${{ github.run_attempt }}", "deadheat-results", "something else than the results"),
    (RACE, "if-no-files-found: warn", "if-no-files-found: error", "something else than the results"),
    (RACE, "        if: ${{ !cancelled() }}\n", "", "nothing after a failure"),
    (RACE, "        if: ${{ !cancelled() }}\n", "        if: github.event_name == 'push'\n", "nothing after a failure"),
    (RACE, PINNED_CHECKOUT, "uses: actions/checkout@v7 # v7.0.1\n", "by a full commit"),
    (RACE, PINNED_CHECKOUT, "uses: actions/checkout@3d3c42e # v7.0.1\n", "by a full commit"),
    (RACE, PINNED_CHECKOUT, "uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1\n", "by a full commit"),
    (
        RACE,
        PINNED_CHECKOUT,
        "uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # latest\n",
        "by a full commit",
    ),
    (
        RACE,
        PINNED_CHECKOUT,
        "uses: actions/checkout # @3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n",
        "by a full commit",
    ),
    (RACE, PINNED_CHECKOUT, "uses: docker://node:24 # v24\n", "by a full commit"),
    (
        RACE,
        "      - name: Keep the results\n",
        "      - { name: Hidden, uses: actions/github-script@main }\n      - name: Keep the results\n",
        "by a full commit",
    ),
    (
        RACE,
        "      - name: Keep the results\n",
        "      - name: Say\n        run: echo \"${{ github.event.pull_request.title }}\"\n      - name: Keep the results\n",
        "filled by an expression",
    ),
    // When it runs, and what that cancels.
    (RACE, "    timeout-minutes: ${{ inputs.budget && 360 || 90 }}\n", "", "no timeout"),
    (RACE, "360 || 90", "0 || 0", "minutes"),
    (RACE, "    if: github.event_name != 'merge_group'\n", "", "queue: runs"),
    (
        RACE,
        "cancel-in-progress: ${{ github.event_name == 'pull_request' }}",
        "cancel-in-progress: true",
        "push: cancels",
    ),
    (
        RACE,
        "cancel-in-progress: ${{ github.event_name == 'pull_request' }}",
        "cancel-in-progress: false",
        "opened: cancels",
    ),
    (RACE, "format('run-{0}', github.run_id)", "format('run-{0}', github.sha)", "share a group"),
    (RACE, "format('run-{0}', github.run_id)", "'run'", "share a group"),
    (
        RACE,
        "    || format('pull-{0}', github.event.pull_request.number)",
        "    || format('pull-{0}', github.run_id)",
        "share a group",
    ),
    (RACE, "    || format('pull-{0}', github.event.pull_request.number)", "    || 'pull'", "share a group"),
    (RACE, "github.event.action == 'labeled'", "github.event.action == 'never'", "share a group"),
    (RACE, "{0}-label-{1}", "{0}-label", "share a group"),
    (RACE, "    if: always() && github.event_name == 'workflow_dispatch'\n", "    if: always()\n", "opened: runs"),
    (RACE, "    if: always() && github.event_name == 'workflow_dispatch'\n", "", "opened: runs"),
    (
        RACE,
        "      pull-requests: write # to write the comment\n",
        "      pull-requests: write\n      contents: write\n",
        "no YAML",
    ),
    (RACE, "      contents: read # to read the configuration and the history\n", "      contents: write\n", "may do"),
    // The jobs that publish.
    (
        PUBLISH,
        "    steps:\n",
        "    steps:\n      - name: Check out\n        uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n        with:\n          persist-credentials: false\n",
        "none that a publisher may have",
    ),
    (
        PUBLISH,
        "    steps:\n",
        "    steps:\n      - name: Fetch\n        uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1\n",
        "none that a publisher may have",
    ),
    (
        PUBLISH,
        "    steps:\n",
        "    steps:\n      - name: Fetch\n        run: gh run download \"$RUN\"\n",
        "none that a publisher may have",
    ),
    (
        PUBLISH,
        "    steps:\n",
        "    steps:\n      - name: Trust\n        run: bash ./deadheat-results/results.sh\n",
        "none that a publisher may have",
    ),
    (
        PUBLISH,
        "    steps:\n",
        "    steps:\n      - name: Say\n        run: echo \"${{ github.event.comment.body }}\"\n",
        "filled by an expression",
    ),
    (PUBLISH, "    runs-on: ubuntu-24.04\n", "    runs-on: self-hosted\n", "others may have used"),
    (
        PUBLISH,
        "    runs-on: ubuntu-24.04\n",
        "    runs-on: ubuntu-24.04\n    container: ghcr.io/some/image\n",
        "the key `container`",
    ),
    (
        PUBLISH,
        "    runs-on: ubuntu-24.04\n",
        "    runs-on: ubuntu-24.04\n    env:\n      LD_PRELOAD: x\n",
        "the key `env`",
    ),
    (PUBLISH, "    timeout-minutes: 30\n", "", "no timeout"),
    (
        PUBLISH,
        "      actions: write # to start the workflow deadheat\n",
        "      actions: write\n      checks: write\n",
        "may do",
    ),
    (
        PUBLISH,
        "      contents: read # to read the configuration and the baseline\n",
        "      contents: write\n",
        "may do",
    ),
    (
        PUBLISH,
        "      checks: write # to write the check run\n",
        "      checks: write\n      packages: write\n",
        "may do",
    ),
    (
        PUBLISH,
        "permissions: {}\n",
        "permissions: {}\ndefaults:\n  run:\n    shell: sh -c 'evil {0}'\n",
        "the key `defaults`",
    ),
    (PUBLISH, "workflows: [deadheat]", "workflows: [deadheat, lint]", "other runs than those of deadheat"),
    (PUBLISH, "  issue_comment:\n", "  pull_request_target:\n  issue_comment:\n", "the trigger pull_request_target"),
    (PUBLISH, "  queue: max\n", "", "a waiting run is dropped"),
    (PUBLISH, "  cancel-in-progress: false\n", "  cancel-in-progress: true\n", "cancels"),
    (PUBLISH, "github.event.workflow_run.head_sha", "github.run_id", "share a group"),
    (PUBLISH, "format('comment-{0}', github.event.comment.id)", "'comment'", "share a group"),
    (PUBLISH, "      && github.event.issue.pull_request\n", "", "on an issue: runs"),
    (PUBLISH, "      && startsWith(github.event.comment.body, '/deadheat')\n", "", "talk: runs"),
    (
        PUBLISH,
        "      && github.event.workflow_run.head_branch == github.event.repository.default_branch\n",
        "",
        "push elsewhere: runs",
    ),
    (PUBLISH, "      && github.event.workflow_run.event == 'push'\n", "", "runs"),
    (PUBLISH, " || github.event.workflow_run.event == 'merge_group'", "", "queue: runs"),
];

/// What can be broken only where deadheat is built from this repository.
const OWN: &[Edit] = &[
    (
        PUBLISH,
        "--rev \"$GITHUB_WORKFLOW_SHA\" deadheat",
        "--rev \"$HEAD_SHA\" deadheat",
        "none that a publisher may have",
    ),
    (PUBLISH, " --rev \"$GITHUB_WORKFLOW_SHA\"", "", "none that a publisher may have"),
    (PUBLISH, "cargo install --locked --git", "cargo install --git", "none that a publisher may have"),
    (PUBLISH, "run: deadheat publish --config", "run: ./deadheat publish --config", "none that a publisher may have"),
    (
        PUBLISH,
        "          GITHUB_TOKEN: ${{ github.token }}\n",
        "          GITHUB_TOKEN: ${{ secrets.PAT }}\n",
        "reads secrets",
    ),
    (
        PUBLISH,
        "        env:\n          GITHUB_TOKEN",
        "        shell: python {0}\n        env:\n          GITHUB_TOKEN",
        "the key `shell`",
    ),
    ("ci.yml", "      contents: read # to check out\n", "      contents: write\n", "may do"),
    ("ci.yml", "          persist-credentials: false\n", "", "leaves its token"),
    ("release.yml", "      contents: read # to check out\n", "      contents: write\n", "may do"),
    (
        "release.yml",
        "      contents: write # to create the release\n",
        "      contents: write\n      id-token: write\n",
        "may do",
    ),
    ("release.yml", "cache-mode: none\n", "", "the cache can be reached"),
];

/// What can be broken only where deadheat comes from its action.
const WRITTEN: &[Edit] = &[
    (PUBLISH, "uses: deadheat/deadheat@", "uses: someone/deadheat@", "none that a publisher may have"),
    (
        PUBLISH,
        "uses: deadheat/deadheat@0123456789abcdef0123456789abcdef01234567",
        "uses: deadheat/deadheat@main",
        "by a full commit",
    ),
    (PUBLISH, "version: 0123456789abcdef0123456789abcdef01234567", "version: path", "none that a publisher may have"),
    (PUBLISH, "command: publish", "command: check", "none that a publisher may have"),
    (PUBLISH, "command: publish", "command: run", "holds a token"),
    (
        PUBLISH,
        "command: publish\n",
        "command: publish\n          working-directory: results\n",
        "none that a publisher may have",
    ),
    (
        PUBLISH,
        "command: publish\n",
        "command: publish\n          arguments: --results evil.json\n",
        "none that a publisher may have",
    ),
    (PUBLISH, "token: ${{ github.token }}", "token: ${{ secrets.PAT }}", "reads secrets"),
    (RACE, "command: run\n", "command: run\n          token: ${{ github.token }}\n", "holds a token"),
];

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
    let sets = [(own(), [EDITS, OWN]), (written(), [EDITS, WRITTEN])];
    let edits = |(workflows, tables): &(Vec<Document>, [&[Edit]; 2])| -> Vec<String> {
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
