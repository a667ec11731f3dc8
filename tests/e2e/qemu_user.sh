# SPDX-License-Identifier: Apache-2.0
# The QEMU plugin in user mode traces exactly what QEMU itself logs when it
# executes one instruction at a time.
# It may run beside others.
. "$(dirname "$0")/lib.bash"
plugin=$SOURCE/build/qemu/wick-trace.so
list=$(dirname "$WICK")/list_trace
qemu=qemu-riscv64
command -v $qemu >/dev/null || skip "qemu-riscv64 is not installed"
command -v riscv64-linux-gnu-gcc >/dev/null || skip "no riscv64-linux-gnu-gcc"
[ -e "$plugin" ] || skip "$plugin is not built: make qemu-plugin"
riscv64-linux-gnu-gcc -O1 -static -pthread \
  "$SOURCE/tests/e2e/programs/riscv_calls.c" -o calls ||
  skip "the cross compiler cannot link a static program"

trace() {  # trace OPTIONS WORDS…: runs `calls WORDS…` with the plugin
  local options=$1
  shift
  $qemu -plugin "$plugin,out=calls.trace$options" ./calls "$@"
}
pcs() { "$list" calls.trace | awk '!/^#/ {print $3}'; }

# Both runs write to a file: libc looks at what it writes to.
single=$($qemu -help | grep -q -- -one-insn-per-tb && echo -one-insn-per-tb || echo -singlestep)
$qemu $single -d exec,nochain -D qemu.log ./calls one >expected.txt
sed -n 's/^Trace [0-9]*: [^[]*\[[0-9a-f]*\/0*\([0-9a-f]*\)\/.*/\1/p' qemu.log >log.pcs
[ "$(wc -l <log.pcs)" -gt 20000 ] || skip "this QEMU logs instructions in another format"

trace "" one >said.txt
same "what the program says" "$(cat said.txt)" "$(cat expected.txt)"
pcs >trace.pcs
cmp -s trace.pcs log.pcs || complain "the trace has $(wc -l <trace.pcs) instructions, QEMU's log $(wc -l <log.pcs), first difference: $(cmp trace.pcs log.pcs)"
"$list" calls.trace >all.txt
grep -q '^# thread [0-9]* [0-9]* calls$' all.txt || complain "no thread in the trace"
grep -q "^# mapping [0-9]* 10000 .* 0 $PWD/calls$" all.txt ||
  complain "the program's mapping is not in the trace: $(grep -m1 mapping all.txt)"

# Between the markers, both of them inside.
trace ,markers=on one >said.txt
pcs >trace.pcs
"$list" calls.trace | awk '!/^#/ {print $4}' >bits
same "the first instruction" "$(head -n 1 bits)" 8013
same "the last instruction" "$(tail -n 1 bits)" 10013
first=$(head -n 1 trace.pcs) last=$(tail -n 1 trace.pcs)
sed -n "/^$first\$/,/^$last\$/p" log.pcs | cmp -s - trace.pcs ||
  complain "between the markers, the trace is not what QEMU logs"
# Without x0's marker, by its bits and mask.
trace ,start=insn:0x8013/0xffffffff,stop=insn:0x10013 one >said.txt
pcs | cmp -s - trace.pcs || complain "markers by value and mask differ"

# By symbol, the second call of work: from its first instruction on.
work=$(riscv64-linux-gnu-nm calls | awk '$3 == "work" {print $1}' | sed 's/^0*//')
trace ",start=symbol:work#2,elf=calls" one >said.txt
pcs >trace.pcs
awk -v pc="$work" '$1 "" == pc && ++hits == 2 {on = 1} on' log.pcs | cmp -s - trace.pcs ||
  complain "from the second call of work, the trace is not what QEMU logs"
trace ",start=pc:0x$work,stop=pc:0x$work#2" one >said.txt
same "calls of work up to the second after the first" "$(pcs | grep -c "^$work$")" 3

# Compact, even for code without loops.
trace "" two
size=$(stat -c %s calls.trace) count=$(pcs | wc -l)
[ "$size" -lt "$count" ] || complain "$size bytes for $count instructions"
same "harts of three threads" "$("$list" calls.trace | awk '!/^#/ {print $1}' | sort -u | wc -l)" 3
same "their thread ids" "$("$list" calls.trace | awk '/^# thread/ {print $4}' | sort -u | wc -l)" 3
# fib(12) is 465 calls and fib(13) 753; 20 times each.
fib=$(riscv64-linux-gnu-nm calls | awk '$3 == "fib" {print $1}' | sed 's/^0*//')
same "calls of fib in two threads" "$(pcs | grep -c "^$fib$")" $((20 * (465 + 753)))

"$(dirname "$WICK")/check_flow" calls.trace >said.txt ||
  complain "impossible successions of instructions: $(cat said.txt)"

# A forked process has its own file.
trace "" fork
same "calls of fib before the fork's" "$(pcs | grep -c "^$fib$")" 0
mv calls.trace.* calls.trace
same "calls of fib in the child" "$(pcs | grep -c "^$fib$")" 1973

# Killed, and read while it grows.
(exec $qemu -plugin "$plugin,out=calls.trace" ./calls loop) &
pid=$!
for _ in $(seq 100); do
  [ "$(stat -c %s calls.trace 2>/dev/null || echo 0)" -gt 100000 ] && break
  sleep 0.1
done
"$list" calls.trace 2>growing | head -n 1000 >some
same "lines while it grows" "$(wc -l <some)" 1000
kill -KILL $pid
wait $pid 2>/dev/null
[ -n "$("$list" --sums calls.trace 2>said.txt)" ] || complain "a killed trace is not read"
[ "$(wc -l <said.txt)" -le 1 ] || complain "a killed trace reports: $(cat said.txt)"

# A link in place of the default name is replaced.
echo old >victim
ln -s victim wick.trace
$qemu -plugin "$plugin" ./calls >/dev/null
same 'the target of a link' "$(cat victim)" old
[ -f wick.trace ] && [ ! -L wick.trace ] || complain 'wick.trace is still a link'

# Each mistake is reported in one line.
for wrong in bogus=1 start=symbol:main start=insn:x start=symbol:nothing,elf=calls start=pc:1#0 out=/nowhere/t; do
  $qemu -plugin "$plugin,$wrong" ./calls >said.txt 2>&1 && complain "$wrong is accepted"
  same "lines about $wrong" "$(grep -c '^wick-trace: ' said.txt)" 1
done
finish
