# What wick record reports: what it did and what it could not do.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
compile_burner burn
burn() { "$WICK" record -o r.data "$@" -- ./burn 0 20000000 2>&1 </dev/null; }

has 'the size of stacks' "$(burn -e cpu-clock)" \
  'wrote r.data: [0-9,]+ samples? of cpu-clock with up to (1[6-9]|[2-6][0-9]) kB of stack, '
has 'a chosen size' "$(burn -e cpu-clock --call-graph dwarf,8192)" \
  'of cpu-clock with up to 8 kB of stack, '
has 'a small size' "$(burn -e cpu-clock --call-graph dwarf,104)" \
  'of cpu-clock with up to 104 bytes of stack, '
has 'frame pointers' "$(burn -e cpu-clock --call-graph fp)" 'of cpu-clock, [0-9]'
has 'two events' "$(burn -e cpu-clock,page-faults/period=1/)" \
  'samples of cpu-clock and page-faults/period=1/ with'
has 'two options' "$(burn -e cpu-clock -e page-faults/period=1/)" \
  'samples of cpu-clock and page-faults/period=1/ with'
has 'stacks that are cut' "$(burn -e cpu-clock --call-graph dwarf,8)" \
  'stacks? (is|are) deeper than'
has 'many events' \
  "$(burn -e cpu-clock,task-clock,page-faults/period=1/,minor-faults/period=1/)" \
  'samples of cpu-clock, task-clock and 2 other events with'
has 'an event that did not occur' "$(burn -e alignment-faults,page-faults/period=1/)" \
  'samples of page-faults/period=1/ with'
has 'a rate that is not allowed' \
  "$(burn -e cpu-clock -F "$(($(</proc/sys/kernel/perf_event_max_sample_rate) + 1))")" \
  'the kernel allows no more than [0-9]+ samples per second; .sudo sysctl kernel.perf_event_max_sample_rate='
has 'samples of a picture that shows one stack' \
  "$("$WICK" flame -e page-faults --count 1 --post-process 'head -n 1' \
    -o one.folded -- ./burn 0 1 2>&1 </dev/null)" \
  'wrote one.folded: [0-9]{2,} samples of page-faults.*, [0-9]+ function'

expect 2 '--filter: it applies to tracepoints, and no such event is recorded; see -e' \
  record --filter 'prev_pid == 1' -e cpu-clock -- true
has 'nothing' "$("$WICK" record -o r.data -F 1 -- true 2>&1)" \
  'wrote r.data: 0 samples .*no samples were taken'
has 'nothing of an event' \
  "$("$WICK" record -o r.data -e alignment-faults -- true 2>&1)" \
  'no samples were taken: the event did not occur'
has 'a signal' "$("$WICK" record -o r.data -- sh -c 'kill -9 $$' 2>&1)" \
  'the program was killed by signal 9'
"$WICK" record -o r.data --duration 0.1 -- sleep 20 2>said.txt
has 'who outlives the recording' "$(cat said.txt)" \
  'the program is still running, as process [0-9]+'
kill "$(sed -n 's/.*still running, as process //p' said.txt)"

# On chosen CPUs: programs that never ran there, or that started elsewhere.
if taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null; then
  has 'nothing on a CPU' \
    "$(taskset -c 1 "$WICK" record -C 0 -o r.data -- ./burn 0 1 2>&1 </dev/null)" \
    'no samples were taken: nothing ran on the CPUs of -C'
  has 'nothing to draw of a CPU' \
    "$(taskset -c 1 "$WICK" flame -C 0 -o r.folded -- ./burn 0 1 2>&1 </dev/null)" \
    'no samples were taken: nothing ran on the CPUs of -C'
  cat >moves.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) void hot_function(void) {
  struct timespec t;
  do {
    for (int i = 0; i < 100000; i++) sum += i;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  } while (t.tv_sec == 0 && t.tv_nsec < 100000000);
}
int main() {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof first, &first);
  hot_function();
}
C
  gcc -O1 -o moves moves.c
  taskset -c 1 "$WICK" record -q -C 0 -o c.data -- ./moves
  has 'a program that began on another CPU' "$("$WICK" fold -q c.data)" '(^|
)moves;[^
]*main;hot_function'
fi

# The program has the limits that it would have without wick.
same 'open files' "$(ulimit -Sn 100; "$WICK" record -q -o r.data -- sh -c 'ulimit -Sn')" 100

# As in perf: another process, for as long as a program runs.
./burn 0 100000000000 </dev/null 2>/dev/null &
"$WICK" record -q -o p.data -p $! -- sleep 0.4
same 'status of -p with a program' $? 0
kill $!
wait $! 2>/dev/null
has '-p with a program' "$("$WICK" fold -q p.data)" '^burn;.*hot_function'
same 'others than -p' "$("$WICK" fold -q p.data | grep -c '^sleep')" 0

# An event without samples is not the one that is shown.
"$WICK" record -q -o e.data -e alignment-faults,page-faults -c 1 -- ./burn 0 1000 \
  2>/dev/null </dev/null
has 'the first event with samples' "$("$WICK" fold -q e.data)" '^burn;'

# Asking for time off the CPU keeps the other events.
"$WICK" flame --off-cpu -o off.folded -- sleep 0.1 2>said.txt
same 'what is said of others' "$(grep -c 'left out' said.txt)" 0
finish
