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

# One that is not as large as it can be is named with its size.
sed 's/100000/63700/' deep.c >fits.c
gcc -O1 -o fits fits.c
said=$("$WICK" record -o r.data -- ./fits 2>&1)
cut="deeper than their copied bytes \\(at most 63,488 bytes each\\); see 'wick record --call-graph dwarf,65528'"
has 'a copy of the usual size' "$said" "$cut"
has 'the same, later' "$("$WICK" report r.data 2>&1)" "$cut"
said=$("$WICK" record -o r.data --call-graph dwarf,65528 -- ./fits 2>&1)
! grep -q 'deeper than' <<<"$said" || complain "the largest copy is too short: $said"

# More frames than the kernel follows by frame pointers: these and copies do
# not refer to each other.
cat >many.c <<'C'
volatile unsigned long sum;
__attribute__((noinline)) int down(int n) {
  if (n == 0)
    for (long i = 0; i < 40000000; i++) sum += i;
  else
    sum += down(n - 1);
  return n;
}
int main(void) { return down(5000) == 0; }
C
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o many many.c
if [ "$(cat /proc/sys/kernel/perf_event_max_stack)" -lt 1000 ]; then
  said=$("$WICK" record -o r.data --call-graph dwarf,65528 -- ./many 2>&1)
  has 'many frames' "$said" \
    'deeper than the 64 kB.*followed further after `sudo sysctl kernel.perf_event_max_stack=4096`'
fi

# Pages between two frames are not in memory, so the kernel copies no further,
# whatever the size. Frame pointers lead across.
cat >hole.c <<'C'
#include <stdint.h>
#include <sys/mman.h>
volatile unsigned long sum;
__attribute__((noinline)) void leaf(void) {
  for (long i = 0; i < 40000000; i++) sum += i;
}
__attribute__((noinline)) void large(void (*next)(void)) {
  volatile char room[100000];
  room[0] = 1;
  uintptr_t page = ((uintptr_t)room + 4159) & -4096;
  madvise((void*)page, 81920, MADV_DONTNEED);
  next();
  sum += room[0];
}
int main(void) { large(leaf); }
C
gcc -O1 -fno-omit-frame-pointer -o hole hole.c
for size in 8192 65528; do
  said=$("$WICK" record -o hole.data --call-graph dwarf,$size -- ./hole 2>&1)
  has "untouched pages, $size" "$said" \
    "lead to memory that the kernel could not copy: untouched.*see 'wick record --call-graph fp'"
  ! grep -q 'dwarf,' <<<"$said" || complain "a larger copy does not help: $said"
  has 'the report of untouched pages' "$("$WICK" report hole.data 2>&1)" \
    'memory that the kernel could not copy'
done
"$WICK" record -q -o hole.data --call-graph fp -- ./hole
has 'frame pointers' "$("$WICK" fold -q hole.data)" 'main;.*leaf'
finish
