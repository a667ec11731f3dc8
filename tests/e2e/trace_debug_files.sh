# SPDX-License-Identifier: Apache-2.0
# A traced program whose debug information was split off has the same stacks and
# lines as before, wherever its debug file is; also from the symbol cache.
. "$(dirname "$0")/lib.bash"
plugin=$SOURCE/build/qemu/wick-trace.so
command -v qemu-riscv64 >/dev/null || skip "qemu-riscv64 is not installed"
command -v riscv64-linux-gnu-gcc >/dev/null || skip "no riscv64-linux-gnu-gcc"
[ -e "$plugin" ] || skip "$plugin is not built: make qemu-plugin"
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD

riscv64-linux-gnu-gcc -O2 -g -static -nostdlib -ffreestanding \
  -Wl,--build-id=sha1 "$SOURCE/tests/e2e/programs/riscv_inlines.c" -o whole ||
  complain "the program cannot be built"
riscv64-linux-gnu-objcopy --only-keep-debug whole program.debug
riscv64-linux-gnu-objcopy --strip-all whole program
riscv64-linux-gnu-objcopy --add-gnu-debuglink=program.debug program linked
qemu-riscv64 -plugin "$plugin,out=program.trace" ./whole
id=$(readelf -n whole | sed -n 's/ *Build ID: //p')

# shown FILE OPTIONS…: the stacks and the lines with FILE as the program.
shown() {
  local file=$1
  shift
  "$WICK" fold -q program.trace --elf "$file" "$@"
  "$WICK" report -q program.trace --elf "$file" --by line --top 1000 "$@" |
    grep -E '\.c:[0-9]+'
}
shown whole --no-cache >wanted
has "whole" "$(cat wanted)" 'climb;work;mix;twice [0-9]'

mv program.debug away
shown program --no-cache >stripped
[[ $(cat stripped) != *work* ]] || complain 'a stripped program has names'

cp away program.debug
same 'by debug link' "$(shown linked --no-cache)" "$(cat wanted)"
same 'by debug link, another folder' \
  "$(cd tmp && "$WICK" fold -q ../program.trace --elf ../linked --no-cache)" \
  "$(grep -v '\.c:' wanted)"
rm program.debug

mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
cp away "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
same 'by build id, below --symfs' \
  "$(shown program --no-cache --symfs root)" "$(cat wanted)"
# Triggers and wick trace find them there too.
from_work() { "$WICK" fold -q program.trace --no-cache --from symbol:work "$@"; }
counted() {
  "$WICK" trace -q program.trace --no-cache --count function --top 0 "$@"
}
same 'from a function, below --symfs' \
  "$(from_work --elf program --symfs root)" "$(from_work --elf whole)"
same 'counts, below --symfs' \
  "$(counted --elf program --symfs root)" "$(counted --elf whole)"
has 'counts of whole' "$(counted --elf whole)" '  work'
same 'by build id, below --sysroot' \
  "$(shown program --no-cache --sysroot root)" "$(cat wanted)"

[ ! -e cache ] || complain '--no-cache uses the cache'
same 'before the cache' "$(shown program --symfs root)" "$(cat wanted)"
[ -e "cache/wick/symbols/$id" ] || complain 'nothing is in the cache'
same 'from the cache' "$(shown program --symfs root)" "$(cat wanted)"
finish
