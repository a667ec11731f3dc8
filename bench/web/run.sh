#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh WICK [ARGUMENT…]: the viewer beside others in Chromium; run.mjs has the arguments. Then
# large.mjs, with a profile nine times as large. Packages of npm and inputs are kept in build/web.
set -euo pipefail

wick=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$(dirname "$wick")")/web
export CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v chromium-headless-shell ||
  command -v google-chrome)}

mkdir -p "$build"
if ! cmp -s "$here/package-lock.json" "$build/package-lock.json" || [ ! -d "$build/node_modules" ]; then
  cp "$here/package.json" "$here/package-lock.json" "$build"
  npm ci --prefix "$build" --ignore-scripts --no-audit --no-fund >"$build/npm.log" 2>&1 || {
    rm -f "$build/package-lock.json"
    tail -n 5 "$build/npm.log" >&2
    exit 1
  }
fi
# How large the page of a recording of some 100 MB is, where perf can record.
recording=$(cd "$here/.." && python3 -c "
import pathlib, sys, recordings
if not recordings.possible():
    print(recordings.deep(pathlib.Path(sys.argv[1]), 12))" "$build")
node "$here/run.mjs" "$wick" "$build" ${recording:+--perf-data "$recording"} "$@"
echo
exec node "$here/large.mjs" "$wick" "$build"
