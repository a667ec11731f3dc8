# wick flame --wakers: who woke a waiting thread, and who woke that one.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
command -v gcc >/dev/null || skip 'there is no gcc'

# A chain: a timer wakes the boss, who wakes the producer, who wakes main.
cat >wakes.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <time.h>
sem_t goods, order;
__attribute__((noinline)) void nap(int ms) {
  struct timespec t = {0, ms * 1000000L};
  nanosleep(&t, 0);
}
__attribute__((noinline)) int give(sem_t* what) { return sem_post(what) + 1; }
void* produce(void* unused) {
  prctl(PR_SET_NAME, "producer");
  for (int i = 0; i < 20; i++) {
    sem_wait(&order);
    give(&goods);
  }
  return unused;
}
void* command(void* unused) {
  prctl(PR_SET_NAME, "boss");
  for (int i = 0; i < 20; i++) {
    nap(20);
    give(&order);
  }
  return unused;
}
int main() {
  pthread_t producer, boss;
  sem_init(&goods, 0, 0);
  sem_init(&order, 0, 0);
  pthread_create(&producer, 0, produce, 0);
  pthread_create(&boss, 0, command, 0);
  for (int i = 0; i < 20; i++) sem_wait(&goods);
  pthread_join(producer, 0);
  pthread_join(boss, 0);
}
C
gcc -O1 -g -o wakes wakes.c -lpthread

# milliseconds REGEX: of the stacks that match.
milliseconds() {
  grep -E "$1" off.folded |
    awk '{ sum += $NF / 1e6 } END { printf "%d", sum }'
}

# Some kernels do not sample every interrupt, so that a second recorder says what
# they sample. The first run mounts tracefs, if need be.
"$WICK" record -q -o mounted.data -e sched:sched_waking -- true
timed python3 "$SOURCE/tests/e2e/sampled_wakings.py" boss "$WICK" flame -q \
  --wakers --keep off.data -o off.folded -- ./wakes >sampled.txt
same 'exit status' $? 0
read -r timers sampled <sampled.txt
[ "$timers" -ge 1 ] || complain "20 naps were ended by no timer"
by_producer='^wakes;.*;main;.*\[blocked\];\[woken by\];.*;give;produce;.*;producer'
for regex in "$by_producer" \
  "$by_producer;\[woken by\];.*;give;command;.*;boss[ ;]" \
  '^producer;.*;produce;.*\[blocked\];\[woken by\];.*;give;command;.*;boss[ ;]'; do
  [ "$(milliseconds "$regex")" -ge 1 ] ||
    complain "no wait matches $regex: $(cat off.folded)"
done

# The timers, unless the kernel sampled none of them.
regex='^boss;.*;nap;.*\[blocked\];\[woken by\];.*;\[interrupt\] '
[ "$sampled" = 0 ] || [ "$(milliseconds "$regex")" -ge 1 ] ||
  complain "of $timers wakings by timers, the kernel sampled $sampled, and" \
    "no wait matches $regex: $(cat off.folded)"

# Wakers do not change how long a wait was: main's end with 20 naps of 20 ms.
waits=$(milliseconds '^wakes;.*main;')
[ "$waits" -ge 390 ] && [ "$waits" -le "$elapsed" ] ||
  complain "main waited 400 to $elapsed ms, and $waits are drawn"

same 'sum' "$(awk '{ sum += $NF } END { printf "%d", sum }' off.folded)" \
  "$("$WICK" fold -q --event offcpu-time --hide '^\[woken by\]$' off.data |
    awk '{ sum += $NF } END { printf "%d", sum }')"

# A waker that is not recorded itself has its name.
mkfifo pipe
(sleep 0.3 && echo x && exec sleep 0.3) >pipe &
"$WICK" flame -q --wakers -o off.folded -- bash -c 'read -r line <pipe'
wait
[ "$(milliseconds '^bash;.*\[blocked\];\[woken by\];.*;(bash|sleep) ')" -ge 1 ] ||
  complain "the waker is another bash: $(cat off.folded)"

finish
