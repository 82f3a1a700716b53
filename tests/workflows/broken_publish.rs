//! Ways to break the workflow that publishes.

use crate::broken::{Edit, PUBLISH, RACE};

/// What can be broken in this repository's workflow and in a user's alike.
pub(crate) const EDITS: &[Edit] = &[
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
pub(crate) const OWN: &[Edit] = &[
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
pub(crate) const WRITTEN: &[Edit] = &[
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
