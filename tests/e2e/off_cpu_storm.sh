# wick record --off-cpu of threads that leave the CPU all the time: copies of their
# stacks become smaller before many switches are lost, wick says so, and no switch
# counts twice.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
command -v gcc >/dev/null || skip 'there is no gcc'
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt $((2000 * 2 * $(nproc))) ] ||
  skip "no more than $(ulimit -Hn) files may be open"
gcc -O1 -g -o storm "$SOURCE/tests/e2e/programs/storm.c" -lpthread

# 1,500 threads that run already.
# In a session of its own, which is scheduled as a whole.
setsid nice -n 19 ./storm 1500 60000 >/dev/null &
program=$!
trap 'kill "$program" 2>/dev/null' EXIT
for _ in {1..1000}; do
  [ "$(ls "/proc/$program/task" 2>/dev/null | wc -l)" = 1501 ] && break
  sleep 0.01
done
said=$("$WICK" record -o attached.data -p "$program" --off-cpu --duration 0.2 2>&1)
kill "$program"
has 'what is cut' "$said" '1,501 threads (may )?leave the CPU [^.]*, so only [0-9.]+ kB of their stacks are copied'
"$WICK" flame -q --event offcpu-time -o attached.folded attached.data
has 'where they wait' "$(grep -m1 'hand_on.*read' attached.folded)" 'run;hand_on;[^ ]*read'

# A program that wick starts, whose rate is not known before: 16 switches fill the
# buffer.
said=$("$WICK" record -o started.data --off-cpu -m 256K -- ./storm 200 500 2>&1 >switches)
has 'copies that shrink' "$said" 'too often for larger copies; after [0-9.]+ m?s, only 2.0 kB of their stacks were copied'
has 'what is cut' "$said" 'deeper than their copied bytes, and the buffers had no room for more.*larger buffers have room; see .wick record -m'
same 'hints that contradict that' "$(grep -c 'dwarf,' <<<"$said")" 0
sampled=$("$WICK" report --raw started.data | awk '$NF == "sched:sched_switch" { print $1; exit }' | tr -d ,)
# What follows the program's own count: its threads end.
[ "$sampled" -le $(($(cat switches) + 1000)) ] ||
  complain "$sampled switches were sampled, but there were $(cat switches)"

# A size that the user gave is kept. Records are lost, so larger copies are no advice.
said=$("$WICK" record -o given.data --off-cpu -m 32K --call-graph dwarf,2048 -- ./storm 200 200 2>&1 >switches)
same 'a size that the user gave' "$(grep -c 'copies; after' <<<"$said")" 0
has 'what is lost' "$said" ' lost; a larger -m loses fewer'
has 'what is cut' "$said" 'and the buffers had no room for more'
same 'hints that contradict that' "$(grep -c 'dwarf,' <<<"$said")" 0
finish
