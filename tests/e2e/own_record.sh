# wick record: what it writes is read by wick and by perf, and is true.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v g++ >/dev/null || skip 'there is no g++'

g++ -g -O2 -fomit-frame-pointer -o shares "$SOURCE/tests/e2e/programs/shares.cc"

"$WICK" record -o r.data -- ./shares 2>said.txt
same 'exit status' $? 0
has 'what was written' "$(tail -1 said.txt)" 'wrote r.data: [0-9,]+ samples of c'
"$WICK" fold -q r.data >r.folded
awk '{ all += $NF; if (/;_start[; ]/) rooted += $NF
       if (/;sixty;/) a += $NF; if (/;thirty;/) b += $NF; if (/;ten;/) c += $NF }
     END { if (!(a > b && b > c && c > 0)) print "60, 30 and 10 % are", a, b, c
           if (rooted < 0.99 * all) print "only", rooted / all, "reach the root" }' \
  r.folded >wrong.txt
same 'shares and roots' "$(cat wrong.txt)" ''

# Stacks never reach the disk unless asked for.
"$WICK" record -q --keep-stacks -o kept.data -- ./shares
small=$(stat -c %s r.data) large=$(stat -c %s kept.data)
[ $((small * 5)) -lt "$large" ] ||
  complain "the file has $small bytes, with stacks $large"

# perf unwinds those itself.
if command -v perf >/dev/null; then
  rooted=$(perf script -i kept.data -F ip,sym 2>/dev/null | grep -c ' _start')
  samples=$("$WICK" report --raw kept.data | awk '$2 == "nanoseconds" { print $3 }')
  [ "$rooted" -ge $((${samples:-1} * 9 / 10)) ] ||
    complain "perf unwinds $rooted of $samples stacks that were kept"
fi

# The file tells what is missing from its stacks.
"$WICK" record -q --call-graph dwarf,64 -o short.data -- ./shares
has 'short stacks' "$("$WICK" report short.data 2>/dev/null)" \
  '[0-9,]+ stacks? (is|are) deeper than'

if command -v perf >/dev/null; then
  has 'perf script' "$(perf script -i r.data 2>&1)" 'sixty'
  has 'perf report' "$(perf report -i r.data --stdio 2>&1)" 'cpu-clock|cycles'
  same "perf's complaints" "$(perf script -i r.data 2>&1 >/dev/null)" ''
fi

# Samples that do not fit, and no later record to report them.
./shares 100000 &
"$WICK" record -p $! --duration 0.5 -m 1 -o lost.data 2>lost.txt
kill $!
has 'lost samples' "$(cat lost.txt)" '[1-9][0-9]* records were lost'
has 'lost samples in the file' "$("$WICK" report lost.data 2>&1)" \
  '[1-9][0-9]* samples were lost by the profiler'
wait

has 'what can be recorded' "$("$WICK" doctor --events)" 'cpu-clock'

# Attaching; the whole machine; no such process.
./shares 100000 &
"$WICK" record -q -p $! --duration 0.5 -o p.data
kill $!
has '-p' "$("$WICK" fold -q p.data)" ';sixty;'
wait
"$WICK" record -q -a --duration 0.2 -o a.data || complain '-a failed'
"$WICK" record -q -a -o a.data -- ./shares
has '-a while a program runs' "$("$WICK" fold -q a.data)" ';sixty;'
expect 1 'there is no process 99999999|is not a process id' record -p 99999999
expect 2 'nothing to record; give' record
expect 1 'program not found' record -- ./nosuchprogram
expect 2 'nosuchevent' record -e nosuchevent -- ./shares

# Killed while recording: what was written so far can be read.
"$WICK" record -q -o killed.data -- ./shares 100000 &
recorder=$!
until [ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -gt 50000 ]; do
  sleep 0.1
done
program=$(cat /proc/$recorder/task/*/children)
kill -KILL $recorder $program
wait $recorder 2>/dev/null
has 'after SIGKILL' "$("$WICK" fold -q killed.data)" ';sixty;'

# Even then the file has the recorder, the host and the clock.
if command -v perf >/dev/null; then
  for file in r.data killed.data; do
    header=$(perf report --header-only -i $file 2>/dev/null)
    for line in "perf version : .*\($("$WICK" --version)\)" 'hostname : ' \
      'os release : ' 'cmdline : .*record .*-- ' 'cpudesc : ' 'clockid: monotonic' \
      'pmu mappings: ' 'reference time: '; do
      has "the header of $file" "$header" "$line"
    done
  done
fi

# What did not fit into the buffers is counted, in the file as well.
"$WICK" record -F 20000 -m 16K --call-graph dwarf,16000 -o lost.data -- \
  ./shares 2>said.txt
lost=$(sed -n 's/^wick: \([0-9,]*\) records were lost.*/\1/p' said.txt)
[ -n "$lost" ] || complain "nothing was lost: $(cat said.txt)"
has 'what the file says' "$("$WICK" report lost.data 2>&1)" \
  "$lost samples were lost by the profiler"
"$WICK" flame -q lost.data >lost.svg 2>/dev/null
has 'what the picture says' "$(cat lost.svg)" \
  "$lost samples were lost by the profiler"
finish
