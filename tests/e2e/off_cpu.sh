# wick flame --off-cpu: where threads wait, and for how long.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
command -v gcc >/dev/null || skip 'there is no gcc'

# Sleeps, and waits for a lock; measures itself how long it took.
cat >waits.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
__attribute__((noinline)) void nap(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, 0);
}
void* holder(void* unused) {
  pthread_mutex_lock(&lock);
  nap(500);
  pthread_mutex_unlock(&lock);
  return unused;
}
__attribute__((noinline)) void waiter() {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
int main() {
  pthread_t thread;
  pthread_create(&thread, 0, holder, 0);
  const double begin = now();
  nap(100);
  const double middle = now();
  waiter();
  printf("nap %f\nwaiter %f\n", middle - begin, now() - middle);
  pthread_join(thread, 0);
}
C
gcc -O2 -g -o waits waits.c -lpthread

"$WICK" flame -q --off-cpu -o off.folded -- ./waits >measured.txt
same 'exit status' $? 0
for function in nap waiter; do
  wanted=$(sed -n "s/^$function //p" measured.txt)
  got=$(awk "/;main;$function;/"' { sum += $NF / 1e6 } END { print sum + 0 }' \
    off.folded)
  awk -v a="$got" -v b="$wanted" \
    'BEGIN { exit !(a - b < 2 + b / 50 && b - a < 2 + b / 50) }' ||
    complain "$function was off the CPU for $wanted ms, and $got are drawn"
done
has 'why' "$(cat off.folded)" ';main;nap;.*;\[blocked\] [0-9]'

# On and off the CPU together, as wide as the thread's life.
"$WICK" flame -q --wall -o wall.folded -- ./waits >measured.txt
life=$(awk '{ sum += $2 } END { print sum }' measured.txt)
drawn=$(awk '/;_start;/ { sum += $NF / 1e6 } END { print sum + 0 }' wall.folded)
awk -v a="$drawn" -v b="$life" 'BEGIN { exit !(a > b - 2 && a < b * 1.2 + 20) }' ||
  complain "the main thread waited for $life ms, and $drawn are drawn"
finish
