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
"""
import argparse
import array
import bisect
import itertools
import random
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


class Kernel:
    """Functions of a RISC-V program and how control goes through them: lists
    of pcs in straight lines, loops, calls, and branches over calls."""
    BASE, FUNCTIONS, ENTRIES, DEPTH = 0xffff_ffff_8020_0000, 4000, 60, 12

    def __init__(self, rng):
        self.rng = rng
        self.starts, self.steps = [], []
        pc = self.BASE
        for _ in range(self.FUNCTIONS):
            self.starts.append(pc)
            steps, pc = self.function(pc)
            self.steps.append(steps)
            pc = (pc + 15) & ~15

    def function(self, pc):
        """A list of (pcs, times they may be repeated, callee or None)."""
        rng, steps = self.rng, []
        count = 2 + min(int(rng.expovariate(0.2)), 24)
        for number in range(count):
            pcs = []
            for _ in range(2 + int(rng.expovariate(0.12))):
                pcs.append(pc & (1 << 40) - 1 | 1 << 63)
                pc += rng.choice((2, 2, 4, 4, 4))
            # It is entered and left in straight lines.
            kind = rng.random() if 0 < number < count - 1 else 0.5
            callee = rng.randrange(self.ENTRIES, self.FUNCTIONS)
            steps.append((pcs, 24 if kind < 0.15 else 1,
                          callee if kind > 0.7 else None))
        return steps, pc

    def run(self, function, depth, out):
        rng = self.rng
        for pcs, times, callee in self.steps[function]:
            if times > 1:
                out.extend(pcs * rng.randint(1, times))
            elif callee is None:
                out.extend(pcs)
            elif depth < self.DEPTH and rng.random() < 0.6:
                out.extend(pcs)
                self.run(callee, depth + 1, out)
            # Else a branch goes past the call.
        return out

    def pcs(self, count):
        """A loop of function 0 calls one entry after the other."""
        out, pcs = [], sum((step[0] for step in self.steps[0]), [])
        while len(out) < count:
            out.extend(pcs[1:-1])
            self.run(self.rng.randrange(1, self.ENTRIES), 1, out)
            out.append(pcs[-1])
        return out


def tracerv(rng, size, out, _stacks):
    """The same way again and again, as time goes on."""
    pcs = Kernel(rng).pcs(min(size // 16, 1_000_000))
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


def system_map(rng, _size, out, _stacks):
    for number, start in enumerate(Kernel(rng).starts):
        out.write(f"{start:016x} T function_{number}\n".encode())


KINDS = {
    "perf-script": (perf_script, 5_000),
    "folded": (folded, 200_000),
    "folded-shuffled":
        (lambda *arguments: folded(*arguments, shuffle=True), 200_000),
    "pprof": (pprof, 100_000),
    "tracerv": (tracerv, 0),
    "system-map": (system_map, 0),
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
