#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes inputs for the benchmark: the same bytes for the same arguments.

usage: generate.py KIND MB FILE [--stacks N] [--seed N]

  perf-script     text of `perf script`: several processes, user and kernel
                  frames, C++ names, stacks 20 to 40 deep that repeat as those
                  of a real program do (a few often, most rarely)
  folded          distinct folded stacks about 40 deep, in sorted order
  folded-shuffled the same lines in random order
  pprof           a pprof protobuf, not compressed
  tracerv         the instructions of a RISC-V kernel as 16-byte records of
                  TracerV (cycle, pc): calls up to twelve deep, loops, branches
  system-map      the names of that kernel's functions; MB is ignored
  vmlinux         that kernel with DWARF, half of it inlined calls
  tracerv-user    the same as a program in user space
  program         that program, with symbols
"""
import argparse
import array
import bisect
import dataclasses
import itertools
import random
import struct
import sys

MODULES = ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/srv/app/bin/server",
           "/srv/app/lib/libstore.so", "/srv/app/lib/libindex.so.2"]
KERNEL = "[kernel.kallsyms]"
COMMS = ["server", "worker-0", "worker-1", "compactor", "tokio-runtime-w",
         "Web Content", "kswapd0", "postgres"]
WORDS = """read write flush parse open close merge split find insert erase
lookup index block page cache entry key value node leaf tree table row column
batch queue lock wait wake poll send receive packet frame buffer string decode
encode hash sort filter scan seek next advance compare copy move alloc release
map reduce apply visit build init finish update commit abort retry load store
sync sched timer event handle dispatch route request response header body
token lexer expr stmt type scope symbol emit link resolve check verify sign
digest compress expand chunk stream socket session context config option
metric trace log record sample count sum rank score query plan join group
""".split()


class Program:
    """Functions that call each other: names, addresses, modules."""

    def __init__(self, rng, functions=4000, kernel_functions=800):
        self.rng = rng
        self.names, self.modules, self.starts = [], [], []
        for number in range(functions):
            self.names.append(self.user_name(number))
            module = min(int(rng.expovariate(0.7)), len(MODULES) - 1)
            self.modules.append(MODULES[module])
            self.starts.append(0x55d0_0000_0000 + number * 0x400)
        self.first_kernel = functions
        for number in range(kernel_functions):
            words = rng.sample(WORDS, rng.randint(1, 4))
            self.names.append("_" * rng.choice([0, 0, 0, 2]) + "_".join(words))
            self.modules.append(KERNEL)
            self.starts.append(0xffff_ffff_8100_0000 + number * 0x400)
        self.callees = [self.some_callees(f) for f in range(len(self.names))]

    def user_name(self, number):
        rng = self.rng
        space = "::".join(rng.sample(WORDS, rng.randint(1, 3)))
        method = "_".join(rng.sample(WORDS, rng.randint(1, 2)))
        kind = rng.random()
        if kind < 0.15:
            return f"{method}_{number}"
        if kind < 0.5:
            return f"{space}::{rng.choice(WORDS).title()}{number}::{method}"
        arguments = rng.choice(["int", "std::string const&", "char const*",
                                "unsigned long", "void*"])
        if kind < 0.8:
            return f"{space}::{method}_{number}({arguments})"
        return (f"{space}::{rng.choice(WORDS).title()}<{arguments}, "
                f"{number}ul>::{method}({arguments}) const")

    def some_callees(self, function):
        rng, low, high = self.rng, 0, self.first_kernel
        if function >= self.first_kernel:
            low, high = self.first_kernel, len(self.names)
        return [rng.randrange(low, high) for _ in range(rng.randint(1, 6))]

    def stack(self, low=20, high=40):
        """Functions, outermost first; three in ten end in the kernel."""
        rng, depth = self.rng, self.rng.randint(low, high)
        kernel = rng.randint(4, 12) if rng.random() < 0.3 else 0
        stack = [rng.randrange(8)]
        while len(stack) < depth:
            if len(stack) == depth - kernel:
                stack.append(self.first_kernel + rng.randrange(40))
            else:
                callees = self.callees[stack[-1]]
                stack.append(callees[min(int(rng.expovariate(0.8)),
                                         len(callees) - 1)])
        return stack


class Picker:
    """Ranks 0..n-1, the first most often (Zipf with exponent 1)."""

    def __init__(self, rng, n):
        self.rng = rng
        self.sums = list(itertools.accumulate(1 / (i + 1) for i in range(n)))

    def pick(self):
        return bisect.bisect(self.sums, self.rng.random() * self.sums[-1])


def frame_line(program, function, offset):
    return (f"\t{program.starts[function] + offset:16x} "
            f"{program.names[function]}+0x{offset:x} "
            f"({program.modules[function]})\n")


def perf_script(rng, size, out, stacks):
    program = Program(rng)
    callers, leaves, comms = [], [], []
    for _ in range(stacks):
        stack = program.stack()
        # perf prints the leaf first. A call site has one address; the leaf is
        # hit anywhere.
        callers.append("".join(
            frame_line(program, f, 16 + f * 7919 % 500 // 4 * 4)
            for f in reversed(stack[:-1])))
        leaves.append(stack[-1])
        comms.append(rng.randrange(len(COMMS)))
    picker, time, written = Picker(rng, stacks), 100_000.0, 0
    while written < size:
        rank = picker.pick()
        comm = comms[rank]
        time += rng.expovariate(2 * 997)
        head = (f"{COMMS[comm]} {4000 + comm:5}/{4000 + comm * 7 % 50:<5} "
                f"[{rng.randrange(2):03}] {time:.6f}: "
                f"{rng.randrange(900_000, 1_100_000):10} cycles: \n")
        text = (head + frame_line(program, leaves[rank],
                                  rng.randrange(0, 256, 4)) +
                callers[rank] + "\n")
        written += out.write(text.encode())


def folded_lines(rng, size, stacks):
    """Distinct stacks, each made of a piece of the one before it and new calls,
    as a walk over a deep call tree gives them."""
    program = Program(rng)
    names = [name.replace(";", ":") for name in program.names]
    average = sum(map(len, names[:program.first_kernel]))
    depth = max(4, round(size / stacks / (average / program.first_kernel + 1)))
    stack, lines = [0], set()
    while len(lines) < stacks:
        keep = max(1, len(stack) - 1 - int(rng.expovariate(0.12)))
        del stack[keep:]
        until = rng.randint(depth * 3 // 4, depth * 5 // 4)
        while len(stack) < max(until, keep + 1):
            stack.append(rng.choice(program.callees[stack[-1]])
                         if rng.random() < 0.7
                         else rng.randrange(program.first_kernel))
        lines.add(";".join([names[f] for f in stack]))
    weights = Picker(rng, 5000)
    return [f"server;{line} {5000 // (weights.pick() + 1) + 1}\n"
            for line in sorted(lines)]


def folded(rng, size, out, stacks, shuffle=False):
    lines = folded_lines(rng, size, stacks)
    if shuffle:
        rng.shuffle(lines)
    for line in lines:
        out.write(line.encode())


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    """A field of a protobuf message: a number, or bytes with their length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def pprof(rng, size, out, stacks):
    """Message Profile of pprof's profile.proto: sample_type = 1, sample = 2,
    mapping = 3, location = 4, function = 5, string_table = 6."""
    program = Program(rng)
    strings = ["", "samples", "count", "cpu", "nanoseconds", "thread"]
    strings += COMMS + MODULES + [KERNEL] + program.names
    number_of = {text: i for i, text in enumerate(strings)}
    for kind in ("samples", "count"), ("cpu", "nanoseconds"):
        out.write(field(1, field(1, number_of[kind[0]]) +
                        field(2, number_of[kind[1]])))
    mappings = MODULES + [KERNEL]
    for i, module in enumerate(mappings):
        out.write(field(3, field(1, i + 1) + field(5, number_of[module])))
    for f, name in enumerate(program.names):
        out.write(field(5, field(1, f + 1) + field(2, number_of[name])))
        for site in range(4):
            out.write(field(4, field(1, f * 4 + site + 1) +
                            field(2, mappings.index(program.modules[f]) + 1) +
                            field(3, program.starts[f] + site * 16) +
                            field(4, field(1, f + 1) + field(2, site + 1))))
    for text in strings:
        out.write(field(6, text.encode()))
    samples, picker, written = [], Picker(rng, stacks), 0
    for _ in range(stacks):
        packed = b"".join(varint(f * 4 + rng.randrange(4) + 1)
                          for f in reversed(program.stack()))
        label = field(1, number_of["thread"]) + field(
            2, number_of[rng.choice(COMMS)])
        samples.append((field(1, packed), field(3, label)))
    while written < size:
        locations, label = samples[picker.pick()]
        count = rng.randrange(1, 20)
        values = varint(count) + varint(count * 10_000_000)
        written += out.write(field(2, locations + field(2, values) + label))


class Code:
    """Functions of RISC-V code and how control goes through them: straight
    lines, loops, calls, and branches past calls."""
    FUNCTIONS, ENTRIES, DEPTH = 4000, 60, 12

    @dataclasses.dataclass
    class Step:
        pcs: list
        end: int
        times: int = 1           # it may be repeated so often
        callee: int = None       # its last instruction calls this function

    def __init__(self, rng, base):
        self.rng, self.base = rng, base
        self.starts, self.ends, self.steps = [], [], []
        pc = base
        for number in range(self.FUNCTIONS):
            self.starts.append(pc)
            steps = self.function(pc, is_plain=number == 0)
            self.steps.append(steps)
            self.ends.append(steps[-1].end)
            pc = (steps[-1].end + 15) & ~15

    def function(self, pc, is_plain):
        rng, steps = self.rng, []
        count = 2 + min(int(rng.expovariate(0.2)), 24)
        for number in range(count):
            # It is entered and left in straight lines.
            kind = 0.5
            if 0 < number < count - 1 and not is_plain:
                kind = rng.random()
            pcs = []
            for _ in range(1 + min(int(rng.expovariate(0.12)), 40)):
                pcs.append(pc)
                pc += rng.choice((2, 2, 4, 4, 4))
            pcs.append(pc)
            pc += 4
            callee = rng.randrange(self.ENTRIES, self.FUNCTIONS)
            steps.append(self.Step(pcs, pc, 24 if kind < 0.15 else 1,
                                   callee if kind > 0.7 else None))
        return steps

    def run(self, function, depth, out):
        rng = self.rng
        for step in self.steps[function]:
            if step.times > 1:
                out.extend(step.pcs * rng.randint(1, step.times))
            elif step.callee is None:
                out.extend(step.pcs)
            elif depth < self.DEPTH and rng.random() < 0.6:
                out.extend(step.pcs)
                self.run(step.callee, depth + 1, out)
            else:  # its first instruction branches past it
                out.append(step.pcs[0])
        return out

    def pcs(self, count):
        """A loop of function 0 calls one entry after the other."""
        out, pcs = [], sum((step.pcs for step in self.steps[0]), [])
        while len(out) < count:
            out.extend(pcs[1:-1])
            self.run(self.rng.randrange(1, self.ENTRIES), 1, out)
            out.append(pcs[-1])
        return out

    def text(self):
        """The instructions."""
        out = bytearray(C_NOP * ((self.ends[-1] - self.base) // 2))

        def put(pc, instruction):
            at = pc - self.base
            out[at:at + len(instruction)] = instruction

        for steps in self.steps:
            for step in steps:
                for pc, following in zip(step.pcs, step.pcs[1:]):
                    put(pc, NOP if following - pc == 4 else C_NOP)
                first, last = step.pcs[0], step.pcs[-1]
                put(last, NOP)
                if step.times > 1:
                    put(last, branch(first - last))
                elif step.callee is not None:
                    is_short = step.pcs[1] - first == 2
                    put(first, (c_branch if is_short else branch)(
                        step.end - first))
                    put(last, jump(1, self.starts[step.callee] - last))
            put(steps[-1].pcs[-1], RETURN)
        loop = sum((step.pcs for step in self.steps[0]), [])
        put(loop[-1], jump(0, loop[1] - loop[-1]))
        put(loop[-2], INDIRECT_CALL if loop[-1] - loop[-2] == 4
            else C_INDIRECT_CALL)
        return bytes(out)


def word(value, size=4):
    return value.to_bytes(size, "little")


NOP, RETURN, INDIRECT_CALL = word(0x13), word(0x8067), word(0x780e7)
C_NOP, C_INDIRECT_CALL = word(1, 2), word(0x9782, 2)


def bits(value, high, low):
    return value >> low & (1 << high - low + 1) - 1


def branch(distance):
    """bnez s0"""
    return word(bits(distance, 12, 12) << 31 | bits(distance, 10, 5) << 25 |
                8 << 15 | 1 << 12 | bits(distance, 4, 1) << 8 |
                bits(distance, 11, 11) << 7 | 0x63)


def c_branch(distance):
    """c.bnez s0"""
    return word(7 << 13 | bits(distance, 8, 8) << 12 |
                bits(distance, 4, 3) << 10 | bits(distance, 7, 6) << 5 |
                bits(distance, 2, 1) << 3 | bits(distance, 5, 5) << 2 | 1, 2)


def jump(register, distance):
    """jal"""
    return word(bits(distance, 20, 20) << 31 | bits(distance, 10, 1) << 21 |
                bits(distance, 11, 11) << 20 | bits(distance, 19, 12) << 12 |
                register << 7 | 0x6f)


KERNEL_TEXT, PROGRAM_TEXT = 0xffff_ffff_8020_0000, 0x10000


def tracerv(rng, size, out, base=KERNEL_TEXT):
    """The same way again and again, as time goes on."""
    pcs = [pc & (1 << 40) - 1 | 1 << 63
           for pc in Code(rng, base).pcs(min(size // 16, 1_000_000))]
    cycles, cycle = [], 0
    for _ in pcs:
        cycle += 1 if rng.random() < 0.9 else rng.randint(2, 40)
        cycles.append(cycle)
    records = array.array("Q", bytes(16 * len(pcs)))
    records[1::2] = array.array("Q", pcs)
    written, begin = 0, 1000
    while written < size:
        records[0::2] = array.array("Q", [begin + at for at in cycles])
        piece = records[:max(size - written, 16) // 16 * 2]
        if sys.byteorder == "big":
            piece.byteswap()
        written += out.write(piece.tobytes())
        begin += cycle


def system_map(rng, out):
    for number, start in enumerate(Code(rng, KERNEL_TEXT).starts):
        out.write(f"{start:016x} T function_{number}\n".encode())


def elf(rng, out, base, has_dwarf):
    """An executable: its text, its symbols, and DWARF 4."""
    code = Code(rng, base)
    names, symbols = bytearray(b"\0"), bytearray(24)
    for number, (start, end) in enumerate(zip(code.starts, code.ends)):
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, start,
                               end - start)
        names += f"function_{number}\0".encode()
    # Name, type, flags, address, content, link, info, size of an entry
    text = code.text()
    sections = [(".text", 1, 6, base, text, 0, 0, 0),
                (".symtab", 2, 0, 0, bytes(symbols), 3, 1, 24),
                (".strtab", 3, 0, 0, bytes(names), 0, 0, 0)]
    if has_dwarf:
        build_id = struct.pack("<III4s", 4, 20, 3, b"GNU") + bytes(range(20))
        sections += [(".note.gnu.build-id", 7, 0, 0, build_id, 0, 0, 0),
                     (".debug_abbrev", 1, 0, 0, ABBREVIATIONS, 0, 0, 0),
                     (".debug_info", 1, 0, 0, debug_info(rng, code), 0, 0, 0)]
    section_names = "\0".join(["", *(s[0] for s in sections), ".shstrtab", ""])
    sections.append((".shstrtab", 3, 0, 0, section_names.encode(), 0, 0, 0))
    at, table, body = 0x1000, bytearray(64), bytearray()
    for name, kind, flags, address, content, link, info, entry in sections:
        table += struct.pack(
            "<IIQQQQIIQQ", section_names.index("\0" + name + "\0") + 1, kind,
            flags, address, at + len(body), len(content), link, info, 8, entry)
        body += content + bytes(-len(content) % 8)
    head = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 2, 243, 1,
                       base, 64, at + len(body), 1, 64, 56, 1, 64,
                       len(sections) + 1, len(sections))
    head += struct.pack("<IIQQQQQQ", 1, 5, at, base, base, len(text),
                        len(text), 0x1000)
    out.write(head.ljust(at, b"\0") + body + table)


# Numbers of abbreviations, and what they say: tag, has children, attributes
# with their forms.
UNIT, INLINE, FUNCTION, INLINED, NESTED = 1, 2, 3, 4, 5
ABBREVIATIONS = b"".join(bytes(row) + b"\0\0" for row in [
    # DW_TAG_compile_unit: low_pc, high_pc
    (UNIT, 0x11, 1, 0x11, 1, 0x12, 7),
    # DW_TAG_subprogram: name, inline
    (INLINE, 0x2e, 0, 3, 8, 0x20, 11),
    # DW_TAG_subprogram: name, low_pc, high_pc
    (FUNCTION, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 7),
    # DW_TAG_inlined_subroutine: abstract_origin, low_pc, high_pc, call_line
    (INLINED, 0x1d, 0, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x59, 5),
    (NESTED, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x59, 5),
]) + b"\0"


def debug_info(rng, code):
    """Half of all steps are inlined calls, and half of these have another one
    inside."""
    body = bytearray(struct.pack("<HIB", 4, 0, 8))
    body += struct.pack("<BQQ", UNIT, code.base, code.ends[-1] - code.base)
    inlines = []
    for number in range(500):
        inlines.append(4 + len(body))
        body += bytes([INLINE]) + f"inline_{number}\0".encode() + b"\x01"

    def inlined(kind, pcs, end):
        return struct.pack("<BIQQH", kind, rng.choice(inlines), pcs[0],
                           end - pcs[0], rng.randrange(1, 1000))
    for number, steps in enumerate(code.steps):
        start, end = code.starts[number], code.ends[number]
        body += bytes([FUNCTION]) + f"function_{number}\0".encode()
        body += struct.pack("<QQ", start, end - start)
        for step in steps:
            kind = rng.random()
            if kind < 0.25:
                body += inlined(INLINED, step.pcs, step.end)
            elif kind < 0.5:
                middle = len(step.pcs) // 2
                body += inlined(NESTED, step.pcs, step.end)
                body += inlined(INLINED, step.pcs[middle:], step.end) + b"\0"
        body += b"\0"
    body += b"\0"
    return struct.pack("<I", len(body)) + bytes(body)


KINDS = {
    "perf-script": (perf_script, 5_000),
    "folded": (folded, 200_000),
    "folded-shuffled":
        (lambda *arguments: folded(*arguments, shuffle=True), 200_000),
    "pprof": (pprof, 100_000),
    "tracerv": (lambda rng, size, out, _: tracerv(rng, size, out), 0),
    "tracerv-user":
        (lambda rng, size, out, _: tracerv(rng, size, out, PROGRAM_TEXT), 0),
    "system-map": (lambda rng, _size, out, _: system_map(rng, out), 0),
    "vmlinux": (lambda rng, _size, out, _: elf(rng, out, KERNEL_TEXT, True), 0),
    "program": (lambda rng, _size, out, _: elf(rng, out, PROGRAM_TEXT, False), 0),
}


def generate(kind, megabytes, path, stacks=None, seed=1):
    make, default_stacks = KINDS[kind]
    with open(path, "wb", buffering=1 << 20) as out:
        make(random.Random(seed), int(megabytes * 1_000_000), out,
             stacks or default_stacks)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("file")
    parser.add_argument("--stacks", type=int, help="distinct stacks")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    generate(options.kind, options.megabytes, options.file, options.stacks,
             options.seed)


if __name__ == "__main__":
    sys.exit(main())
