# wick flame --wall: for every thread the widths add up to the time it lived.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
# Without tracepoints, times are as exact but stacks of sleepers are unknown.
"$WICK" doctor | grep -q 'tracepoints can be used' && knows_where=1 || knows_where=0

# One thread sleeps, one works, one ends early. Each life is measured from
# before the thread is made until right before it ends.
cat >lives.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
void nap(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, 0);
}
void work(int ms) {
  const double end = now() + ms;
  while (now() < end)
    for (int i = 0; i < 1000; i++) sum += i;
}
struct life { double begin; int sleeps, works; };
void* live(void* given) {
  struct life* life = given;
  nap(life->sleeps);
  work(life->works);
  printf("%ld %f\n", syscall(SYS_gettid), now() - life->begin);
  return 0;
}
int main(int argc, char** argv) {
  const double begin = now();
  struct life lives[] = {{0, 900, 0}, {0, 0, 900}, {0, 100, 100}};
  pthread_t threads[3];
  // Attached to, if it is asked for.
  if (argc > 1) nap(500);
  for (int i = 0; i < 3; i++) {
    lives[i].begin = now();
    pthread_create(&threads[i], 0, live, &lives[i]);
  }
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  printf("%d %f\n", getpid(), now() - begin);
}
C
gcc -O1 -o lives lives.c -lpthread

# compare WHAT SLACK: lives.txt has "TID MILLISECONDS", wall.folded the stacks.
compare() {
  while read -r tid life; do
    drawn=$(awk -v tid="$tid" '{ split($1, root, ";")
        if (root[1] ~ "/" tid "$") sum += $NF / 1e6 } END { print sum + 0 }' \
      wall.folded)
    # A hundredth; main is older than it knows by the time to load it.
    awk -v a="$drawn" -v b="$life" -v slack="$2" \
      'BEGIN { exit !(a > b * 0.99 - 1 && a < b * 1.01 + slack) }' ||
      complain "$1: thread $tid lived for $life ms, and $drawn are drawn"
  done <lives.txt
}

"$WICK" flame -q --wall --keep wall.data -o flame.folded -- ./lives >lives.txt
same 'exit status' $? 0
same 'threads' "$(wc -l <lives.txt)" 4
"$WICK" fold -q --tid --event wall-time wall.data >wall.folded
compare 'a program' 12
[ $knows_where = 0 ] || has 'sleeping' "$(cat flame.folded)" 'nanosleep'
has 'working' "$(cat flame.folded)" ';work'

# Attached while it sleeps: those that it makes later are whole, and it was off
# the CPU until then.
./lives late >lives.txt &
"$WICK" record -q --off-cpu -p $! -o late.data
wait
sed -i '$d' lives.txt
"$WICK" fold -q --tid --event wall-time late.data >wall.folded
compare 'attached' 1
[ $knows_where = 0 ] || has 'the sleeper' "$(cat wall.folded)" \
  "^lives-$!/$!;\[off the CPU since before the recording\] [1-9]"

# As nobody, without tracepoints: lives are as long.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
  let_nobody_in || skip_rest 'nobody may not run programs here'
  "${nobody[@]}" "$WICK" record -q --off-cpu -o nobody.data -- ./lives \
    >lives.txt 2>said.txt
  same 'exit status as nobody' $? 0
  "$WICK" fold -q --tid --event wall-time nobody.data >wall.folded
  compare 'as nobody' 12
fi
finish
