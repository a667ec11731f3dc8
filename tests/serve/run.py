#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what `wick serve` promises: that it says what happened, loses nothing
that it reported as stored, and bears strangers.

usage: run.py WICK [--short] [--folder DIR] [TEST...]

TEST is shares, counters, attacks, kills, full_disk, clock, thinning, processes
or damaged_pages; all of them by default, one after the other. --short takes a
minute: fewer kills, clients, processes and pages, at the same time.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import attacks
import faults
import truth
from serving import Failure, Serve

HERE = pathlib.Path(__file__).resolve().parent


def strangers(wick, load, folder, clients=100):
    with Serve(wick, folder / "attacked") as serve:
        attacks.all_of(serve, load, folder, clients)


TESTS = {
    "shares": truth.shares, "counters": truth.host_counters,
    "attacks": strangers, "kills": faults.kills, "full_disk": faults.full_disk,
    "clock": faults.clock, "thinning": faults.thinning,
    "processes": faults.processes, "damaged_pages": faults.damaged_pages,
}
# tests/e2e/serve.sh has a program with known shares to itself: beside the other
# tests, with sanitizers, the recorder knows the names of code too late.
SHORT = {
    "shares": None, "counters": None,
    "attacks": {"clients": 20}, "kills": {"number": 4, "at_once": 2},
    "full_disk": None, "clock": None, "thinning": None,
    "processes": {"number": 500}, "damaged_pages": {"most": 5},
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wick", type=os.path.abspath)
    parser.add_argument("tests", nargs="*", metavar="TEST")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--folder", help="for what the tests leave; default: one "
                        "that is removed")
    options = parser.parse_intermixed_args()
    unknown = set(options.tests) - set(TESTS)
    if unknown:
        parser.error(f"no such test: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(run(options, folder) > 0)


def run(options, folder):
    load = folder / "load"
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-g", "-o", load,
                    HERE / "load.c"], check=True)
    chosen = {name: SHORT[name] if options.short else {}
              for name in options.tests or TESTS}
    with concurrent.futures.ThreadPoolExecutor(
            len(chosen) if options.short else 1) as pool:
        passed = [pool.submit(run_one, name, options.wick, load, folder, arguments)
                  for name, arguments in chosen.items() if arguments is not None]
        return [test.result() for test in passed].count(False)


def run_one(name, wick, load, folder, arguments):
    print(name, flush=True)
    begin = time.monotonic()
    try:
        TESTS[name](wick, load, folder, **arguments)
        verdict = f"PASS {name}"
    except Failure as failure:
        verdict = f"FAIL {name}: {failure}"
    print(f"{verdict} ({time.monotonic() - begin:.0f} s)", flush=True)
    return verdict.startswith("PASS")


if __name__ == "__main__":
    main()
