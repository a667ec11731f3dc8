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

"$WICK" record -q -o second.data -- ./stripped 1600
"$WICK" diff --top 3 first.data second.data >diff.txt 2>&1
has 'the difference' "$(cat diff.txt)" "$(name more | sed 's/[][+]/\\&/g')"

# gate STATUS REGEX GATE BEFORE AFTER
gate() {
  local said got
  said=$("$WICK" diff --fail-on "$3" "$4" "$5" 2>&1 >/dev/null)
  got=$?
  same "the status of $3 on $4 and $5" "$got" "$1"
  has "$3 on $4 and $5" "$said" "$2"
}
# In one build, an address is as good as a name, but a name is not found.
more_regex=$(name more | sed 's/[][+]/\\&/g')
gate 3 '\[stripped\+0x[0-9a-f]+\] grew from' "$more_regex>+5%" first.data second.data
gate 1 'no function matches, but (first|second).data has no names for functions of .*/stripped \([0-9]+% of its samples\); its symbols are stripped' \
  '^more$>+5%' first.data second.data
gate 3 'the whole program grew' 'total>1.2x' first.data second.data

# The same program under another name has other names for its functions, or none.
cp stripped copied
"$WICK" record -q -o copied.data -- ./copied 300
"$WICK" record -q -o named.data -- ./work 300
gate 1 'functions of .*/stripped cannot be compared: they have addresses instead of names, and copied.data does not have that file' \
  "$more_regex>+5%" first.data copied.data
gate 1 'more is in named.data only, but first.data has no names for functions of .*/stripped \([0-9]+% of its samples\)' \
  '^more$>+5%' first.data named.data
gate 1 'more is in named.data only, but first.data has no names' '^more$>+5%' named.data first.data

# In another build, the same address is some other function.
sed -i 's/^FUNCTION more/FUNCTION none(long n) { sum += n; }\n&/; s/^  more/  none(1);&/' work.c
gcc -O1 -fno-inline -o work work.c
strip -o stripped work
"$WICK" record -q -o rebuilt.data -- ./stripped 600
gate 1 'functions of .*/stripped cannot be compared: they have addresses instead of names, and first.data and rebuilt.data do not have the same build of it; its symbols are stripped' \
  "$(name spin | sed 's/[][+]/\\&/g')>+5%" first.data rebuilt.data
gate 3 'the whole program grew' 'total>1.2x' first.data rebuilt.data
has 'the difference of builds' "$("$WICK" diff first.data rebuilt.data 2>&1)" \
  'do not have the same build'

# A function that has a name on both sides is judged all the same.
gcc -O1 -fno-inline -o named work.c
"$WICK" record -q -o with_first.data -- sh -c './stripped 100; exec ./named 100'
strip -R .note.gnu.build-id -o stripped work
"$WICK" record -q -o with_second.data -- sh -c './stripped 100; exec ./named 800'
gate 3 '^wick: more grew' '^more$>+5%' with_first.data with_second.data
gate 1 'do not have the same build' '.>+5%' with_first.data with_second.data
finish
