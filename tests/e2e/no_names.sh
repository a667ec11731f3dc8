# SPDX-License-Identifier: Apache-2.0
# Why code has no names is said where it is missed, with hints that work.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null && command -v strip >/dev/null || skip 'there is no gcc'
# perf keeps copies of what it recorded, and wick what it resolved.
export HOME=$PWD XDG_CACHE_HOME=$PWD/cache
compile_burner whole
strip -o bare whole
# Without a recording to ask later.
said=$("$WICK" flame -o bare.svg -- ./bare 0 40000000 2>&1 </dev/null)
has 'the reason' "$said" \
  'samples? (is|are) in code without a name.*/bare: its symbols are stripped; link it without -s'
! grep -q 'wick report' <<<"$said" || complain "a hint needs a recording: $said"
! grep -q 'dbgsym\|debuginfod' <<<"$said" ||
  complain "no package has this program: $said"
! grep -q 'wick report' bare.svg || complain 'the picture has a hint to a report'

# A copy of the stack that is as large as it can be is not suggested.
said=$("$WICK" record -o r.data --call-graph dwarf,64 -- ./whole 0 20000000 2>&1 </dev/null)
has 'a small copy' "$said" "deeper than.*see 'wick record --call-graph dwarf,65528'"
cat >deep.c <<'C'
#include <string.h>
volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) {
  for (long i = 0; i < 40000000; i++) sum += i;
}
__attribute__((noinline)) void large(void (*next)(void)) {
  char room[100000];
  memset(room, (int)sum, sizeof room);
  next();
  sum += room[sum % sizeof room];
}
int main(void) { large(leaf); }
C
gcc -O1 -o deep deep.c
said=$("$WICK" record -o r.data --call-graph dwarf,65528 -- ./deep 2>&1)
has 'the largest copy' "$said" 'deeper than the 64 kB that the kernel can copy'
! grep -q 'dwarf,' <<<"$said" || complain "a hint that was followed: $said"
finish
