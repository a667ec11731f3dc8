# wick record: what it writes is read by wick and by perf, and is true.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v g++ >/dev/null || skip 'there is no g++'

# No frame pointers; 60, 30 and 10 % of the time in three functions, by turns:
# a virtual machine that stands still for a moment takes from all of them.
cat >shares.cc <<'C'
#include <ctime>
volatile unsigned long sum;
int calls;  // what is done behind a call keeps it from being a jump
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
template <int N> __attribute__((noinline)) void spin(double seconds) {
  const double end = now() + seconds;
  while (now() < end)
    for (int i = 0; i < 20000; ++i) sum = sum + i * N;
}
__attribute__((noinline)) void sixty() { spin<1>(0.009); ++calls; }
__attribute__((noinline)) void thirty() { spin<2>(0.0045); ++calls; }
__attribute__((noinline)) void ten() { spin<3>(0.0015); ++calls; }
int main() {
  for (int i = 0; i < 100; ++i) { sixty(); thirty(); ten(); }
}
C
g++ -g -O2 -fomit-frame-pointer -o shares shares.cc

"$WICK" record -o r.data -- ./shares 2>said.txt
same 'exit status' $? 0
has 'what was written' "$(tail -1 said.txt)" 'wrote r.data: [0-9,]+ samples of c'
"$WICK" fold -q r.data >r.folded
awk '{ all += $NF; if (/;_start[; ]/) rooted += $NF
       if (/;sixty;/) a += $NF; if (/;thirty;/) b += $NF; if (/;ten;/) c += $NF }
     function near(x, y) { return x - y < 3 && y - x < 3 }
     END { a *= 100 / all; b *= 100 / all; c *= 100 / all
           if (!near(a, 60) || !near(b, 30) || !near(c, 10))
             print "FAIL the shares are", a, b, c
           if (rooted < 0.99 * all) print "FAIL only", rooted / all, "reach the root" }' \
  r.folded >wrong.txt
same 'shares and roots' "$(cat wrong.txt)" ''

# Stacks never reach the disk, unless they are wanted.
"$WICK" record -q --keep-stacks -o kept.data -- ./shares
small=$(stat -c %s r.data) large=$(stat -c %s kept.data)
[ $((small * 5)) -lt "$large" ] ||
  complain "the file has $small bytes, with stacks $large"

# perf unwinds those itself.
if command -v perf >/dev/null; then
  rooted=$(perf script -i kept.data -F ip,sym 2>/dev/null | grep -c ' _start')
  samples=$("$WICK" report kept.data | awk '$2 == "nanoseconds" { print $3 }' | tr -d ,)
  [ "$rooted" -ge $((${samples:-1} * 9 / 10)) ] ||
    complain "perf unwinds $rooted of $samples stacks that were kept"
fi

# What was lost of the stacks is known to whoever reads the file.
"$WICK" record -q --call-graph dwarf,64 -o short.data -- ./shares
has 'short stacks' "$("$WICK" report short.data 2>/dev/null)" \
  '[0-9,]+ stacks? (is|are) deeper than'

if command -v perf >/dev/null; then
  has 'perf script' "$(perf script -i r.data 2>&1)" 'sixty'
  has 'perf report' "$(perf report -i r.data --stdio 2>&1)" 'cpu-clock|cycles'
  same "perf's complaints" "$(perf script -i r.data 2>&1 >/dev/null)" ''
fi

# Samples that do not fit, and no later record that could say so.
./shares &
"$WICK" record -p $! --duration 0.3 -m 1 -o lost.data 2>lost.txt
has 'lost samples' "$(cat lost.txt)" '[1-9][0-9]* records were lost'
has 'lost samples in the file' "$("$WICK" report lost.data 2>&1)" \
  '[1-9][0-9]* samples were lost by the profiler'
wait

has 'what can be recorded' "$("$WICK" doctor --events)" 'cpu-clock'

# Attaching; everything; nothing there.
./shares &
"$WICK" record -q -p $! --duration 0.5 -o p.data
has '-p' "$("$WICK" fold -q p.data)" ';sixty;'
wait
"$WICK" record -q -a --duration 0.2 -o a.data || complain '-a failed'
"$WICK" record -q -a -o a.data -- ./shares
has '-a while a program runs' "$("$WICK" fold -q a.data)" ';sixty;'
expect 1 'there is no process 99999999|is not a process id' record -p 99999999
expect 2 'nothing to record is named' record
expect 1 'there is no such program' record -- ./nosuchprogram
expect 2 'nosuchevent' record -e nosuchevent -- ./shares

# Killed while recording: what was written so far can be read.
"$WICK" record -q -o killed.data -- ./shares &
recorder=$!
sleep 1.3
kill -KILL $recorder
wait $recorder 2>/dev/null
has 'after SIGKILL' "$("$WICK" fold -q killed.data)" ';sixty;'

# Who recorded, where and by which clock is known also then.
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
