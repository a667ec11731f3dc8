#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""histogram.py ROOT SYSTEM_MAP < LIST > TABLE: instructions by function.

Independent of how wick gets from pcs to names: LIST is the output of `list_trace
--sums`, ROOT has the guest's files. Names of user code come from the mappings in the
trace and from nm, those of kernel code from System.map. TABLE has lines "COUNT LAYER
FILE FUNCTION", where LAYER is user, kernel or machine; FILE or FUNCTION is "?" if not
known.
"""
import bisect
import collections
import pathlib
import re
import struct
import subprocess
import sys


class Symbols:
    """Names by address: the last one that begins at or before it."""

    def __init__(self, rows):
        rows = sorted(rows)
        self.starts = [row[0] for row in rows]
        self.rows = rows

    def find(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0:
            return "?"
        start = self.starts[at]
        first = bisect.bisect_left(self.starts, start)
        end = max(row[1] for row in self.rows[first : at + 1])
        if end and address >= end:
            return "?"
        # All names at the address: wick may show any of them.
        return "|".join(sorted({row[2] for row in self.rows[first : at + 1]}))


def kernel_symbols(path):
    rows = []
    for line in pathlib.Path(path).read_text().splitlines():
        address, kind, name = line.split()[:3]
        if kind in "tTwW" and not name.startswith("$"):
            rows.append((int(address, 16), 0, name))
    return Symbols(rows)


def elf_symbols(path):
    """Functions, and a function from file offsets to addresses."""
    rows = set()
    for extra in ([], ["-D"]):
        text = subprocess.run(["riscv64-linux-gnu-nm", "-S", *extra, path],
                              capture_output=True, text=True, check=False).stdout
        for line in text.splitlines():
            match = re.fullmatch(
                r"([0-9a-f]+) (?:([0-9a-f]+) )?[tTwWi] ([^$].*)", line)
            if match:
                start, size, name = match.groups()
                start, size = int(start, 16), int(size or "0", 16)
                rows.add((start, start + size if size else 0,
                          name.split("@")[0]))
    data = pathlib.Path(path).read_bytes()
    table, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = []
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", data, table + i * size)
        if kind == 1:
            segments.append((offset, address, length))

    def elf_addr(offset):
        for start, address, length in segments:
            # Pages are mapped whole.
            if start // 4096 * 4096 <= offset < start + length:
                return address + offset - start
        return None

    return Symbols(rows), elf_addr


def main():
    root, system_map = pathlib.Path(sys.argv[1]), sys.argv[2]
    kernel = kernel_symbols(system_map)
    files = {}
    counts = collections.Counter()
    names = {}  # by (layer, place, pc)
    spaces = collections.defaultdict(list)  # by pid: mappings, newest last
    ages = collections.Counter()  # by pid: how often its mappings changed
    layers = {"0": "user", "1": "kernel", "3": "machine"}
    layer, pid = "?", "?"

    def name(layer, pid, pc):
        if layer == "kernel":
            return "kernel", kernel.find(pc)
        if layer == "machine":
            return "machine", "?"
        for start, end, offset, path in reversed(spaces[pid]):
            if not start <= pc < end:
                continue
            if path not in files:
                full = root / path.lstrip("/")
                files[path] = elf_symbols(full) if full.is_file() else None
            if files[path] is None:
                return path, "?"
            symbols, elf_addr = files[path]
            address = elf_addr(pc - start + offset)
            return path, symbols.find(address) if address is not None else "?"
        return "?", "?"

    here = collections.Counter()  # since layer, pid or mappings changed

    def settle():
        key = (layer, pid, ages[pid])
        for pc, count in here.items():
            place = key + (pc,)
            if place not in names:
                names[place] = (layer,) + name(layer, pid, pc)
            counts[names[place]] += count
        here.clear()

    for line in sys.stdin:
        if line[0] != "#":
            pc, count = line.split()
            here[int(pc, 16)] += int(count)
            continue
        words = line.split()
        if words[1] == "context":
            if layers.get(words[2], "?") != layer:
                settle()
                layer = layers.get(words[2], "?")
        elif words[1] == "thread":
            if words[2] != pid:
                settle()
                pid = words[2]
        elif words[1] == "mapping":
            settle()
            ages[words[2]] += 1
            spaces[words[2]].append((int(words[3], 16), int(words[4], 16),
                                     int(words[5], 16), " ".join(words[6:])))
        elif words[1] == "unmap":
            settle()
            ages[words[2]] += 1
            spaces[words[2]].clear()
    settle()
    for (where, path, function), count in counts.most_common():
        print(count, where, path, function)


main()
