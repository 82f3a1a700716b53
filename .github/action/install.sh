#!/usr/bin/env bash
# Puts deadheat where the action's next step finds it, and writes its path as the output `binary`.
#
# DEADHEAT_VERSION  an exact release (v0.1.0), a full commit, `path`, or nothing: the release of the manifest beside this script
# DEADHEAT_SHA256   the SHA-256 that the archive must have, or nothing: the one in the release's SHA256SUMS
# DEADHEAT_ORIGIN   the address of deadheat's repository
#
# An archive is unpacked only after its checksum was found right, and only the one file `deadheat` is taken out of it.
set -euo pipefail

fail() {
  local message="failed to install deadheat: $1"
  # The characters that could end a workflow command's line and begin another.
  message="${message//'%'/%25}"
  message="${message//$'\r'/%0D}"
  message="${message//$'\n'/%0A}"
  # To standard error, since standard output may be what a function answers with.
  printf '::error title=deadheat::%s\n' "$message" >&2
  exit 1
}

download() { # URL FILE
  curl --fail --silent --show-error --location --proto-redir '=https' --connect-timeout 20 --max-time 300 \
    --retry 3 --max-filesize 104857600 --output "$2" "$1" || fail "$1 could not be downloaded"
}

answer() { # BINARY
  printf 'binary=%s\n' "$1" >> "$GITHUB_OUTPUT"
}

target() {
  [[ "$(uname -s)" == Linux ]] || fail "releases are for Linux; build deadheat yourself and use version: path"
  case "$(uname -m)" in
    x86_64 | amd64) echo x86_64-unknown-linux-musl ;;
    aarch64 | arm64) echo aarch64-unknown-linux-musl ;;
    *) fail "there is no release for $(uname -m); build deadheat yourself and use version: path" ;;
  esac
}

expected_checksum() { # RELEASE ARCHIVE DIRECTORY
  if [[ -n "$DEADHEAT_SHA256" ]]; then
    [[ "$DEADHEAT_SHA256" =~ ^[0-9a-fA-F]{64}$ ]] || fail "sha256 must be 64 hexadecimal digits"
    echo "${DEADHEAT_SHA256,,}"
    return
  fi
  download "$1/SHA256SUMS" "$3/SHA256SUMS"
  local found
  found="$(awk -v archive="$2" '$2 == archive || $2 == "*" archive { print $1 }' "$3/SHA256SUMS")"
  [[ "$found" =~ ^[0-9a-f]{64}$ ]] || fail "SHA256SUMS of the release does not name $2 exactly once"
  echo "$found"
}

from_release() { # VERSION
  local directory archive release expected found binary
  directory="$(mktemp --directory --tmpdir="$RUNNER_TEMP" deadheat-release.XXXXXX)"
  archive="deadheat-$(target).tar.gz"
  release="$DEADHEAT_ORIGIN/releases/download/$1"
  expected="$(expected_checksum "$release" "$archive" "$directory")"
  download "$release/$archive" "$directory/$archive"
  found="$(sha256sum "$directory/$archive" | cut --delimiter ' ' --fields 1)"
  if [[ "$found" != "$expected" ]]; then
    rm "$directory/$archive"
    fail "the SHA-256 of $archive is $found, and should be $expected; nothing was unpacked"
  fi
  tar --extract --gzip --file "$directory/$archive" --directory "$directory" --no-same-owner deadheat \
    || fail "$archive holds no file named deadheat"
  binary="$directory/deadheat"
  [[ -f "$binary" && ! -L "$binary" ]] || fail "deadheat in $archive is no regular file"
  chmod 0755 "$binary"
  [[ "$("$binary" --version)" == "deadheat ${1#v}" ]] || fail "the binary in $archive does not call itself ${1#v}"
  answer "$binary"
}

from_commit() { # COMMIT
  command -v cargo > /dev/null || fail "cargo is needed to build deadheat at a commit, and is not on PATH"
  # A directory of its own, so that nothing older is taken for it.
  local directory
  directory="$(mktemp --directory --tmpdir="$RUNNER_TEMP" deadheat-build.XXXXXX)"
  cargo install --locked --git "$DEADHEAT_ORIGIN" --rev "$1" --root "$directory" deadheat \
    || fail "cargo could not build $DEADHEAT_ORIGIN at $1"
  answer "$directory/bin/deadheat"
}

from_path() {
  local binary
  binary="$(command -v deadheat)" || fail "version is \`path\`, and there is no deadheat on PATH"
  answer "$binary"
}

version="$DEADHEAT_VERSION"
if [[ -z "$version" ]]; then
  manifest="$(dirname "${BASH_SOURCE[0]}")/../../Cargo.toml"
  version="v$(awk -F '"' '/^version = "/ { print $2; exit }' "$manifest")"
fi
if [[ "$version" == path ]]; then
  from_path
elif [[ "$version" =~ ^[0-9a-f]{40}$ ]]; then
  from_commit "$version"
elif [[ "$version" =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
  from_release "$version"
else
  fail "version must be an exact release such as v0.1.0, a full commit of 40 digits, or \`path\`, and is \`$version\`"
fi
