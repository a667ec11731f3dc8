# SPDX-License-Identifier: Apache-2.0
# A recording keeps the names of its code: programs are rebuilt or deleted, the
# containers they ran in end, maps of compiled functions go, and it reads the same.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
command -v python3 >/dev/null || skip 'there is no python3'
programs=$SOURCE/tests/e2e/programs
export XDG_CACHE_HOME=$PWD/cache

# all_of FILE: everything with names that wick prints about a recording, without
# what earlier runs resolved.
all_of() {
  rm -rf cache
  "$WICK" fold "$1" 2>&1
  "$WICK" report "$1" 2>&1
  "$WICK" report --by line "$1" 2>&1
}
# remember FILE; still_the_same WHAT FILE
remember() { all_of "$1" >"$1.before"; }
still_the_same() {
  all_of "$2" >"$2.after"
  cmp -s "$2.before" "$2.after" ||
    complain "$1: $(diff "$2.before" "$2.after" | head -5)"
}
record() { "$WICK" record -q "$@" || complain "record $*"; }

cat >inline.c <<'C'
volatile unsigned long sum;
static inline __attribute__((always_inline)) void inlined(long n) {
  for (long i = 0; i < n; i++) sum += i * i;
}
__attribute__((noinline)) void outer(long n) { inlined(n); }
int main() { outer(100000000); }
C
gcc -g -O1 -o program inline.c
record -o r.data -- ./program
remember r.data
has 'the inlined call' "$(cat r.data.before)" 'outer;inlined [0-9]'
has 'its line' "$(cat r.data.before)" 'inline\.c:3'

# names_of FILE: the offset and the size of its names, from the facts that the
# header points to; nothing without names.
names_of() {
  python3 - "$1" <<'P'
import struct, sys
data = open(sys.argv[1], "rb").read()
at, size = struct.unpack_from("<QQ", data, 56)
facts = dict(line.split(": ") for line in
             data[at:at + size].decode().splitlines() if ": " in line)
if "names-size" in facts:
    print(facts["names-at"], facts["names-size"])
P
}
read -r at size < <(names_of r.data)
total=$(stat -c %s r.data)
[ "$size" -gt 0 ] || complain 'the recording has no names'
[ "$size" -le 32768 ] || [ $((size * 11)) -le "$total" ] ||
  complain "names take $size of $total bytes"

# The program is rebuilt, replaced and deleted.
sed -i 's/outer/other/; 1i int more;' inline.c
gcc -O2 -o program inline.c
still_the_same 'rebuilt' r.data
rm program inline.c
still_the_same 'deleted' r.data
same '--no-inline shows no inlined calls' \
  "$("$WICK" fold --no-inline r.data 2>/dev/null | grep -c inlined)" 0

# Two programs are at one path during the recording, the second moved there or
# written over the first. Nobody gets the other's names. Each runs until wick has
# it open.
spinning() { # FUNCTION FLAGS...
  gcc -O1 -o "$1.out" "${@:2}" -x c - <<<"#include <stdio.h>
    volatile long s;
    __attribute__((noinline)) void $1(long n) { for (long i = 0; i < n; i++) s += i; }
    int main() { $1(50000000); getchar(); }"
}
one_after_the_other() { # COMMAND WORDS...
  record --user "${@:2}" -- sh -c 'for i in first second; do '"$1"'
    for n in $(seq 500); do
      ls -l /proc/$PPID/fd | grep -q "at_one_path$" && break
      sleep 0.01
    done | ./at_one_path
  done'
  rm at_one_path
}
named() { "$WICK" fold -q "$1" | grep -oE ';(first|second) ' | sort -u | tr -d ';\n'; }
for id in sha1 none; do
  spinning first "-Wl,--build-id=$id"
  spinning second "-Wl,--build-id=$id"
  one_after_the_other 'cp $i.out new; mv new at_one_path' -o moved.data
  same "moved, build id $id" "$(named moved.data)" 'first second '
done
spinning first -Wl,--build-id=sha1
spinning second -Wl,--build-id=sha1
one_after_the_other 'cp $i.out at_one_path' -o written.data
same 'written over' "$(named written.data)" 'second '
has 'written over' "$("$WICK" fold -q written.data)" '\[at_one_path\] [0-9]'

# A damaged section is reported, and names are looked up as without it.
cp r.data damaged.data
printf '\xff\xff' | dd of=damaged.data bs=1 seek=$((at + 20)) conv=notrunc status=none
has 'a damaged section' "$("$WICK" fold damaged.data 2>&1 >/dev/null)" \
  'recording has damaged names'
same 'its names' "$("$WICK" fold damaged.data 2>/dev/null | grep -c outer)" 0

# Without names.
gcc -g -O1 -o program -x c - <<<'volatile long s; int main() {
  for (long i = 0; i < 100000000; i++) s += i; }'
record --no-names -o without.data -- ./program
same '--no-names' "$(names_of without.data)" ''
has '--no-names, with the program' "$("$WICK" fold -q without.data)" ';main [0-9]'
rm -rf program cache
[[ $("$WICK" fold -q without.data) != *';main '* ]] ||
  complain '--no-names: there are names without the program'

# perf and Hotspot read the recording as if the names were not there.
cp r.data bare.data
head -c 16 /dev/zero | dd of=bare.data bs=1 seek=56 conv=notrunc status=none
parser=$(command -v hotspot-perfparser || find /usr/lib -path '*/libexec/hotspot-perfparser' -print -quit)
if [ -n "$parser" ]; then
  for file in bare r; do
    "$parser" --input $file.data 2>&1 >$file.parsed | sort >$file.said
  done
  cmp -s bare.parsed r.parsed || complain 'hotspot-perfparser differs'
  cmp -s bare.said r.said || complain "hotspot-perfparser says $(cat r.said)"
fi
if command -v perf >/dev/null; then
  perf script -i bare.data >bare.txt 2>bare.err
  perf script -i r.data >script.txt 2>script.err
  cmp -s bare.txt script.txt || complain 'perf script differs'
  cmp -s bare.err script.err || complain "perf script says $(cat script.err)"
  same 'perf report --header-only' \
    "$(perf report --header-only -i r.data 2>&1 >/dev/null)" ''
fi

# Builds before and after are compared by their functions, although the first is
# gone; without its names they cannot be, and no gate closes for that.
cat >p.c <<'C'
volatile unsigned long sum;
__attribute__((noinline)) void hot(long n) {
  for (long i = 0; i < n; i++) sum += i * i;
}
__attribute__((noinline)) void rest(long n) {
  for (long i = 0; i < n; i++) sum += i;
}
int main() { hot(HOT); rest(100000000); }
C
gcc -DHOT=20000000 p.c -o p
record --user -o 1 -- ./p
record --user --no-names -o 1.bare -- ./p
gcc -DHOT=100000000 p.c -o p
record --user -o 2 -- ./p
compared=$("$WICK" diff --fail-on 'hot>+2%' 1 2 2>&1)
same 'a function that grew' "$?" 3
has 'a function that grew' "$compared" 'hot grew from'
for function in hot rest main; do
  has "$function is on both sides" "$compared" \
    "[1-9][0-9.]+% +[1-9][0-9.]+% [^a-z]* $function"
done
"$WICK" diff -q --fail-on 'rest>+2%' 1 2 >/dev/null || complain 'rest did not grow'
refused=$("$WICK" diff --fail-on 'hot>+2%' 1.bare 2 2>&1 >/dev/null)
same 'one side without names' "$?" 1
has 'one side without names' "$refused" \
  "p cannot be compared: 1.bare has no names .*; the file was replaced"

# Compiled code: its map, or its jitdump, goes.
gcc -O1 -o jit "$programs/jit.c" || complain 'jit.c'
record -o map.data -- sh -c 'echo $$ >pid; exec ./jit'
remember map.data
has 'a perf map' "$(cat map.data.before)" 'compiled_function'
rm "/tmp/perf-$(cat pid).map"
still_the_same 'the map is gone' map.data
record -o dump.data -- ./jit dump
remember dump.data
has 'a jitdump' "$(cat dump.data.before)" 'dumped_function'
has 'its line' "$(cat dump.data.before)" 'source\.js:42'
rm jit-*.dump
still_the_same 'the jitdump is gone' dump.data

# The kernel's names do not come from the kernel of the machine that reads.
if unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms' 2>/dev/null; then
  gcc -O1 -o program -x c - <<<'#include <unistd.h>
    int main() { for (long i = 0; i < 1000000; i++) getppid(); }'
  record -o kernel.data -- ./program
  remember kernel.data
  has "the kernel's functions" "$(cat kernel.data.before)" 'do_syscall_64'
  rm -rf cache
  unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh \
    "$WICK" fold kernel.data 2>&1 >elsewhere.folded
  same 'on another kernel' "$(cat elsewhere.folded)" \
    "$("$WICK" fold kernel.data 2>/dev/null)"
fi

# What a container has is gone when the recording ends.
if unshare -m true 2>/dev/null; then
  gcc -g -O1 -static -o program -x c - <<<'volatile long s;
    __attribute__((noinline)) void in_container(long n) {
      for (long i = 0; i < n; i++) s += i; }
    int main() { in_container(100000000); }'
  gcc -O1 -static -o jit "$programs/jit.c"
  mkdir inside
  record -o container.data -- unshare -m sh -c '
    mount -t tmpfs none inside && cp program jit inside/ && mkdir inside/tmp &&
    cd inside && chroot . ./program && chroot . ./jit'
  rm program jit
  named=$("$WICK" fold container.data 2>/dev/null)
  has 'a program in a container' "$named" 'in_container'
  has 'compiled code in a container' "$named" 'compiled_function'
fi
finish
