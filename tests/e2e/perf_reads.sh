# SPDX-License-Identifier: Apache-2.0
# perf and Hotspot read the files that wick writes as they read perf's own.
tool=$(dirname "$WICK")/rewrite_perf
[ -x "$tool" ] || { echo "rewrite_perf is not built"; exit 77; }
command -v perf gcc python3 >/dev/null ||
  { echo "perf, gcc or python3 is missing"; exit 77; }
perf record -q -e cpu-clock -o probe.data true 2>/dev/null ||
  { echo "the kernel does not allow perf record"; exit 77; }
exec python3 "$SOURCE/tests/e2e/perf_reads.py" "$tool" "$WICK"
