# SPDX-License-Identifier: Apache-2.0
"""What recording costs: a program runs alone, under `perf record -g`, under
`perf record --call-graph dwarf` (8,192 bytes of stack, perf's default) and under
`wick record`, in turns, again and again.

The program's own CPU time is taken inside, by a parent of its own that waits for
it (TIMED, below), so that samples taken in its context count and the recorder
does not. The recorder's CPU time is that of everything less the program's. CPU
time is used because it says something on a machine with other work, too; the
program stays on one CPU, the recorders come in another order in every round, and
medians are compared.

A g++ run varies by 6 % from one time to the next whoever records it, which hides
a point that one recorder may cost more than another at 997 Hz. So the bar for
that is held to what a sample costs, and that is seen where there are ten times
as many, with the stack copies of 997 Hz: perf record -g and wick record take
turns, and the mean of the differences, divided by ten, is printed with its
standard error. What was measured at 997 Hz itself is printed beside it.
"""
import dataclasses
import math
import os
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import time

import recordings

# timed OUT PROGRAM…: runs it on the last CPU that is allowed and writes the
# seconds of CPU time and of the clock that it took.
TIMED = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char** argv) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  int last = CPU_SETSIZE - 1;
  while (last > 0 && !CPU_ISSET(last, &set)) --last;
  CPU_ZERO(&set);
  CPU_SET(last, &set);
  sched_setaffinity(0, sizeof set, &set);
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  struct rusage use;
  wait4(child, &status, 0, &use);
  clock_gettime(CLOCK_MONOTONIC, &end);
  FILE* out = fopen(argv[1], "w");
  fprintf(out, "%f %f\n",
          use.ru_utime.tv_sec + use.ru_stime.tv_sec +
              1e-6 * (use.ru_utime.tv_usec + use.ru_stime.tv_usec),
          end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec));
  fclose(out);
  return argc > 0 && status != 0;
}
"""

# A fixed amount of work, some twenty calls deep.
BOUND = r"""
unsigned long state = 1;
volatile unsigned long sink;
template <int N> __attribute__((noinline)) unsigned long step(unsigned long x) {
  for (int i = 0; i < 20; ++i) x = x * 6364136223846793005ul + N;
  return step<N - 1>(x) ^ x;
}
template <> __attribute__((noinline)) unsigned long step<0>(unsigned long x) {
  for (int i = 0; i < 400; ++i) x = x * 6364136223846793005ul + 1;
  return x;
}
int main() { for (int i = 0; i < 900000; ++i) sink = sink ^ step<20>(i); }
"""


@dataclasses.dataclass
class Run:
    cpu: float = 0.0       # of the program
    noise: float = 0.0     # the standard error of that
    wall: float = 0.0
    recorder: float = 0.0  # CPU time of whoever records
    memory: float = 0.0    # MB: the recorder's peak of resident memory
    size: int = 0          # bytes of the file
    names: int = 0         # of them, for names of code
    samples: int = 0
    lost: int = 0


class Overhead:
    def __init__(self, wick, folder):
        self.wick, self.folder = wick, pathlib.Path(folder)
        self.timed = self.compiled("timed", "gcc", "c", TIMED)
        self.bound = self.compiled("bound", "g++", "c++", BOUND)

    def compiled(self, name, compiler, language, source):
        path = self.folder / name
        subprocess.run([compiler, "-O2", "-x", language, "-", "-o", path],
                       input=source, text=True, check=True)
        return path

    def programs(self):
        source = recordings.SOURCE
        return {
            "a CPU-bound program": [self.bound],
            "a g++ run": ["g++", "-std=c++20", "-O2", f"-I{source}/src", "-c",
                          source / "src/perf/session/chain.cc", "-o", "/dev/null"],
        }

    def recorders(self, rate):
        """Their words by name; the file is %. perf collects no build ids (-B),
        which takes it a tenth of a second and which perf 6.1 can fail at."""
        perf = ["perf", "record", "-q", "-B", "-F", str(rate), "-o", "%"]
        return {
            "alone": [],
            "perf record -g": [*perf, "-g", "--"],
            "perf record dwarf": [*perf, "--call-graph", "dwarf", "--"],
            "wick record": [self.wick, "record", "-q", "-F", str(rate), "-o",
                            "%", "--"],
            "wick record --no-names": [
                self.wick, "record", "-q", "--no-names", "-F", str(rate), "-o",
                "%", "--"],
            "wick record -z": [self.wick, "record", "-q", "-z", "1", "-F",
                               str(rate), "-o", "%", "--"],
        }

    def stack_size(self, rate):
        """How many bytes of stack wick copies at most, as it says itself."""
        done = subprocess.run(
            [self.wick, "record", "-F", str(rate), "-o",
             self.folder / "overhead.data", "--", "true"],
            capture_output=True, text=True, check=True)
        return 1024 * int(re.search(r"with up to (\d+) kB", done.stderr)[1])

    def cost_of_samples(self, program, alone, rounds):
        """How much slower wick makes the program than perf record -g does, at
        997 Hz, in points of `alone`, the seconds it takes; and the error."""
        fast = self.recorders(9970)
        pair = {"perf": fast["perf record -g"], "wick": [
            *fast["wick record"][:-1], "--call-graph",
            f"dwarf,{self.stack_size(997)}", "--"]}
        points = []
        for _ in range(rounds):
            took = {name: self.run(pair[name], program).cpu
                    for name in random.sample(list(pair), 2)}
            points.append(100 * (took["wick"] - took["perf"]) / alone / 10)
        error = (statistics.stdev(points) / math.sqrt(rounds)
                 if rounds > 1 else math.inf)
        return statistics.mean(points), error

    def run(self, recorder, program, tries=3):
        """perf 6.1 aborts now and then; then it is run again."""
        data, out = self.folder / "overhead.data", self.folder / "overhead.txt"
        data.unlink(missing_ok=True)
        words = [data if word == "%" else word for word in recorder]
        process = subprocess.Popen([*words, self.timed, out, *program],
                                   stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        result = Run()
        while True:
            result.memory = max(result.memory, peak_memory(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 and tries > 1:
            return self.run(recorder, program, tries - 1)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))} failed: "
                     f"{process.returncode}")
        result.cpu, result.wall = map(float, out.read_text().split())
        result.recorder = max(0.0, usage.ru_utime + usage.ru_stime - result.cpu)
        if recorder:
            result.size = data.stat().st_size
            result.names = names_size(data)
            result.samples, result.lost = self.counted(data)
        return result

    def counted(self, data):
        """Samples in a file, and those it says were lost."""
        done = subprocess.run(
            [self.wick, "report", "--raw", "--top", "1", data], capture_output=True,
            text=True, check=True)
        text = done.stdout + done.stderr
        number = lambda found: int(found[1].replace(",", "")) if found else 0
        return (number(re.search(r"^\s*[\d,]+ +nanoseconds +([\d,]+) ", text,
                                 re.M)),
                number(re.search(r"([\d,]+) samples? (?:was|were) lost", text)))

    def measure(self, program, rate, rounds):
        """What is typical, by recorder; of what is lost, the most."""
        recorders = self.recorders(rate)
        runs = {name: [] for name in recorders}
        for _ in range(rounds):
            for name in random.sample(list(recorders), len(recorders)):
                runs[name].append(self.run(recorders[name], program))
        median = lambda name, column: statistics.median(
            getattr(run, column) for run in runs[name])
        typical = {}
        for name in recorders:
            typical[name] = Run(**{field.name: median(name, field.name)
                                   for field in dataclasses.fields(Run)})
            times = [run.cpu for run in runs[name]]
            typical[name].cpu = statistics.mean(times)
            typical[name].noise = (
                statistics.stdev(times) / math.sqrt(len(times))
                if len(times) > 1 else math.inf)
            typical[name].lost = max(run.lost for run in runs[name])
            typical[name].memory = max(run.memory for run in runs[name])
        return typical


def names_size(path):
    """Bytes of the names in a recording: the header leads to lines of facts."""
    data = path.read_bytes()
    at, size = struct.unpack_from("<QQ", data, 56)
    found = re.search(rb"^names-size: (\d+)$", data[at:at + size], re.M)
    return int(found[1]) if found else 0


def peak_memory(pid):
    """VmHWM of a process in MB; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            for line in status:
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) / 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def show(typical):
    alone = typical["alone"]
    print(f"  {'':<22} {'CPU s':>7} {'slower':>8} {'recorder s':>11}"
          f" {'file MB':>8} {'samples':>8} {'lost':>6} {'MEM MB':>7}")
    for name, run in typical.items():
        slower = 100 * (run.cpu / alone.cpu - 1)
        print(f"  {name:<22} {run.cpu:7.3f} {slower:6.1f} % {run.recorder:11.3f}"
              f" {run.size / 1e6:8.2f} {run.samples:8.0f} {run.lost:6}"
              f" {run.memory:7.1f}")


def slowdown(bench, overhead, program, typical, rounds):
    alone, wick = typical["alone"], typical["wick record"]
    perf = typical["perf record -g"]
    slower = 100 * (wick.cpu - perf.cpu) / alone.cpu
    noise = 100 * math.hypot(wick.noise, perf.noise) / alone.cpu
    cost, error = overhead.cost_of_samples(program, alone.cpu, rounds)
    bench.bar("slower than with perf record -g at 997 Hz, in points, by what a "
              f"sample costs (± {error:.2f})", cost, 1,
              at_least=False)
    print(f"       and by these runs: {slower:.1f} ± {noise:.1f}")


def bars(bench, typical, rate):
    wick, dwarf = typical["wick record"], typical["perf record dwarf"]
    packed = typical["wick record -z"]
    # perf's files have no names.
    bare = typical["wick record --no-names"]
    bench.bar("CPU time of wick, except for names / of perf's dwarf mode",
              bare.recorder / dwarf.recorder, 1, at_least=False)
    print(f"       and with names: {wick.recorder / dwarf.recorder:.2f}")
    ratio = dwarf.size / (packed.size - packed.names)
    what = "file of perf's dwarf mode / of wick -z, except for names"
    if rate >= 997:
        bench.bar(what, ratio, 50)
    else:  # mostly what every file has
        print(f"       {what}: {ratio:.1f}")
    print(f"       with names: {dwarf.size / packed.size:.1f}; not compressed: "
          f"{dwarf.size / wick.size:.1f}")
    bench.bar("CPU time of wick for names, in seconds",
              wick.recorder - bare.recorder, 0.2, at_least=False)
    for name in ("wick record", "wick record -z"):
        run = typical[name]
        most = max(32 << 10, (run.size - run.names) / 10)
        bench.bar(f"names of {name} ({run.names / 1e3:.1f} kB) / what they may "
                  "take", run.names / most, 1, at_least=False)
    if rate == 4999:
        bench.bar(f"samples lost by wick (perf's dwarf mode: {dwarf.lost})",
                  wick.lost, 0, at_least=False)
    bench.bar("resident memory of wick, MB", wick.memory, 100, at_least=False)


def run(bench, rounds):
    overhead = Overhead(bench.wick, bench.inputs)
    load = os.getloadavg()[0]
    print(f"\nwhat recording costs; {rounds} rounds, load {load:.1f}")
    for what, program in overhead.programs().items():
        for rate in (99, 997, 4999):
            print(f"\n{what}, {rate} Hz")
            typical = overhead.measure(program, rate, rounds)
            show(typical)
            bars(bench, typical, rate)
            if rate == 997:
                slowdown(bench, overhead, program, typical, 4 * rounds)
