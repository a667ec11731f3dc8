#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py TABLE FOLDED [CALLS CUT]: checks the flame graph of the Linux example.

TABLE is the output of histogram.py, FOLDED and CALLS are fold_trace's stacks by
instructions and by calls, CUT is like FOLDED for the trace reduced to pc and
cycle. Without CALLS and CUT, only the SBI is checked. Prints each figure with its
expected value; exits with 1 if one is worse.
"""
import collections
import re
import sys

# Expected calls of functions of examples/riscv-linux/programs.
CALLS = {
    # counts-static and counts-pie, three rounds each
    "fib": 2 * 3 * 1973,
    "is_even": 2 * 3 * 31,
    "is_odd": 2 * 3 * 30,
    "sort_some": 2 * 3,
    "jump_out": 2 * 3 * 20 * 6,
    "on_signal": 2 * 3 * 10,
    "write_some": 2 * 3,
    # exceptions
    "catch_one": 30,
    "dig": 30 * 4,
    # threads
    "take_turns": 2,
    "work": 2 * 50,
    # processes
    "child_work": 40,
    "parent_work": 40,
}
ROOTS = re.compile(
    r"_start|_start_kernel|start_kernel|ret_from_fork(_kernel_asm|_user_asm)?|"
    r"ret_from_fork_kernel|clone3?|__clone3?|__thread_start|thread_start|start_thread|"
    r"handle_exception|ret_from_exception|secondary_start_sbi|"
    # Functions that kernel threads run. ret_from_fork called them when the
    # machine booted, before the trace began.
    r"rcu_gp_kthread|worker_thread|rescuer_thread|smpboot_thread_fn|kcompactd|"
    r"kswapd|kthreadd|khugepaged|kauditd_thread|oom_reaper|rcu_tasks_kthread|"
    # Where dynamic programs start, and busybox, whose symbols are stripped.
    r"\[ld-linux-riscv64-lp64d.so.1\]|\[busybox\]")
failed = False


def figure(what, value, expected, good):
    global failed
    failed |= not good
    print(f"{'ok  ' if good else 'FAIL'} {what}: {value} (expected: {expected})")


def stacks(path):
    for line in open(path, encoding="utf-8"):
        line, weight = line.rstrip("\n").rsplit(" ", 1)
        yield line.split(";"), int(weight)


def plain(name):
    return re.sub(r"(_\[[kij]\])+$", "", name)


def base(name):
    """Without arguments: fold_trace demangles names, nm does not."""
    return re.sub(r"\(.*", "", plain(name))


def leaves(path):
    sums = collections.Counter()
    for frames, weight in stacks(path):
        # Symbols do not include inlined functions.
        leaf = next(frame for frame in reversed(frames)
                    if not frame.endswith("_[i]"))
        layer = "kernel" if leaf.endswith("_[k]") else "user"
        sums[layer, plain(leaf)] += weight
    return sums


def merged(wanted):
    """Merges places that share a name, in one file or in several."""
    group = {}  # by layer and name: the representative of its group

    def find(key):
        while group.setdefault(key, key) != key:
            key = group[key]
        return key

    for layer, names in wanted:
        first, *others = names.split("|")
        for name in others:
            group[find((layer, name))] = find((layer, first))
    result = collections.Counter()
    members = collections.defaultdict(set)
    for (layer, names), count in wanted.items():
        key = find((layer, names.split("|")[0]))
        result[key] += count
        members[key].update(names.split("|"))
    return {(key[0], "|".join(sorted(members[key]))): count
            for key, count in result.items()}


def check_leaves(table, folded):
    """Every function has as many instructions as in the histogram."""
    got = leaves(folded)
    wanted = collections.Counter()
    for line in open(table, encoding="utf-8"):
        count, layer, _, names = line.split(" ", 3)
        wanted[layer, names.strip()] += int(count)
    total = sum(wanted.values())
    figure("weight of all stacks", sum(got.values()), f"{total} instructions",
           abs(sum(got.values()) - total) <= 1)
    wanted = merged(wanted)
    off, worst, user_off, user_total, named = 0, [], 0, 0, 0
    for (layer, names), count in wanted.items():
        if names == "?" or layer not in ("user", "kernel"):
            continue
        # Demangled C++ names are compared by other tests.
        if any(name.startswith("_Z") for name in names.split("|")):
            continue
        named += count
        there = sum(got[layer, name] for name in set(names.split("|")))
        # Extra instructions are past the end of a symbol; the histogram
        # assigns those to no function.
        lacks = max(0, count - there)
        off += lacks
        if lacks:
            worst.append((lacks, layer, names, there, count))
        if layer == "user":
            user_total += count
            user_off += lacks
    for _, layer, names, there, count in sorted(worst, reverse=True)[:10]:
        print(f"     {layer} {names}: {there}, in the histogram {count}")
    figure("instructions in another function than in the histogram",
           f"{off} of {named}", "1: the first, which has no cycle before it",
           off <= 1)
    right = 100 * (1 - user_off / max(user_total, 1))
    figure("user instructions under the right symbol", f"{right:.3f} %",
           "99.5 %", right >= 99.5)


def check_firmware(table, folded):
    """Debian's OpenSBI has no symbols, so all of its code is one frame."""
    wanted = sum(int(line.split()[0]) for line in open(table, encoding="utf-8")
                 if line.split()[1] == "machine")
    got = leaves(folded)["kernel", "[fw_dynamic.elf]"]
    figure("instructions of the SBI", got, wanted, abs(got - wanted) <= 1)


def check_roots(folded):
    whole = total = 0
    others = collections.Counter()
    for frames, weight in stacks(folded):
        total += weight
        root = plain(frames[1]) if len(frames) > 1 else "(nothing)"
        if ROOTS.fullmatch(root):
            whole += weight
        else:
            others[root] += weight
    for root, weight in others.most_common(10):
        print(f"     root {root}: {100 * weight / total:.2f} %")
    share = 100 * whole / max(total, 1)
    figure("instructions with a whole stack", f"{share:.2f} %", "99 %", share >= 99)


def check_calls(calls):
    got = collections.Counter()
    for frames, weight in stacks(calls):
        got[base(frames[-1])] += weight
    for name, count in CALLS.items():
        figure(f"calls of {name}", got[name], count, got[name] == count)


def check_cut(folded, cut):
    def sums(path):
        result = collections.Counter()
        for frames, weight in stacks(path):
            result[tuple(frames[1:])] += weight
        return result

    one, other = sums(folded), sums(cut)
    total = sum(one.values())
    differs = sum(abs(one[key] - other[key]) for key in one | other) / 2
    share = 100 * differs / max(total, 1)
    keys = sorted(one | other, key=lambda key: -abs(one[key] - other[key]))
    for key in keys[:6] if share > 1 else []:
        print(f"     {one[key]}, cut {other[key]}: {';'.join(key)}")
    figure("weight in other stacks in the cut trace", f"{share:.2f} %", "1 %",
           share <= 1)


def main():
    check_firmware(sys.argv[1], sys.argv[2])
    if len(sys.argv) > 3:
        check_leaves(sys.argv[1], sys.argv[2])
        check_roots(sys.argv[2])
        check_calls(sys.argv[3])
        check_cut(sys.argv[2], sys.argv[4])
    sys.exit(1 if failed else 0)


main()
