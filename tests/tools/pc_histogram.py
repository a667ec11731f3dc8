#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the leaves of folded stacks with a count of pcs by symbol.

usage: pc_histogram.py TRACE FOLDED FILE...

TRACE is wick's own trace of one process with its mappings, or a binary trace of
TracerV in today's layout with one slot (a line of text, then records of 16
bytes). FILEs are ELF files or System.maps, as they were given to `wick fold
--elf`, with @ and a hexadecimal number behind them if they are so much higher in
memory; those of mappings are found by themselves. The count shares no code with
wick: it reads traces and symbols by their specifications, and each
instruction counts the cycles since the one before it.
Exits with 1 and the differences if the two are not equal.
"""
import bisect
import collections
import os
import re
import struct
import subprocess
import sys

import wick_trace

PC_BITS = 40
MASK = (1 << PC_BITS) - 1
EXECUTABLE, SYMTAB, DYNSYM = 4, 2, 11


class Symbols:
    """Names by address; a symbol without a size reaches to the next one."""

    def __init__(self, path):
        self.segments = []  # file offset, address, size
        path, _, bias = path.partition("@")
        bias = int(bias or "0", 16)
        with open(path, "rb") as file:
            content = file.read()
        rows = collections.defaultdict(list)
        if content.startswith(b"\x7fELF"):
            self._read_elf(content, rows)
        else:
            for line in content.decode().splitlines():
                address, kind, name = line.split()[:3]
                if kind in "tTwW" and not name.startswith("$"):
                    rows[int(address, 16)].append((0, name))
        self.starts = sorted(rows)
        self.ends, self.names = [], []
        for i, start in enumerate(self.starts):
            size = max(size for size, _ in rows[start])
            following = (self.starts[i + 1] if i + 1 < len(self.starts)
                         else start + 8192)
            self.ends.append(start + size if size else following)
            self.names.append({name for _, name in rows[start]})
        self.masked = [start + bias & MASK for start in self.starts]

    def _read_elf(self, content, rows):
        phoff, shoff = struct.unpack_from("<QQ", content, 32)
        phentsize, phnum, shentsize, shnum = struct.unpack_from("<4H", content,
                                                                54)
        for i in range(phnum):
            kind, _, offset, address, _, size = struct.unpack_from(
                "<IIQQQQ", content, phoff + i * phentsize)
            if kind == 1:
                self.segments.append((offset, address, size))
        sections = [struct.unpack_from("<IIQQQQIIQQ", content,
                                       shoff + i * shentsize)
                    for i in range(shnum)]
        names = sections[struct.unpack_from("<H", content, 62)[0]][4]
        for name, kind, _, address, offset, size, link, _, _, _ in sections:
            if content[names + name:].startswith(b".plt\0"):
                # Behind the code that all stubs share.
                rows[address + 32].append((size - 32, "@plt"))
            if kind not in (SYMTAB, DYNSYM):
                continue
            texts = sections[link][4]
            for at in range(offset, offset + size, 24):
                name, info, _, section, value, length = struct.unpack_from(
                    "<IBBHQQ", content, at)
                text = content[texts + name:
                               content.index(b"\0", texts + name)].decode()
                if (text and info & 15 in (0, 2, 10) and 0 < section < shnum
                        and sections[section][2] & EXECUTABLE
                        and not text.startswith(("$", ".L"))):
                    rows[value].append((length, text))

    def address(self, offset):
        """Of a place in the file."""
        for start, address, size in self.segments:
            if start <= offset < start + size:
                return offset - start + address
        return None

    def find(self, pc):
        i = bisect.bisect_right(self.masked, pc) - 1
        # Labels inside a function end before it does.
        for k in range(i, max(i - 8, -1), -1):
            if pc - self.masked[k] < self.ends[k] - self.starts[k]:
                return frozenset(self.names[k])
        return None


def tracerv_counts(path):
    """Cycles by pc."""
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"#"):
        content = content[content.index(b"\n") + 1:]
    counts, previous = collections.Counter(), None
    for cycle, word in struct.iter_unpack("<QQ",
                                          content[:len(content) // 16 * 16]):
        counts[word & MASK] += 1 if previous is None else cycle - previous
        previous = cycle
    return counts


def tracerv_histogram(path, tables):
    sums = collections.Counter()
    for pc, count in tracerv_counts(path).items():
        sums[next((found for table in tables if (found := table.find(pc))),
                  None)] += count
    return sums


def wick_histogram(path):
    trace = wick_trace.Trace(path)
    blocks, counts = {}, collections.Counter()
    for _, _, pcs, _ in trace.runs():
        blocks[id(pcs)] = pcs  # keeps it, so that no other has its id
        counts[id(pcs)] += 1
    by_pc = collections.Counter()
    for key, count in counts.items():
        for pc in blocks[key]:
            by_pc[pc] += count
    tables, sums = {}, collections.Counter()
    for pc, count in by_pc.items():
        names = None
        for _, start, end, offset, file in trace.mappings:
            if not start <= pc < end:
                continue
            if file not in tables:
                tables[file] = Symbols(file)
            address = tables[file].address(pc - start + offset)
            names = address is not None and tables[file].find(address)
            names = names or frozenset([f"[{os.path.basename(file)}]"])
            break
        sums[names] += count
    return sums


def leaves(folded):
    counts = collections.Counter()
    with open(folded, encoding="utf-8") as file:
        for line in file:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            counts[plain(stack.rsplit(";", 1)[-1])] += int(weight)
    return counts


def plain(name):
    """Without what tells C++ functions of one name apart; stubs as one."""
    if name.endswith("@plt"):
        return "@plt"
    if name.startswith("["):
        return name
    name = re.sub(r"\[abi:\w+\]", "", name)
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    name = name.replace("std::basic_string", "std::string")
    return re.sub(r" \[clone.*", "", name).split(" ")[-1]


def demangled(expected):
    """The same with the names of C++ as c++filt writes them."""
    names = sorted({name for names in expected for name in names or ()})
    text = subprocess.run(["c++filt", "-p"], input="\n".join(names),
                          capture_output=True, text=True, check=True).stdout
    known = dict(zip(names, map(plain, text.splitlines())))
    result = collections.Counter()
    for names, weight in expected.items():
        result[names and frozenset(known[name] for name in names)] += weight
    return result


def main():
    trace, folded, *files = sys.argv[1:]
    with open(trace, "rb") as file:
        is_wick = file.read(8) == wick_trace.MAGIC
    expected = demangled(wick_histogram(trace) if is_wick else
                         tracerv_histogram(trace,
                                           [Symbols(path) for path in files]))
    found = leaves(folded)
    # Which of several names of one address is shown is wick's choice, and
    # static functions of equal names are one leaf.
    groups = []  # names, weight
    for names, weight in expected.items():
        names = set(names or ["unknown"])
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names |= group[0]
            weight += group[1]
        groups.append((names, weight))
    found["unknown"] = sum(weight for name, weight in found.items()
                           if name.startswith("[unknown"))
    wrong = []
    for names, weight in groups:
        got = sum(found[name] for name in names)
        if got != weight:
            wrong.append(f"{'|'.join(sorted(names))}: {weight} by pc, {got} in "
                         "stacks")
    del found["unknown"]
    if sum(found.values()) != sum(expected.values()):
        wrong.append(f"in all: {sum(expected.values())} by pc, "
                     f"{sum(found.values())} in stacks")
    print("\n".join(wrong) or f"{len(groups)} functions agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
