# SPDX-License-Identifier: Apache-2.0
# wick reports what a recording or the machine lacks, and never guesses it.
. "$SOURCE/tests/e2e/lib.bash"
need_perf
command -v g++ >/dev/null || skip "g++ is not installed"
export HOME=$PWD  # where perf and wick keep things
programs=$SOURCE/tests/e2e/programs
record="perf record -q -F 999 -e cpu-clock"

build() { gcc -g -O2 -fno-omit-frame-pointer -o "$@"; }
folded() { "$WICK" fold --no-cache "$@" 2>said.txt >folded.txt; }
# shows WHAT REGEX: the last folded() has a line that matches.
shows() { grep -Eq "$2" folded.txt || complain "$1: no line has $2"; }
shows_not() {
  grep -Eq "$2" folded.txt && complain "$1: $(grep -Em1 "$2" folded.txt)"
}

# A program that was replaced after the recording is recognised by its build id,
# or by its time.
build program "$programs/signals.c"
cp program original
$record -g -N -o replaced.data ./program 200 2>/dev/null
$record -g -N -B -o no-build-ids.data ./program 200 2>/dev/null
for file in replaced no-build-ids; do
  folded $file.data
  shows "$file.data, of the right program" "main;.*spin"
done
rm program
build program "$programs/processes.c"
for file in replaced no-build-ids; do
  folded $file.data
  shows "$file.data, of another program" '\[program\]'
  shows_not "$file.data, of another program" '(^|;)(main|spin|[a-z]+_work)(;| )'
done
has "why" "$("$WICK" report replaced.data 2>/dev/null)" \
  "program +the file was replaced after it was recorded"
has "why" "$("$WICK" report no-build-ids.data 2>/dev/null)" \
  "program +the file was modified after it was recorded"
mkdir -p "root$PWD"
cp original "root$PWD/program"
folded --symfs root replaced.data
shows "the right program in another folder" "main;.*spin"
rm program
has "why" "$("$WICK" report replaced.data 2>/dev/null)" \
  "program +the file does not exist"

# perf keeps copies of what it records unless told not to: what was stripped or
# removed since has its names.
cp original program
$record -g -o kept.data ./program 200 2>/dev/null
strip -o stripped program
mv stripped program
folded kept.data
shows "a program that was stripped" "main;.*spin"
rm program
folded kept.data
shows "a program that was removed" "main;.*spin"

# One that was removed while it ran.
cp original program
./program 5000 &
until [ "$(readlink /proc/$!/exe)" = "$PWD/program" ]; do sleep 0.01; done
rm program
$record -g -N -o removed.data -p $! sleep 0.2 2>/dev/null
kill $! && wait $! 2>/dev/null
folded removed.data
shows "a program that was removed while it ran" '\[program\]'

# Libraries that reuse each other's addresses.
build plugins "$programs/plugins.c" -ldl
for name in plugin_a plugin_b plugin_c; do
  build $name.so -fPIC -shared -DNAME=$name "$programs/plugin.c"
done
$record -g -N -o plugins.data ./plugins 200 2>/dev/null
folded plugins.data
for name in plugin_a plugin_b plugin_c; do
  shows "a library that was unloaded" "main;run_plugin;$name;"
done

# perf is killed: the file has no end, no build ids and no names of events.
g++ -g -O2 -pthread "$programs/threads.cc" -o threads
$record --call-graph dwarf,8192 -o killed.data ./threads 60000 2>/dev/null &
for _ in {1..200}; do
  sleep 0.1
  [ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -gt 4000000 ] && break
done
{ kill -KILL $! $(cat /proc/$!/task/$!/children) && wait $!; } 2>/dev/null
folded killed.data
has "of a recording that was cut" "$(cat said.txt)" "end.? in the middle"
shows "user code of a killed recording" "(clone3|\[libc.so.6\]);.*compute;"
if [ "$(id -u)" = 0 ]; then
  shows "kernel code of a killed recording" ";do_syscall_64;"
  shows "vDSO code of a killed recording" \
    "(clone3|\[libc.so.6\]);.*ask_for_time;.*__vdso_clock_gettime"
fi
size=$(stat -c %s killed.data)
for part in 2 3 7; do
  head -c $((size / part)) killed.data >cut.data
  folded cut.data
  shows "a part of a recording" "^threads;.* [0-9]+$"
done
finish
