# SPDX-License-Identifier: Apache-2.0
# A binary trace of TracerV with a System.map: stacks, calls, who gets a wait,
# FirePerf's numbers, and the leaves beside a count of pcs by symbol.
# It may run beside others.
source "$SOURCE/tests/e2e/lib.bash"

cat >System.map <<'MAP'
ffffffff80002000 T _stext
ffffffff80002100 T handle_exception
ffffffff80002200 T ret_from_exception
ffffffff80002300 T k_write
ffffffff80002400 T k_copy
ffffffff80002500 T _etext
MAP

python3 - <<'PY'
import struct

K = 0xffffffff80002000 & (1 << 40) - 1
records, cycle = [], 1000


def run(start, count, wait=0):
    """Some instructions of four bytes in a row, the first after a wait."""
    global cycle
    cycle += wait
    for i in range(count):
        records.append(struct.pack("<QQ", cycle, start + 4 * i | 1 << 63))
        cycle += 1


for turn in range(3):
    run(0x5562000000, 5)             # user code that nobody knows
    run(K + 0x100, 4)                # its system call
    run(K + 0x300, 2)                # handle_exception calls k_write
    run(K + 0x400, 3, wait=50)       # k_write calls k_copy, after a wait
    run(K + 0x308, 2, wait=30)       # back
    run(K + 0x110, 1)
    run(K + 0x200, 3)
    run(0x5562000014, 5)             # behind the system call
with open("TRACEFILE-C0", "wb") as file:
    file.write(b"# Clock Domain: baseClock, Relative Frequency: 1/1 of Base "
               b"Clock\n" + b"".join(records))
PY

line() {  # WHAT FILE LINE
  grep -qxF -- "$3" "$2" || complain "$1: no line '$3' in: $(cat "$2")"
}

"$WICK" fold TRACEFILE-C0 --elf System.map >folded 2>said
line 'stacks through the kernel' folded \
  'process 1;[unknown user code];handle_exception;k_write;k_copy 159'
line 'what was counted' said \
  "wick: 315 cycles, 0.238 instructions each; 75 instructions, 12 calls, 3 \
traps, 0 thread switches, 0 resynchronisations; 9.52 % in unknown code"
python3 "$SOURCE/tests/tools/pc_histogram.py" TRACEFILE-C0 folded System.map \
  >differences || complain "leaves and pcs: $(cat differences)"

"$WICK" fold TRACEFILE-C0 --elf System.map --event calls >calls 2>said
line 'exact counts of calls' calls \
  'process 1;[unknown user code];handle_exception;k_write;k_copy 3'

"$WICK" fold TRACEFILE-C0 --elf System.map --attribute last >last 2>said
line 'waits of the one before' last \
  'process 1;[unknown user code];handle_exception;k_write;k_copy 99'

# It gives a callee only the time between its first and last instruction.
"$WICK" fold TRACEFILE-C0 --elf System.map --attribute fireperf >theirs 2>said
line "FirePerf's numbers" theirs 'handle_exception;k_write;k_copy 6'

"$WICK" flame TRACEFILE-C0 --elf System.map --flamechart -o chart.svg 2>said
[ -s chart.svg ] || complain "a chart: $(cat said)"
# Harts that have files of their own are read side by side.
cp TRACEFILE-C0 TRACEFILE-C1
"$WICK" fold TRACEFILE-C[01] --elf System.map -n 2 >together 2>said
line 'two harts' together \
  'process 1;[unknown user code];handle_exception;k_write;k_copy 318'
"$WICK" fold TRACEFILE-C0 no-1 no-2 -n 4 2>said >together &&
  complain 'one of several files is not there and that is no error'
grep -q 'no-1: cannot open' said || complain "said: $(cat said)"

"$WICK" flame TRACEFILE-C0 --elf missing -o no.svg 2>said &&
  complain 'a file that is not there is no error'
grep -q -e '--elf: missing: No such file' said || complain "said: $(cat said)"
finish
