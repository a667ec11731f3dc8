#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py [--top N] [--least PERCENT] NAME TRUE FOLDED...: the weight on exactly the true stack.

TRUE is true_stacks' output, FOLDED are fold_trace's for the same run; several are added
up. Prints the share of TRUE's weight that is on the same stack in both, and with --top
the functions from which stacks that should not be there begin and those that are missing.
The exit status is 1 if the share is less than PERCENT.

When two stacks are equal:
 1. Frames are compared by function, from the outermost to the innermost; threads are not.
 2. Inlined calls are no frames: the processor does not make them.
 3. A tail call replaces its caller, also if it only jumps over from a PLT stub; while the
    stub runs, the stack ends with it.
 4. A part of a function that the compiler moved elsewhere (NAME.cold) is that function.
 5. Code without symbols has one name, and several such frames in a row are one. If a
    function branches to such code, it is a part of the function, on top of it.
 6. Of a thread that ran before the trace began, only the callers to which it has returned
    are known. They become its root when it returns to them, not before.
 7. A signal handler is called by what it interrupts, with no frame for the kernel or the
    trampoline; the trampoline replaces it when it returns.
 8. A trap is a call by the instruction to which it returns, whatever was executed last. So
    is what the kernel does in a new thread before it reaches user code.
"""
import argparse
import collections
import re
import sys


def frames_of(line):
    names = []
    for name in line.split(";")[1:]:
        if name.endswith("_[i]"):
            continue
        if re.fullmatch(r"\[.*\](_\[k\])?", name):
            name = "[machine]" if "machine" in name else "[?]"
        name = re.sub(r"\.cold(\.\d+)?(?=$|_\[k\]$)", "", name)
        if not (name.startswith("[") and names and names[-1] == name):
            names.append(name)
    return tuple(names)


def read(paths):
    sums = collections.Counter()
    for path in paths:
        for line in open(path, encoding="utf-8"):
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            sums[frames_of(stack)] += int(weight)
    return sums


def show(what, stacks, total, top):
    roots = collections.Counter()
    for stack, weight in stacks.items():
        roots[stack[0] if stack else "(nothing)"] += weight
    for root, weight in roots.most_common(top):
        print(f"     {what} under {root}: {100 * weight / total:.2f} %")
    for stack, weight in stacks.most_common(top):
        text = ";".join(stack)
        print(f"     {what} {100 * weight / total:.2f} %: {text}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--top", type=int, default=0)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("name")
    parser.add_argument("true")
    parser.add_argument("folded", nargs="+")
    args = parser.parse_args()
    true, got = read([args.true]), read(args.folded)
    total = sum(true.values())
    share = 100 * sum(min(n, got[stack]) for stack, n in true.items()) / max(total, 1)
    is_less = share < args.least
    print(f"{args.name}: {share:.2f} % of {total} instructions on their true stack"
          f" ({sum(got.values())} in the trace)"
          + (f": FAIL, less than {args.least:g} %" if is_less else ""), flush=True)
    show("wrong", got - true, total, args.top)
    show("missing", true - got, total, args.top)
    sys.exit(is_less)


main()
