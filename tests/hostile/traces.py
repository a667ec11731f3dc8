#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hostile instruction traces of every format.

    traces.py OUTDIR [BYTES]

Files are named KIND.FORMAT, with FORMAT as `wick formats` lists it, and have about
BYTES bytes (default: 300,000). code.elf is the code that they execute, for
--elf. The same arguments write the same bytes.

Kinds:
  deep       calls that never return
  zigzag     a stack that grows by a thousand calls and shrinks again, and again
  random     jumps to anywhere in the code, by any instruction
  pages      every instruction on another page
  spaces     every instruction in another address space
  harts      every instruction on another hart, up to 2^32
  traps      exceptions and interrupts without a return
  backwards  time that runs backwards
  numbers    the largest numbers that fit
  line       one line that fills the file (texts)
  threads    every instruction by another thread (wick-trace)
  mappings   a file mapped before every instruction (wick-trace)
  expand     a few bytes for 70,000 instructions, a thousand times (wick-trace)
  cut        the deep trace, compressed and cut off
"""

import gzip
import pathlib
import random
import struct
import sys
from dataclasses import dataclass

CODE, FUNCTION = 0x80000000, 64  # the code, and the bytes of each function
FUNCTIONS = 2000
CALL, RETURN, NOP, TRAP, JUMP = 0x040000ef, 0x8067, 0x13, 0x73, 0x780e7
LARGEST = 2**64 - 1


@dataclass
class Step:
    pc: int
    word: int = NOP
    cycle: int = 0
    hart: int = 0
    satp: int = 0
    trap: bool = False


def steps_of(kind, count):
    """The instructions, one after the other."""
    rng = random.Random(1)
    for i in range(count):
        call = CODE + FUNCTION * (i % FUNCTIONS)
        if kind in ("deep", "cut"):
            yield Step(call, CALL, i)
        elif kind == "zigzag":
            down = i // 1000 % 2
            at = i % 1000 if not down else 999 - i % 1000
            yield Step(CODE + FUNCTION * at + 4 * down, RETURN if down else CALL, i)
        elif kind == "random":
            yield Step(CODE + 4 * rng.randrange(16 * FUNCTIONS),
                       rng.choice((CALL, RETURN, NOP, TRAP, JUMP)), i)
        elif kind == "pages":
            yield Step(0x10000 + 4096 * i, JUMP, i)
        elif kind == "spaces":
            yield Step(0x10000 + 4 * (i % 64), NOP, i, satp=8 << 60 | i)
        elif kind == "harts":
            yield Step(call, NOP, i, hart=i if i % 2 else 2**32 - i)
        elif kind == "traps":
            yield Step(call, TRAP, i, trap=True)
        elif kind == "backwards":
            yield Step(call, CALL, count - i)
        elif kind == "numbers":
            yield Step(LARGEST - 1, 2**32 - 1, LARGEST - (count - i), LARGEST,
                       LARGEST)


# Writers: a head, and a function for each instruction.

def tracerv(step):
    return struct.pack("<QQ", step.cycle,
                       step.pc & 2**40 - 1 | 1 << (63 if step.pc >> 40 else 40))


def tokens(step):
    return struct.pack("<QQQQQ", step.cycle, step.pc & 2**40 - 1 | 1 << 40,
                       step.word, step.satp, 0)


def tracerv_text(step):
    return b"C%d: %016x, cycle: %016x\n" % (
        step.hart, step.pc & 2**40 - 1 | 1 << 40, step.cycle)


def spike(step):
    trap = (b"core %3d: exception trap_user_ecall, epc 0x%016x\n" %
            (step.hart, step.pc) if step.trap else b"")
    satp = b" c384_satp 0x%016x" % step.satp if step.satp else b""
    return b"core %3d: 1 0x%016x (0x%08x)%s\n" % (
        step.hart, step.pc, step.word, satp) + trap


def execlog(step):
    satp = b", satp -> 0x%x" % step.satp if step.satp else b""
    return b'%d, 0x%x, 0x%x, "unknown"%s\n' % (step.hart, step.pc, step.word, satp)


def commits(step):
    return b"%d 0x%016x (0x%08x) x 4 0x%016x\n" % (step.satp & 3, step.pc, step.word,
                                                  step.satp)


def rocket(step):
    # A line of the very next cycle would not be a trap.
    cycle = step.cycle * (5 if step.trap else 1)
    return (b"C%d: %10d [%d] pc=[%016x] W[r 0=0][0] R[r 0=0] R[r 0=0]"
            b" inst=[%08x] DASM(%08x)\n" % (step.hart, cycle, not step.trap,
                                            step.pc, step.word, step.word))


def rvfi_csv(step):
    return b"%d,%x,0x%08x,%d,%d,%d\n" % (step.cycle, step.pc, step.word, step.trap,
                                         step.satp & 3, step.hart)


def cospike(step):
    return b"%d %d %x 1 %d 0 0 8 0\n" % (step.hart, step.cycle, step.pc, step.trap)


def riscv_csv(step):
    return b"1,%x,%x,0,%d,8,0,0\n" % (step.pc, step.word, step.trap)


def tracedoctor(step):
    return b"%d;0x%x;0x%x\n" % (step.cycle, step.pc, step.pc)


FORMATS = {
    "tracerv": (b"", tracerv),
    "tokens.tracerv": (b"", tokens),
    "tracerv-text": (b"", tracerv_text),
    "spike": (b"", spike),
    "commits.spike": (b"", commits),
    "rocket": (b"", rocket),
    "rvfi-csv": (b"cycle,rvfi_pc_rdata,rvfi_insn,rvfi_trap,rvfi_mode,hart\n",
                 rvfi_csv),
    "execlog": (b"", execlog),
    "cospike": (b"", cospike),
    "riscv-csv": (b"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,"
                  b"INTERRUPT\n", riscv_csv),
    "tracedoctor": (b"cycle;instr0;instr1\n", tracedoctor),
}
KINDS = ["deep", "zigzag", "random", "pages", "spaces", "harts", "traps",
         "backwards", "numbers"]


def write_steps(folder, size):
    for name, (head, write) in FORMATS.items():
        for kind in KINDS:
            data, length = [head], 0
            for step in steps_of(kind, size):
                data.append(write(step))
                length += len(data[-1])
                if length >= size:
                    break
            (folder / f"{kind}.{name}").write_bytes(b"".join(data))
        data = (folder / f"deep.{name}").read_bytes()
        packed = gzip.compress(data, 1, mtime=0)
        (folder / f"cut.{name}.gz").write_bytes(packed[:len(packed) // 2])
        if name.split(".")[-1] != "tracerv":
            line = write(Step(CODE)).rstrip(b"\n")
            (folder / f"line.{name}").write_bytes(
                head + write(Step(CODE)) * 4 + line + b"0" * size)


# wick-trace (docs/formats/wick-trace.md).

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def checksum(kind, argument, payload):
    padded = payload + bytes(8 - len(payload) % 8)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    value = 0xcbf29ce484222325
    for word in (argument << 32 | kind, len(payload), *words):
        value = (value ^ word) * 0x9e3779b97f4a7c15 & LARGEST
        value ^= value >> 32
    return value & 0xffffffff


def chunk(name, argument, payload):
    kind = int.from_bytes(name, "little")
    return struct.pack("<IIII", kind, len(payload), argument,
                       checksum(kind, argument, payload)) + payload


def execution(operations, hart=0, cycle=1):
    return chunk(b"EXEC", hart, varint(cycle) + varint(len(operations)) + operations)


def wick_trace(chunks, flags=1 | 4 | 8 | 16 | 32):
    header = b"\x89wickT\r\n" + struct.pack("<HHII", 1, 0, flags, 64) + bytes(8)
    return header + struct.pack("<I", checksum(0, 0, header)) + b"".join(chunks)


def definitions(codes):
    """Codes are (pc, word), all of one instruction."""
    out, end = b"", 0
    for pc, word in codes:
        out += zigzag(pc - end) + varint(4) + struct.pack("<I", word)
        end = pc + 4
    return chunk(b"DEFS", 0, out)


def block(index):
    return varint(2 * (index + 1) + 1)


def write_wick_traces(folder, size):
    functions = [(CODE + FUNCTION * i, CALL) for i in range(FUNCTIONS)]
    code = definitions(functions)
    every = b"".join(block(i) for i in range(FUNCTIONS))
    rng = random.Random(1)
    traces = {
        "deep": [code] + [execution(every, cycle=1 + 2000 * i)
                          for i in range(size // len(every))],
        "random": [code] + [execution(b"".join(
            block(rng.randrange(FUNCTIONS)) for _ in range(FUNCTIONS)))
            for i in range(size // len(every))],
        "pages": [definitions([(0x10000 + 4096 * i, JUMP)
                               for i in range(size // 16)]),
                  execution(b"".join(block(i) for i in range(size // 16)))],
        "spaces": special(code, size, lambda i: b"\1\2\2" + varint(8 << 60 | i)),
        "traps": special(code, size, lambda i: b"\1\3\0" + varint(8)),
        "threads": special(code, size, lambda i: b"\1\5" + varint(1) +
                           zigzag(i) + zigzag(i) + varint(8) + b"%8d" % i),
        "mappings": special(code, size, lambda i: b"\1\6" + varint(1) + zigzag(1) +
                            varint(4096 * i) + varint(4096 * 64) + varint(0) +
                            varint(8) + b"%8d" % i),
        "unmapped": special(code, size, lambda i: b"\1\7" + varint(i) + zigzag(i)),
        "gaps": special(code, size, lambda i: b"\1\x08"),
        "harts": [code] + [execution(every[:40], hart=i if i % 2 else 2**32 - 1 - i)
                           for i in range(size // 60)],
        "numbers": [code] + [execution(
            b"\1\1" + varint(LARGEST) + varint(LARGEST) + varint(LARGEST - 1),
            cycle=LARGEST)] * (size // 60),
        "expand": expanding(),
    }
    for kind, chunks in traces.items():
        (folder / f"{kind}.wick-trace").write_bytes(wick_trace(chunks))


def special(code, size, operation):
    """`operation` before every instruction, in chunks of 64 kB."""
    chunks, operations, i = [code], b"", 0
    while size > 0:
        operations += operation(i) + block(i % FUNCTIONS)
        i += 1
        if len(operations) >= 1 << 16:
            chunks.append(execution(operations))
            size -= len(operations)
            operations = b""
    return chunks


def expanding():
    """Blocks of 1,024 instructions that run in a loop. Work follows the number of
    instructions, so their number does not follow the size."""
    body = struct.pack("<I", NOP) * 1023 + struct.pack("<I", JUMP)
    code = zigzag(CODE) + varint(len(body)) + body
    most = (1 << 16) // 1024 + 4
    part = execution(block(0) * 2 + varint(2 * most))
    return [chunk(b"DEFS", 0, code)] + [part] * 1000


def write_code(folder):
    """A RISC-V program of FUNCTIONS functions that call the next."""
    text = (struct.pack("<II", CALL, RETURN) +
            struct.pack("<I", NOP) * (FUNCTION // 4 - 2)) * FUNCTIONS
    names = b"\0" + b"".join(b"f%04d\0" % i for i in range(FUNCTIONS))
    symbols = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", 1 + 6 * i, 0x12, 0, 1, CODE + FUNCTION * i, FUNCTION)
        for i in range(FUNCTIONS))
    titles = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    parts, at = [], 120
    for data in (text, symbols, names, titles):
        parts.append((at, len(data)))
        at += len(data)

    def section(name, kind, flags, address, part, link=0, entry_size=0):
        return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, *part, link,
                           1, 4, entry_size)

    headers = (bytes(64) + section(1, 1, 6, CODE, parts[0]) +
               section(7, 2, 0, 0, parts[1], 3, 24) +
               section(15, 3, 0, 0, parts[2]) + section(23, 3, 0, 0, parts[3]))
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, CODE,
                         64, at, 0, 64, 56, 1, 64, 5, 4)
    load = struct.pack("<IIQQQQQQ", 1, 5, *(parts[0][0], CODE, CODE),
                       len(text), len(text), 4)
    (folder / "code.elf").write_bytes(header + load + text + symbols + names +
                                      titles + headers)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    size = int(sys.argv[2]) if len(sys.argv) == 3 else 300_000
    write_code(folder)
    write_steps(folder, size)
    write_wick_traces(folder, size)


if __name__ == "__main__":
    main()
