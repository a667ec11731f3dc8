#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hostile ELF files: small or sparse ones that would make large work.

    elf.py OUTDIR

Each KIND.elf takes at most 2 MB on disk. KIND.data is a perf.data file whose
samples are in it, so that a command that reads the recording reads the file; it
has the absolute path of OUTDIR. The same OUTDIR gives the same bytes.
"""

import lzma
import pathlib
import random
import struct
import sys
import zlib

TEXT = 0x1000  # where the code is loaded
TEXT_SIZE = 0x40000

PROGBITS, SYMTAB, STRTAB, RELA, NOTE, DYNSYM = 1, 2, 3, 4, 7, 11
ALLOC, EXEC, COMPRESSED = 2, 4, 0x800


class Elf:
    """An x86-64 library. `put` adds bytes, `section` a header for any range."""

    def __init__(self):
        self.headers, self.names, self.chunks = [], b"\0", []
        self.end = 64 + 56
        self.section("", 0, 0, 0)

    def put(self, data):
        at = self.end
        self.chunks.append((at, data))
        self.end = at + len(data)
        return at

    def section(self, name, kind, offset, size, flags=0, address=0, link=0,
                entry_size=0):
        self.headers.append(struct.pack(
            "<IIQQQQIIQQ", len(self.names), kind, flags, address, offset, size,
            link, 0, 1, entry_size))
        self.names += name.encode() + b"\0"
        return len(self.headers) - 1

    def add(self, name, data, kind=PROGBITS, **more):
        return self.section(name, kind, self.put(data), len(data), **more)

    def symbols(self, entries, names, kind=SYMTAB):
        """Entries are (offset of the name, address, size)."""
        strings = self.add(".strtab" if kind == SYMTAB else ".dynstr", names,
                           STRTAB)
        table = bytes(24) + b"".join(
            struct.pack("<IBBHQQ", name, 0x12, 0, 1, address, size)
            for name, address, size in entries)
        return self.add(".symtab" if kind == SYMTAB else ".dynsym", table, kind,
                        link=strings, entry_size=24)

    def write(self, path, count=None, size=None):
        """`count` is a number of sections that is not true; `size`, the file's."""
        names = self.add(".shstrtab", self.names + b".shstrtab\0", STRTAB)
        if count is not None:
            self.headers[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, count,
                                          names, 0, 0, 0)
        headers_at = self.put(b"".join(self.headers))
        header = struct.pack(
            "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, TEXT, 64,
            headers_at, 0, 64, 56, 1, 64, 0 if count else len(self.headers),
            0xffff if count else names)
        load = struct.pack("<IIQQQQQQ", 1, 5, 0, TEXT, TEXT, TEXT_SIZE,
                           TEXT_SIZE, 1)
        with open(path, "wb") as file:
            file.write(header + load)
            for at, data in self.chunks:
                file.seek(at)
                file.write(data)
            file.truncate(max(size or 0, self.end))


def uleb(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def recording(path, mapped, addresses, pid=1000, size=TEXT_SIZE, start=None,
              stack=None):
    """perf.data of a process that maps `mapped` and was sampled at `addresses`.
    With `stack`, every sample has registers and this copy of the stack."""
    ip, tid, time, period, registers, copy = 1, 2, 4, 256, 1 << 12, 1 << 13
    mask = 0xff0fff  # as perf records on x86-64
    kinds = ip | tid | time | period
    if stack is not None:
        kinds |= registers | copy
    attr = struct.pack("<IIQQQQQIIQQQQII", 1, 128, 0, 1, kinds, 0,
                       1 << 8 | 1 << 9 | 1 << 18, 0, 0, 0, 0, 0,
                       mask if stack is not None else 0, len(stack or b""), 0)
    attr = attr.ljust(128, b"\0") + struct.pack("<QQ", 0, 0)
    start = TEXT if start is None else start

    def trailer(now):
        return struct.pack("<IIQ", pid, pid, now)

    data = [record(3, 0, struct.pack("<II", pid, pid) + b"victim\0\0" + trailer(1))]
    name = mapped.encode() + b"\0"
    name += bytes(-len(name) % 8)
    data.append(record(1, 2, struct.pack("<IIQQQ", pid, pid, start, size, 0) +
                       name + trailer(2)))
    for now, address in enumerate(addresses, 3):
        body = struct.pack("<QIIQQ", address, pid, pid, now, 1)
        if stack is not None:
            values = [0x7fff0000] * mask.bit_count()
            values[8] = address
            body += struct.pack(f"<Q{len(values)}Q", 2, *values)
            body += struct.pack("<Q", len(stack)) + stack
            body += struct.pack("<Q", len(stack))
        data.append(record(9, 2, body))
    data = b"".join(data)
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, len(attr), 104,
                         len(attr), 104 + len(attr), len(data), 0, 0)
    pathlib.Path(path).write_bytes(header.ljust(104, b"\0") + attr + data)


# Notes and sections.

def many_notes(elf):
    notes = struct.pack("<III4s", 4, 0, 9, b"GNU\0") * 40_000
    at = elf.put(notes)
    for _ in range(6000):
        elf.section(".note", NOTE, at, len(notes))


def spanning_notes(elf):
    elf.put(bytes(1 << 20))
    for _ in range(6000):
        elf.section(".note", NOTE, 0, elf.end)


def many_sections(elf):
    elf.count, elf.size = 1 << 20, 70 << 20


def overlapping_sections(elf):
    elf.size = 3 << 30
    for name in ("info", "abbrev", "line", "str", "ranges", "addr", "aranges",
                 "line_str", "rnglists", "str_offsets", "frame", "types"):
        elf.section(".debug_" + name, PROGBITS, 0x2000, (3 << 30) - 0x2000)


def sparse_eh_frame(elf):
    elf.size = 3 << 30
    elf.section(".eh_frame", PROGBITS, 0x2000, (3 << 30) - 0x2000, flags=ALLOC,
                address=0x100000)


def sparse_symbols(elf):
    elf.size = 3 << 30
    elf.section(".symtab", SYMTAB, 0x3000, 3 << 29, link=3, entry_size=24)
    elf.section(".strtab", STRTAB, 0x3000, 3 << 29)


# Compressed sections.

def zlib_bomb(ratio, size):
    """Zeros, in blocks that are repeated instead of compressed again."""
    block = 1 << 20
    packer = zlib.compressobj(9, wbits=-15)
    zeros = packer.compress(bytes(block)) + packer.flush(zlib.Z_FULL_FLUSH)
    # Stored blocks of nothing make up for a ratio that would be refused.
    nothing = b"\0\0\0\xff\xff"
    zeros += nothing * ((block // ratio - len(zeros)) // len(nothing))
    count = size // block
    end = struct.pack(">I", (count * block % 65521) << 16 | 1)
    return b"\x78\xda" + zeros * count + b"\3\0" + end, count * block


def zstd_bomb(ratio, size):
    """Blocks that repeat one byte, and padding in a frame that is skipped."""
    block = 128 << 10
    count = size // block
    frame = struct.pack("<IBB", 0xfd2fb528, 0, 0x70)
    for i in range(count):
        head = block << 3 | 1 << 1 | (i == count - 1)
        frame += struct.pack("<I", head)[:3] + b"\0"
    padding = max(0, size // ratio - len(frame))
    return (struct.pack("<II", 0x184d2a50, padding) + bytes(padding) + frame,
            count * block)


def compressed(elf, method, packed, size, times=1):
    at = elf.put(struct.pack("<IIQQ", method, 0, size, 1) + packed)
    for name in ("info", "abbrev", "line", "str", "ranges", "aranges",
                 "line_str", "str_offsets", "addr", "rnglists")[:times]:
        elf.section(".debug_" + name, PROGBITS, at, 24 + len(packed),
                    flags=COMPRESSED)


def zlib_section(elf):
    compressed(elf, 1, *zlib_bomb(480, 800 << 20))


def zstd_section(elf):
    compressed(elf, 2, *zstd_bomb(480, 800 << 20))


def zlib_sections(elf):
    """Ten sections that are the same bytes."""
    compressed(elf, 1, *zlib_bomb(480, 400 << 20), times=10)


def mini_debug_info(elf):
    elf.add(".gnu_debugdata", lzma.compress(bytes(64 << 20), preset=0) * 12)


# Symbols and stubs.

def shared_name(elf):
    """Every symbol has the rest of one long name, of 64 kB."""
    elf.symbols([(1 + i, TEXT + i, 1) for i in range(60_000)],
                b"\0" + b"n" * 400_000 + b"\0")


def one_address(elf):
    names = b"\0" + b"".join(b"f%d\0" % i for i in range(40_000))
    at = [i + 1 for i, c in enumerate(names[:-1]) if c == 0]
    elf.symbols([(name, TEXT, TEXT_SIZE) for name in at], names)


def mangled_names(elf):
    """Each part of a name has the one before twice."""
    cxx = "_Z1f1AIiiE" + "".join(f"S_IS{number(n, 36)}_S{number(n, 36)}_E"
                                 for n in range(60))
    rust, before = "INvC1a1f", None
    for _ in range(60):
        part = "ll" if before is None else f"B{before}B{before}"
        before = f"{number(len(rust) - 1, 62)}_"
        rust += f"T{part}E"
    names, entries = b"\0", []
    for i in range(1500):
        for name in (f"{cxx}{i}x", f"_R{rust}E.{i}"):
            entries.append((len(names), TEXT + 16 * len(entries), 16))
            names += name.encode() + b"\0"
    elf.symbols(entries, names)


def number(n, base):
    """In the digits of mangled names."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if base == 36:
        digits = digits.upper()
    more = number(n // base, base) if n >= base else ""
    return more + digits[n % base]


def many_stubs(elf):
    """The same stubs and their relocations, as a thousand sections each."""
    names = b"\0" + b"s" * 60_000 + b"\0"
    dynamic = elf.symbols([(1, 0, 0)], names, DYNSYM)
    slots = 20_000
    relocations = b"".join(struct.pack("<QQq", 0x200000 + 8 * i, 1 << 32 | 7, 0)
                           for i in range(slots))
    at = elf.put(relocations)
    for _ in range(1000):
        elf.section(".rela.plt", RELA, at, len(relocations), flags=ALLOC,
                    link=dynamic, entry_size=24)
    stubs = b"".join(
        b"\xff\x25" + struct.pack("<i", 0x200000 + 8 * i - (TEXT + 16 * i + 6)) +
        b"\x68\0\0\0\0\xe9\0\0\0\0" for i in range(slots))
    at = elf.put(stubs)
    for _ in range(1000):
        elf.section(".plt", PROGBITS, at, len(stubs), flags=ALLOC | EXEC,
                    address=TEXT)


# DWARF 4.

def unit(dies, abbrev_at=0, version=4):
    body = struct.pack("<HIB", version, abbrev_at, 8) + dies
    return struct.pack("<I", len(body)) + body


def abbrev(code, tag, children, *pairs):
    out = uleb(code) + uleb(tag) + bytes([children])
    for attribute, form in pairs:
        out += uleb(attribute) + uleb(form)
    return out + b"\0\0"


CU, FUNCTION, INLINED, BLOCK = 0x11, 0x2e, 0x1d, 0x0b
NAME, STMT_LIST, LOW, HIGH, ORIGIN, RANGES, SPECIFICATION = (
    0x03, 0x10, 0x11, 0x12, 0x31, 0x55, 0x47)
ADDR, DATA4, STRING, REF4, OFFSET, STRP, FLAG, PRESENT = (
    0x01, 0x06, 0x08, 0x13, 0x17, 0x0e, 0x0c, 0x19)
RANGE = ((LOW, ADDR), (HIGH, DATA4))
WHOLE = struct.pack("<QI", TEXT, TEXT_SIZE)
WHOLE_UNIT = b"\1u\0" + WHOLE  # the root of a unit with abbreviation 1
UNIT_ABBREV = abbrev(1, CU, 1, (NAME, STRING), *RANGE)
HEADER = 11  # bytes of a unit before its first entry


def deep_inlining(elf):
    """4,000 calls, each inlined into the one before."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 1, (NAME, STRING), *RANGE) +
            abbrev(3, INLINED, 1, (ORIGIN, REF4), *RANGE) + b"\0")
    origin = struct.pack("<I", HEADER + len(WHOLE_UNIT))
    elf.add(".debug_info", unit(
        WHOLE_UNIT + b"\2f\0" + WHOLE + (b"\3" + origin + WHOLE) * 4000 +
        bytes(4002)))


def wide_inlining(elf):
    """Calls that all cover the same code, side by side."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 1, (NAME, STRING), *RANGE) +
            abbrev(3, INLINED, 0, (ORIGIN, REF4), *RANGE) + b"\0")
    origin = struct.pack("<I", HEADER + len(WHOLE_UNIT))
    elf.add(".debug_info", unit(
        WHOLE_UNIT + b"\2f\0" + WHOLE + (b"\3" + origin + WHOLE) * 80_000 +
        bytes(2)))


def many_attributes(elf):
    """Entries of one byte with a thousand attributes that take none."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 0, *[(0x3f, PRESENT)] * 1000) + b"\0")
    elf.add(".debug_info", unit(WHOLE_UNIT + b"\2" * 1_500_000 + b"\0"))


def many_abbreviations(elf):
    """A long table, and units that begin to read it at different places."""
    entry = UNIT_ABBREV + b"".join(abbrev(i, BLOCK, 0) for i in range(2, 10))
    elf.add(".debug_abbrev", entry + b"".join(
        UNIT_ABBREV + abbrev(i, BLOCK, 0) for i in range(10, 60_000)) + b"\0")
    elf.add(".debug_info", b"".join(
        unit(WHOLE_UNIT + b"\0", len(entry) + i * (len(UNIT_ABBREV) + 5))
        for i in range(20_000)))


def deep_tree(elf):
    elf.add(".debug_abbrev", UNIT_ABBREV + abbrev(2, BLOCK, 1) + b"\0")
    elf.add(".debug_info", unit(WHOLE_UNIT + b"\2" * 1_500_000))


def cyclic_origins(elf):
    """Entries that are their own origin, or each other's."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 0, (ORIGIN, REF4), *RANGE) +
            abbrev(3, FUNCTION, 0, (SPECIFICATION, REF4), *RANGE) + b"\0")
    first, size, count = HEADER + len(WHOLE_UNIT), 17, 40_000
    entries = [bytes([2 + i % 2]) +
               struct.pack("<IQI", first + size * ((i + 1) % count), TEXT,
                           TEXT_SIZE) for i in range(count)]
    elf.add(".debug_info", unit(WHOLE_UNIT + b"".join(entries) + b"\0"))


def shared_ranges(elf):
    """Functions that share one long list of ranges."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 0, (NAME, STRING), (RANGES, OFFSET)) + b"\0")
    entry = b"\2f\0" + struct.pack("<I", 0)
    elf.add(".debug_info", unit(WHOLE_UNIT + entry * 100_000 + b"\0"))
    elf.add(".debug_ranges", b"".join(
        struct.pack("<QQ", TEXT + 4 * i, TEXT + 4 * i + 2)
        for i in range(50_000)) + bytes(16))


def long_names(elf):
    """Functions named by the rest of one string."""
    elf.add(".debug_abbrev", UNIT_ABBREV +
            abbrev(2, FUNCTION, 0, (NAME, STRP), *RANGE) + b"\0")
    elf.add(".debug_info", unit(WHOLE_UNIT + b"".join(
        b"\2" + struct.pack("<IQI", i, TEXT + 16 * i, 16)
        for i in range(16_000)) + b"\0"))
    elf.add(".debug_str", b"n" * 1_000_000 + b"\0")


def many_units(elf):
    elf.add(".debug_abbrev", abbrev(1, CU, 0) + b"\0")
    elf.add(".debug_info", unit(b"\1") * 140_000)


def line_program(opcodes):
    tables = bytes([1, 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    tables += b"\0" + b"file.c\0\0\0\0" + b"\0"
    body = struct.pack("<HI", 4, len(tables)) + tables + opcodes
    return struct.pack("<I", len(body)) + body


SET_ADDRESS = b"\0\x09\2" + struct.pack("<Q", TEXT)


def shared_lines(elf):
    """Units that share one long line program."""
    elf.add(".debug_abbrev",
            abbrev(1, CU, 0, (NAME, STRING), *RANGE, (STMT_LIST, OFFSET)) + b"\0")
    elf.add(".debug_info", unit(WHOLE_UNIT + bytes(4)) * 12_000)
    elf.add(".debug_line", line_program(SET_ADDRESS + b"\x20" * 1_000_000 +
                                        b"\0\1\1"))


def backward_lines(elf):
    """Rows that leap back to the same address again and again."""
    elf.add(".debug_abbrev",
            abbrev(1, CU, 0, (NAME, STRING), *RANGE, (STMT_LIST, OFFSET)) + b"\0")
    elf.add(".debug_info", unit(WHOLE_UNIT + bytes(4)))
    elf.add(".debug_line", line_program(
        (SET_ADDRESS + b"\1\x09\xff\xff\1\0\1\1") * 80_000))


# Unwind tables.

def frame_entry(pointer, body):
    """Of .eh_frame, padded; the length is in front."""
    body = struct.pack("<I", pointer) + body
    body += bytes(-(len(body) + 4) % 8)
    return struct.pack("<I", len(body)) + body


def cie(program):
    return frame_entry(0, b"\1zR\0\1\x78\x10\1\3" + b"\x0c\7\x08\x90\1" + program)


def frame_table(elf, starts_and_offsets):
    """.eh_frame_hdr, then .eh_frame at 0x100000."""
    rows = b"".join(struct.pack("<II", *row) for row in starts_and_offsets)
    return elf.add(".eh_frame_hdr", b"\1\3\3\3" +
                   struct.pack("<II", 0x100000, len(starts_and_offsets)) + rows,
                   flags=ALLOC, address=0x80000)


def long_cie(elf):
    """Functions whose common rules are a program of a megabyte."""
    frames = cie(b"\x0e\x10\x0a\x0b" * 250_000)
    rows = []
    for i in range(20_000):
        rows.append((TEXT + 8 * i, 0x100000 + len(frames)))
        pointer = len(frames) + 4
        frames += frame_entry(pointer, struct.pack("<II", TEXT + 8 * i, 8) + b"\0")
    frame_table(elf, rows)
    elf.add(".eh_frame", frames + bytes(4), flags=ALLOC, address=0x100000)


def shared_fde(elf):
    """A search table whose rows all lead to one long entry."""
    frames = cie(b"")
    at = 0x100000 + len(frames)
    frames += frame_entry(len(frames) + 4, struct.pack("<II", TEXT, TEXT_SIZE) +
                          b"\0" + b"\x41\x0e\x10\x0a" * 250_000)
    frame_table(elf, [(TEXT + 2 * i, at) for i in range(100_000)])
    elf.add(".eh_frame", frames + bytes(4), flags=ALLOC, address=0x100000)


def looping_expression(elf):
    """The frame's address is an expression that jumps back forever."""
    loop = b"\x0f\x04\x12\x2f\xfc\xff"  # def_cfa_expression: dup, skip -4
    push = b"\x0f\x85\x80\x01" + b"\x12" * 0x4002 + b"\x2f\xfb\xbf"
    frames = cie(b"")
    for i in range(40):
        frames += frame_entry(len(frames) + 4,
                              struct.pack("<II", TEXT + 0x100 * i, 0x100) + b"\0" +
                              (push if i % 2 else loop))
    elf.add(".eh_frame", frames + bytes(4), flags=ALLOC, address=0x100000)


def remembered_states(elf):
    frames = cie(b"")
    frames += frame_entry(len(frames) + 4, struct.pack("<II", TEXT, TEXT_SIZE) +
                          b"\0" + b"\x0a" * 1_900_000)
    elf.add(".eh_frame", frames + bytes(4), flags=ALLOC, address=0x100000)


# Other files.

def link_to_itself(elf):
    elf.add(".gnu_debuglink", b"link_to_itself.elf\0\0" + bytes(4))
    elf.add(".gnu_debugaltlink", b"link_to_itself.elf\0" + b"\xab" * 20)
    elf.add(".note.gnu.build-id",
            struct.pack("<III4s", 4, 20, 3, b"GNU\0") + b"\xab" * 20, NOTE)


def link_forth(elf):
    elf.add(".gnu_debuglink", b"link_back.elf\0\0\0" + bytes(4))
    elf.add(".note.gnu.build-id",
            struct.pack("<III4s", 4, 20, 3, b"GNU\0") + b"\xcd" * 20, NOTE)


def link_back(elf):
    elf.add(".gnu_debuglink", b"link_forth.elf\0\0" + bytes(4))
    elf.add(".note.gnu.build-id",
            struct.pack("<III4s", 4, 20, 3, b"GNU\0") + b"\xcd" * 20, NOTE)


def btf_cycles(elf):
    """Types that are names of each other, and a structure within itself."""
    count = 80_000
    types = b"".join(struct.pack("<III", 1, 8 << 24, 1 + (i + 1) % count)
                     for i in range(count))
    types += struct.pack("<IIIIII", 1, 4 << 24 | 1, 8, 1, count + 1, 0)
    strings = b"\0task_struct\0"
    elf.add(".BTF", struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types),
                                len(types), len(strings)) + types + strings)


KINDS = [many_notes, spanning_notes, many_sections, overlapping_sections,
         sparse_eh_frame, sparse_symbols, zlib_section, zstd_section,
         zlib_sections, mini_debug_info, shared_name, one_address,
         mangled_names, many_stubs, deep_inlining, wide_inlining,
         many_attributes, many_abbreviations, deep_tree, cyclic_origins,
         shared_ranges, long_names, many_units, shared_lines, backward_lines,
         long_cie, shared_fde, looping_expression, remembered_states,
         link_to_itself, link_forth, link_back, btf_cycles]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        elf = Elf()
        elf.count = elf.size = None
        elf.section(".text", PROGBITS, 0x1000, 0x100, flags=ALLOC | EXEC,
                    address=TEXT)
        kind(elf)
        path = folder / f"{kind.__name__}.elf"
        elf.write(path, elf.count, elf.size)
        addresses = random.Random(1).sample(range(TEXT, TEXT + TEXT_SIZE), 400)
        unwound = kind in (long_cie, shared_fde, looping_expression,
                           remembered_states, sparse_eh_frame)
        recording(folder / f"{kind.__name__}.data", str(path), addresses,
                  stack=struct.pack("<64Q", *range(TEXT + 8, TEXT + 8 + 64 * 520, 520))
                  if unwound else None)


if __name__ == "__main__":
    main()
