#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden instruction traces and the code they execute.

usage: make_traces.py     writes ../golden/*/small* and files next to this one

One run of a small program and kernel, in every trace format: main calls climb,
which calls itself twice, then work by a tail call, then makes a system call; in
the kernel, an instruction of copy waits for 20 cycles. Each format has as much of
it as it can represent.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE.parent / "golden"
USER, KERNEL = 0x10000, 0xffffffff80002000
NOP, RET, ECALL, SRET = 0x13, 0x8067, 0x73, 0x10200073
SATP = 0x8000000000081234


def jump(words, link):
    """jal link, this many words ahead"""
    offset = 4 * words & 0x1fffff
    return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3ff) << 21 |
            (offset >> 11 & 1) << 20 | (offset >> 12 & 0xff) << 12 |
            link << 7 | 0x6f)


# Eight words each.
PROGRAM = {
    "main": [NOP, jump(7, 1), jump(14, 1), NOP, ECALL, NOP, jump(-6, 0)],
    "climb": [NOP, 0x00050463, jump(-2, 1), RET],  # beqz a0 to the ret
    "step": [NOP, jump(7, 0)],
    "work": [NOP, NOP, RET],
}
SYSTEM = {
    "handle_exception": [NOP, jump(7, 1), NOP, SRET],
    "k_write": [NOP, jump(7, 1), RET],
    "k_copy": [NOP, NOP, RET],
}
WALK = """main:0-1 climb:0-2 climb:0-2 climb:0-1 climb:3 climb:3 climb:3
main:2 step:0-1 work:0-2 main:3-4 handle_exception:0-1 k_write:0-1 k_copy:0
@20 k_copy:1-2 k_write:2 handle_exception:2-3 main:5-6 main:0-1"""


class Step:
    def __init__(self, cycle, pc, bits, privilege):
        self.cycle, self.pc, self.bits = cycle, pc, bits
        self.privilege = privilege
        self.traps = bits == ECALL


def place(name):
    for base, code in ((USER, PROGRAM), (KERNEL, SYSTEM)):
        if name in code:
            return base + 32 * list(code).index(name), code[name]
    raise KeyError(name)


def walk():
    steps, cycle = [], 100
    for word in WALK.split():
        if word.startswith("@"):
            cycle += int(word[1:])
            continue
        name, _, at = word.partition(":")
        first, _, last = at.partition("-")
        start, code = place(name)
        for i in range(int(first), int(last or first) + 1):
            steps.append(Step(cycle, start + 4 * i, code[i],
                              1 if start >= KERNEL else 0))
            cycle += 1
    return steps


def program():
    """An ELF file: .text, .symtab, .strtab, .shstrtab."""
    text = b"".join(struct.pack("<8I", *code, *[NOP] * (8 - len(code)))
                    for code in PROGRAM.values())
    strings, symbols = b"\0", bytes(24)
    for i, (name, code) in enumerate(PROGRAM.items()):
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1,
                               USER + 32 * i, 4 * len(code))
        strings += name.encode() + b"\0"
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    offset, out, sections = 64 + 56, b"", [bytes(64)]
    for name, kind, flags, content, link, info, entry in (
            (b".text", 1, 6, text, 0, 0, 0), (b".symtab", 2, 0, symbols, 3, 1, 24),
            (b".strtab", 3, 0, strings, 0, 0, 0),
            (b".shstrtab", 3, 0, names, 0, 0, 0)):
        content += bytes(-len(content) % 8)
        sections.append(struct.pack(
            "<IIQQQQIIQQ", names.index(name), kind, flags,
            USER if name == b".text" else 0, offset + len(out), len(content),
            link, info, 8, entry))
        out += content
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, USER, 64,
                         offset + len(out), 1, 64, 56, 1, 64, 5, 4)
    segment = struct.pack("<IIQQQQQQ", 1, 5, offset, USER, USER, len(text),
                          len(text), 8)
    return header + segment + out + b"".join(sections)


def system_map():
    rows = [(KERNEL + 32 * i, name) for i, name in enumerate(SYSTEM)]
    rows.append((KERNEL + 32 * len(rows), "_etext"))
    return "".join(f"{address:016x} T {name}\n" for address, name in rows)


HEADER = "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"
MASK = (1 << 40) - 1


def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def slots(steps, width):
    """Steps in groups that retire together, with a cycle of their own."""
    return [(steps[i].cycle, steps[i:i + width])
            for i in range(0, len(steps), width)]


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def checksum(kind, argument, payload):
    value = 0xcbf29ce484222325
    rest = payload[len(payload) // 8 * 8:]
    for word in (argument << 32 | int.from_bytes(kind, "little"), len(payload),
                 *struct.unpack(f"<{len(payload) // 8}Q",
                                payload[:len(payload) // 8 * 8]),
                 int.from_bytes(rest, "little")):
        value = (value ^ word) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
        value ^= value >> 32
    return value & 0xffffffff


def chunk(kind, argument, payload):
    return struct.pack("<4sIII", kind, len(payload), argument,
                       checksum(kind, argument, payload)) + payload


def wick_trace(steps):
    """docs/formats/wick-trace.md, with a definition for each instruction."""
    header = struct.pack("<8sHHII8x", b"\x89wickT\r\n", 1, 0, 1 | 2 | 4 | 8 | 32,
                         64)
    header += struct.pack("<I", checksum(bytes(4), 0, header))
    codes = sorted({(step.pc, step.bits) for step in steps})
    numbers, definitions, end = {}, b"", 0
    for i, (pc, bits) in enumerate(codes):
        signed = pc - (1 << 64) if pc >> 63 else pc
        definitions += zigzag(signed - end) + varint(4) + struct.pack("<I", bits)
        numbers[pc], end = i, signed + 4
    operations, privilege = b"", None
    for step in steps:
        if step.privilege != privilege:
            privilege = step.privilege
            operations += b"\1\2\3" + bytes([privilege]) + varint(SATP)
        operations += varint(2 * numbers[step.pc] + 3)
    cycles, run = b"", 0
    for before, step in zip(steps, steps[1:]):
        if step.cycle == before.cycle + 1:
            run += 1
        else:
            cycles += varint(run) + zigzag(step.cycle - before.cycle)
            run = 0
    cycles += varint(run)
    return (header + chunk(b"INFO", 0, b"source=golden\nclock=baseClock\n") +
            chunk(b"DEFS", 0, definitions) +
            chunk(b"EXEC", 0, varint(steps[0].cycle) + varint(len(operations)) +
                  operations + cycles))


def rocket_line(cycle, retired, step, digits):
    return (f"C0: {cycle:10d} [{retired:d}] pc=[{step.pc & (16**digits - 1):0{digits}x}]"
            f" W[r 0={0:016x}][0] R[r 0={0:016x}] R[r 0={0:016x}]"
            f" inst=[{step.bits:08x}] ")


def rocket_log(steps):
    """Printed by a current Rocket, with what else is in such a file. After a
    trap, the pipeline is empty for four cycles."""
    yield "using random seed 1789000000\n"
    late = 0
    for step in steps:
        yield rocket_line(step.cycle + late, not step.traps, step, 16)
        yield f"DASM({step.bits:08x})\n"
        if step.traps:
            late += 4
            yield "hello from main\nno end of line "
    yield f"*** PASSED *** Completed after {steps[-1].cycle + late} cycles\n"


def rocket_log_of_cycles(steps):
    """Printed by a Rocket before 2020, after spike-dasm: a line for every cycle,
    and pcs of 40 bits."""
    for i, step in enumerate(steps):
        yield rocket_line(step.cycle, not step.traps, step, 10) + "unknown\n"
        for cycle in range(step.cycle + 1, steps[min(i + 1, len(steps) - 1)].cycle):
            yield rocket_line(cycle, False, step, 10) + "unknown\n"


def traces(steps):
    yield "tracerv/small-width1", HEADER.encode() + b"".join(
        words(s.cycle, s.pc & MASK | 1 << 63) for s in steps)
    yield "tracerv/small-width2", HEADER.encode() + b"".join(
        words(cycle, *[s.pc & MASK | 1 << 63 for s in group],
              *[0] * (2 - len(group))) for cycle, group in slots(steps, 2))
    yield "tracerv/small-beats", HEADER.encode() + b"".join(
        words(s.cycle, s.pc & MASK | 1 << 40, *[0] * 6) for s in steps)
    yield "tracerv/small-tokens", b"".join(
        words(s.cycle, s.pc & MASK | 1 << 40, s.bits, SATP, s.privilege)
        for s in steps)
    yield "tracerv-text/small", HEADER + "".join(
        f"Cycle: {s.cycle:016d} I0: {s.pc & MASK:016x}\n" for s in steps)
    yield "tracerv-text/small-1.9", "".join(
        f"C0: {s.pc & MASK | 1 << 40:016x}, cycle: {s.cycle:016x}\n"
        for s in steps)
    yield "cospike/small", "".join(
        f"0 {s.cycle} {s.pc:x} 1 {s.traps:d} 0 0 {8 * s.traps} 0\n"
        for s in steps)
    yield "tracedoctor/small", "cycle;instr0;instr1\n" + "".join(
        ";".join([str(cycle), *[f"0x{s.pc:x}" for s in group],
                  *["0"] * (2 - len(group))]) + "\n"
        for cycle, group in slots(steps, 2))
    yield "spike/small-log", "".join(
        f"core   0: 0x{s.pc:016x} (0x{s.bits:08x}) unknown\n" +
        (f"core   0: exception trap_user_ecall, epc 0x{s.pc:016x}\n"
         if s.traps else "") for s in steps)
    yield "spike/small-commits", "".join(
        f"core   0: {s.privilege} 0x{s.pc:016x} (0x{s.bits:08x})\n"
        for s in steps if not s.traps)
    yield "spike/small-boom", "using random seed 1789000000\n" + "".join(
        f"{s.privilege} 0x{s.pc:016x} (0x{s.bits:08x}) x 5 0x{7:016x}\n"
        for s in steps if not s.traps) + "*** PASSED ***\n"
    yield "rocket/small", "".join(rocket_log(steps))
    yield "rocket/small-cycles", "".join(rocket_log_of_cycles(steps))
    yield "rvfi-csv/small", (
        "rvfi_order,cycle,rvfi_pc_rdata,rvfi_insn,rvfi_trap,rvfi_mode,text\n" +
        "".join(f'{i},{s.cycle},{s.pc:016x},0x{s.bits:08x},{s.traps:d},'
                f'{s.privilege},"unknown, as ever"\n'
                for i, s in enumerate(steps)))
    yield "execlog/small", "".join(
        f'0, 0x{s.pc:x}, 0x{s.bits:x}, "unknown"\n' for s in steps)
    yield "riscv-csv/small", (
        "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n" +
        "".join(f"1,{s.pc:x},{s.bits:x},{s.privilege},{s.traps:d},"
                f"{8 * s.traps:x},0,0\n" for s in steps))
    yield "wick-trace/small", wick_trace(steps)


def main():
    (HERE / "program").write_bytes(program())
    (HERE / "System.map").write_text(system_map(), encoding="utf-8")
    for name, content in traces(walk()):
        path = GOLDEN / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes)
                         else content.encode())


if __name__ == "__main__":
    main()
