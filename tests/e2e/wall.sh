# wick flame --wall: for every thread the widths add up to the time it lived.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
# Without tracepoints, times are as exact, but where threads sleep is unknown.
"$WICK" doctor | grep -q 'tracepoints can be used' && knows_where=1 || knows_where=0

gcc -O1 -o lives "$SOURCE/tests/e2e/programs/lives.c" -lpthread

# compare WHAT ELAPSED: every thread in lives.txt has a life in wall.folded that
# is between the two times it printed; main's is shorter than ELAPSED.
compare() {
  while read -r tid least most; do
    drawn=$(awk -v tid="$tid" '{ split($1, root, ";")
        if (root[1] ~ "/" tid "$") sum += $NF / 1e6 } END { print sum + 0 }' \
      wall.folded)
    awk -v a="$drawn" -v least="$least" -v most="${most:-$2}" \
      'BEGIN { exit !(a > least - 1 && a < most + 1) }' ||
      complain "$1: thread $tid lived $least to ${most:-$2} ms, and $drawn are drawn"
  done <lives.txt
}
timed "$WICK" flame -q --wall --keep wall.data -o flame.folded -- ./lives \
  >lives.txt
same 'exit status' $? 0
same 'threads' "$(wc -l <lives.txt)" 4
"$WICK" fold -q --tid --event wall-time wall.data >wall.folded
compare 'a program' $elapsed
[ $knows_where = 0 ] || has 'sleeping' "$(cat flame.folded)" 'nanosleep'
has 'working' "$(cat flame.folded)" ';work'

# Attached to while it sleeps: the lives of threads that it makes later are whole,
# and it was off the CPU until then.
./lives 2000 >lives.txt &
"$WICK" record -q --off-cpu -p $! -o late.data
wait
sed -i '$d' lives.txt
"$WICK" fold -q --tid --event wall-time late.data >wall.folded
compare 'attached' 0
[ $knows_where = 0 ] || has 'the sleeper' "$(cat wall.folded)" \
  "lives-$!/$!;[^ ]*;main;nap;[^ ]*;\[blocked\] [1-9]"

# As nobody, without tracepoints: lives are equally exact.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
  let_nobody_in || skip_rest 'nobody may not run programs here'
  timed "${nobody[@]}" "$WICK" record -q --off-cpu -o nobody.data -- ./lives \
    >lives.txt 2>said.txt
  same 'exit status as nobody' $? 0
  "$WICK" fold -q --tid --event wall-time nobody.data >wall.folded
  compare 'as nobody' $elapsed
fi
finish
