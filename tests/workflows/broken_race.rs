//! Ways to break the workflow that races.

use crate::broken::{Edit, RACE};

const READ: &str =
    "      contents: read # to check out; this job runs what the pull request brings, so it gets nothing else\n";
const KEEP: &str = "      - name: Keep the results\n";
const PINNED_CHECKOUT: &str = "uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n";

/// What can be broken in this repository's workflow and in a user's alike.
pub(crate) const EDITS: &[Edit] = &[
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
];
