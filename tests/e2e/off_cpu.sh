# wick flame --off-cpu: where threads wait, and for how long.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
"$WICK" doctor | grep -q 'tracepoints can be used' ||
  skip 'tracepoints cannot be used'
command -v gcc >/dev/null || skip 'there is no gcc'

gcc -O2 -g -o waits "$SOURCE/tests/e2e/programs/waits.c" -lpthread

# milliseconds REGEX FOLDED: of the stacks that match.
milliseconds() {
  regex=$1 awk '$0 ~ ENVIRON["regex"] { sum += $NF / 1e6 } END { print sum + 0 }' "$2"
}
# at_most A B WHAT
at_most() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }' || complain "$3: $1 > $2 ms"
}

# No more is drawn than the program measured; a nap consists of waiting only.
# (`make bench` measures how near the two are.)
"$WICK" flame -q --off-cpu -o off.folded -- ./waits >measured.txt
same 'exit status' $? 0
for function in nap waiter; do
  at_most "$(milliseconds ";main;$function;" off.folded)" \
    "$(sed -n "s/^$function //p" measured.txt)" "drawn and measured in $function"
done
at_most 50 "$(milliseconds ';main;nap;' off.folded)" 'a nap of 100 ms'
at_most 1e-6 "$(milliseconds ';main;waiter;' off.folded)" 'the wait for a lock'
has 'why' "$(cat off.folded)" ';main;nap;.*;\[blocked\] [0-9]'

# The page shows that event first, and has as many functions of it as the report.
said=$("$WICK" flame --off-cpu --keep waits.data -o off.html -- ./waits 2>&1 >out.txt)
functions=$("$WICK" report -q --event offcpu-time --by function --top 0 waits.data |
  grep -v 'self%' | grep -c '%.*%')
has 'functions' "$said" "samples, $functions functions of offcpu-time; open it"

# On and off the CPU together are the thread's life: what it measured within, and
# the time of the whole command around it.
timed "$WICK" flame -q --wall -o wall.folded -- ./waits >measured.txt
life=$(awk '{ sum += $2 } END { print sum }' measured.txt)
drawn=$(milliseconds ';_start;' wall.folded)
at_most "$life" "$(awk -v a="$drawn" 'BEGIN { print a + 2 }')" 'measured and drawn'
at_most "$drawn" "$elapsed" 'drawn and elapsed'
finish
