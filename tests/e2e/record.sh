# `wick flame -- PROGRAM` records with a real perf and draws.
. "$(dirname "$0")/lib.bash"
need_perf
compile_burner burn

echo word | "$WICK" flame --title 'The burner' -- ./burn 5 >out.txt 2>err.txt
same 'exit status' $? 0
same "the program's output" "$(cat out.txt)" 'read word'
same "the program's errors come first" "$(head -1 err.txt)" 'to stderr'
has 'its status is said' "$(cat err.txt)" 'the program ended with exit status 5'
has 'what was written' "$(tail -1 err.txt)" \
  'wrote flame.svg: [0-9,]+ samples of c[a-z-]+( \(.*\))? with up to [0-9]+ kB of stack, [0-9]+ functions; open it in a browser'
same 'lines on standard error' "$(wc -l <err.txt)" 3
has 'the picture' "$(cat flame.svg)" 'hot_function \('
has 'the picture' "$(cat flame.svg)" 'The burner'

"$WICK" flame -q --exit-status -o x.folded -- ./burn 5 </dev/null 2>quiet.txt
same '--exit-status' $? 5
same '--quiet' "$(cat quiet.txt)" 'to stderr'
hottest=$(sort -k 2 -n -r -t ' ' x.folded | head -1)
has 'the hottest stack' "$hottest" 'hot_function [0-9]+$'

"$WICK" flame -c 'record -e cpu-clock -F 499 -g -o "my own.data"' \
  -o own.folded -- ./burn </dev/null 2>/dev/null
[ -s 'my own.data' ] || complain 'an -o among the words for perf is ignored'
has "perf's own words" "$(cat own.folded)" 'hot_function'
has 'perf.data is read' "$("$WICK" fold 'my own.data')" 'hot_function'
"$WICK" flame --perfdata 'my own.data' -o again.folded
same '--perfdata' "$(cat again.folded)" "$(cat own.folded)"

"$WICK" flame --post-process "sed s/hot_function/renamed/" -o post.folded \
  'my own.data'
has '--post-process' "$(cat post.folded)" 'renamed'
expect 1 "--post-process 'exit 3' failed: exit status 3" \
  flame --post-process 'exit 3' -o post.svg 'my own.data'

# A signal is reported as a signal; an exit status that looks like one is not.
"$WICK" flame --exit-status -o killed.folded \
  -- sh -c './burn </dev/null; kill -SEGV $$' 2>killed.txt
same '--exit-status of a signal' $? 139
has 'a signal' "$(cat killed.txt)" \
  'the program was killed by signal 11 \(Segmentation fault\)'
has 'a signal' "$(cat killed.folded)" 'hot_function'
"$WICK" flame --exit-status -o status.folded -- ./burn 139 </dev/null \
  2>status.txt
same '--exit-status' $? 139
has 'a high status' "$(cat status.txt)" 'the program ended with exit status 139'

# --root runs perf through sudo; sudo's flags follow "=".
mkdir bin
cat >bin/sudo <<'S'
#!/bin/sh
echo "$*" >>"$SUDO_LOG"
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
S
chmod +x bin/sudo
export SUDO_LOG=$PWD/sudo.txt
PATH=$PWD/bin:$PATH "$WICK" flame -q --root -o root.folded -- ./burn \
  </dev/null 2>/dev/null
same 'status of --root' $? 0
has '--root' "$(cat root.folded)" 'hot_function'
has '--root' "$(tail -1 sudo.txt)" '^[^ ]*perf record .* -- ./burn$'
PATH=$PWD/bin:$PATH "$WICK" flame -q --root='-n -E' -o root.folded -- ./burn \
  </dev/null 2>/dev/null
has '--root=FLAGS' "$(tail -1 sudo.txt)" '^-n -E [^ ]*perf record .* -- ./burn$'

if perf version --build-options 2>/dev/null | grep -q 'zstd: \[ on'; then
  PERF=perf "$WICK" flame -v -z -o z.folded -- ./burn </dev/null 2>z.txt
  has '-z' "$(cat z.txt)" 'perf record .*--compression-level=1 '
  has '-z' "$(cat z.folded)" 'hot_function'
  PERF=perf "$WICK" flame -v -z 3 -o z.folded -- ./burn </dev/null 2>z.txt
  has '-z 3' "$(cat z.txt)" 'perf record .*--compression-level=3 '
fi

./burn 0 100000000000 </dev/null 2>/dev/null &
burner=$!
"$WICK" flame -p $burner --duration 0.5 -o pid.folded 2>pid.txt
same 'status of -p' $? 0
kill $burner
has '-p' "$(cat pid.folded)" 'hot_function'
wait $burner 2>/dev/null

# What is asked for reaches perf.
PERF=perf "$WICK" flame -v -e page-faults:u --count 1 -D 0.001 -o faults.folded \
  -- ./burn </dev/null 2>faults.txt
has 'the words for perf' "$(cat faults.txt)" \
  'perf record .* -c 1 -e page-faults:u -D 1 '

same 'temporary files' "$(ls -A tmp)" ''
finish
