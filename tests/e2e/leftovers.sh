# SPDX-License-Identifier: Apache-2.0
# Nothing stays in the temporary directory after SIGKILL of the recorded program or,
# by the next run, of wick; what is not wick's is not touched.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'

# Works until it is killed, and says who it is once it works.
cat >endless <<'END'
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
echo $$ >new.pid && mv new.pid pid
while :; do :; done
END

# start WORDS…: runs wick with them until ./endless works.
start() {
  rm -f pid
  "$WICK" "$@" -- sh ./endless 2>said.txt &
  wick=$!
  until [ -e pid ]; do
    kill -0 $wick 2>/dev/null || { complain "wick $*: $(cat said.txt)"; return 1; }
    sleep 0.02
  done
}
end() {
  kill -KILL "$1"
  wait $wick 2>/dev/null
}
next_run() {
  "$WICK" flame -q -F 4000 -o next.folded -- \
    sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' ||
    complain "$1: the next run failed"
}

start flame -o killed.folded
end "$(cat pid)"
same 'after SIGKILL of the program' "$(ls -A tmp)" ''
grep -q '^sh' killed.folded || complain "nothing was drawn: $(cat said.txt)"

start flame -o none.folded
end $wick
kill -KILL "$(cat pid)" 2>/dev/null
next_run 'after SIGKILL of wick'
same 'after SIGKILL of wick' "$(ls -A tmp)" ''
same 'its output' "$(ls -A | grep none)" ''

# What looks like a leftover: a link, and in a directory as /tmp another user's.
mkdir -m 700 precious
echo mine >precious/file
ln -s "$PWD/precious" tmp/wick-00000000000000aa.tmp
planted=wick-00000000000000aa.tmp
if let_nobody_in; then
  chmod 1777 tmp
  planted+=$'\nwick-00000000000000bb.tmp'
  "${nobody[@]}" sh -c 'mkdir -m 700 tmp/wick-00000000000000bb.tmp &&
    echo theirs >tmp/wick-00000000000000bb.tmp/file'
fi
next_run 'with planted directories'
same 'what was planted' "$(ls -A tmp)" "$planted"
same 'behind a link' "$(cat precious/file)" mine
[ ! -d tmp/wick-00000000000000bb.tmp ] || same "another user's file" \
  "$(cat tmp/wick-00000000000000bb.tmp/file)" theirs
rm -r tmp/*

# A real perf needs a directory.
command -v perf >/dev/null &&
  perf record -q -o perf-works.data -- true >/dev/null 2>&1 ||
  skip_rest 'there is no perf that can record'
folders() { ls -A tmp | grep -c '^wick-[0-9a-f]*\.tmp$'; }

PERF=perf start flame -o by-perf.folded
next_run 'beside a run with perf'
same 'directories of a running wick' "$(folders)" 1
end "$(cat pid)"
same 'after SIGKILL of the program under perf' "$(ls -A tmp)" ''
[ -s by-perf.folded ] || complain "nothing was drawn: $(cat said.txt)"

PERF=perf start flame -o none.folded
perf=$(grep -als "$PWD/tmp/[w]ick-" /proc/[0-9]*/cmdline | head -n 1)
end $wick
same 'directories of a killed wick' "$(folders)" 1
kill -KILL "$(cat pid)"
# Its perf ends after the program. A process that is ending has no command line
# any more, but may still have its files; a zombie has none.
while grep -qs '^State:[[:space:]]*[^ZX]' "${perf%/cmdline}/status"; do
  sleep 0.02
done
next_run 'after SIGKILL of wick with perf'
same 'after SIGKILL of wick with perf' "$(ls -A tmp)" ''
[ -z "$(ls -A tmp)" ] || { ls -laR tmp; cat /proc/locks; ps -ef | grep '[w]ick'; }

# Beside a recording that perf is to keep.
mkdir kept
PERF=perf start flame --keep kept/perf.data -o none.folded
end $wick
kill -KILL "$(cat pid)"
PERF=perf "$WICK" flame -q --keep kept/perf.data -o next.folded -- \
  sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
same 'beside --keep' "$(ls -A kept)" perf.data
finish
