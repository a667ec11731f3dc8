# SPDX-License-Identifier: Apache-2.0
# Stacks, functions and lines of recorded programs are those of perf script,
# addr2line and llvm-symbolizer.
tool=$(dirname "$WICK")/dump_stacks
[ -x "$tool" ] || { echo "dump_stacks is not built"; exit 77; }
command -v perf gcc g++ python3 addr2line readelf >/dev/null ||
  { echo "perf, g++, binutils or python3 is missing"; exit 77; }
perf record -q -e cpu-clock -o probe.data true 2>/dev/null ||
  { echo "the kernel does not allow perf record"; exit 77; }
command -v llvm-symbolizer-16 llvm-symbolizer llvm-symbolizer-19 >/dev/null ||
  { echo "llvm-symbolizer is not installed (apt install llvm-16)"; exit 77; }
[ -d /usr/lib/debug/.build-id ] ||
  { echo "libc's functions have no names (apt install libc6-dbg)"; exit 77; }
exec python3 "$SOURCE/tests/e2e/perf_agreement.py" "$tool"
