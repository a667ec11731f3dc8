#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the stacks of a recording, frame by frame, with `perf script`.

usage: compare_perf.py DUMP_STACKS [--check] [--comm=NAME,...] FILE...

Shows where the two differ; with --check, fails if fewer than 99.9 % of the frames
have the same function, apart from those where perf is known to be wrong. --comm
leaves other threads out.
"""
import collections
import os
import re
import subprocess
import sys

HEAD = re.compile(r"^ *(.*?) +(-?\d+)/(-?\d+) +(\d+)\.(\d{9}): +(\S+): *(.*)$")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*) \(((?:[^()]|\(deleted\))*)\)$")
# Functions that have no caller; the kernel's are those of a process that has not
# run yet.
ROOTS = {"_start", "__clone3", "clone3", "__clone", "clone", "_dl_start_user",
         "ret_from_fork_asm", "ret_from_fork"}
# A kind of difference: the call that is the last instruction of a function, which
# does not come back. perf names what comes after it.
CALL_AT_THE_END = "call at the end of a function"
# A call through the PLT of a static program, which perf does not know.
PLT_STUB = "stub of the PLT"
# perf leaves a stack out if an address of it, found by following a register that
# is no frame pointer, looks like one of the kernel's markers.
DROPPED = "stack that perf drops"
EXPLAINED = {CALL_AT_THE_END, PLT_STUB, DROPPED}
# The function is the same.
OTHER_MODULE = "module"
# The tid of a thread that the kernel has nearly done away with. Its name is that
# of its process to wick, and none to perf.
NUMBERLESS = -1
# What perf prints where its unwinder failed.
NOWHERE = 0xffffffffffffffff

Frame = collections.namedtuple("Frame", "function module address kind offset "
                               "file line", defaults=("", None, "", 0))


class Sample:
    def __init__(self, key, comm):
        self.key, self.comm, self.frames = key, comm, []

    def root(self):
        return self.frames[-1] if self.frames else None


def of_perf(file, comms=()):
    """Samples by (time, tid, event, how many of those before), of these threads
    only; frames leaf first."""
    text = subprocess.run(
        ["perf", "script", "-F", "comm,pid,tid,time,event,ip,sym,symoff,dso",
         "--ns", "--no-inline", "--max-stack", "4096", "-i", file,
         *(["--comms", ",".join(comms)] if comms else [])],
        capture_output=True, check=True).stdout.decode(errors="replace")
    samples, current = Samples(), None
    for line in text.splitlines():
        if not line.startswith("\t") and (found := HEAD.match(line)):
            comm, pid, tid, seconds, nano, event, rest = found.groups()
            current = samples.add(int(seconds) * 10**9 + int(nano), int(tid),
                                  event.split(":")[0], comm.replace(" ", "_"))
            if rest:
                perf_frame(current, rest)
        elif current is not None:
            perf_frame(current, line)
    return samples


class Samples(dict):
    def add(self, time, tid, event, comm):
        key = (time, tid, event, 0)
        while key in self:
            key = key[:3] + (key[3] + 1,)
        self[key] = Sample(key, comm)
        return self[key]


def perf_frame(sample, line):
    found = FRAME.match(line)
    if not found:
        return
    address, function, module = found.groups()
    name, _, offset = function.rpartition("+0x")
    sample.frames.append(Frame(
        name, "" if module == "[unknown]" else module, int(address, 16), "",
        int(offset, 16) if name else None))


def of_wick(dump, file, *options):
    """The same from wick, and what it says of loss."""
    if os.path.isdir(file):
        file = os.path.join(file, "data")
    text = subprocess.run([dump, file, *options], capture_output=True,
                          check=True).stdout.decode(errors="replace")
    samples, current, said = Samples(), None, []
    for line in text.splitlines():
        if line.startswith("\t"):
            _, kind, address, number, module, source, function = line.split("\t")
            current.frames.append(Frame(function, module, int(address, 16), kind,
                                        None, source, int(number)))
        elif line.startswith("! "):
            said.append(line[2:])
        else:
            time, _, tid, event, comm = line.split(" ", 4)
            current = samples.add(int(time), int(tid), event.split(":")[0], comm)
    return samples, said


class Difference(collections.namedtuple("Difference", "kind key index wick perf")):
    def __str__(self):
        def show(frame):
            return (f"{frame.function or '?'}+{frame.offset or 0:#x} "
                    f"{frame.address:x} ({frame.module})" if frame else "nothing")
        return (f"{self.kind} at {self.key} frame {self.index}:\n"
                f"  wick {show(self.wick)}\n  perf {show(self.perf)}")


def kind_of(index, wick, perf):
    """What a difference is; docs/perf-data.md explains each kind."""
    if wick is None or perf is None:
        return "a frame that the other has not"
    if wick.function == perf.function:
        return OTHER_MODULE
    if (index > 0 and perf.offset in (0, None) and
            (wick.address + 1 - perf.address) % 4096 == 0):
        return CALL_AT_THE_END
    if wick.function.endswith("@plt"):
        return PLT_STUB
    if perf.function == "":
        return "named by wick alone"
    if wick.function == "":
        return "named by perf alone"
    return "other name"


def compare(wick, perf):
    """(frames compared, frames of the same function, differences). Every frame
    of either side counts."""
    frames = same = 0
    differences = []
    for key in sorted({**perf, **wick}):
        mine = wick[key].frames if key in wick else []
        its = perf[key].frames if key in perf else []
        frames += max(len(mine), len(its))
        for i in range(max(len(mine), len(its))):
            a = mine[i] if i < len(mine) else None
            b = its[i] if i < len(its) else None
            if a and b and a.function == b.function:
                same += 1
                if same_module(a.module, b.module):
                    continue
            kind = DROPPED if key in perf and not its else kind_of(i, a, b)
            differences.append(Difference(kind, key, i, a, b))
    return frames, same, differences


def same_module(wick, perf):
    # Where there is no file, perf names the perf map that there might be.
    return wick == perf or re.fullmatch(r"/tmp/perf-\d+\.map", perf)


def entry_points(files):
    """{name: where a program begins}, to know the root of a stripped one."""
    entries = {}
    for file in files:
        text = subprocess.run(["readelf", "-h", file], capture_output=True,
                              text=True, check=True).stdout
        address = int(re.search(r"Entry point address: +(\w+)", text)[1], 16)
        entries[os.path.realpath(file)] = address
    return entries


def is_whole(sample, entries):
    """Whether its outermost frame has no caller. perf counts addresses from the
    start of the file, so only those within a page are compared."""
    root = next((frame for frame in reversed(sample.frames)
                 if frame.address != NOWHERE), None)
    if root is None:
        return False
    return (root.function in ROOTS or root.module in entries and
            (root.address - entries[root.module]) % 4096 < 48)


def show(differences, most=8):
    kinds = collections.defaultdict(list)
    for each in differences:
        kinds[each.kind].append(each)
    for kind, found in kinds.items():
        print(f"{len(found)} times {kind}")
        for each in list({str(d).split(":", 1)[1]: d for d in found}.values())[:most]:
            print(each)


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    dump = arguments.pop(0)
    check = "--check" in arguments
    names = {name for word in arguments if word.startswith("--comm=")
             for name in word[len("--comm="):].split(",")}
    failed = False
    for file in [word for word in arguments if not word.startswith("--")]:
        perf = of_perf(file, names)
        wick, said = of_wick(dump, file, "--no-inline")
        if names:
            shown = {name.replace(" ", "_") for name in names}
            wick = {key: sample for key, sample in wick.items()
                    if sample.comm in shown and key[1] != NUMBERLESS}
            perf = {key: sample for key, sample in perf.items()
                    if key[1] != NUMBERLESS}
        frames, same, differences = compare(wick, perf)
        explained = sum(d.kind in EXPLAINED for d in differences)
        comms = sum(wick[key].comm != perf[key].comm
                    for key in wick.keys() & perf.keys())
        good = (perf and wick.keys() == perf.keys() and comms == 0 and
                same + explained >= 0.999 * frames)
        failed |= not good
        print(f"{file}: {len(wick)} samples, perf {len(perf)}, {frames} frames, "
              f"{100 * same / max(frames, 1):.3f} % the same, {explained} others "
              f"explained, {comms} other names of threads")
        if not check or not good:
            show(differences)
            for sentence in said:
                print("wick says:", sentence)
    sys.exit(check and failed)


if __name__ == "__main__":
    main()
