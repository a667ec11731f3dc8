# SPDX-License-Identifier: Apache-2.0
# wick diff: gates on what a program costs, with a real one that becomes slower.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
# Uses as much CPU time as it is told, whatever else runs here: 60 % of it in hot.
cat >uses.c <<'C'
#include <stdlib.h>
#include <time.h>
volatile unsigned long sum;
static double milliseconds_used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static void work_until(double end) {
  do
    for (int i = 0; i < 100000; i++) sum += i;
  while (milliseconds_used() < end);
}
__attribute__((noinline)) void hot(double end) { work_until(end); sum++; }
__attribute__((noinline)) void warm(double end) { work_until(end); sum++; }
int main(int argc, char** argv) {
  hot(0.6 * atol(argv[1]));
  warm(atol(argv[1]));
}
C
gcc -O1 -g -o uses uses.c
record() {
  "$WICK" record -q -e cpu-clock -F 2000 -o "$1" -- ./uses "$2" </dev/null ||
    complain "cannot record ./uses $2"
}
record once.data 150
record thrice.data 450
# gate STATUS REGEX WORDS…
gate() {
  local status=$1 regex=$2 got said
  shift 2
  said=$("$WICK" diff "$@" once.data thrice.data 2>&1)
  got=$?
  [ "$got" = "$status" ] || complain "diff $*: status $got, not $status: $said"
  has "diff $*" "$said" "$regex"
}

# Every function takes three times as long: no share changes.
gate 0 'functions' --fail-on '^hot$>+15%' --fail-on '^warm$>+15%'
gate 3 'wick: hot grew from [0-9.]+ m?s to [0-9.]+ m?s per run: \+[0-9.]+ m?s, [234]\.' \
  --fail-on '^hot$>1.5x'
gate 3 'wick: the whole program grew' --fail-on 'total>1.5x'
gate 3 'wick: warm grew' --fail-on '^warm$>+50ms'
gate 0 functions --fail-on '^warm$>+500ms'
# …unless it did three times as much.
gate 0 'before/run +after/run +ratio' --runs 1,3 --fail-on 'total>1.5x'
gate 0 'cost per operation' --work 1000,3000 --fail-on 'total>1.5x' \
  --fail-on '^hot$>+500us'
gate 3 'the whole program shrank' --runs 1,9 --fail-on 'total<0.6x'
gate 0 ' in 1,000,000 runs, .* in 2\.5 runs, ' --runs 1000000,2.5

# What a gate cannot compare is an error, and no gate that passes.
"$WICK" fold once.data >once.folded
"$WICK" fold thrice.data >thrice.folded
said=$("$WICK" diff --fail-on 'hot>+5ms' once.folded thrice.folded 2>&1 >/dev/null)
same 'the status of times of folded stacks' $? 1
has 'times of folded stacks' "$said" \
  "^wick: --fail-on 'hot>\+5ms': the inputs count samples, not time; limit a ratio"
expect 2 "--runs: expected two numbers A,B, before and after, got '3'" \
  diff --runs 3 once.data thrice.data
expect 2 '--runs: 0 is not between' diff --runs 0,1 once.data thrice.data
expect 2 '--work: .x. is not a number' diff --work 1,x once.data thrice.data
expect 2 'excludes' diff --runs 1,1 --work 1,1 once.data thrice.data
expect 2 'the share of the whole program is always 100%' \
  diff --fail-on 'total>+2%' once.data thrice.data
finish
