# From when to when, and whose: --delay, sleepers that are attached to, threads.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'

# Spins for so many milliseconds, while another thread sleeps.
cat >spins.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
void* sleeper(void* unused) {
  sleep(100);
  return unused;
}
double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
__attribute__((noinline)) void spin(double until) {
  while (now() < until)
    for (int i = 0; i < 10000; i++) sum += i;
}
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, 0, sleeper, 0);
  spin(now() + atof(argv[1]));
}
C
gcc -O1 -g -o spins spins.c -lpthread

# sum REGEX: of the lines of out.folded that match, in milliseconds.
sum() {
  grep -E "$1" out.folded |
    awk '{ sum += $NF / 1e6 } END { printf "%d", sum }'
}

# What was loaded during the delay is known.
"$WICK" record -q -e cpu-clock --delay 0.4 -o d.data -- ./spins 800
"$WICK" fold -q d.data >out.folded
[ "$(sum ';main;spin')" -ge 20 ] && [ "$(sum ';main;spin')" -le 460 ] ||
  complain "$(sum ';main;spin') of 400 ms after the delay are in spin"
[ "$(sum ';main;spin')" -ge $(($(sum .) * 9 / 10)) ] ||
  complain "stacks are incomplete after a delay: $(cat out.folded)"

# Children that begin while it is attached to their parent are known.
cat >forks.c <<'C'
#include <signal.h>
#include <unistd.h>
volatile unsigned long sum;
__attribute__((noinline)) void child_work(void) {
  alarm(1);
  for (;;) sum++;
}
int main(void) {
  signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 200; i++) {
    if (fork() == 0) child_work();
    usleep(10000);
  }
}
C
gcc -O1 -g -o forks forks.c
./forks &
"$WICK" record -q -e cpu-clock -p $! --duration 0.4 -o f.data
kill $!
"$WICK" fold -q f.data >out.folded
[ "$(sum ';child_work')" -ge 1 ] && [ "$(sum '\[unknown\]')" = 0 ] ||
  complain "what begins meanwhile is not known: $(cat out.folded)"

# Once is enough.
./spins 1500 &
"$WICK" record -q -e cpu-clock -p $!,$! --duration 0.4 -o twice.data
read -r ran _ </proc/$!/schedstat
"$WICK" fold -q twice.data >out.folded
[ "$(sum .)" -le $((ran / 1000000 + 20)) ] ||
  complain "a pid that is given twice has $(sum .) ms and ran for $ran ns"
wait

"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip_rest 'tracepoints cannot be used'

# Two threads, 400 ms after the delay.
"$WICK" flame -q --wall --delay 0.4 -o out.folded -- ./spins 800
[ "$(sum .)" -ge 700 ] && [ "$(sum .)" -le 1100 ] ||
  complain "the wall time of 800 ms in two threads is $(sum .)"
[ "$(sum ';sleeper;.*\[blocked\]')" -ge 350 ] ||
  complain "where a thread sleeps since before the delay is not known"

# Who sleeps all the time, does that to the end of the recording.
sleep 5 &
"$WICK" flame -q --off-cpu -p $! --duration 0.5 -o out.folded ||
  complain 'a process that sleeps cannot be drawn'
[ "$(sum '^sleep;\[off the CPU since before')" -ge 490 ] ||
  complain "a sleeper sleeps for $(sum .) of 500 ms"
kill $!

# Of a thread that is recorded alone, the others do not count.
./spins 1500 &
process=$!
sleep 0.2
"$WICK" flame -q --wall -t $process --duration 0.4 -o out.folded
[ "$(sum .)" -ge 390 ] && [ "$(sum .)" -le 700 ] ||
  complain "the wall time of one thread for 400 ms is $(sum .)"

# Nor do those who only had the CPU when a timer went off.
taskset -c 0 ./spins 1500 &
taskset -c 1 ./spins 1500 2>/dev/null &
"$WICK" flame -q --wakers -o out.folded -- sh -c 'for i in 1 2 3; do sleep 0.1; done'
[ "$(sum '^spins')" = 0 ] || complain "who is not recorded waits: $(cat out.folded)"
[ "$(sum '^sleep;.*\[woken by\]')" -ge 280 ] || complain "waits: $(cat out.folded)"
wait
finish
