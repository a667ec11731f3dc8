#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hostile files of JIT compilers: jitdumps and perf maps.

    jit.py OUTDIR

KIND.dir/jit-PID.dump and perf-PID.map take at most 2 MB on disk each, and some
are sparse. KIND.data is a perf.data file of the process that wrote them. A
jitdump is found by its absolute path; a perf map is looked for in /tmp, where
the caller must put it. No process can have these PIDs. The same OUTDIR gives the
same bytes.
"""

import pathlib
import random
import struct
import sys

from elf import recording

CODE, CODE_SIZE = 0x7f0000000000, 0x100000
FIRST_PID = 4_100_000_001


def header(machine=62, version=1, size=40, time=1, flags=0):
    return struct.pack("<4sIIIIIQQ", b"DTiJ", version, size, machine, 0, 1000,
                       time, flags)


def entry(kind, body, time=1, whole=None):
    """`whole` is a size that is not true."""
    return struct.pack("<IIQ", kind, 16 + len(body) if whole is None else whole,
                       time) + body


def load(name, start=CODE, size=16, time=1, whole=None):
    return entry(0, struct.pack("<IIQQQQ", 1000, 1000, start, start, size, 1) +
                 name, time, whole)


# Jitdumps: the bytes, or the bytes and the size of the file.

def sparse_records():
    """The hole is records of no size."""
    return header(), 512 << 20


def sparse_code():
    """One function, whose code is the hole."""
    head = load(b"f\0")
    code = (512 << 20) - 40 - len(head)
    return header() + load(b"f\0", size=code, whole=len(head) + code), 512 << 20


def tiny_records():
    return header() + entry(3, b"", whole=1) * 120_000


def empty_records():
    return header() + entry(9, b"") * 120_000


def many_functions():
    return header() + b"".join(
        load(b"f%d\0" % i, start=CODE, size=CODE_SIZE, time=i)
        for i in range(30_000))


def huge_sizes():
    numbers = (2**31, 2**32 - 1)
    return header() + b"".join(
        entry(kind, struct.pack("<QQQ", 2**64 - 1, 2**63, 2**60), whole=n)
        for n in numbers for kind in range(6)) + b"\xff" * 4096


def long_name():
    return header() + load(b"n" * 1_900_000, size=CODE_SIZE)


def long_names():
    """Every function has the name of a screenful of pages."""
    return header() + b"".join(
        load(b"n" * 60_000 + b"%d\0" % i, start=CODE + 64 * i, size=64)
        for i in range(32))


def many_lines():
    """Line tables that claim more entries than any file has."""
    lines = entry(2, struct.pack("<QQ", CODE, 2**60) +
                  struct.pack("<QII", CODE, 1, 0) + b"a.js\0")
    return header() + (lines + load(b"f\0", size=CODE_SIZE)) * 12_000


def long_lines():
    """A line table of a megabyte for one function, without an order."""
    rng = random.Random(1)
    rows = b"".join(struct.pack("<QII", CODE + rng.randrange(CODE_SIZE), i, 0) +
                    b"a\0" for i in range(90_000))
    return header() + entry(2, struct.pack("<QQ", CODE, 90_000) + rows) + \
        load(b"f\0", size=CODE_SIZE)


def moved_code():
    """One function that moves to and fro."""
    return header() + load(b"f\0", size=4096) + b"".join(
        entry(1, struct.pack("<IIQQQQQ", 1000, 1000, CODE, CODE + 4096 * (i % 2),
                             CODE + 4096 * ((i + 1) % 2), 4096, 1), time=i)
        for i in range(25_000))


def unwind_sizes():
    info = entry(4, struct.pack("<QQQ", 2**63, 2**62, 2**61) + bytes(64))
    return header() + (info + load(b"f\0", size=CODE_SIZE)) * 10_000


DUMPS = [sparse_records, sparse_code, tiny_records, empty_records,
         many_functions, huge_sizes, long_name, long_names, many_lines,
         long_lines, moved_code, unwind_sizes]


# Perf maps.

def overlapping_map():
    return b"".join(b"%x %x f%d\n" % (CODE, CODE_SIZE, i) for i in range(70_000))


def nested_map():
    return b"".join(b"%x %x f%d\n" % (CODE + i, CODE_SIZE - 2 * i, i)
                    for i in range(70_000))


def one_line_map():
    return b"%x %x " % (CODE, CODE_SIZE) + b"n" * 1_900_000


def long_names_map():
    return b"".join(b"%x 40 " % (CODE + 64 * i) + b"n" * 60_000 + b"%d\n" % i
                    for i in range(31))


def short_lines_map():
    return b"\n" * 1_900_000


def huge_numbers_map():
    return b"ffffffffffffffff ffffffffffffffff f\n" * 50_000


def sparse_map():
    return b"%x %x f\n" % (CODE, CODE_SIZE), 64 << 20


MAPS = [overlapping_map, nested_map, one_line_map, long_names_map,
        short_lines_map, huge_numbers_map, sparse_map]


def write(path, made):
    data, size = made if isinstance(made, tuple) else (made, 0)
    with open(path, "wb") as file:
        file.write(data)
        file.truncate(max(size, len(data)))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    addresses = random.Random(1).sample(range(CODE, CODE + CODE_SIZE), 2000)
    for pid, kind in enumerate(DUMPS + MAPS, FIRST_PID):
        name = kind.__name__
        if kind in DUMPS:
            (folder / f"{name}.dir").mkdir(exist_ok=True)
            mapped = folder / f"{name}.dir" / f"jit-{pid}.dump"
            write(mapped, kind())
        else:
            mapped = "//anon"
            write(folder / f"perf-{pid}.map", kind())
        recording(folder / f"{name}.data", str(mapped), addresses, pid=pid,
                  start=CODE, size=CODE_SIZE)


if __name__ == "__main__":
    main()
