#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh WICK: tests wick's pictures in Chromium. Without Chromium or npm, prints
# why in one line and exits with status 77.
set -euo pipefail

wick=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$(dirname "$wick")")/browser

skip() {
  echo "SKIP browser tests: $1"
  exit 77
}
for program in node npm; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
# Without windows, profiles and extensions, a page takes a third of the time.
chromium=${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium ||
  command -v chromium-browser || command -v google-chrome || true)}
[ -n "$chromium" ] || skip "chromium is not installed"

if ! cmp -s "$here/package-lock.json" "$build/package-lock.json" ||
  [ ! -d "$build/node_modules/playwright-core" ]; then
  mkdir -p "$build"
  cp "$here/package.json" "$here/package-lock.json" "$build"
  npm ci --prefix "$build" --ignore-scripts --no-audit --no-fund \
    >"$build/npm.log" 2>&1 || {
    rm -f "$build/package-lock.json"
    tail -n 5 "$build/npm.log" >&2
    skip "npm could not install playwright-core"
  }
fi

export WICK=$wick CHROMIUM=$chromium NODE_PACKAGES=$build/
exec node --test "$here"/*_test.mjs
