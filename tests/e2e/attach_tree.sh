# SPDX-License-Identifier: Apache-2.0
# -p records the descendants of a process: those that there are, those that begin
# while wick attaches, and later ones.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'

cat >master.c <<'C'
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
__attribute__((noinline)) void spin(double ms) {
  for (double end = cpu_ms() + ms; cpu_ms() < end;)
    for (int i = 0; i < 10000; i++) sum += i;
}
__attribute__((noinline)) void worker_work(double ms) { spin(ms); sum++; }
__attribute__((noinline)) void grandchild_work(double ms) { spin(ms); sum++; }
__attribute__((noinline)) void master_work(void) { spin(0.2); sum++; }
pid_t child(void) {
  const pid_t pid = fork();
  if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return pid;
}
// workers: a worker and its child. storm: always six children, each of which
// ends after 15 ms of CPU time.
int main(int argc, char** argv) {
  if (!strcmp(argv[1], "workers")) {
    if (child() == 0) {
      if (child() == 0) grandchild_work(1e6);
      worker_work(1e6);
    }
    for (;;) {
      usleep(2000);
      master_work();
    }
  }
  for (int children = 0;;) {
    if (child() == 0) {
      worker_work(15);
      _exit(0);
    }
    if (++children >= 6) wait(0);
  }
}
C
gcc -O1 -g -o master master.c || skip 'gcc cannot compile'

# samples FILE REGEX: of matching stacks, in milliseconds.
samples() {
  "$WICK" fold -q "$1" | grep -E "$2" |
    awk '{ sum += $NF / 1e6 } END { printf "%d", sum }'
}

./master workers &
master=$!
until [ "$(cat /proc/[0-9]*/status 2>/dev/null | grep -c '^Name:.master$')" -ge 3 ]; do
  sleep 0.05
done
"$WICK" record -q -e cpu-clock -p $master --duration 0.5 -o tree.data
for function in master_work worker_work grandchild_work; do
  [ "$(samples tree.data ";$function;")" -ge 3 ] ||
    complain "$function is not recorded: $("$WICK" fold -q tree.data)"
done
"$WICK" record -q -e cpu-clock --no-children -p $master --duration 0.5 -o alone.data
[ "$(samples alone.data ';master_work;')" -ge 3 ] ||
  complain 'the process itself is not recorded without its children'
same '--no-children' "$(samples alone.data 'worker_work|grandchild_work')" 0
kill $master
wait

# Each child is recorded once, whenever it began.
./master storm &
master=$!
disown
sleep 0.2
for round in 1 2 3; do
  "$WICK" record -q -e cpu-clock -p $master --duration 0.3 -o storm.data
  "$WICK" fold -q --pid storm.data >storm.folded
  [ "$(wc -l <storm.folded)" -ge 5 ] ||
    complain "few children are recorded: $(cat storm.folded)"
  awk '{ split($1, of, ";"); ms[of[1]] += $NF / 1e6 }
       END { for (pid in ms) if (ms[pid] > 22) print pid, ms[pid] }' \
    storm.folded >twice.txt
  same 'children that are recorded twice' "$(cat twice.txt)" ''
done
kill $master

expect 1 '^wick: -p: there is no process 4194303$' record -p 4194303
expect 1 '^wick: -t: there is no thread 4194303$' record -t 4194303
expect 2 '^wick: --no-children: -a records all processes$' record -a --no-children
finish
