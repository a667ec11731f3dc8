#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a small program in every way that perf record has and compares, record
by record and in order, what wick decodes with what `perf script -D` prints.

usage: perf_records.py DUMP_PERF [NAME...]
"""
import pathlib
import re
import subprocess
import sys

PROGRAM = r"""
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) static void leaf(void) {
  for (int i = 0; i < 1000; i++) sum += i;
}
__attribute__((noinline)) static void deep(int n) {
  if (n > 0) deep(n - 1); else leaf();
  sum++;
}
static void* work(void* unused) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    for (int i = 0; i < 100; i++) deep(20);
    usleep(500);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 +
           (now.tv_nsec - start.tv_nsec) / 1000000 < 300);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  if (fork() == 0) { work(0); _exit(0); }
  work(0);
  pthread_join(thread, 0);
  wait(0);
}
"""

# Options of perf record; those that this machine's perf or kernel lacks are said.
RECORDINGS = {
    "frame-pointers": "-e cpu-clock -g",
    "frame-pointers-all-cpus": "-e cpu-clock -g -a",
    "stack-copies": "-e cpu-clock -F 500 --call-graph dwarf,16384",
    "compressed": "-z -e cpu-clock -g",
    "compressed-stack-copies": "-z -e cpu-clock -F 500 --call-graph dwarf,16384",
    "pipe": "-e cpu-clock -g -o -",
    "pipe-tracepoint": "-a -e sched:sched_switch -e cpu-clock -o -",
    "two-events": "-e cpu-clock,task-clock -g",
    "group": "-e {cpu-clock,task-clock}",
    "group-read": "-e {cpu-clock,task-clock}:S",
    "tracepoint": "-a -e sched:sched_switch --call-graph fp",
    "switches": "-e cpu-clock --switch-events",
    "switches-all-cpus": "-a -e cpu-clock --switch-events",
    "off-cpu": "-e cpu-clock -e sched:sched_switch --switch-events "
               "--sample-cpu -z --call-graph dwarf,8192",
    "build-ids": "-e cpu-clock --buildid-mmap",
    "namespaces": "-e cpu-clock --namespaces",
    "cgroups": "-e cpu-clock --all-cgroups",
    "addresses": "-e cpu-clock -d --phys-data",
    "threads": "--threads -a -e cpu-clock -g",
    "threads-compressed": "--threads -z -a -e cpu-clock -g",
    "clock": "-k CLOCK_MONOTONIC -e cpu-clock -g",
    "fixed-period": "-c 1000000 -e cpu-clock",
}

RECORD = re.compile(r"^(?:\d+ )?(\d+) (?:0x)?[0-9a-f]+ \[0x[0-9a-f]+\]: "
                    r"PERF_RECORD_([A-Z0-9_]+)(.*)$")
KINDS = {"SAMPLE", "MMAP", "MMAP2", "COMM", "FORK", "EXIT", "SWITCH",
         "SWITCH_CPU_WIDE"}
# Compared by kind and time alone.
NUMBERS = {"LOST": 2, "THROTTLE": 5, "UNTHROTTLE": 6, "NAMESPACES": 16,
           "KSYMBOL": 17, "BPF_EVENT": 18, "CGROUP": 19, "TEXT_POKE": 20,
           "LOST_SAMPLES": 13}


def of_perf(lines):
    """Records as dump_perf prints them, a list of lines each."""
    records, current = [], None
    for line in lines:
        found = RECORD.match(line)
        if found:
            time, kind, rest = found.groups()
            current = None
            if kind in KINDS:
                rest = re.sub(r"\s+", " ", rest).rstrip()
                rest = re.sub(r"(?<=addr: )0$", "0x0", rest)
                current = [f"{time} {kind}{rest}"]
            elif kind in NUMBERS:
                current = [f"{time} type {NUMBERS[kind]}"]
            if current:
                records.append(current)
            continue
        if current is None:
            continue
        for pattern, words in (
                (r"^\.{5} *\d+: ([0-9a-f]{16})$", "chain {}"),
                (r"^\.{4} [A-Z0-9]+ +0x([0-9a-f]{16})$", "register {}"),
                (r"^\.\.\. ustack: size (\d+)", "stack {}"),
                (r"^\.{5} id ([0-9a-f]{16}), value ([0-9a-f]{16})", "read {} {}"),
                (r" sched:sched_switch: .*prev_pid=(\d+) ", "prev_pid {}"),
                (r" sched:sched_switch: .*next_pid=(\d+) ", "next_pid {}")):
            for value in re.finditer(pattern, line):
                numbers = [v.lstrip("0") or "0" for v in value.groups()]
                current.append("  " + words.format(*numbers))
    return records


def of_wick(lines):
    records = []
    for line in lines:
        if line.startswith("  "):
            records[-1].append(line)
        elif not line.startswith(("event ", "problems ", "late ")):
            records.append([line])
    return records


def without_time(record):
    return record[0].startswith("0 ")


# On a busy machine, a thread of perf may write a record when its round is over.
# Its place is anybody's guess then, and such a recording is made again.
LATE = "a record was written after its round"


def compare(name, dump, file):
    ours = subprocess.run([dump, file], capture_output=True, check=False,
                          text=True, errors="replace")
    if ours.returncode != 0:
        return f"dump_perf: {ours.stderr}"
    lines = ours.stdout.splitlines()
    problems = [line for line in lines if line.startswith("problems ")]
    if "late 0" not in lines:
        return LATE
    theirs = subprocess.run(
        ["perf", "script", "-D", "--no-inline", "--ns", "-i", file],
        capture_output=True, check=True, text=True, errors="replace").stdout
    wick, perf = of_wick(lines), of_perf(theirs.splitlines())
    if problems != ["problems 0"]:
        return problems[0]
    if not any(" SAMPLE" in record[0] for record in perf):
        return "no samples"
    # perf hands on records without a time at once, wick before the others of
    # their round.
    for part in (True, False):
        mine = [r for r in wick if without_time(r) == part]
        its = [r for r in perf if without_time(r) == part]
        for i, (a, b) in enumerate(zip(mine, its)):
            if a != b:
                return f"record {i}:\n  wick {a}\n  perf {b}"
        if len(mine) != len(its):
            return f"{len(mine)} records, perf has {len(its)}"
    samples = sum(" SAMPLE" in record[0] for record in wick)
    print(f"{name}: {len(wick)} records, {samples} samples")
    return None


def record(options, file):
    """Returns why perf cannot, if so."""
    command = ["perf", "record", "-q", *options.split()]
    with open(file if "-o -" in options else "/dev/null", "wb") as out:
        if "-o -" not in options:
            command += ["-o", file]
        done = subprocess.run([*command, "./program"], stdout=out,
                              stderr=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[0] if said else f"status {done.returncode}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    dump, wanted = sys.argv[1], sys.argv[2:]
    pathlib.Path("program.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-pthread",
                    "-fno-optimize-sibling-calls", "program.c", "-o",
                    "program"], check=True)
    bad = compared = 0
    for name, options in RECORDINGS.items():
        if wanted and name not in wanted:
            continue
        for _ in range(5):
            reason = record(options, f"{name}.data")
            if reason:
                break
            difference = compare(name, dump, f"{name}.data")
            if difference != LATE:
                break
        if reason:
            print(f"{name}: skipped: {reason}")
            continue
        compared += 1
        if difference:
            bad += 1
            print(f"{name}: {difference}")
    if compared == 0:
        print("nothing could be recorded")
        sys.exit(77)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
