#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gen-all-flamegraphs-fireperf.sh RESULTS-DIR: draws every TRACEFILE* of a
# FireSim run. Stands in for FirePerf's script of this name, so that a workload
# whose post_run_hook names that needs no change. `wick firesim` does the work;
# WICK_FIRESIM_OPTIONS is passed on to it (words, as in a shell's variable).
set -eu
if [ $# -ne 1 ]; then
  echo "usage: ${0##*/} RESULTS-DIR" >&2
  exit 2
fi
here=$(dirname -- "$(readlink -f -- "$0")")
wick=wick
[ -x "$here/wick" ] && wick=$here/wick
# shellcheck disable=SC2086
exec "$wick" firesim ${WICK_FIRESIM_OPTIONS:-} -- "$1"
