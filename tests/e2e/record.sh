# `wick flame -- PROGRAM` records with a real perf and draws.
. "$(dirname "$0")/lib.bash"
need_perf
compile_burner burn

echo word | "$WICK" flame --title 'The burner' -- ./burn 5 >out.txt 2>err.txt
same 'exit status' $? 0
same "the program's output" "$(cat out.txt)" 'read word'
same "the program's errors come first" "$(head -1 err.txt)" 'to stderr'
has 'its status is said' "$(cat err.txt)" 'the program ended with status 5'
has 'what was written' "$(tail -1 err.txt)" \
  'wrote flame.svg: [0-9,]+ samples, [0-9]+ functions; open it in a browser'
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

./burn 0 100000000000 </dev/null 2>/dev/null &
burner=$!
"$WICK" flame -p $burner --duration 0.5 -o pid.folded 2>pid.txt
same 'status of -p' $? 0
kill $burner
has '-p' "$(cat pid.folded)" 'hot_function'
wait $burner 2>/dev/null

same 'temporary files' "$(ls -A tmp)" ''
finish
