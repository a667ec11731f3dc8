#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a tiny RISC-V kernel and traces of it.

usage: small_trace.py elf FILE               the kernel, with symbols
       small_trace.py trace FILE [CALLS]     a TracerV trace (output format 1)

start_kernel calls leaf CALLS times (3) and traps no one. Every instruction takes
one cycle, the first of leaf ten. The marker that FireSim's triggers use stands
before the second call.
"""
import struct
import sys

BASE = 0xffffffff80002000
LEAF = BASE + 0x20
NOP, MARKER, RET = 0x13, 0x8013, 0x8067


def jal(offset):
    """jal ra, offset"""
    word = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21
    word |= (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12
    return word | 1 << 7 | 0x6f


def jump_back(offset):
    """j offset"""
    return jal(offset & 0x1fffff) & ~0xf80


def text():
    code = [NOP, jal(LEAF - BASE - 4), MARKER, jump_back(-8)]
    code += [NOP] * (8 - len(code))
    code += [NOP, RET]
    return b"".join(struct.pack("<I", word) for word in code)


def elf():
    """Header, .text, .symtab, .strtab, .shstrtab."""
    code = text()
    names = b"\0start_kernel\0leaf\0"
    symbols = b"\0" * 24
    for name, value, size in ((1, BASE, 32), (14, LEAF, 8)):
        symbols += struct.pack("<IBBHQQ", name, 0x12, 0, 1, value, size)
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts = [code, symbols, names, section_names]
    offsets, at = [], 64 + 56
    for part in parts:
        offsets.append(at)
        at += len(part)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, BASE,
                         64, at, 0, 64, 56, 1, 64, 5, 4)
    segment = struct.pack("<IIQQQQQQ", 1, 5, offsets[0], BASE, BASE, len(code),
                          len(code), 4096)

    def section(name, kind, flags, address, part, link=0, info=0, entry=0):
        return struct.pack("<IIQQQQIIQQ", name, kind, flags, address,
                           offsets[part], len(parts[part]), link, info, 1, entry)

    table = b"\0" * 64 + section(1, 1, 6, BASE, 0)
    table += section(7, 2, 0, 0, 1, 3, 1, 24) + section(15, 3, 0, 0, 2)
    table += section(23, 3, 0, 0, 3)
    return header + segment + b"".join(parts) + table


def trace(calls):
    out = [b"# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"]
    cycle = 1000

    def retire(pc, cycles=1):
        nonlocal cycle
        cycle += cycles
        out.append(struct.pack("<QQ", cycle, pc & (1 << 40) - 1 | 1 << 63))

    retire(BASE)
    for _ in range(calls):
        retire(BASE + 4)
        retire(LEAF, 10)
        retire(LEAF + 4)
        retire(BASE + 8)
        retire(BASE + 12)
    return b"".join(out)


def main():
    what, path = sys.argv[1:3]
    calls = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with open(path, "wb") as file:
        file.write(elf() if what == "elf" else trace(calls))


if __name__ == "__main__":
    main()
