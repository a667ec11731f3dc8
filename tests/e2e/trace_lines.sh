# SPDX-License-Identifier: Apache-2.0
# Inlined calls and lines of a trace are those that addr2line gives for its pcs.
. "$(dirname "$0")/lib.bash"
plugin=$SOURCE/build/qemu/wick-trace.so
command -v qemu-riscv64 >/dev/null || skip "qemu-riscv64 is not installed"
command -v riscv64-linux-gnu-gcc >/dev/null || skip "no riscv64-linux-gnu-gcc"
[ -e "$plugin" ] || skip "$plugin is not built: make qemu-plugin"

check() {  # OPTIONS…: of the compiler
  riscv64-linux-gnu-gcc "$@" -g -static -nostdlib -ffreestanding \
    "$SOURCE/tests/e2e/programs/riscv_inlines.c" -o program || {
    complain "$*: the program cannot be built"
    return
  }
  qemu-riscv64 -plugin "$plugin,out=program.trace" ./program
  "$WICK" fold program.trace --elf program >folded 2>said
  "$WICK" report program.trace --elf program --by line --top 1000 >lines 2>said
  PYTHONPATH=$SOURCE/tests/tools python3 - >wrong <<'PY' || complain "$*: $(cat wrong)"
import collections
import os
import re
import subprocess
import sys

import wick_trace

pcs = collections.Counter()
for _, _, run, _ in wick_trace.Trace("program.trace").runs():
    pcs.update(run)
told = subprocess.run(
    ["riscv64-linux-gnu-addr2line", "-a", "-f", "-i", "-s", "-e", "program"],
    input="".join(f"{pc:#x}\n" for pc in pcs), capture_output=True, text=True,
    check=True).stdout
functions, lines = collections.Counter(), collections.Counter()
for part in re.split(r"^0x", told, flags=re.M)[1:]:
    address, *rows = part.splitlines()
    count = pcs[int(address, 16)]
    # The innermost first; the last one is the function that is called.
    functions[";".join(reversed(rows[::2]))] += count
    place = re.sub(r" \(discriminator \d+\)", "", rows[1])
    lines[f"{rows[0]}:{place}"] += count

got = collections.Counter()
for line in open("folded", encoding="utf-8"):
    stack, weight = line.rsplit(" ", 1)
    frames = stack.split(";")[1:]
    # From the last frame that is no inlined call.
    calls = [i for i, name in enumerate(frames)
             if name in ("_start", "climb", "work")]
    got[";".join(frames[calls[-1]:])] += int(weight)
wrong = [f"{name}: {functions[name]} by addr2line, {got[name]} in stacks"
         for name in functions | got if functions[name] != got[name]]

self = collections.Counter()
for line in open("lines", encoding="utf-8"):
    row = re.match(r" *([\d,]+) +[\d.]+% +[\d,]+ +[\d.]+%  (\w+:\S+:\d+)$", line)
    if row:
        self[row[2]] += int(row[1].replace(",", ""))
wrong += [f"{name}: {lines[name]} by addr2line, {self[name]} by line"
          for name in lines | self if lines[name] != self[name]]
if len(functions) < 4 or len(lines) < 12:
    wrong.append(f"only {len(functions)} chains and {len(lines)} lines")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
}

check -O2 -gdwarf-4
check -O2 -gdwarf-5
check -Os
finish
