#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the leaves of folded stacks with a count of pcs by symbol.

usage: pc_histogram.py TRACE FOLDED FILE...

TRACE is a binary trace of TracerV in today's layout with one slot (a line of
text, then records of 16 bytes). FILEs are ELF files or System.maps, as they
were given to `wick fold --elf`. The count shares no code with wick: symbols come
from nm, and each instruction counts the cycles since the one before it.
Exits with 1 and the differences if the two are not equal.
"""
import bisect
import collections
import struct
import subprocess
import sys

PC_BITS = 40
MASK = (1 << PC_BITS) - 1


class Symbols:
    """Names by address; a symbol without a size reaches to the next one."""

    def __init__(self, path):
        with open(path, "rb") as file:
            is_elf = file.read(4) == b"\x7fELF"
        rows = {}
        if is_elf:
            text = subprocess.run(["nm", "-S", path], capture_output=True,
                                  text=True, check=True).stdout
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        for line in text.splitlines():
            words = line.split()
            if words[-2] not in "tTwW" or words[-1].startswith("$"):
                continue
            start = int(words[0], 16)
            size = int(words[1], 16) if len(words) == 4 else 0
            rows.setdefault(start, []).append((size, words[-1]))
        self.starts = sorted(rows)
        self.ends, self.names = [], []
        for i, start in enumerate(self.starts):
            size = max(size for size, _ in rows[start])
            following = (self.starts[i + 1] if i + 1 < len(self.starts)
                         else start + 8192)
            self.ends.append(start + size if size else following)
            self.names.append({name for _, name in rows[start]})
        self.masked = [start & MASK for start in self.starts]

    def find(self, pc):
        i = bisect.bisect_right(self.masked, pc) - 1
        # Labels inside a function end before it does.
        for k in range(i, max(i - 8, -1), -1):
            if pc - self.masked[k] < self.ends[k] - self.starts[k]:
                return frozenset(self.names[k])
        return None


def histogram(trace, tables):
    with open(trace, "rb") as file:
        content = file.read()
    if content.startswith(b"#"):
        content = content[content.index(b"\n") + 1:]
    known, counts, previous = {}, collections.Counter(), None
    for cycle, word in struct.iter_unpack("<QQ",
                                          content[:len(content) // 16 * 16]):
        pc = word & MASK
        if pc not in known:
            known[pc] = next((found for table in tables
                              if (found := table.find(pc))), None)
        counts[known[pc]] += 1 if previous is None else cycle - previous
        previous = cycle
    return counts


def leaves(folded):
    counts = collections.Counter()
    with open(folded, encoding="utf-8") as file:
        for line in file:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            counts[stack.rsplit(";", 1)[-1]] += int(weight)
    return counts


def main():
    trace, folded, *files = sys.argv[1:]
    expected = histogram(trace, [Symbols(path) for path in files])
    found = leaves(folded)
    # Which of several names of one address is shown is wick's choice.
    shown = {}
    for names in expected:
        for name in names or ():
            if name in found:
                shown[names] = name
    # Static functions of equal names are one leaf.
    summed = collections.Counter()
    for names, weight in expected.items():
        summed[shown.get(names, "unknown" if names is None
                         else sorted(names)[0])] += weight
    unknown = sum(weight for name, weight in found.items()
                  if name.startswith("["))
    wrong = []
    for name, weight in summed.items():
        got = unknown if name == "unknown" else found[name]
        if got != weight:
            wrong.append(f"{name}: {weight} by pc, {got} in stacks")
    if sum(found.values()) != sum(expected.values()):
        wrong.append(f"in all: {sum(expected.values())} by pc, "
                     f"{sum(found.values())} in stacks")
    print("\n".join(wrong) or f"{len(summed)} functions agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
