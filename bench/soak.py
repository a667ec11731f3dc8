#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the whole machine for minutes while processes come and go, and fails if
wick grows or loses something without reporting it.

usage: soak.py WICK [--seconds N] [--rate HZ] [--forks N] [--folder DIR]

A storm of short programs runs meanwhile: each maps a file, starts a thread,
works for a moment and exits.

* Memory is flat if its peak (RssAnon, read every second) in the last third is at
  most 5 % and 1 MB above that of the second third. The first third is warm-up:
  wick reads the unwind rules of programs it has not seen before.
* cpu-clock ticks on every CPU, so recorded and reported-lost samples together must
  be 97 % of CPUs x rate x time. The rest allows for ticks that a virtual machine
  misses. An idle one misses half of them, whatever the recorder, so a program of
  low priority keeps every CPU busy.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

import run

STORM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
void* work(void* unused) {
  for (int i = 0; i < 200000; ++i) sum += i;
  return unused;
}
int main(int argc, char** argv) {
  if (argc < 2) {  // one of the many
    const int file = open("/proc/self/exe", O_RDONLY);
    void* mapped = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return mapped == MAP_FAILED;
  }
  const long pause_ns = 1000000000 / atol(argv[2]);
  for (const time_t end = time(0) + atol(argv[1]); time(0) < end;) {
    if (fork() == 0) {
      execl("/proc/self/exe", "leaf", (char*)0);
      _exit(127);
    }
    while (waitpid(-1, 0, WNOHANG) > 0) {}
    struct timespec pause = {pause_ns / 1000000000, pause_ns % 1000000000};
    nanosleep(&pause, 0);
  }
  while (wait(0) > 0) {}
}
"""


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1].replace(",", "")) if found else 0


def forks_so_far():
    with open("/proc/stat", encoding="ascii") as file:
        return number(r"processes (\d+)", file.read())


def record(options, folder):
    """What wick said, and its memory in kB, second by second."""
    process = subprocess.Popen(
        [options.wick, "record", "-a", "-z", "1", "-F", str(options.rate),
         "--duration", str(options.seconds), "-o", folder / "soak.data"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    memory = []
    while process.poll() is None:
        memory.append(run.anonymous_memory(process.pid))
        time.sleep(1)
    said = process.stderr.read()
    if process.returncode != 0:
        sys.exit(f"FAIL wick ended with {process.returncode}: {said}")
    return said, [kb for kb in memory if kb > 0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wick", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--rate", type=int, default=997, help="Hz")
    parser.add_argument("--forks", type=int, default=300, help="a second")
    parser.add_argument("--folder", default="build/bench")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    storm = folder / "storm"
    subprocess.run(["gcc", "-O2", "-pthread", "-x", "c", "-", "-o", storm],
                   input=STORM, text=True, check=True)
    forks = forks_so_far()
    busy = ["nice", "-n", "19", "sh", "-c", "while :; do :; done"]
    beside = [subprocess.Popen([storm, str(options.seconds + 2),
                                str(options.forks)]),
              *(subprocess.Popen(busy) for _ in range(os.cpu_count() or 1))]
    try:
        said, memory = record(options, folder)
    finally:
        for process in beside:
            process.terminate()
            process.wait()
    forks = forks_so_far() - forks
    print(said.strip())

    failures = 0

    def check(what, good):
        nonlocal failures
        failures += not good
        print(f"{'PASS' if good else 'FAIL'} {what}")

    third = max(1, len(memory) // 3)
    middle, late = max(memory[third:-third] or memory), max(memory[-third:])
    check(f"memory is flat: {middle / 1024:.1f} MB at most in the second third, "
          f"{late / 1024:.1f} MB in the last, after {forks} forks",
          late <= 1.05 * middle + 1024)
    samples = number(r": ([\d,]+) samples", said)
    lost = number(r"([\d,]+) records? (?:was|were) lost", said)
    expected = (os.cpu_count() or 1) * options.rate * options.seconds
    check(f"{samples} samples and {lost} that are said to be lost, of {expected}",
          samples + lost >= 0.97 * expected)
    size = (folder / "soak.data").stat().st_size
    print(f"the file has {size / 1e6:.1f} MB")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
