# A stripped program is split into functions at the addresses that its symbols had,
# and a difference compares them.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'

cat >work.c <<'C'
#include <stdlib.h>
volatile unsigned long sum;
#define FUNCTION __attribute__((noinline)) static void
FUNCTION spin(long n) { for (long i = 0; i < n; i++) sum += i * i; }
FUNCTION more(long n) { spin(n); sum++; }
FUNCTION less(long n) { spin(n); sum++; }
int main(int argc, char** argv) {
  more(atol(argv[1]) * 1000000);
  less(100 * 1000000);
  return 0;
}
C
gcc -O1 -fno-inline -o work work.c
strip -o stripped work

# name FUNCTION: what it is called in the stripped program.
name() {
  printf '[stripped+%#x]' "0x$(nm work | awk -v name="$1" '$3 == name { print $1 }')"
}
# calls FUNCTION FOLDED: the weight of spin() below FUNCTION.
calls() {
  awk -v path="$(name main);$(name "$1");$(name spin)" \
    'index($0, path) { sum += $NF } END { print sum + 0 }' "$2"
}

"$WICK" record -q -o first.data -- ./stripped 300
"$WICK" fold -q --no-cache first.data >first.folded
more=$(calls more first.folded) less=$(calls less first.folded)
# 3 to 1, as far as samples tell.
[ $((2 * less)) -lt "$more" ] && [ $((4 * less)) -gt "$more" ] ||
  complain "more() has $more and less() $less in $(cat first.folded)"

# They have no names nevertheless, and the report tells how to get them.
"$WICK" report first.data >report.txt 2>&1
has 'the report' "$(cat report.txt)" 'its symbols are stripped'
has 'the losses' "$(cat report.txt)" 'samples are in code without a name'

"$WICK" record -q -o second.data -- ./stripped 600
"$WICK" diff --top 3 first.data second.data >diff.txt 2>&1
has 'the difference' "$(cat diff.txt)" "$(name more | sed 's/[][+]/\\&/g')"
finish
