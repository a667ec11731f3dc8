# SPDX-License-Identifier: Apache-2.0
# Python 3.13 with -X perf and -X perf_jit: stacks lead from the innermost Python
# function through all its callers to the program's start, with names and shares
# as they are known.
. "$SOURCE/tests/languages/lib.bash"
need_recording
need_trixie

cat >"$trixie/tmp/busy.py" <<'PY'
import sys
def spin(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total
def three(n):
    return spin(3 * n)
def one(n):
    return spin(n)
def work(rounds):
    for _ in range(rounds):
        three(10000)
        one(10000)
work(int(sys.argv[1]))
PY
trap 'rm -f "$trixie"/tmp/busy.py "$trixie"/tmp/perf-*.map "$trixie"/tmp/jit-*.dump' EXIT
between_calls='(;[^;]*)*'
work="^python3;_start$between_calls;py::<module>:[^;]*$between_calls;py::work:[^;]*"

# check WHAT: of the stacks that spin, since how much Python's start takes is not
# known.
check() {
  grep 'py::spin:' all >folded
  between "$1, stacks to the start" 95 100 \
    "$(share folded "$work$between_calls;py::(three|one):[^;]*$between_calls;py::spin:")"
  three_to_one "$1" "$work$between_calls;py::three:" "$work$between_calls;py::one:"
}
for mode in perf perf_jit; do
  "$WICK" record -q -o python.data -- \
    chroot "$trixie" python3 -X $mode /tmp/busy.py 300
  "$WICK" fold -q python.data >all
  check "-X $mode"
done

# Without its map, which a hint to start it with -X perf would not bring back.
if command -v perf >/dev/null; then
  perf record -q --call-graph dwarf,16384 -o gone.data -- chroot "$trixie" python3 -X perf /tmp/busy.py 100
  rm -f "$trixie"/tmp/perf-*.map
  "$WICK" fold --no-cache --symfs "$trixie" gone.data >folded 2>said
  has 'a missing map' "$(cat said)" 'whose perf map \(/tmp/perf-PID\.map\) is missing'
fi

# Attached to one that runs already.
chroot "$trixie" python3 -X perf /tmp/busy.py 1000000 &
python=$!
until [ -s "$trixie/tmp/perf-$python.map" ]; do sleep 0.05; done
"$WICK" record -q --duration 1 -o attached.data -p $python
kill $python
wait $python 2>/dev/null
"$WICK" fold -q attached.data >all
check 'attached'
finish
