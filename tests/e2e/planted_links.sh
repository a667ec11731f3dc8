# SPDX-License-Identifier: Apache-2.0
# Another user plants links and files where root writes: nothing of root's is
# overwritten, read or filled, whether the kernel protects links in sticky
# directories (fs.protected_symlinks, fs.protected_regular) or not.
. "$(dirname "$0")/lib.bash"
let_nobody_in || skip 'there is no other user: this needs root and setpriv'
sysctls='protected_symlinks protected_regular protected_fifos protected_hardlinks'
for name in $sysctls; do
  [ -r "/proc/sys/fs/$name" ] || skip "there is no fs.$name"
  eval "before_$name=\$(cat /proc/sys/fs/$name)"
done
restore() {
  for name in $sysctls; do
    eval "echo \$before_$name" 2>/dev/null >"/proc/sys/fs/$name"
  done
}
trap restore EXIT
# protect LEVEL: false if the settings of this kernel cannot be changed.
protect() {
  for name in $sysctls; do
    { echo "$1" >"/proc/sys/fs/$name"; } 2>/dev/null || return 1
  done
}

records=1
"$WICK" doctor | grep -q '^NO' && records=0

make_victim() {
  rm -rf victim
  mkdir -m 700 victim
  echo 'of root' >victim/file
}
# unharmed WHAT: root's file is as it was.
unharmed() {
  same "$1" "$(head -c 40 victim/file | tr -d '\0')" 'of root'
  same "$1: new files" "$(ls -A victim)" file
  make_victim
}
# written WHAT FILE: it is a file of root, and no link.
written() {
  same "$1" "$(stat -c '%F %u' "$2")" 'regular file 0'
  [ -s "$2" ] || complain "$1: it is empty"
}
as_nobody() { "${nobody[@]}" "$@"; }

echo 'main;function 7' >in.folded
python3 "$SOURCE/tests/e2e/small_trace.py" trace trace 3
python3 "$SOURCE/tests/e2e/small_trace.py" elf elf

fresh() {
  rm -rf sticky results theirs plain
  make_victim
  mkdir -m 1777 sticky
  mkdir -m 777 plain
}

typed_names() {
  fresh
  as_nobody ln -s "$PWD/victim/file" sticky/out.svg
  "$WICK" flame in.folded -o sticky/out.svg || complain "$1: not drawn"
  unharmed "$1: -o is another user's link"
  written "$1: -o is another user's link" sticky/out.svg

  as_nobody ln -s "$PWD/victim/new" sticky/new.svg
  "$WICK" flame in.folded -o sticky/new.svg
  unharmed "$1: another user's link to a file that does not exist"

  as_nobody ln -s "$PWD/victim" sticky/way
  "$WICK" flame in.folded -o sticky/way/file 2>said.txt &&
    complain "$1: written through another user's directory link"
  has "$1: a link on the way" "$(cat said.txt)" \
    '^wick: sticky/way/file: way is a symbolic link that somebody else may have made'
  unharmed "$1: a link on the way"

  as_nobody mkfifo sticky/fifo.folded
  timeout 20 "$WICK" fold in.folded -o sticky/fifo.folded ||
    complain "$1: waits for another user's FIFO"
  written "$1: another user's FIFO" sticky/fifo.folded

  # A second name of root's own link.
  ln -s "$PWD/victim/file" own-link
  if as_nobody ln -P own-link plain/out.svg 2>/dev/null; then
    "$WICK" flame in.folded -o plain/out.svg
    unharmed "$1: a second name of an own link"
  fi
  rm own-link

  "$WICK" trace trace --to wick-trace -o sticky/copy.wtrace
  as_nobody ln -s "$PWD/victim/file" sticky/part.wtrace
  "$WICK" trace trace --to wick-trace -o sticky/part.wtrace
  unharmed "$1: wick trace -o"
  cmp sticky/copy.wtrace sticky/part.wtrace || complain "$1: another trace"
}

chosen_names() {
  fresh
  # An archive's links belong to whoever unpacked it.
  mkdir -p results/job0 results/job1
  cp trace results/job0/TRACEFILE-C0
  cp elf results/vmlinux
  for format in svg html folded; do
    ln -s "$PWD/victim/file" "results/job0/TRACEFILE-C0.$format"
  done
  ln -s "$PWD/theirs" results/job2
  mkdir theirs
  cp trace theirs/TRACEFILE-C0
  "$WICK" firesim results >out.txt 2>&1
  unharmed "$1: firesim"
  written "$1: firesim" results/job0/TRACEFILE-C0.folded
  same "$1: firesim in a linked directory" "$(ls theirs)" TRACEFILE-C0
  has "$1: firesim in a linked directory" "$(cat out.txt)" \
    'job2 is a symbolic link'

  # --cp keeps colours in ./palette.map.
  (
    cd plain || exit
    as_nobody ln -s ../victim/file palette.map
    "$WICK" flame --cp ../in.folded >/dev/null
  )
  unharmed "$1: palette.map"
  written "$1: palette.map" plain/palette.map
}

symbol_cache() {
  fresh
  mkdir theirs
  chown 65534 theirs
  as_nobody mkdir -p theirs/.cache/wick/symbols
  for id in $(ls own-cache/wick/symbols); do
    as_nobody ln -s "$PWD/victim/file" "theirs/.cache/wick/symbols/$id"
  done
  XDG_CACHE_HOME='' HOME=$PWD/theirs "$WICK" fold -q burn.data >got.folded
  same "$1: names" "$(cat got.folded)" "$(cat burn.folded)"
  unharmed "$1: the symbol cache under another user's HOME"

  # Names that somebody else made up.
  rm -rf theirs/.cache/wick/symbols
  cp -r own-cache/wick/symbols theirs/.cache/wick/symbols
  python3 - theirs/.cache/wick/symbols/* <<'PY'
import struct, sys
def checksum(data):
    total = 0x9e3779b97f4a7c15
    for at in range(0, len(data), 8):
        word = int.from_bytes(data[at:at + 8], "little")
        total = (total ^ word) * 0xff51afd7ed558ccd % 2**64
        total ^= total >> 32
    return total
for path in sys.argv[1:]:
    data = open(path, "rb").read()[16:].replace(b"hot_function", b"bad_function")
    open(path, "wb").write(b"wicksym2" + struct.pack("<Q", checksum(data)) + data)
PY
  chown -R 65534 theirs
  XDG_CACHE_HOME='' HOME=$PWD/theirs "$WICK" fold -q burn.data >got.folded
  same "$1: planted names" "$(cat got.folded)" "$(cat burn.folded)"

  # Own, but others can write to it.
  chown -R 0 theirs
  chmod 777 theirs/.cache/wick/symbols
  XDG_CACHE_HOME='' HOME=$PWD/theirs "$WICK" fold -q burn.data >got.folded
  same "$1: an open folder" "$(cat got.folded)" "$(cat burn.folded)"
}

recordings() {
  fresh
  # An empty file that another user made, and keeps open.
  "${nobody[@]}" sh -c 'umask 0; : >sticky/r.data; exec sleep 60 <sticky/r.data' &
  sleeper=$!
  until [ "$(readlink /proc/$sleeper/fd/0)" = "$PWD/sticky/r.data" ]; do
    kill -0 $sleeper || break
  done
  "$WICK" record -q -o sticky/r.data -- true
  written "$1: record into another user's file" sticky/r.data
  same "$1: what the other user sees" "$(stat -Lc %s /proc/$sleeper/fd/0)" 0
  kill $sleeper
  wait $sleeper 2>/dev/null

  as_nobody ln -s "$PWD/victim/new" sticky/l.data
  "$WICK" record -q -o sticky/l.data -- true
  unharmed "$1: record -o is another user's link"
  written "$1: record -o is another user's link" sticky/l.data

  # The default name and its .old, as links of root's own.
  (
    cd plain || exit
    failures=0
    ln -s ../victim/new wick.data
    "$WICK" record -q -- true
    written "$1: wick.data is a link" wick.data
    rm -f wick.data.old
    ln -s ../victim/file wick.data.old
    "$WICK" record -q -- true
    written "$1: wick.data.old is a link" wick.data.old
    ln -sf ../victim/file flame.svg
    "$WICK" flame -q -F 4000 -- sh -c 'for i in $(seq 20000); do :; done'
    written "$1: flame.svg is a link" flame.svg
    [ "$failures" = 0 ]
  ) || complain "$1: names that wick chose"
  unharmed "$1: names that wick chose"
}

# A real perf follows every link, also one that is planted just before it opens
# its file.
kept_by_perf() {
  fresh
  cat >perf-and-a-link <<END
#!/bin/sh
${nobody[*]} ln -s '$PWD/victim/new' "\$KEPT" 2>/dev/null
exec perf "\$@"
END
  chmod +x perf-and-a-link
  for folder in sticky plain; do
    KEPT=$folder/kept.data PERF=./perf-and-a-link "$WICK" flame -q \
      --keep $folder/kept.data -o out.folded -- \
      sh -c 'for i in $(seq 200000); do :; done' ||
      complain "$1: --keep in $folder with perf"
    unharmed "$1: --keep in $folder with perf"
    written "$1: --keep in $folder with perf" $folder/kept.data
    same "$1: what is left" "$(ls -A $folder)" kept.data
  done
}

if [ "$records" = 1 ] && command -v gcc >/dev/null; then
  # A recording, and the cache that root makes of it.
  compile_burner burn
  "$WICK" record -q --no-names -o burn.data -- ./burn 0 100000000 </dev/null >/dev/null 2>&1
  XDG_CACHE_HOME=$PWD/own-cache "$WICK" fold -q burn.data >burn.folded
  has 'the cache' "$(grep -l hot_function own-cache/wick/symbols/*)" symbols/
fi
has_perf=0
command -v perf >/dev/null &&
  perf record -q -o perf-works.data -- true >/dev/null 2>&1 && has_perf=1

all_of_them() {
  typed_names "$1"
  chosen_names "$1"
  [ "$records" = 0 ] || recordings "$1"
  [ ! -e burn.folded ] || symbol_cache "$1"
  [ "$has_perf" = 0 ] || kept_by_perf "$1"
}
if protect 0; then
  all_of_them 'without protection by the kernel'
  protect 1
  all_of_them 'with protection by the kernel'
else
  all_of_them 'as the kernel is set'
  skip_rest 'fs.protected_symlinks and fs.protected_regular cannot be set'
fi
[ -e burn.folded ] || skip_rest 'nothing can be recorded, or there is no gcc'
[ "$has_perf" = 1 ] || skip_rest 'there is no perf that can record'
finish
