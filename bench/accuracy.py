# SPDX-License-Identifier: Apache-2.0
"""How near a recording is to what a program knows about itself: its shares of CPU
time, its waits and the lives of its threads. Only a quiet machine can tell, so
tests/e2e checks the order and the bounds of these numbers, and the bars are here.
"""
import re
import subprocess

import recordings

PROGRAMS = recordings.SOURCE / "tests/e2e/programs"


class Accuracy:
    def __init__(self, bench):
        self.bench, self.folder = bench, bench.inputs / "accuracy"
        self.folder.mkdir(parents=True, exist_ok=True)

    def build(self, source):
        """The path of the program."""
        program = self.folder / source.split(".")[0]
        compiler = "g++" if source.endswith(".cc") else "gcc"
        subprocess.run([compiler, "-g", "-O2", "-fomit-frame-pointer",
                        PROGRAMS / source, "-pthread", "-o", program], check=True)
        return program

    def draw(self, program, *options):
        """(what the program printed, [(stack, weight)])"""
        folded = self.folder / "out.folded"
        printed = subprocess.run(
            [self.bench.wick, "flame", "-q", "-o", folded, *options, "--", program],
            check=True, capture_output=True, text=True).stdout
        return printed, stacks_of(folded.read_text())

    def shares(self, source, within, true_percent):
        """The largest error of a function's share, in points."""
        _, stacks = self.draw(self.build(source))
        whole = weight_of(stacks, within)
        self.bench.bar(
            f"{source}: largest error of a share, in points",
            max(abs(100 * weight_of(stacks, f";{name}[; ]") / whole - percent)
                for name, percent in true_percent.items()), 3, at_least=False)

    def waits(self):
        printed, stacks = self.draw(self.build("waits.c"), "--off-cpu")
        for name, measured in re.findall(r"(\w+) ([\d.]+)", printed):
            self.bench.bar(f"error of the time off the CPU in {name}, percent",
                           error(weight_of(stacks, f";main;{name};") / 1e6,
                                 float(measured)), 3, at_least=False)

    def lives(self):
        kept = self.folder / "lives.data"
        printed, _ = self.draw(self.build("lives.c"), "--wall", "--keep", kept)
        stacks = stacks_of(subprocess.run(
            [self.bench.wick, "fold", "-q", "--tid", "--event", "wall-time", kept],
            check=True, capture_output=True, text=True).stdout)
        worst = max(
            error(weight_of(stacks, f"^[^;]*/{tid};") / 1e6, float(life))
            for tid, life in re.findall(r"(\d+) [\d.]+ ([\d.]+)", printed))
        self.bench.bar("largest error of a thread's wall time, percent", worst, 2,
                       at_least=False)


def stacks_of(folded):
    return [(stack, int(weight)) for stack, weight in
            (line.rsplit(" ", 1) for line in folded.splitlines())]


def weight_of(stacks, regex):
    return sum(weight for stack, weight in stacks if re.search(regex, stack + " "))


def error(drawn, measured):
    """In percent."""
    return 100 * abs(drawn - measured) / measured


def run(bench):
    print("\nrecordings beside what the programs measure themselves")
    accuracy = Accuracy(bench)
    accuracy.shares("shares.cc", "", {"sixty": 60, "thirty": 30, "ten": 10})
    accuracy.shares("turns.cc", "", {"first": 75, "second": 25})
    accuracy.shares("turns.cc", ";second;", {"forty": 40, "sixty": 60})
    accuracy.waits()
    accuracy.lives()
