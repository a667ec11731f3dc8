# SPDX-License-Identifier: Apache-2.0
# Programs that count their own calls, traced in QEMU's user mode: calls, what
# functions have with all they called, and leaves are exact, also of threads, and
# the same from what stock TracerV has of the trace.
# It may run beside others.
. "$(dirname "$0")/lib.bash"
plugin=$SOURCE/build/qemu/wick-trace.so
sysroot=/usr/riscv64-linux-gnu
command -v qemu-riscv64 >/dev/null || skip "qemu-riscv64 is not installed"
command -v riscv64-linux-gnu-g++ >/dev/null || skip "no riscv64-linux-gnu-g++"
[ -e "$plugin" ] || skip "$plugin is not built: make qemu-plugin"

check() {  # PROGRAM: traced to PROGRAM.trace
  local program=$1 files=(--elf "$1" --sysroot "$sysroot") hart
  qemu-riscv64 -L "$sysroot" -plugin "$plugin,out=$program.trace" \
    "./$program" >"$program.said"
  "$WICK" fold "$program.trace" "${files[@]}" >"$program.folded" 2>said
  grep -q ' 0 resynchronisations' said ||
    complain "$program: stacks are lost: $(cat said)"
  "$WICK" fold "$program.trace" "${files[@]}" --event calls \
    >"$program.calls" 2>said
  python3 "$SOURCE/tests/e2e/trace_counts.py" truth "$program.trace" \
    "$program" "$program.said" "$program.folded" "$program.calls" >wrong ||
    complain "$program: $(cat wrong)"
  python3 "$SOURCE/tests/tools/pc_histogram.py" "$program.trace" \
    "$program.folded" >wrong || complain "$program, leaves: $(cat wrong)"

  python3 "$SOURCE/tests/tools/wick_trace.py" "$program.trace" "$program-C"
  for hart in "$program"-C*; do
    "$WICK" fold "$hart" "${files[@]}" >"$hart.cut" 2>said
  done
  python3 "$SOURCE/tests/e2e/trace_counts.py" same "$program.folded" \
    "$program"-C*.cut >wrong || complain "$program: $(cat wrong)"
}

source=$SOURCE/tests/e2e/programs/riscv_counts.cc
riscv64-linux-gnu-g++ -O2 -static -pthread "$source" -o static &&
  riscv64-linux-gnu-g++ -O2 -fPIE -pie -pthread "$source" -o pie ||
  skip "the cross compiler cannot link these programs"
check static
check pie
finish
