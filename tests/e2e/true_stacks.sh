# SPDX-License-Identifier: Apache-2.0
# The stacks of a traced Linux are those that its stack pointers show: on two harts whose
# timer interrupts enter through M-mode, for wick's own trace and for what TracerV has of it.
#
# tests/true-stacks has the plugin's trace of a boot with tests/riscv-linux/truth/init-short,
# what true_stacks made of the same boot, and the kernel's symbols of that time. User code
# has no symbols there. `make test-riscv-linux` does the same with whole boots.
. "$(dirname "$0")/lib.bash"
here=$(cd "$(dirname "$0")/.." && pwd)
tools=$(dirname "$WICK")
trace=$here/true-stacks/linux.trace.xz

xz -dc "$here/true-stacks/true.folded.xz" >true.folded
are_true() {  # are_true WHAT LEAST TRACE[,TRACE…]
  "$tools/fold_trace" "$3" instructions "$here/true-stacks/functions.map" >folded 2>said.txt ||
    complain "$1: $(cat said.txt)"
  "$here/riscv-linux/truth/compare.py" --least "$2" "$1" true.folded folded ||
    complain "$1: not on their true stacks"
}
cut_trace() {  # cut_trace [--tokens]: both harts
  for hart in 0 1; do
    "$tools/cut_trace" "$@" "$trace" TRACEFILE-C$hart $hart || complain "cut_trace $*"
  done
}

are_true "the plugin's trace" 99.99 "$trace"
cut_trace --tokens
are_true tokens 99.9 TRACEFILE-C0,TRACEFILE-C1
cut_trace
are_true 'pc and cycle' 99.9 TRACEFILE-C0,TRACEFILE-C1
finish
