# wick record -p PID --off-cpu of threads that sleep throughout: where they sleep.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
[ "$(id -u)" = 0 ] || skip 'only root may look at kernel stacks'
command -v gcc >/dev/null || skip 'there is no gcc'

# asleep PID COUNT: once it has as many threads and none of them runs.
asleep() {
  local i
  for i in {1..500}; do
    [ "$(cat "/proc/$1/task/"*/stat 2>/dev/null | grep -c ') S ')" = "$2" ] && return
    sleep 0.01
  done
  complain "process $1 has not gone to sleep"
}
# switches PID: how often its threads have left the CPU.
switches() { cat "/proc/$1/task/"*/status | grep ctxt_switches; }

# Compiled without optimization, functions need the frame pointer of a thread.
gcc -O0 -g -o deadlock "$SOURCE/tests/e2e/programs/deadlock.c" -lpthread
./deadlock &
program=$!
trap 'kill "$program"' EXIT
asleep "$program" 3
before=$(switches "$program")
"$WICK" record -q -o stuck.data -p "$program" --off-cpu --duration 0.2 || complain 'status'
same 'the program was not disturbed' "$(switches "$program")" "$before"
"$WICK" flame -q --event offcpu-time -o stuck.folded stuck.data
same 'as many places as threads' "$(wc -l <stuck.folded)" 3
places=$(cat stuck.folded)
has 'main' "$places" '_start;[^ ]*;main;[^ ]*join[^ ]*;[^ ]*futex[^ ]*;\[blocked\] [0-9]'
for thread in 'forwards;take_second' 'backwards;take_first'; do
  has "$thread" "$places" "start_thread;$thread;[^ ]*mutex_lock[^ ]*;do_syscall_64[^ ]*futex[^ ]*;\[blocked\] [0-9]"
done

# Each of them slept from the beginning to the end, and nothing else.
same 'widths' "$(sed 's/.* //' stuck.folded | sort -u | wc -l)" 1
"$WICK" flame -q --event wall-time -o wall.folded stuck.data
same 'no time but that' "$(sort wall.folded)" "$(sort stuck.folded)"

# The kernel's part is what the kernel itself shows.
shown=$(sed 's/^\[<0>\] //; s/+0x.*//' "/proc/$program/task/$program/stack" | tac | paste -sd ';')
has 'as in /proc' "$(grep ';main;' stuck.folded)" ";$shown;\[blocked\]"

# In another namespace of pids, where the kernel's numbers are others, /proc shows
# less, but what it shows is the same.
if unshare -p -f --mount-proc true 2>/dev/null; then
  unshare -p -f --mount-proc bash -c '
    ./deadlock &
    until [ "$(cat /proc/$!/task/*/stat | grep -c ") S ")" = 3 ]; do sleep 0.01; done
    "$0" record -q -o inside.data -p $! --off-cpu --duration 0.1
    "$0" flame -q --event offcpu-time -o inside.folded inside.data
    kill $!' "$WICK"
  has 'through /proc' "$(cat inside.folded)" 'mutex_lock[^ ]*;do_syscall_64[^ ]*futex[^ ]*;\[blocked\]'
  same 'no place is unknown' "$(grep -c 'since before' inside.folded)" 0
fi

# Root without BPF, and without the right to see kernel stacks. The frame pointer is
# unknown, so that stacks end where it is needed.
if setpriv --bounding-set=-bpf,-sys_admin true 2>/dev/null; then
  said=$(setpriv --bounding-set=-bpf,-sys_admin "$WICK" record -o proc.data -p "$program" --off-cpu --duration 0.1 2>&1)
  has 'what is missing' "$said" 'where 3 threads slept inside the kernel is not known; seeing that takes CAP_BPF'
  "$WICK" flame -q --event offcpu-time -o proc.folded proc.data
  for function in take_second take_first; do
    has 'without BPF' "$(cat proc.folded)" ";$function;[^ ]*mutex_lock[^ ]*;\[blocked\] [0-9]"
  done
fi

# Time off the CPU is what there is to see, and no event without samples is named.
has 'the event that is shown' "$("$WICK" report stuck.data)" 'kept: offcpu-time;'
has 'the closing line' "$("$WICK" record -o closing.data -p "$program" --off-cpu --duration 0.1 2>&1)" \
  ': 3 samples of sched:sched_switch with'

# With frame pointers, and one thread alone.
gcc -O0 -fno-omit-frame-pointer -x c -o nap - <<'C'
#include <unistd.h>
void nap(void) { pause(); }
int main(void) { nap(); }
C
./nap &
nap=$!
trap 'kill "$program" "$nap"' EXIT
asleep "$nap" 1
"$WICK" record -q -o fp.data -t "$nap" --off-cpu --call-graph fp --duration 0.1
"$WICK" flame -q --event offcpu-time -o fp.folded fp.data
has 'frame pointers' "$(cat fp.folded)" ';main;.*pause;.*;\[blocked\] [0-9]'

# perf reads them as switches.
if command -v perf >/dev/null; then
  has 'in perf' "$(perf script -i stuck.data 2>/dev/null | grep "prev_pid=$program ")" \
    'prev_comm=deadlock .*prev_state=S ==> next_comm=\[asleep\]'
fi
finish
