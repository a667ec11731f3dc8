#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a program into one that still runs but costs its reader.

  programs.py notes IN OUT     6,000 sections of notes, each as large as the file
  programs.py sparse IN OUT    an .eh_frame of 3 GB, all of it a hole

64-bit little-endian files only.
"""

import struct
import sys
from pathlib import Path

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
NOTE = 7


class Elf:
    def __init__(self, path):
        self.bytes = bytearray(Path(path).read_bytes())
        self.header = list(HEADER.unpack_from(self.bytes))
        if self.header[0][4:6] != b"\2\1":
            sys.exit("only 64-bit little-endian files are changed")
        self.sections = [
            list(SECTION.unpack_from(self.bytes, self.header[6] + i * SECTION.size))
            for i in range(self.header[12])
        ]

    def section(self, name):
        names = self.sections[self.header[13]]
        for section in self.sections:
            at = names[4] + section[0]
            if self.bytes[at : at + len(name) + 1] == name.encode() + b"\0":
                return section
        sys.exit(f"there is no section {name}")

    def write(self, path, size=0):
        """With its section headers at the end, then a hole up to `size`."""
        self.header[6] = len(self.bytes)
        self.header[12] = len(self.sections)
        HEADER.pack_into(self.bytes, 0, *self.header)
        for section in self.sections:
            self.bytes += SECTION.pack(*section)
        out = Path(path)
        out.write_bytes(self.bytes)
        out.chmod(0o755)
        if size:
            with out.open("r+b") as file:
                file.truncate(size)


def notes(elf, out):
    elf.bytes += bytes(1 << 20)
    count = 6000
    spans = [0, NOTE, 0, 0, 0, len(elf.bytes), 0, 0, 4, 0]
    elf.sections[1:1] = [list(spans) for _ in range(count)]
    for section in elf.sections[1 + count :]:
        if section[6]:
            section[6] += count
    elf.header[13] += count
    elf.write(out)


def sparse(elf, out):
    size = 3 << 30
    frames = elf.section(".eh_frame")
    frames[4], frames[5] = 1 << 20, size
    elf.write(out, (1 << 20) + size)


KINDS = {"notes": notes, "sparse": sparse}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]](Elf(sys.argv[2]), sys.argv[3])
