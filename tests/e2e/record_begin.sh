# What a recording covers: --delay, sleepers that wick attaches to, single threads.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'

# spins MILLISECONDS: spins while another thread sleeps.
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
timed "$WICK" record -q -e cpu-clock --delay 0.4 -o d.data -- ./spins 1500
"$WICK" fold -q d.data >out.folded
[ "$(sum ';main;spin')" -ge 1 ] && [ "$(sum ';main;spin')" -le $((elapsed - 400)) ] ||
  complain "$(sum ';main;spin') of $((elapsed - 400)) ms after the delay are in spin"
[ "$(sum ';main;spin')" -ge $(($(sum .) * 9 / 10)) ] ||
  complain "stacks are incomplete after a delay: $(cat out.folded)"

# Children that start while wick attaches to their parent are known.
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
  complain "processes started meanwhile have no names: $(cat out.folded)"

# A process that is named twice is recorded once.
./spins 100000 &
"$WICK" record -q -e cpu-clock -p $!,$! --duration 0.4 -o twice.data
read -r ran _ </proc/$!/schedstat
kill $!
"$WICK" fold -q twice.data >out.folded
[ "$(sum .)" -le $((ran / 1000000 + 20)) ] ||
  complain "a pid given twice has $(sum .) ms but ran for $ran ns"
wait

"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip_rest 'tracepoints cannot be used'

# Two threads, which live no longer than the command without the delay.
timed "$WICK" flame -q --wall --delay 0.4 -o out.folded -- ./spins 1500
[ "$(sum .)" -ge 1 ] && [ "$(sum .)" -le $((2 * (elapsed - 400))) ] ||
  complain "the wall time after the delay is $(sum .) of twice $((elapsed - 400)) ms"
[ "$(sum ';sleeper;.*\[blocked\]')" -ge 1 ] ||
  complain "the place of a sleep that began before the delay is missing"

# A process that sleeps all the time sleeps to the end of the recording.
sleep 100 &
"$WICK" flame -q --off-cpu -p $! --duration 0.5 -o out.folded ||
  complain 'a process that sleeps cannot be drawn'
[ "$(sum '^sleep;.*\[(blocked|off the CPU since before)')" -ge 490 ] ||
  complain "a sleeper sleeps for $(sum .) of 500 ms"
kill $!

# A thread can be recorded without the others of its process.
./spins 100000 &
until [ "$(ls /proc/$!/task | wc -l)" = 2 ]; do sleep 0.1; done
timed "$WICK" flame -q --wall -t $! --duration 0.4 -o out.folded
kill $!
[ "$(sum .)" -ge 390 ] && [ "$(sum .)" -le "$elapsed" ] ||
  complain "the wall time of one thread for 400 ms is $(sum .) of $elapsed"
same 'the thread that is not recorded' "$(sum sleeper)" 0

# A thread that merely held the CPU when a timer fired is not a waker.
taskset -c 0 ./spins 100000 &
spins=$!
taskset -c 1 ./spins 100000 2>/dev/null &
spins="$spins $!"
"$WICK" flame -q --wakers -o out.folded -- sh -c 'for i in 1 2 3; do sleep 0.1; done'
[ "$(sum '^spins')" = 0 ] || complain "waits of processes that are not recorded: $(cat out.folded)"
[ "$(sum '^sleep;.*\[woken by\]')" -ge 280 ] || complain "waits: $(cat out.folded)"
kill $spins 2>/dev/null
wait
finish
