#!/usr/bin/env bash
# Runs the command that the action was asked for.
#
# DEADHEAT_BINARY     deadheat, as install.sh found it
# DEADHEAT_COMMAND    run, publish or check
# DEADHEAT_CONFIG     the path of deadheat.toml, or nothing
# DEADHEAT_ARGUMENTS  more arguments, one per line
#
# Only publish sees a token; everything else builds and runs what a pull request brought.
set -euo pipefail

fail() {
  printf '::error title=deadheat::%s\n' "$1" >&2
  exit 2
}

arguments=("$DEADHEAT_COMMAND")
case "$DEADHEAT_COMMAND" in
  publish)
    [[ -n "${GITHUB_TOKEN:-}" ]] || fail "publish needs the input token, such as \${{ github.token }}"
    ;;
  run | check)
    unset GITHUB_TOKEN GH_TOKEN
    ;;
  *)
    fail "the input command must be run, publish or check"
    ;;
esac
if [[ -n "$DEADHEAT_CONFIG" ]]; then
  arguments+=(--config "$DEADHEAT_CONFIG")
fi
out=()
if [[ "$DEADHEAT_COMMAND" == run ]]; then
  # No hidden directory: uploaders of artifacts leave those out.
  out=(--out "$RUNNER_TEMP/deadheat")
fi
while IFS= read -r argument || [[ -n "$argument" ]]; do
  argument="${argument%$'\r'}"
  [[ -n "$argument" ]] || continue
  if [[ "$argument" == --out || "$argument" == --out=* ]]; then out=(); fi
  arguments+=("$argument")
done <<< "$DEADHEAT_ARGUMENTS"

exec "$DEADHEAT_BINARY" "${arguments[@]}" "${out[@]}"
