#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads wick's own trace by docs/formats/wick-trace.md alone, for checks.

usage: wick_trace.py TRACE PREFIX
writes what stock TracerV has of each hart, 40 bits of the pc and the cycle, to
PREFIX0, PREFIX1 … in its layout of today.
"""
import struct
import sys

MAGIC = b"\x89wickT\r\n"
HAS_BYTES, TIMED = 1, 2


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def zigzag(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def text(self):
        return self.take(self.varint()).decode()

    def more(self):
        return self.at < len(self.data)


def pcs_of(code, pc):
    """Where the instructions of these bytes begin."""
    pcs, at = [], 0
    while at < len(code):
        pcs.append(pc + at)
        at += 4 if code[at] & 3 == 3 else 2
    return pcs


class Trace:
    """runs(): (hart, cycle of the first, pcs, whether code is missing before).
    mappings: (pid, start, end, offset, path), threads: (hart, pid, tid, name),
    as far as they were met."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if not self.data.startswith(MAGIC):
            raise ValueError(f"{path} is no trace of wick")
        self.flags, = struct.unpack_from("<I", self.data, 12)
        self.blocks, self.mappings, self.threads = [], [], []

    def runs(self):
        at = 32
        while at + 16 <= len(self.data):
            kind, size, argument, _ = struct.unpack_from("<4sIII", self.data, at)
            payload = self.data[at + 16:at + 16 + size]
            at += 16 + size
            if kind == b"DEFS":
                self._define(argument, Cursor(payload))
            elif kind == b"EXEC":
                yield from self._execute(argument, Cursor(payload))

    def _define(self, number, cursor):
        if number != len(self.blocks):
            raise ValueError("definitions are missing")
        end = 0
        while cursor.more():
            pc = end + cursor.zigzag()
            size = cursor.varint()
            if self.flags & HAS_BYTES:
                pcs = pcs_of(cursor.take(size), pc)
                end = pc + size
            else:
                lengths, pcs, end = cursor.take((size + 7) // 8), [], pc
                for i in range(size):
                    pcs.append(end)
                    end += 4 if lengths[i // 8] >> i % 8 & 1 else 2
            self.blocks.append(pcs)

    def _execute(self, hart, cursor):
        cycle = cursor.varint()
        operations = Cursor(cursor.take(cursor.varint()))
        cycles = self._cycles(cursor) if self.flags & TIMED else None
        follows, last, first_only, gap = {}, None, None, False
        while operations.more():
            x = operations.varint()
            if x == 1:
                special = operations.byte()
                if special == 1:
                    first_only = operations.varint()
                elif special == 8:
                    gap = True
                else:
                    self._tell(special, hart, operations)
                continue
            for _ in range(x // 2 if x % 2 == 0 else 1):
                block = follows[last] if x % 2 == 0 else (x - 1) // 2 - 1
                follows[last] = last = block
                pcs = self.blocks[block]
                if first_only is not None:
                    pcs, first_only = pcs[:first_only], None
                if cycles is None:
                    yield hart, cycle, pcs, gap
                    cycle += len(pcs)
                else:
                    for pc in pcs:
                        cycle += next(cycles)
                        yield hart, cycle, [pc], gap
                        gap = False
                gap = False

    @staticmethod
    def _cycles(cursor):
        yield 0
        while True:
            for _ in range(cursor.varint()):
                yield 1
            yield cursor.zigzag()

    def _tell(self, special, hart, cursor):
        if special == 2:
            mask = cursor.byte()
            if mask & 1:
                cursor.byte()
            for bit in (2, 4):
                if mask & bit:
                    cursor.varint()
        elif special in (3, 4):
            cursor.byte()
            cursor.varint()
        elif special == 5:
            cursor.varint()
            pid, tid = cursor.zigzag(), cursor.zigzag()
            self.threads.append((hart, pid, tid, cursor.text()))
        elif special == 6:
            cursor.varint()
            pid, start = cursor.zigzag(), cursor.varint()
            size, offset = cursor.varint(), cursor.varint()
            row = (pid, start, start + size, offset, cursor.text())
            if row not in self.mappings:
                self.mappings.append(row)
        elif special == 7:
            cursor.varint()
            cursor.zigzag()
        else:
            raise ValueError(f"there is no operation {special}")


def main():
    path, prefix = sys.argv[1:]
    files = {}
    for hart, cycle, pcs, _ in Trace(path).runs():
        if hart not in files:
            files[hart] = open(f"{prefix}{hart}", "wb")
            files[hart].write(b"# Clock Domain: baseClock, Relative Frequency: "
                              b"1/1 of Base Clock\n")
        files[hart].write(b"".join(
            struct.pack("<QQ", cycle + i, pc & (1 << 40) - 1 | 1 << 63)
            for i, pc in enumerate(pcs)))


if __name__ == "__main__":
    main()
