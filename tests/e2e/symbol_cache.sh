# What was resolved once is not looked up in DWARF again.
. "$(dirname "$0")/lib.bash"
need_perf
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD

cat >inline.c <<'C'
volatile unsigned long sum;
static inline __attribute__((always_inline)) void inlined(long n) {
  for (long i = 0; i < n; i++) sum += i * i;
}
__attribute__((noinline)) void outer(long n) { inlined(n); }
int main() { outer(200000000); }
C
gcc -g -O1 -fno-omit-frame-pointer -o inline inline.c
perf record -q -g -o r.data -- ./inline >/dev/null 2>&1
rm -rf .debug # perf keeps a copy

"$WICK" fold -q --stats r.data >first.folded 2>first.txt
has 'the inlined function' "$(cat first.folded)" ';outer;inlined [0-9]'
has 'the first run reads DWARF' "$(cat first.txt)" 'debug info'
[ -n "$(ls cache/wick/symbols)" ] || complain 'nothing is kept'

"$WICK" fold -q --stats r.data >second.folded 2>second.txt
same 'the second run' "$(cat second.folded)" "$(cat first.folded)"
[[ $(cat second.txt) != *'debug info'* ]] ||
  complain "the second run reads DWARF: $(cat second.txt)"

"$WICK" fold -q --no-cache --stats r.data >third.folded 2>third.txt
same '--no-cache' "$(cat third.folded)" "$(cat first.folded)"
has '--no-cache reads DWARF' "$(cat third.txt)" 'debug info'

# Damage is noticed.
for file in cache/wick/symbols/*; do echo damage >>"$file"; done
"$WICK" fold -q r.data >fourth.folded
same 'with a damaged cache' "$(cat fourth.folded)" "$(cat first.folded)"

# A home that does not exist stays away.
env -u XDG_CACHE_HOME HOME="$PWD/nowhere" "$WICK" fold -q r.data >homeless.folded
same 'without a home' "$(cat homeless.folded)" "$(cat first.folded)"
[ ! -e nowhere ] || complain 'a home was made'
mkdir new && env -u XDG_CACHE_HOME HOME="$PWD/new" "$WICK" fold -q r.data >/dev/null
[ -n "$(ls new/.cache/wick/symbols)" ] || complain 'nothing is kept in a new home'

# A cache that cannot be written is not an error.
XDG_CACHE_HOME=/dev/null "$WICK" fold r.data >fifth.folded 2>fifth.txt
same 'without a folder' "$?" 0
same 'without a folder' "$(cat fifth.folded)" "$(cat first.folded)"

# Another program of the same name is not taken for the one that was recorded.
gcc -g -O2 -o inline -x c - <<<'int main() { return 0; }'
"$WICK" report --no-cache r.data >replaced.txt 2>/dev/null
has 'a replaced program' "$(cat replaced.txt)" \
  'inline +the file was replaced after it was recorded'
[[ $("$WICK" fold -q --no-cache r.data) != *outer* ]] ||
  complain 'names come from another program'
finish
