#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `wick serve` for minutes while processes come and go and clients ask, watch
and hang up, and fails if it grows or loses something without reporting it.

usage: soak_serve.py WICK [--seconds N] [--forks N] [--folder DIR]

* Memory is flat if its peak (RssAnon of each process, read every second) in the
  last third is at most 5 % and 1 MB above that of the second third; descriptors
  are, if there are at most two more. The first third is warm-up: unwind rules
  and names of programs that were not seen before, ten minutes of live metrics.
* A program of low priority keeps every CPU busy, so what the API shows and what
  it reports as lost must be 97 % of CPUs x time.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time

import recordings

sys.path.insert(0, str(recordings.SOURCE / "tests/serve"))
from serving import Serve, memory_of  # noqa: E402

QUESTIONS = (
    "profile?from=-60s&format=wick", "profile?from=-10m&format=svg",
    "profile?from=-60s", "profile?from=-30s&comm=leaf&format=folded",
    "top?by=function&from=-60s", "top?by=process&from=-5m", "hosts",
    "metrics?name=cpu.*&from=-10m", "metrics?name=*&from=-60s", "losses",
    "diff?from=-60s&base_from=-5m&format=svg", "nothing",
)


class Client(threading.Thread):
    """Asks, waits, asks."""

    def __init__(self, serve, seed):
        super().__init__(daemon=True)
        self.serve, self.random = serve, random.Random(seed)
        self.asked, self.failed, self.ends = 0, [], False
        self.start()

    def run(self):
        while not self.ends:
            if self.random.random() < 0.2:
                self.watch(self.random.uniform(0, 5))
            else:
                self.ask(self.random.choice(QUESTIONS))
            time.sleep(self.random.uniform(0, 2))

    def ask(self, question):
        try:
            answer = self.serve.get(f"/api/v1/{question}")
        except OSError as error:
            self.failed.append(f"{question}: {error}")
            return
        self.asked += 1
        if answer.status >= 500:
            self.failed.append(f"{question}: {answer.status} {answer.body[:200]}")

    def watch(self, seconds):
        """Hangs up in the middle."""
        end = time.monotonic() + seconds
        try:
            with self.serve.socket() as client:
                client.sendall(
                    (f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:"
                     f"{self.serve.port}\r\nAuthorization: Bearer "
                     f"{self.serve.token}\r\n\r\n").encode())
                while time.monotonic() < end:
                    client.recv(65536)
            self.asked += 1
        except OSError as error:
            self.failed.append(f"live: {error}")


def descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def soak(serve, seconds):
    """Memory in kB and descriptors of each process, second by second."""
    memory, files = {}, {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in serve.pids():
            memory.setdefault(pid, []).append(memory_of(pid))
            files.setdefault(pid, []).append(descriptors(pid))
        if serve.process.poll() is not None:
            sys.exit(f"FAIL it ended: {serve.last_words()}")
        time.sleep(1)
    return memory, files


def last_two_thirds(values):
    third = max(1, len(values) // 3)
    return max(values[third:-third] or values), max(values[-third:])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wick", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--forks", type=int, default=100, help="a second")
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--folder", default="build/bench")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "soak-state"
    shutil.rmtree(state, ignore_errors=True)
    load = folder / "load"
    subprocess.run(["gcc", "-O1", "-o", load,
                    recordings.SOURCE / "tests/serve/load.c"], check=True)
    busy = ["nice", "-n", "19", "sh", "-c", "while :; do :; done"]
    beside = [subprocess.Popen([load, "storm", "1000000000", str(options.forks)]),
              *(subprocess.Popen(busy) for _ in range(os.cpu_count() or 1))]
    failures = 0

    def check(what, good):
        nonlocal failures
        failures += not good
        print(f"{'PASS' if good else 'FAIL'} {what}")

    try:
        with Serve(options.wick, state) as serve:
            begin = time.time()
            clients = [Client(serve, seed) for seed in range(options.clients)]
            memory, files = soak(serve, options.seconds)
            for client in clients:
                client.ends = True
            for client in clients:
                client.join()
            span = {"from": begin + 5, "to": time.time() - 5}
            seen = sum(serve.folded(**span).values()) / 1e9
            lost = serve.api("losses", **span)
    finally:
        for process in beside:
            process.terminate()
            process.wait()
    check(f"it is one recorder and one server: {len(memory)} processes",
          len(memory) == 2)
    for pid, values in memory.items():
        middle, late = last_two_thirds(values)
        check(f"memory of {pid} is flat: {middle / 1024:.1f} MB at most in the "
              f"second third, {late / 1024:.1f} MB in the last",
              late <= 1.05 * middle + 1024)
        middle, late = last_two_thirds(files[pid])
        check(f"descriptors of {pid}: {middle} and {late}", late <= middle + 2)
    failed = [why for client in clients for why in client.failed]
    check(f"{sum(client.asked for client in clients)} answers, {len(failed)} "
          f"failures {failed[:3]}", not failed)
    whole = (os.cpu_count() or 1) * (span["to"] - span["from"])
    print(f"reported as lost: {lost}")
    check(f"{seen:.0f} of {whole:.0f} CPU-seconds are shown",
          seen >= 0.97 * whole)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
