#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs wick beside its peers on the same inputs and prints times, memory and
ratios.

usage: run.py WICK [--before WICK] [--size MB] [--runs N] [--inputs DIR] [CASE...]

CASE is fold, svg, pprof, write, memory, trace, dwarf, chains, growth, opening,
accuracy, record, picture or serve; all of them by default. Peers are looked for in FLAMEGRAPH_DIR
(flamegraph.pl, stackcollapse-perf.pl) and INFERNO_BIN_DIR (inferno-collapse-perf,
inferno-flamegraph); perf and Hotspot's parser are used if installed. Missing peers
are left out. The last eight cases record; `record` compares small differences, so it
takes --rounds of everything instead of --runs, and `serve` takes five windows of
--window seconds twice.

CPU is user + system time and WALL the elapsed time, each the best of N runs that
take turns. With --before, another wick runs the same commands in the same turns.
MEMORY is the peak of anonymous memory (RssAnon, looked at every two
milliseconds in a run that is not timed), so a mapped input does not count.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import accuracy
import generate
import overhead
import recordings
import serve

TIME_LIMIT = 300  # seconds; the Perl tools can take much longer


@dataclasses.dataclass
class Result:
    cpu: float = float("inf")
    wall: float = float("inf")
    memory: float = 0  # MB
    stderr: str = ""
    error: str = ""


class Program:
    """One command line, measured."""

    def __init__(self, label, argv, runs):
        self.label, self.argv, self.runs = label, argv, runs
        self.twin = None  # the same of --before
        self.prepare = lambda: None  # called before each run, not measured
        self.result = Result()

    def start(self, stderr):
        return subprocess.Popen(self.argv, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=stderr)

    def run(self, watch_memory):
        if self.result.error:
            return
        self.prepare()
        with tempfile.TemporaryFile() as stderr:
            begin = time.monotonic()
            process = self.start(stderr)
            memory, status = 0, None
            while status is None:
                if watch_memory:
                    memory = max(memory, anonymous_memory(process.pid))
                if time.monotonic() - begin > TIME_LIMIT:
                    process.kill()
                    self.result.error = f"over {TIME_LIMIT} s"
                pid, ended, usage = os.wait4(
                    process.pid, os.WNOHANG if watch_memory else 0)
                if pid:
                    status = os.waitstatus_to_exitcode(ended)
                else:
                    time.sleep(0.002)
            process.returncode = status
            wall = time.monotonic() - begin
            stderr.seek(0)
            self.result.stderr = stderr.read().decode("utf-8", "replace")
        if status != 0 and not self.result.error:
            line = (self.result.stderr.strip().splitlines() or ["no message"])
            self.result.error = f"exit status {status}: {line[-1][:60]}"
        if watch_memory:
            self.result.memory = memory / 1024
        if not watch_memory or self.runs == 0:
            self.result.cpu = min(self.result.cpu,
                                  usage.ru_utime + usage.ru_stime)
            self.result.wall = min(self.result.wall, wall)


def anonymous_memory(pid):
    """RssAnon of a process in kB; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            for line in status:
                if line.startswith(b"RssAnon:"):
                    return int(line.split()[1])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def measure(title, programs):
    """Runs `programs` in turn and prints a table; gives results by label."""
    programs = [each for program in programs
                for each in (program, program.twin) if each]
    for program in programs:
        program.run(watch_memory=True)
    for turn in range(max(p.runs for p in programs)):
        for program in programs:
            if turn < program.runs:
                program.run(watch_memory=False)
    base = programs[0].result
    share = lambda value, of: f"{value / of:7.2f}" if of else f"{'-':>7}"
    print(f"\n{title}")
    print(f"  {'':<30} {'CPU s':>8} {'WALL s':>8} {'MEM MB':>8}"
          f"   x CPU  x WALL   x MEM")
    for program in programs:
        r = program.result
        if r.error:
            print(f"  {program.label:<30} {r.error}")
            continue
        print(f"  {program.label:<30} {r.cpu:8.2f} {r.wall:8.2f}"
              f" {r.memory:8.1f} {share(r.cpu, base.cpu)}"
              f" {share(r.wall, base.wall)} {share(r.memory, base.memory)}")
    sys.stdout.flush()
    return {p.label: p.result for p in programs if not p.result.error}


class Bench:
    def __init__(self, options):
        self.wick = os.path.abspath(options.wick)
        self.before = options.before and os.path.abspath(options.before)
        self.runs, self.size = options.runs, options.size
        self.rounds, self.window = options.rounds, options.window
        self.inputs = pathlib.Path(options.inputs)
        self.inputs.mkdir(parents=True, exist_ok=True)
        # Of symbols; not the user's.
        os.environ["XDG_CACHE_HOME"] = str(self.inputs.resolve() / "cache")
        self.failures = 0

    def input(self, kind, megabytes, stacks=None):
        path = self.inputs / f"{kind}-{megabytes:g}-{stacks or 'usual'}"
        if not path.exists():
            part = path.with_suffix(".part")
            generate.generate(kind, megabytes, part, stacks)
            part.rename(path)
        read_in(path)
        return str(path)

    def own(self, label, *arguments):
        program = Program(label, [self.wick, *arguments], self.runs)
        if self.before:
            program.twin = Program("  before", [self.before, *arguments],
                                   self.runs)
        return program

    def peer(self, variable, tool, *arguments):
        """A list: empty if the peer is not on this machine."""
        folder = os.environ.get(variable, "")
        path = os.path.join(folder, tool)
        if not folder or not os.path.exists(path):
            return []
        # Perl's are slow enough for their one run to be timed too.
        runs = 0 if tool.endswith(".pl") else self.runs
        return [Program(" ".join([tool, *(a for a in arguments[:-1])]),
                        [path, *arguments], runs)]

    def bar(self, what, value, wanted, at_least=True):
        """Says whether `value` reaches the bar; None: could not be measured."""
        if value is None:
            print(f"  SKIP {what}: not measured")
            return
        good = value >= wanted if at_least else value <= wanted
        self.failures += not good
        print(f"  {'PASS' if good else 'FAIL'} {what}: {value:.2f}, wanted "
              f"{'at least' if at_least else 'at most'} {wanted:g}")

    def fold(self):
        file = self.input("perf-script", self.size)
        results = measure(f"fold {self.size:g} MB of perf script text", [
            self.own("wick fold -n 1", "fold", "-q", "-n", "1", file),
            self.own("wick fold -n 2", "fold", "-q", "-n", "2", file),
            *self.peer("INFERNO_BIN_DIR", "inferno-collapse-perf", "-n", "1",
                       file),
            *self.peer("INFERNO_BIN_DIR", "inferno-collapse-perf", "-n", "2",
                       file),
            *self.peer("FLAMEGRAPH_DIR", "stackcollapse-perf.pl", file),
        ])
        self.bar("CPU time of inferno / wick, one thread",
                 ratio(results, "inferno-collapse-perf -n 1", "wick fold -n 1"),
                 4)
        self.bar("wall time of one thread / two threads",
                 ratio(results, "wick fold -n 1", "wick fold -n 2", "wall"), 1.2)

    def svg(self):
        for kind in "folded", "folded-shuffled":
            file = self.input(kind, self.size)
            results = measure(f"{self.size:g} MB of {kind} stacks to SVG", [
                self.own("wick flame -n 1", "flame", "-q", "-n", "1", "--to",
                         "svg", file),
                self.own("wick flame -n 2", "flame", "-q", "-n", "2", "--to",
                         "svg", file),
                *self.peer("INFERNO_BIN_DIR", "inferno-flamegraph", file),
                *(self.peer("FLAMEGRAPH_DIR", "flamegraph.pl", file)
                  if self.size <= 50 else []),
            ])
            self.bar("CPU time of inferno / wick, one thread",
                     ratio(results, "inferno-flamegraph", "wick flame -n 1"), 4)
            self.bar("memory of wick / inferno, one thread",
                     ratio(results, "wick flame -n 1", "inferno-flamegraph",
                           "memory"), 0.5, at_least=False)
            self.bar("memory of wick / inferno, two threads",
                     ratio(results, "wick flame -n 2", "inferno-flamegraph",
                           "memory"), 0.5, at_least=False)

    def pass_time(self, name, *arguments):
        """The best CPU time of a pass of wick, as `--stats` tells it, or
        None."""
        program = self.own(name, *arguments, "-q", "-n", "1", "--stats")
        seconds = []
        for _ in range(self.runs):
            program.run(watch_memory=False)
            found = re.search(rf"^{name} .* ([\d.]+) ms CPU", program.result.stderr,
                              re.M)
            seconds += [float(found[1]) / 1000] if found else []
        if program.result.error:
            print(f"  {program.result.error}")
        return min(seconds, default=None)

    def pprof(self):
        size = self.size / 3
        print(f"\nread {size:g} MB of pprof")
        seconds = self.pass_time("read", "convert", "--to", "wick", "-o",
                                 "/dev/null", self.input("pprof", size))
        self.bar("MB/s read", seconds and size / seconds, 100)

    def write(self):
        """Every output format from one profile with many stacks. Pictures and
        tables leave most of it out, and wick's own file is packed inside, so
        their bytes say nothing."""
        size = self.size / 3
        file = self.input("folded", size)
        names = subprocess.run([self.wick, "formats", "--names"], text=True,
                               capture_output=True, check=True).stdout
        print(f"\nwrite the profile of {size:g} MB of folded stacks")
        for name in re.findall(r"^write (.*)$", names, re.M):
            with tempfile.NamedTemporaryFile() as out:
                seconds = self.pass_time("write", "convert", "--to", name,
                                         "-o", out.name, file)
                written = plain_size(out.name) / 1e6
            if seconds is None:
                print(f"  SKIP {name}: not measured")
            elif name in ("svg", "text", "wick"):
                print(f"       {name}: {written:.1f} MB in {seconds:.2f} s")
            else:
                self.bar(f"MB/s written as {name} ({written:.0f} MB)",
                         written / seconds, 100)

    def memory(self):
        """Ten times the samples, the same stacks: the memory must not grow."""
        small, large = self.size / 10, self.size
        programs = [
            self.own(f"wick fold, {size:g} MB", "fold", "-q", "-n", "1",
                     self.input("perf-script", size, stacks=500))
            for size in (small, large)]
        results = measure("memory by number of samples", programs)
        self.bar("memory for ten times the samples",
                 ratio(results, programs[1].label, programs[0].label, "memory"),
                 1.5, at_least=False)

    def trace(self):
        """Instructions to folded stacks: records of 16 bytes."""
        short, long = self.size / 10, self.size
        for what, kind, code, wanted in (
                ("System.map", "tracerv", "system-map", 150),
                ("DWARF", "tracerv", "vmlinux", 100),
                ("a program", "tracerv-user", "program", 150)):
            fold = ["fold", "-q", "-n", "1", "--elf", self.input(code, 0)]
            programs = [self.own(f"wick fold -n 1, {size:g} MB", *fold,
                                 self.input(kind, size))
                        for size in (long, short)]
            programs[1].run(watch_memory=False)  # fills the cache of symbols
            programs[1].result = Result()
            results = measure(f"{long / 16:.1f} million instructions of a "
                              f"trace, {what}", programs)
            longer, shorter = (results.get(program.label)
                               for program in programs)
            if longer and shorter:
                self.bar("million instructions per second of CPU after the start",
                         (long - short) / 16 / (longer.cpu - shorter.cpu), wanted)
                self.bar("memory for ten times the instructions",
                         longer.memory / shorter.memory, 1.2, at_least=False)
        # Fewer would be over too soon to measure.
        harts = [self.input("tracerv", long)] * 8
        fold = ["fold", "-q", "--elf", self.input("system-map", 0)]
        results = measure(f"eight harts, {long / 2:.1f} million instructions", [
            self.own(f"wick fold -n {threads}", *fold, "-n", str(threads), *harts)
            for threads in (1, 2)])
        self.bar("wall time of eight harts by one thread / by two",
                 ratio(results, "wick fold -n 1", "wick fold -n 2", "wall"), 1.5)

    def recording(self, make, *arguments):
        """The path of a recording, or None."""
        reason = recordings.possible()
        if reason:
            print(f"\nnot measured: {reason}")
            return None
        path = make(self.inputs, *arguments)
        read_in(path)
        return path

    def program(self, label, *argv, runs=None):
        return Program(label, list(map(str, argv)),
                       self.runs if runs is None else runs)

    def dwarf(self):
        """Stack copies of a compiler, unwound, with inlined functions."""
        path = self.recording(recordings.compiler)
        if not path:
            return
        size = path.stat().st_size / 1e6
        parser = recordings.hotspot_parser()
        flame = ["flame", "-q", "--to", "svg", "-o", "/dev/null"]
        results = measure(f"{size:.0f} MB with stack copies to SVG", [
            self.own("wick flame --no-cache", *flame, "--no-cache", path),
            self.own("wick flame -n 1 --no-cache", *flame, "-n", "1",
                     "--no-cache", path),
            self.own("wick flame", *flame, path),
            self.program("perf script --no-inline", "perf", "script",
                         "--no-inline", "-i", path),
            self.program("perf script", "perf", "script", "-i", path, runs=0),
            *([self.program("hotspot-perfparser", parser, "--input", path,
                            "--output", "/dev/null")] if parser else []),
        ])
        own = "wick flame --no-cache"
        self.bar("wall time of perf script / wick",
                 ratio(results, "perf script", own, "wall"), 100)
        for peer in "perf script --no-inline", "hotspot-perfparser":
            self.bar(f"wall time of {peer} / wick",
                     ratio(results, peer, own, "wall"), 2)
        if own in results:
            self.bar("anonymous memory / (64 MB + a quarter of the records)",
                     results[own].memory / (64 + size / 4), 1, at_least=False)

    def chains(self):
        """Callchains of frame pointers."""
        path = self.recording(recordings.deep, 16)
        if not path:
            return
        size = path.stat().st_size / 1e6
        inferno = self.peer("INFERNO_BIN_DIR", "inferno-collapse-perf", "")
        collapse = f" | {inferno[0].argv[0]}" if inferno else ""
        piped = "perf script | inferno-collapse-perf"
        results = measure(f"{size:.0f} MB with callchains to folded stacks", [
            self.own("wick fold --no-cache", "fold", "-q", "--no-cache", path),
            self.own("wick fold -n 1 --no-cache", "fold", "-q", "-n", "1",
                     "--no-cache", path),
            *([self.program(piped, "sh", "-c", f"perf script -i {path} "
                            f"2>/dev/null{collapse}", runs=0)]
              if inferno else []),
        ])
        self.bar(f"wall time of {piped} / wick",
                 ratio(results, piped, "wick fold --no-cache", "wall"), 10)
        if "wick fold --no-cache" in results:
            self.bar("anonymous memory / (64 MB + a quarter of the records)",
                     results["wick fold --no-cache"].memory / (64 + size / 4),
                     1, at_least=False)

    def growth(self):
        """One, four and sixteen times the recording."""
        paths = [self.recording(recordings.deep, factor)
                 for factor in (1, 4, 16)]
        if not all(paths):
            return
        programs = [self.own(f"{path.stat().st_size / 1e6:.0f} MB", "fold",
                             "-q", "-n", "1", "--no-cache", path)
                    for path in paths]
        results = measure("cost by size", programs)
        sizes = [path.stat().st_size for path in paths]
        if len(results) == 3:
            times = [p.result.cpu for p in programs]
            self.bar("CPU time per byte, the largest / the middle",
                     times[2] / sizes[2] / (times[1] / sizes[1]), 1.5,
                     at_least=False)

    def opening(self):
        """A recording of the whole machine, with kernel code: the first time,
        without a symbol cache, and again. The bar of 60 ms is for 3 MB."""
        cache = self.inputs / "cache"
        for recorder in "wick", "perf":
            path = self.recording(recordings.machine, recorder, self.wick)
            if not path:
                return
            report = ["env", f"XDG_CACHE_HOME={cache}", self.wick, "report", path]
            first = self.program("the first time", *report, runs=10)
            first.prepare = lambda: shutil.rmtree(cache, ignore_errors=True)
            results = measure(
                f"wick report of {path.stat().st_size / 1e6:.1f} MB by {recorder} "
                "record -a", [first, self.program("again", *report, runs=10)])
            if recorder == "wick":
                self.bar("CPU time, the first time / again",
                         ratio(results, "the first time", "again"), 1.2,
                         at_least=False)
            if "again" in results:
                self.bar("CPU time again, in ms", 1000 * results["again"].cpu, 60,
                         at_least=False)

    def accuracy(self):
        """Recordings beside what the programs measure themselves."""
        reason = recordings.possible()
        if reason:
            print(f"\nnot measured: {reason}")
            return
        accuracy.run(self)

    def record(self):
        """What recording costs the program, the recorder and the disk."""
        reason = recordings.possible()
        if reason:
            print(f"\nnot measured: {reason}")
            return
        overhead.run(self, self.rounds)

    def picture(self):
        """From a command to its picture with inlined calls: a g++ run."""
        reason = recordings.possible()
        inferno = os.environ.get("INFERNO_BIN_DIR", "")
        if reason or not os.path.exists(f"{inferno}/inferno-flamegraph"):
            print(f"\nnot measured: {reason or 'INFERNO_BIN_DIR is not set'}")
            return
        command = ["g++", "-std=c++20", "-O2", f"-I{recordings.SOURCE}/src",
                   "-c", f"{recordings.SOURCE}/src/perf/session/chain.cc", "-o",
                   "/dev/null"]
        data, svg = self.inputs / "picture.data", self.inputs / "picture.svg"
        # What `flamegraph -- COMMAND` runs.
        peer = (f"perf record -q -B -F 997 --call-graph dwarf -o {data} -- "
                f"{' '.join(command)} && perf script -i {data} | "
                f"{inferno}/inferno-collapse-perf | "
                f"{inferno}/inferno-flamegraph > {svg}")
        results = measure("a g++ run, from its command to the picture", [
            self.own("wick flame", "flame", "-q", "--no-cache", "-o", svg,
                     "--", *command),
            self.program("the g++ run alone", *command),
            self.program("perf, inferno", "sh", "-c", peer, runs=0),
        ])
        self.bar("wall time of perf and inferno / wick",
                 ratio(results, "perf, inferno", "wick flame", "wall"), 10)

    def serve(self):
        """What an always-on recorder costs, and its answers about a day."""
        serve.run(self, 5, self.window)


def plain_size(path):
    """The size of a file, decompressed if it is gzip or zstd."""
    with open(path, "rb") as file:
        head = file.read(4)
    tool = {b"\x1f\x8b": "gzip", b"\x28\xb5": "zstd"}.get(head[:2])
    if tool is None:
        return os.path.getsize(path)
    process = subprocess.Popen([tool, "-dc"], stdin=open(path, "rb"),
                               stdout=subprocess.PIPE)
    return sum(len(piece) for piece in iter(
        lambda: process.stdout.read(1 << 20), b""))


def read_in(path):
    """Brings a file into the page cache as a program that reads it does. A
    program that maps it first fills the cache with single pages, and mapping
    these costs every later run a fifth more than mapping large ones."""
    with open(path, "rb", buffering=0) as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass


def ratio(results, over, under, column="cpu"):
    if over not in results or under not in results:
        return None
    below = getattr(results[under], column)
    return getattr(results[over], column) / below if below else None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = ["fold", "svg", "pprof", "write", "memory", "trace", "dwarf", "chains",
             "growth", "opening", "accuracy", "record", "picture", "serve"]
    parser.add_argument("wick")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--before", metavar="WICK", help="another wick")
    parser.add_argument("--size", type=float, default=300, help="MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--window", type=float, default=60, help="seconds")
    parser.add_argument("--inputs", default="build/bench")
    options = parser.parse_intermixed_args()
    for case in options.cases:
        if case not in cases:
            parser.error(f"no case '{case}'; choose from {', '.join(cases)}")
    bench = Bench(options)
    for case in options.cases or cases:
        getattr(bench, case)()
    print(f"\n{bench.failures} bars missed" if bench.failures
          else "\nevery bar that was measured is reached")


if __name__ == "__main__":
    main()
