# A recording that runs out of space: what was written can be read, what is missing
# is reported, and the program runs to its end.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'

# Works for 1.3 s of CPU time, or the given number of milliseconds,
# then prints a line.
cat >works.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
volatile unsigned long sum;
int main(int argc, char** argv) {
  const double ms = argc > 1 ? atof(argv[1]) : 1300;
  struct timespec t;
  do {
    for (int i = 0; i < 100000; i++) sum += i;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  } while (t.tv_sec * 1e3 + t.tv_nsec * 1e-6 < ms);
  puts("done");
}
C
gcc -O1 -o works works.c

# record_into KILOBYTES NAME: records into a file of at most KILOBYTES.
record_into() {
  (
    ulimit -f "$1"
    "$WICK" record -q -F 4000 -o "$2" -- ./works >done.txt 2>said.txt
  )
}

"$WICK" record -q -F 4000 -o whole.data -- ./works >done.txt
size=$(($(stat -c %s whole.data) / 1024))

# Room for nearly all: the first second is there.
record_into $((size * 9 / 10)) most.data
same 'exit status' $? 1
same 'the program' "$(cat done.txt)" done
has 'what is said' "$(cat said.txt)" \
  '^wick: most.data: cannot continue writing: File too large; the recording ended after [0-9.]+ s: [0-9,]+ samples can be read, [0-9,]+ samples and everything after that are missing; free some space'
same 'lines' "$(wc -l <said.txt)" 1
kept=$(sed 's/.* s: \([0-9,]*\) samples can.*/\1/' said.txt | tr -d ,)
missing=$(sed 's/.* read, \([0-9,]*\) samples and.*/\1/' said.txt | tr -d ,)
"$WICK" report most.data >report.txt 2>&1
same 'samples in the file' \
  "$(awk '$NF ~ /^(cpu-clock|cycles)$/ { print $(NF - 1); exit }' report.txt |
    tr -d ,)" "$kept"
[ "$missing" -gt 0 ] || complain "$missing samples are missing"
has 'what the file says' "$(tr -d , <report.txt)" \
  "$missing samples were lost by the profiler|input ends in the middle"

# Room for little: it ends while the program runs.
record_into 48 little.data
same 'exit status' $? 1
same 'the program' "$(cat done.txt)" done
has 'what little room is for' "$(cat said.txt)" ' s: [1-9][0-9,]* samples can be read'
"$WICK" report little.data >/dev/null 2>report.txt
! grep -q 'could not be read' report.txt || complain "$(cat report.txt)"

# The program is drawn.
(
  ulimit -f $((size * 9 / 10))
  "$WICK" flame -q -F 4000 --keep kept.data -o out.folded -- ./works \
    >done.txt 2>said.txt
)
same 'exit status' $? 1
has 'what is said' "$(cat said.txt)" 'cannot continue writing: File too large'
has 'the picture' "$(cat out.folded)" ';main'

# No room for a single sample: the disk is why there is nothing to draw.
(
  ulimit -f 1
  "$WICK" flame -q -F 4000 --keep none.data -o none.folded -- ./works 300 \
    >done.txt 2>said.txt
)
same 'exit status' $? 1
same 'the program' "$(cat done.txt)" done
has 'what is said' "$(cat said.txt)" \
  '^wick: none.data: cannot continue writing: File too large; .* 0 samples can be read, .*write elsewhere with --keep'
finish
