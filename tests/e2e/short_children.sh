# SPDX-License-Identifier: Apache-2.0
# Processes that end before a clock of their own would sample them: with the right
# to sample whole CPUs they are sampled, else their time is reported. Nothing of other
# processes is in the file.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc python3 >/dev/null || skip 'there is no gcc or python3'
paranoid=/proc/sys/kernel/perf_event_paranoid
before=$(cat $paranoid)
trap 'echo "$before" 2>/dev/null >$paranoid' EXIT
echo 2 2>/dev/null >$paranoid || skip 'kernel.perf_event_paranoid cannot be set'
let_nobody_in || skip 'nobody may not run programs here'

cat >spawn.c <<'C'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char** environ;
int main(int argc, char** argv) {
  for (int i = atoi(argv[1]); i > 0; i--) {
    char* words[] = {"true", 0};
    pid_t pid;
    if (posix_spawnp(&pid, "true", 0, 0, words, environ)) return 1;
    waitpid(pid, 0, 0);
  }
}
C
cat >burn.c <<'C'
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) void burn_work(void) {
  for (int i = 0; i < 10000; i++) sum += i;
}
int main(void) {
  struct timespec t;
  do {
    burn_work();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  } while (t.tv_sec == 0 && t.tv_nsec < 500000000);
}
C
gcc -O1 -g -o spawn spawn.c && gcc -O1 -g -o burn burn.c || skip 'gcc cannot compile'
cat >cats.sh <<'S'
i=0
while [ $i -lt 300 ]; do cat cats.sh >/dev/null; i=$((i + 1)); done
S
# Runs a command and writes the CPU time that it took, in milliseconds.
cat >used.py <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open("used.txt", "w").write(str(int((used.ru_utime + used.ru_stime) * 1000)))
P

# sampled FILE: milliseconds in samples, without those of used.py.
sampled() {
  "$WICK" fold -q "$1" | grep -v '^python' |
    awk '{ sum += $NF / 1e6 } END { printf "%d", sum }'
}

python=$(python3 -c 'import sys; print(sys.executable)')
# accounts LEAST MOST COMMAND…: percent of its CPU time that are in samples.
accounts() {
  local least=$1 most=$2 used got
  shift 2
  "$WICK" record -q -e cpu-clock -F "${rate:-997}" -o r.data -- "$python" used.py "$@"
  used=$(cat used.txt) got=$(sampled r.data)
  [ "$got" -ge $((used * least / 100)) ] && [ "$got" -le $((used * most / 100)) ] ||
    complain "$*: $got of $used ms are in samples"
}
accounts 75 125 sh cats.sh
accounts 75 125 ./spawn 600
accounts 88 112 ./burn
rate=4999 accounts 75 125 ./spawn 600

# What others run at the same time is not in the file.
cp burn other_program
./other_program &
"$WICK" record -q -e cpu-clock -o alone.data -- ./spawn 50
wait
grep -q other_program alone.data && complain 'a foreign process is in the file'
same 'stacks of others' \
  "$("$WICK" fold -q alone.data | grep -vc '^\(spawn\|true\)[; ]')" 0

# Its tree is also right with time off the CPU, and nothing begins before exec.
"$WICK" record -q -e cpu-clock --off-cpu -o off.data -- ./spawn 50
same 'stacks of others with --off-cpu' \
  "$("$WICK" fold -q off.data | grep -vc '^\(spawn\|true\)[; ]')" 0

# Without the right, the time is reported: after the run, in the report and in the
# picture.
as_nobody() {
  "${nobody[@]}" "$WICK" record -e cpu-clock -o "$1" -- "${@:2}" 2>&1
}
text='of CPU time was not sampled: it was spent in the kernel, .* or in processes that ended before their first sample \([1-9][0-9]% of '
has 'without kernel code' "$(as_nobody n.data sh -c './spawn 400; ./burn')" "$text"
has 'the report' "$("$WICK" report n.data 2>&1)" "$text"
"$WICK" flame -q -o n.svg n.data
has 'the picture' "$(cat n.svg)" "$text"
echo 1 >$paranoid
said=$(as_nobody n1.data ./spawn 400)
has 'with kernel code' "$said" \
  'of CPU time was not sampled: processes or threads ended before .* \(([5-9][0-9]|100)% of .*paranoid=0'
same 'a program that is sampled well' \
  "$(as_nobody burn.data ./burn | grep -c 'not sampled')" 0
echo 2 >$paranoid

# A program that may not be sampled at all.
cp burn setuid
chmod 4755 setuid
cp burn unreadable
chmod 0111 unreadable
text='ms of CPU time was spent in programs that the kernel does not let you sample'
for program in setuid unreadable; do
  said=$(as_nobody $program.data ./$program)
  has "$program" "$said" "$text.*\((9[0-9]|100)% of "
  same "$program: other reasons" "$(grep -c 'too briefly' <<<"$said")" 0
  has "$program: flame" \
    "$("${nobody[@]}" "$WICK" flame -o no.svg -- ./$program 2>&1)" \
    "no samples were taken: .*$text"
done
said=$(as_nobody brief.data su root -c true </dev/null)
has 'a setuid program that ends at once' "$said" "$text"
same 'its other reasons' "$(grep -c 'too briefly' <<<"$said")" 0
has 'its time off the CPU' \
  "$("${nobody[@]}" "$WICK" flame --off-cpu -o no.svg -- ./setuid 2>&1)" "$text"
has 'half of it' "$(as_nobody half.data sh -c './burn; ./setuid')" \
  "$text.*\([45][0-9]% of "

# What is left out by choice is not missed.
for options in --no-children '-e cpu-clock:u' '-e cpu-clock:k' --user; do
  same "$options" "$("$WICK" record $options -o chosen.data -- sh -c './burn; true' 2>&1 |
    grep -c 'of CPU time')" 0
done

# Attached processes have no clock of their CPU, so the time is reported.
./spawn 100000 &
spawner=$!
has '-p' "$("$WICK" record -p $spawner --duration 0.5 -o p.data 2>&1)" \
  'of CPU time was not sampled: processes or threads ended .*% of .*\(-a\)'
kill $spawner
./burn &
same '-p of a program that is sampled well' \
  "$("$WICK" record -p $! --duration 0.3 -o p.data 2>&1 | grep -c 'not sampled')" 0
wait

# On each CPU for 5 ms of its time.
cat >move.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>
int main(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0, i = 0; i < 200; cpu = (cpu + 1) % CPU_SETSIZE) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    struct timespec t;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec * 200 + t.tv_nsec / 5000000 <= i);
    i++;
  }
}
C
gcc -O1 -o move move.c
./move &
same '-p of a program that moves between CPUs' \
  "$("$WICK" record -p $! --duration 0.3 -o p.data 2>&1 | grep -c 'not sampled')" 0
kill $!
wait

# What outlives the program is named.
cat >leaves.sh <<'S'
sleep 100 >/dev/null 2>&1 &
echo $! >pid
until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done
S
said=$("$WICK" record -o left.data -- sh leaves.sh 2>&1)
has 'a process that stays' "$said" \
  "sleep \($(cat pid)\) runs on after the program's end.*'wick record -p $(cat pid)'"
kill "$(cat pid)"
same 'none stays' "$("$WICK" record -o left.data -- sh -c 'sleep 0.01' 2>&1 |
  grep -c 'runs on')" 0
finish
