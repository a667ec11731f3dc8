#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wick firesim on a results directory as FireSim's manager leaves it, run as its
# post_run_hook is: cd WORKLOAD && HOOK RESULTS.
# It may run beside others.
set -euo pipefail
bad() { echo "firesim.sh: $*" >&2; exit 1; }
make() { python3 "$SOURCE/tests/e2e/small_trace.py" "$@"; }

mkdir -p deploy/workloads/linux-uniform images
top=$PWD
cd deploy
results=$PWD/results-workload/2026-01-02--10-11-12-linux-uniform
job=$results/linux-uniform0
mkdir -p "$job" "$results/linux-uniform1"
# As `make install` does it.
cmake --install "$(dirname "$(realpath "$WICK")")" --prefix "$top" >install.log ||
  bad "not installed: $(cat install.log)"
export PATH=$top/bin:$PATH

make elf ../images/br-base-bin-dwarf
make trace "$job/TRACEFILE-C0" 5
make trace "$job/TRACEFILE-C1" 2
make trace "$results/linux-uniform1/TRACEFILE-C0" 1
echo '[    0.1] Linux' >"$job/uartlog"
cat >workloads/linux-uniform.json <<'END'
{ "benchmark_name": "linux-uniform",
  "common_bootbinary": "../../../images/br-base-bin",
  "common_rootfs": "br-base.img",
  "common_simulation_inputs": ["br-base-bin-dwarf"],
  "common_simulation_outputs": ["uartlog", "TRACEFILE*"],
  "post_run_hook": "gen-all-flamegraphs-fireperf.sh" }
END
cat >"$job/AUTOCOUNTERFILE0.csv" <<'END'
version,1
Clock Domain Name,baseClock,Base Multiplier,1,Base Divisor,1
label,local_cycle,dcache_miss
description,local clock cycle,misses of data
1000,1000,10
2000,2000,50
END

(cd workloads/linux-uniform && gen-all-flamegraphs-fireperf.sh "$results") \
  >out 2>err || bad "the hook failed: $(cat out err)"
for trace in "$job/TRACEFILE-C0" "$job/TRACEFILE-C1" \
  "$results/linux-uniform1/TRACEFILE-C0"; do
  for kind in svg html folded; do
    [ -s "$trace.$kind" ] || bad "no $trace.$kind"
  done
done
# The kernel is named by the JSON file alone, which lies beside the folder that
# hooks are run in.
grep -q "workload linux-uniform ($PWD/workloads/linux-uniform.json)" err ||
  bad "no workload: $(cat err)"
grep -q 'start_kernel;leaf 55$' "$job/TRACEFILE-C0.folded" ||
  bad "not folded: $(cat "$job/TRACEFILE-C0.folded")"
grep -q '>leaf' "$job/TRACEFILE-C0.svg" || bad "leaf is not drawn"
grep -q '^ *71 *26 *0.366 *5 *0.00 %  linux-uniform0/TRACEFILE-C0$' out ||
  bad "no line for a core: $(cat out)"
grep -q '^ *50 *0.025000  dcache_miss: misses of data$' out ||
  bad "no counter: $(cat out)"

# A hart without instructions, because its trigger was never met, fails nothing.
: >"$results/linux-uniform1/TRACEFILE-C2"
echo '# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock' \
  >"$results/linux-uniform1/TRACEFILE-C3"
wick firesim "$results" --all-harts --from symbol:leaf >out 2>err ||
  bad "failed for want of instructions: $(cat out err)"
for core in C2 C3; do
  grep -q -- "- .* linux-uniform1/TRACEFILE-$core: no instructions$" out ||
    bad "no row for $core: $(cat out)"
  [ ! -e "$results/linux-uniform1/TRACEFILE-$core.html" ] || bad "$core is drawn"
done
rm "$results/linux-uniform1/TRACEFILE-C"[23]

# Results exist, but none of those asked for: the message says so.
for options in '--from cycle:99999999999: within the trigger' \
  '--hart 7: of hart 7' '--hart 0 --until cycle:1: of hart 0 within the trigger'
do
  if wick firesim "$job" ${options%: *} >out 2>err; then bad "drew $options"; fi
  grep -q "linux-uniform0/TRACEFILE-C1: no instructions ${options##*: }\$" out ||
    bad "no reason in the row of $options: $(cat out)"
  grep -q ": no trace has instructions ${options##*: }\$" err ||
    bad "no reason for $options: $(cat err)"
done

# A module whose address the console does not give is named, by any rule.
cp ../images/br-base-bin-dwarf net.ko
printf '\1' | dd of=net.ko bs=1 seek=16 conv=notrunc status=none  # ET_REL
for rule in next fireperf; do
  wick firesim "$job" --elf ../images/br-base-bin-dwarf --elf net.ko \
    --attribute $rule >out 2>err || bad "a module stopped it: $(cat err)"
  grep -q 'C0: 1 kernel module is left out: .* (net.ko); see --module$' err ||
    bad "no module is named with $rule: $(cat err)"
done

# Its output is not taken for a trace, and one bad trace does not stop the others.
head -c 4000 /dev/zero | tr "\0" "\377" >"$results/linux-uniform1/TRACEFILE-C1"
rm "$job/TRACEFILE-C0.svg"
if (cd workloads/linux-uniform && wick firesim "$results") >out 2>err; then
  bad "no failure: $(cat out)"
fi
[ -s "$job/TRACEFILE-C0.svg" ] || bad "one error stopped the others"
grep -q -- '- .*/linux-uniform1/TRACEFILE-C1: unknown format' out || bad "no reason: $(cat out)"
[ "$(grep -c 'TRACEFILE' out)" -ge 4 ] || bad "not four traces: $(cat out)"

# FirePerf's program for one trace, of output format 2.
wick trace "$job/TRACEFILE-C0" --to tracerv-labels -o labels \
  --elf ../images/br-base-bin-dwarf
mkdir drawn
(cd drawn && flamegraph-tracerv ../labels chart.svg && flamegraph-tracerv ../labels plain &&
  flamegraph-tracerv -t ../labels) >out 2>err || bad "$(cat err)"
[ ! -s out ] || bad "wrote to standard output: $(cat out)"
files=$(echo drawn/* labels.*)
[ "$files" = "drawn/chart.folded drawn/chart.svg drawn/labels.folded drawn/labels.svg \
drawn/plain.folded drawn/plain.svg labels.*" ] || bad "other files than FirePerf's: $files"
grep -q '>leaf' drawn/chart.svg || bad "leaf is not in the picture of labels"
grep -q 'start_kernel;leaf 55$' drawn/chart.folded || bad "$(cat drawn/chart.folded)"
cmp drawn/chart.folded drawn/plain.folded || bad "the name changes what is folded"
# -t keeps the order of time: leaf is called five times.
[ "$(grep -c 'start_kernel;leaf 11$' drawn/labels.folded)" = 5 ] ||
  bad "not in the order of time: $(cat drawn/labels.folded)"
for arguments in '' '-x labels' 'labels a b'; do
  # shellcheck disable=SC2086
  if flamegraph-tracerv $arguments 2>err; then bad "took '$arguments'"; fi
  grep -q '^usage: ' err || bad "no usage: $(cat err)"
done
if wick firesim "$results" -o name 2>err; then bad "one name for all traces"; fi
grep -q 'takes one trace' err || bad "no reason: $(cat err)"

if wick firesim "$PWD/workloads" 2>err; then bad "found traces"; fi
grep -q 'was tracing enabled' err || bad "no advice: $(cat err)"
