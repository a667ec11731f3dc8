#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the flame graph of programs/riscv_counts.cc exact?

usage: trace_counts.py truth TRACE PROGRAM SAID FOLDED CALLS
       trace_counts.py same FOLDED CUT...

truth: the calls in CALLS are those that the program counted (SAID); what each of
its functions has in FOLDED with all that it called is what the trace has between
its entry and the next instruction of its caller; and stacks begin where programs
and threads do. same: the stacks of the CUTs together are those of FOLDED.
Prints what is wrong.
"""
import collections
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "tools"))
import pc_histogram  # noqa: E402
import wick_trace  # noqa: E402

# Callees that one function calls, and nobody else.
CALLERS = {name: "main" for name in (
    "recursion", "mutual_recursion", "tail_calls", "sorting", "exceptions",
    "jumps", "raised", "alarmed", "faults", "threads")} | {
    "down_even": "mutual_recursion", "catch_one": "exceptions",
    "pass_on": "catch_one", "jump_out": "jumps", "spin": "alarmed",
    "touch": "faults", "work": "in_thread"}
# Of a thread, the first instructions are in what has no symbol in a libc
# without its symbol table.
ROOTS = {"_start", "__clone", "clone", "__thread_start",
         "[ld-linux-riscv64-lp64d.so.1]", "[libc.so.6]"}
failed = False


def complain(text):
    global failed
    failed = True
    print(text)


def stacks(path):
    for line in open(path, encoding="utf-8"):
        line, weight = line.rstrip("\n").rsplit(" ", 1)
        yield line.split(";"), int(weight)


def check_calls(said, calls):
    counted = collections.Counter()
    for frames, weight in stacks(calls):
        counted[frames[-1]] += weight
    for line in open(said, encoding="utf-8"):
        _, name, count = line.split()
        if counted[name] != int(count):
            complain(f"{name} was called {count} times, in stacks "
                     f"{counted[name]}")


def check_inclusive(trace, program, folded):
    symbols = pc_histogram.Symbols(program)
    ranges = {name: (start, end) for start, end, names in
              zip(symbols.starts, symbols.ends, symbols.names)
              for name in names}
    reader = wick_trace.Trace(trace)
    bias = 0

    def entered(pc):
        return {name for name in CALLERS if pc - bias == ranges[name][0]}

    def left(pc):
        return {name for name, caller in CALLERS.items()
                if ranges[caller][0] <= pc - bias < ranges[caller][1]}

    sums = collections.Counter()
    inside = collections.defaultdict(set)  # by hart: functions
    blocks = {}  # by id: the block, and what happens at each of its pcs
    for hart, _, pcs, _ in reader.runs():
        if not blocks:  # the lowest mapping of the program
            start, offset = min(
                (start, offset) for _, start, _, offset, path in reader.mappings
                if os.path.samefile(path, program))
            bias = start - symbols.address(offset)
        if id(pcs) not in blocks:
            changes = [(entered(pc), left(pc)) for pc in pcs]
            blocks[id(pcs)] = pcs, changes if any(
                a or b for a, b in changes) else None
        here, changes = inside[hart], blocks[id(pcs)][1]
        if changes is None:
            for name in here:
                sums[name] += len(pcs)
            continue
        for begun, ended in changes:
            here -= ended
            here |= begun
            for name in here:
                sums[name] += 1
    got = collections.Counter()
    for frames, weight in stacks(folded):
        for name in set(frames[1:]):
            got[name] += weight
    for name in CALLERS:
        if sums[name] != got[name]:
            complain(f"{name} and what it called: {sums[name]} instructions, in "
                     f"stacks {got[name]}")


def check_roots(folded):
    whole = total = 0
    for frames, weight in stacks(folded):
        total += weight
        whole += weight if frames[1] in ROOTS else 0
    if whole < 0.99 * total:
        complain(f"{100 * whole / total:.2f} % of all instructions have a whole "
                 "stack")


def check_same(folded, cuts):
    def sums(paths):
        result = collections.Counter()
        for path in paths:
            for frames, weight in stacks(path):
                result[tuple(frames[1:])] += weight
        return result

    one, other = sums([folded]), sums(cuts)
    differs = sum(abs(one[key] - other[key]) for key in one | other) / 2
    share = 100 * differs / sum(one.values())
    if share > 1:
        complain(f"without all but pc and cycle, {share:.2f} % are elsewhere")
        for key in sorted(one | other, key=lambda k: -abs(one[k] - other[k]))[:6]:
            print(f"  {one[key]} and {other[key]}: {';'.join(key)}")


def main():
    if sys.argv[1] == "truth":
        trace, program, said, folded, calls = sys.argv[2:]
        check_calls(said, calls)
        check_inclusive(trace, program, folded)
        check_roots(folded)
    else:
        check_same(sys.argv[2], sys.argv[3:])
    sys.exit(failed)


main()
