# An ordinary user, without tracepoints and BPF, asks where a process of theirs is
# stuck: /proc shows it.
. "$(dirname "$0")/lib.bash"
command -v gcc >/dev/null || skip 'there is no gcc'
let_nobody_in || skip 'nobody cannot run programs here'
"${nobody[@]}" "$WICK" doctor | grep -q '^NO' &&
  skip 'the kernel does not allow nobody to record'
"${nobody[@]}" "$WICK" doctor | grep -q 'tracepoints can be used' &&
  skip 'nobody may use tracepoints here'
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)

gcc -O1 -g -o deadlock "$SOURCE/tests/e2e/programs/deadlock.c" -lpthread
"${nobody[@]}" ./deadlock &
program=$!
trap 'kill "$program"' EXIT
for _ in {1..500}; do
  [ "$(cat "/proc/$program/task/"*/stat 2>/dev/null | grep -c ') S ')" = 3 ] && break
  sleep 0.01
done

said=$("${nobody[@]}" "$WICK" record -o stuck.data -p "$program" --off-cpu --duration 0.2 2>&1)
if [ "$scope" != 0 ]; then
  has 'what was denied' "$said" 'does not show the stacks of 3 threads .*ptrace_scope'
  finish
fi
has 'only events with samples are named' "$said" ': 3 samples of context-switches with'
"${nobody[@]}" "$WICK" fold -q -o stuck.folded stuck.data
same 'threads in their places' "$(awk '{ sum += $NF > 190e6 } END { print sum }' stuck.folded)" 3
for place in '_start;[^ ]*;main;[^ ]*join' 'forwards;take_second;[^ ]*mutex_lock' \
  'backwards;take_first;[^ ]*mutex_lock'; do
  has 'where they are stuck' "$(cat stuck.folded)" "$place"
done
has 'time off the CPU is what is shown' "$("${nobody[@]}" "$WICK" report stuck.data)" \
  'kept: offcpu-time;'
finish
