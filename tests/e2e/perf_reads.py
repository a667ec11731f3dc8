#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes recordings of perf again with wick's writer, and asks perf and Hotspot
whether both files say the same.

usage: perf_reads.py REWRITE_PERF WICK
"""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

REWRITE, WICK = sys.argv[1:3]
PERF_PARSER = [*glob.glob("/usr/lib/*/libexec/hotspot-perfparser"),
               shutil.which("hotspot-perfparser") or ""][0]

PROGRAM = """
#include <stdlib.h>
#include <time.h>
volatile unsigned long sum;
int main(void) {
  for (int k = 0; k < 30; k++) {
    for (long i = 0; i < 1000000; i++) sum += i;
    char* p = malloc(1 << 20);
    for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1;
    free(p);
    struct timespec t = {0, 1000000};
    nanosleep(&t, 0);
  }
}
"""

# What perf recorded, by name. A recording that this kernel or user does not
# allow is left out, and said.
RECORDINGS = {
    "stacks": ["-e", "cpu-clock", "-g"],
    "events": ["-e", "cpu-clock,page-faults,context-switches", "-d"],
    "group": ["-k", "mono", "-e", "{cpu-clock,page-faults}:S"],
    "copies": ["-e", "cpu-clock", "--call-graph", "dwarf"],
    "tracepoints": ["-e", "cpu-clock", "-e", "sched:sched_switch,"
                    "sched:sched_process_exit,raw_syscalls:sys_enter"],
    "compressed": ["-z", "-F", "1000", "-e", "cpu-clock", "--call-graph",
                   "dwarf,16384"],
}

failures = []


def check(what, holds, detail=""):
    print(("ok " if holds else "not ok ") + what)
    if not holds:
        failures.append(what)
        print("  " + detail[:1000].replace("\n", "\n  "))


def run(*words, env=None):
    """Standard output, standard error."""
    done = subprocess.run(words, capture_output=True, check=False, text=True,
                          errors="replace", env={**os.environ, **(env or {})})
    return done.stdout, done.stderr


def same(what, got, wanted):
    got_lines, wanted_lines = got.splitlines(), wanted.splitlines()
    for i, (a, b) in enumerate(zip(got_lines, wanted_lines)):
        if a != b:
            check(what, False, f"line {i}: {a}\nperf's:  {b}")
            return
    check(what, len(got_lines) == len(wanted_lines),
          f"{len(got_lines)} lines, perf's {len(wanted_lines)}")


def without_places(dump):
    """`perf script -D` without offsets in the file and its name."""
    dump = re.sub(r"^0x[0-9a-f]+@\S+ ", "", dump, flags=re.M)
    return re.sub(r"^((?:-?\d+ )*)0x[0-9a-f]+ \[", r"\1[", dump, flags=re.M)


def untipped(output):
    """Both outputs, without the tip of the day."""
    return re.sub(r"^# .Tip: .*$", "", "\n".join(output), flags=re.M)


def without_thread_names(section):
    """The tracing data without what perf adds at their end: the names of threads that
    ftrace saw, after their length. wick does not record them."""
    for size in range(len(section) - 8):
        begin = len(section) - size - 8
        if int.from_bytes(section[begin:begin + 8], "little") == size:
            return section[:begin] + bytes(8)
    return section


def sections(path):
    """The feature sections of a file, by their number."""
    with open(path, "rb") as file:
        content = file.read()
    offset, size = struct.unpack_from("=QQ", content, 40)
    bits = int.from_bytes(content[72:104], "little")
    found, table = {}, offset + size
    for number in range(256):
        if bits >> number & 1:
            start, length = struct.unpack_from("=QQ", content, table)
            table += 16
            found[number] = content[start:start + length]
    return found


def check_script(name, ours, theirs):
    want, theirs_said = run("perf", "script", "-i", theirs)
    got, said = run("perf", "script", "-i", ours)
    same(f"{name}: perf script", got, want)
    # It says how many records it has read, compressed ones among them, if some
    # were lost while recording.
    check(f"{name}: perf script complains of nothing else",
          re.sub(r"\d+", "", said) == re.sub(r"\d+", "", theirs_said), said)
    check(f"{name}: has samples", want.count("\n") > 10, want)
    fields = ["-F", "comm,pid,tid,time,event,ip,sym,dso,period"]
    same(f"{name}: perf script -F", run("perf", "script", "-i", ours,
                                        *fields)[0],
         run("perf", "script", "-i", theirs, *fields)[0])
    same(f"{name}: perf script -D",
         without_places(run("perf", "script", "-D", "-i", ours)[0]),
         without_places(run("perf", "script", "-D", "-i", theirs)[0]))


def check_header(name, ours, theirs):
    # What differs by design: places, the recorder, the time of the file, and
    # sections that wick does not write.
    def lines(path):
        text, said = run("perf", "report", "--header-only", "-I", "-i", path)
        check(f"{name}: perf report --header-only -I of {path} is quiet",
              said == "", said)
        return {line for line in text.splitlines() if not re.search(
            r"captured on|(data|feat) (offset|size)|perf version|"
            r"missing features|compressed :", line)}
    got, want = lines(ours), lines(theirs)
    check(f"{name}: the header says nothing that perf's does not",
          got <= want, str(got - want))
    for word in ("hostname", "os release", "arch", "nrcpus online", "cpudesc",
                 "cpuid", "total memory", "cmdline", "event : name",
                 "pmu mappings", "time of first sample"):
        check(f"{name}: the header has {word}",
              any(line.startswith(f"# {word}") for line in got), str(got))
    text, _ = run("perf", "report", "--header-only", "-i", ours)
    check(f"{name}: the recorder is named",
          "perf version : 6.1 (wick test)" in text, text)

    got, want = sections(ours), sections(theirs)
    for number in sorted(set(got) & set(want) - {5, 27}):
        check(f"{name}: section {number} is perf's, byte by byte",
              # perf lists tracepoints in the order of folders.
              got[number] == want[number] if number != 1 else
              sorted(got[1]) == sorted(without_thread_names(want[1])))
    for words in (["buildid-list"], ["evlist", "-v"], ["evlist", "-g"],
                  ["report", "--stdio", "--no-children"]):
        same(f"{name}: perf {' '.join(words)}",
             untipped(run("perf", *words, "-i", ours)),
             untipped(run("perf", *words, "-i", theirs)))


def hotspot_messages(path):
    """What perfparser sends to Hotspot, without the features; what it says."""
    # Without a fixed seed it lists the fields of tracepoints in any order.
    _, said = run(PERF_PARSER, "--input", path, "--output", "hotspot.out",
                  env={"QT_HASH_SEED": "0"})
    with open("hotspot.out", "rb") as file:
        content = file.read()
    messages, at = [], len(b"QPERFSTREAM\0") + 4
    while at + 4 <= len(content):
        size, = struct.unpack_from("<I", content, at)
        messages.append(content[at + 4:at + 4 + size])
        at += 4 + size
    features = 7
    return ([m for m in messages if m[:1] != bytes([features])],
            {line for line in said.splitlines()
             if not line.startswith("Linux version")})


def check_hotspot(name, ours, theirs):
    got, said = hotspot_messages(ours)
    want, theirs_said = hotspot_messages(theirs)
    check(f"{name}: Hotspot gets the same messages", got == want,
          f"{len(got)}, of perf's file {len(want)}")
    check(f"{name}: Hotspot complains of nothing else", said <= theirs_said,
          str(said - theirs_said))


def check_killed(name, theirs, level):
    """A recording that was killed before its end is read by perf and by wick."""
    listing = run("perf", "script", "-D", "-i", theirs)[0]
    kinds = re.findall(r"PERF_RECORD_(\w+)", listing)
    samples = [i for i, kind in enumerate(kinds) if kind == "SAMPLE"]
    done = subprocess.run([REWRITE, theirs, "killed.data", str(level),
                           str(samples[len(samples) * 3 // 4])], check=False)
    check(f"{name}: it was killed", done.returncode == -signal.SIGKILL)
    got, said = run("perf", "script", "-i", "killed.data")
    want, _ = run("perf", "script", "-i", theirs)
    check(f"{name}: perf reads what is there", said == "" and got != "" and
          len(got) < len(want), said)
    text, said = run(WICK, "fold", "killed.data")
    check(f"{name}: wick reads what is there", text != "", said)


def main():
    with open("program.c", "w", encoding="ascii") as file:
        file.write(PROGRAM)
    subprocess.run(["gcc", "-O1", "-g", "-o", "program", "program.c"],
                   check=True)
    if not PERF_PARSER:
        print("skipped hotspot-perfparser: it is not installed")
    for name, options in RECORDINGS.items():
        theirs = name + ".data"
        done = subprocess.run(["perf", "record", "-q", "-o", theirs, *options,
                               "--", "./program"], capture_output=True,
                              check=False, text=True)
        if done.returncode != 0:
            print(f"skipped {name}: {done.stderr.strip()[:200]}")
            continue
        for level in (0, 3):
            ours = f"{name}.{level}.data"
            case = f"{name}, level {level}"
            done = subprocess.run([REWRITE, theirs, ours, str(level)],
                                  capture_output=True, check=False, text=True)
            check(f"{case}: is written", done.returncode == 0, done.stderr)
            check_script(case, ours, theirs)
            check_header(case, ours, theirs)
            # Hotspot 1.3 cannot decompress recordings of any tool.
            if PERF_PARSER and level == 0 and name != "compressed":
                check_hotspot(case, ours, theirs)
            check_killed(case, theirs, level)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
