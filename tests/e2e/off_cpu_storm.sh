# wick record --off-cpu of 1,500 threads that leave the CPU all the time: copies of
# their stacks are smaller than usual, fewer switches are lost, and wick says so.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
command -v gcc >/dev/null || skip 'there is no gcc'
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt $((2000 * 2 * $(nproc))) ] ||
  skip "no more than $(ulimit -Hn) files may be open"
gcc -O1 -g -o storm "$SOURCE/tests/e2e/programs/storm.c" -lpthread
# In a session of its own, which is scheduled as a whole.
setsid nice -n 19 ./storm 1500 60000 >/dev/null &
program=$!
trap 'kill "$program" 2>/dev/null' EXIT
for _ in {1..1000}; do
  [ "$(ls "/proc/$program/task" 2>/dev/null | wc -l)" = 1501 ] && break
  sleep 0.01
done

# storm_lost FILE WORDS…: sets said, and lost to the number of lost records.
storm_lost() {
  said=$("$WICK" record -o "$1" -p "$program" --off-cpu --duration 0.2 "${@:2}" 2>&1)
  lost=$(sed -n 's/^wick: \([0-9,]*\) records\{0,1\} w[a-z]* lost.*/\1/p' <<<"$said" | tr -d ,)
  lost=${lost:-0}
}

storm_lost storm.data
has 'what is cut' "$said" '1,501 threads (may )?leave the CPU [^.]*, so only [0-9.]+ kB of their stacks are copied'
"$WICK" flame -q --event offcpu-time -o storm.folded storm.data
has 'where they wait' "$(grep -m1 'hand_on.*read' storm.folded)" ';run;hand_on;[^ ]*read'

# wick may have to wait for a CPU itself and lose records whatever their size, so
# there are three attempts.
fewer=$lost
for _ in 1 2 3; do
  [ "$fewer" = 0 ] && break
  storm_lost large.data --call-graph dwarf,16384
  same 'a size that the user gave' "$(grep -c 'are copied when' <<<"$said")" 0
  [ "$fewer" -lt $((lost / 2)) ] && break
  storm_lost storm.data
  fewer=$lost
done
[ "$fewer" = 0 ] || [ "$fewer" -lt $((lost / 2)) ] ||
  complain "$fewer records were lost, and $lost with 16 kB of each stack"
finish
