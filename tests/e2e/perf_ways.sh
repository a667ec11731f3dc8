# SPDX-License-Identifier: Apache-2.0
# However a program was recorded, its stacks are those of perf script.
. "$SOURCE/tests/e2e/lib.bash"
need_perf
tool=$(dirname "$WICK")/dump_stacks
[ -x "$tool" ] || skip "dump_stacks is not built"
command -v g++ python3 >/dev/null || skip "g++ or python3 is missing"
export HOME=$PWD  # where perf and wick keep things
g++ -g -O2 -fno-omit-frame-pointer -pthread \
  "$SOURCE/tests/e2e/programs/threads.cc" -o threads || exit

# way NAME WORDS…: records the program with these options and compares.
way() {
  local name=$1
  shift
  perf record -q -F 999 -o "$name.data" "$@" >/dev/null 2>&1 ||
    { echo "skipped $name: perf record does not have it"; return; }
  agree "$name.data"
}
agree() {
  python3 "$SOURCE/tests/e2e/compare_perf.py" "$tool" --check "${only[@]}" "$1" ||
    complain "$1"
}
only=()  # threads that are compared

only=("--comm=threads,old style")
way everywhere -a -e cpu-clock -g ./threads 200
way parallel --threads -a -e cpu-clock -g ./threads 200
only=()
way compressed -z -e cpu-clock -g ./threads 200
way events -e cpu-clock,task-clock -g ./threads 200
way group -e '{cpu-clock,task-clock}' -g ./threads 200
way no-stacks -e cpu-clock ./threads 200
way user-only -e cpu-clock:u -g ./threads 200
way kernel -e cpu-clock -g dd if=/dev/zero of=/dev/null bs=64k count=50000
way python -e cpu-clock -g python3 -c 'import json
for i in range(100): json.loads(json.dumps(list(range(5000))))'
command -v node >/dev/null &&
  way node -e cpu-clock -g node -e 'let s = 0; for (let i = 0; i < 2e7; i++) s += i % 7'
head -c 3000000 "$WICK" >input
way xz -e cpu-clock -g xz -1 -T2 -k -c input

perf record -q -F 999 -e cpu-clock -g -o - ./threads 200 >pipe.data 2>/dev/null
agree pipe.data
[ -n "$("$WICK" fold - <pipe.data)" ] || complain "nothing is read from a pipe"

# It runs until it is killed, however long perf takes to attach.
./threads 600000 &
perf record -q -F 999 -e cpu-clock -g -o attached.data -p $! sleep 0.3 2>/dev/null ||
  complain "perf does not attach"
kill $! 2>/dev/null
agree attached.data
finish
