#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wick trace: looked at, printed, counted, cut by triggers, converted.
# It may run beside others.
set -euo pipefail
bad() { echo "trace.sh: $*" >&2; exit 1; }
make() { python3 "$SOURCE/tests/e2e/small_trace.py" "$@"; }
has() { grep -q -e "$1" out || bad "no '$1' in: $(cat out)"; }

make elf vmlinux
make trace TRACEFILE-C0

"$WICK" trace TRACEFILE-C0 >out
has '^  has       cycles, 40 bits of each pc$'
has '^  hart 0    16 instructions, cycles 1001 to 1043: 43, 0.372'
"$WICK" trace --print --limit 3 --elf vmlinux TRACEFILE-C0 >out
[ "$(wc -l <out)" = 3 ] || bad "not 3 lines: $(cat out)"
has '^0         1002 ff80002004  start_kernel+0x4  call$'
has '^0         1012 ff80002020  leaf$'
"$WICK" trace --count function --elf vmlinux TRACEFILE-C0 >out
has '^ *16 *43  \[all\]$'
has '^ *6 *33  leaf$'

# Triggers: words, TracerV's numbers, its configuration.
part() { "$WICK" trace "$@" --elf vmlinux TRACEFILE-C0 >out 2>err; }
part --from symbol:leaf#2 --until insn:8013
has '^  hart 0    3 instructions, cycles 1026 to 1028: 3'
part --trace-select 1 --trace-start 1012 --trace-end 1015
has ' 4 instructions, cycles 1012 to 1015: 4'
part --cycles 1012..1015
has ' 4 instructions, cycles 1012 to 1015: 4'
printf 'tracing:\n  enable: yes\n  selector: 2\n  start: ffffffff80002020\n  end: ffffffff80002008\n' >run.yaml
part --runtime-config run.yaml --edges until
has ' 6 instructions, cycles 1013 to 1042: 6,.* 2 gaps'
# A part without instructions is an error in every view, and writes nothing.
for view in '' --print '--count function' '--to wick-trace -o part' \
  '--to tracerv-human -o part' '--to tracerv-labels -o part'; do
  rc=0
  part --from pc:1234 $view || rc=$?
  [ $rc = 1 ] || bad "$view of nothing: status $rc"
  [ "$(cat err)" = "wick: TRACEFILE-C0: nothing is left: 16 instructions are left out by the options given (all: pc:1234 was not met)" ] ||
    bad "$view of nothing: $(cat err)"
  [ ! -s out ] && [ ! -e part ] || bad "$view of nothing: $(cat out)"
done
rc=0
part --hart 3 || rc=$?
missing='wick: TRACEFILE-C0: there is no hart 3; the trace has hart 0'
[ $rc = 1 ] && [ "$(cat err)" = "$missing" ] || bad "no hart 3: $rc, $(cat err)"
rc=0
"$WICK" fold --hart 3 --elf vmlinux TRACEFILE-C0 >out 2>err || rc=$?
[ $rc = 1 ] && [ "$(cat err)" = "$missing" ] ||
  bad "fold without hart 3: $rc, $(cat err)"
rc=0
part --cycles 1012..1015 --from pc:0 || rc=$?
[ $rc = 2 ] || bad "--cycles and --from: $rc, $(cat err)"
if part --from here; then bad "took --from here"; fi
grep -q "'here' is not cycle:N" err || bad "no reason: $(cat err)"

# To every format and back.
for format in tracerv-human tracerv-binary wick-trace; do
  "$WICK" trace TRACEFILE-C0 --to $format -o copy
  "$WICK" trace --print copy >got
  "$WICK" trace --print TRACEFILE-C0 >wanted
  cmp got wanted || bad "$format is not the same trace"
done
head -c 64 copy | grep -aq wickT || bad "no wick trace"
"$WICK" trace TRACEFILE-C0 --to tracerv-labels --elf vmlinux >labels
[ "$(grep -c 'Start label: leaf' labels)" = 3 ] || bad "not 3 calls: $(cat labels)"
"$WICK" fold labels >from_labels
"$WICK" fold TRACEFILE-C0 --elf vmlinux >folded
grep -q 'start_kernel;leaf 33$' folded || bad "not folded: $(cat folded)"
grep -q 'start_kernel 10$' folded || bad "not folded: $(cat folded)"
[ "$(awk '{ sum += $NF } END { print sum }' folded)" = 43 ] || bad "cycles are lost"
cmp <(sed 's/^[^;]*;\(start_kernel\)/\1/' from_labels | sort) \
  <(sed 's/^[^;]*;\(start_kernel\)/\1/' folded | sort) ||
  bad "the labels are other stacks: $(cat from_labels)"

# Tokens get no made-up stacks.
printf 'core   0: 0x%016x (0x00000013) nop\n' 2147483648 2147483652 >spike.log
if "$WICK" trace spike.log --to tracerv-binary --out-layout tokens -o copy 2>err
then bad "wrote tokens without privilege"; fi
grep -q 'has no privilege, which this layout needs' err ||
  bad "no reason: $(cat err)"

# A text has all of a pc, records those bits that Sv57 needs.
printf 'core   0: 0x%s (0x00000013) nop\n' 0000000080000000 \
  ffffffff80000000 >spike.log
"$WICK" trace spike.log --to tracerv-human 2>err >out
has ' I0: ffffffff80000000$'
"$WICK" trace spike.log --to tracerv-binary -o copy 2>>err
"$WICK" trace --print copy >out
has ' 1ffffff80000000$'
[ ! -s err ] || bad "said of pcs that are kept: $(cat err)"

# Every copy of a truncated file is reported as truncated.
"$WICK" trace TRACEFILE-C0 --to tracerv-human | gzip -n >human.gz
head -c -20 human.gz >cut.gz
for options in "" "--print" "-o copy"; do
  "$WICK" trace cut.gz $options 2>err >out
  grep -q 'cut.gz: .*the compressed data is damaged or cut off' err ||
    bad "nothing is said of a cut file with '$options': $(cat err)"
done

# Once, although half a record is left over as well.
head -c -5 TRACEFILE-C0 | gzip -n | head -c -4 >half.gz
"$WICK" trace half.gz 2>err >out
grep -q 'half.gz: 1 input ends in the middle (the compressed data is' err ||
  bad "the end of half.gz is not said once: $(cat err)"

# Two harts, one trigger.
make trace TRACEFILE-C1 1
# A hart that one of several files has is shown; one that none has is an error.
"$WICK" trace TRACEFILE-C0 TRACEFILE-C1 --hart 1 >out 2>err
has '^  hart 1    6 instructions'
grep -q '^wick: TRACEFILE-C0: there are no instructions of hart 1$' err || bad "$(cat err)"
rc=0
"$WICK" trace TRACEFILE-C0 TRACEFILE-C1 --hart 7 >out 2>err || rc=$?
[ $rc = 1 ] && [ ! -s out ] || bad "no hart 7: $rc, $(cat out)"
"$WICK" trace TRACEFILE-C0 TRACEFILE-C1 --all-harts --from pc:ffffffff80002020 \
  --until pc:ffffffff80002024#2 >out
[ "$(grep -c '^  hart' out)" = 2 ] || bad "not two harts: $(cat out)"
if "$WICK" trace --all-harts --from pc:0 - <TRACEFILE-C0 2>err; then
  bad "read a pipe twice"
fi

# An error names the file, once.
echo hello >hello.txt
! "$WICK" trace hello.txt >out 2>&1 || bad 'a text is no trace'
has '^wick: hello.txt: not an instruction trace'
