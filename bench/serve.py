# SPDX-License-Identifier: Apache-2.0
"""What `wick serve` costs while g++ keeps every CPU busy: the CPU time of all its
processes in some windows, at 19 Hz and while a client watches at 99 Hz, and
their memory. And how fast it answers questions about a simulated day of a busy
host with 8 CPUs (tests/builders/simulated_day.h).

The client that watches reads /api/v1/live; its own time does not count. Of answers,
the time on the clock is held against the bar, the best of some; the server's
CPU time is printed beside it, since it says something on a machine with other
work, too.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time
import os

import recordings

sys.path.insert(0, str(recordings.SOURCE / "tests/serve"))
from serving import Serve, is_listening, until  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids):
    """CPU time of these processes so far."""
    total = 0
    for pid in pids:
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        words = stat.rsplit(")", 1)[1].split()
        total += int(words[11]) + int(words[12])
    return total / TICKS


def resident(pids, field="Rss"):
    """MB of memory of these processes together."""
    total = 0
    for pid in pids:
        try:
            text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in text.splitlines()
                     if line.startswith(field + ":"))
    return total / 1024


class Compilers:
    """One g++ after the other on each CPU."""

    def __enter__(self):
        source = recordings.SOURCE
        command = (f"while :; do g++ -std=c++20 -O2 -I{source}/src -c "
                   f"{source}/src/perf/session/chain.cc -o /dev/null; done")
        self.loops = [subprocess.Popen(["sh", "-c", command],
                                       start_new_session=True)
                      for _ in range(os.cpu_count() or 1)]
        return self

    def __exit__(self, *_):
        for loop in self.loops:
            os.killpg(loop.pid, 15)
            loop.wait()


class Watcher(threading.Thread):
    """A client of /api/v1/live, until the server ends."""

    def __init__(self, serve):
        super().__init__(daemon=True)
        self.serve, self.bytes = serve, 0
        self.start()

    def run(self):
        connection = self.serve.connect()
        connection.request("GET", "/api/v1/live", headers={
            "Authorization": f"Bearer {self.serve.token}"})
        response = connection.getresponse()
        try:
            while piece := response.read1(65536):
                self.bytes += len(piece)
        except OSError:
            pass


def windows(serve, number, seconds):
    """The share of one core that all processes take, window by window."""
    shares = []
    for _ in range(number):
        begin, before = time.monotonic(), cpu_seconds(serve.pids())
        time.sleep(seconds)
        shares.append(100 * (cpu_seconds(serve.pids()) - before) /
                      (time.monotonic() - begin))
    return shares


def cost(bench, number, seconds):
    state = bench.inputs.resolve() / "serve-state"
    shutil.rmtree(state, ignore_errors=True)
    print(f"\nwick serve beside g++; {number} windows of {seconds} s, load "
          f"{os.getloadavg()[0]:.1f}")
    with Compilers(), Serve(bench.wick, state) as serve:
        time.sleep(min(seconds, 20))  # it reads the programs it has not seen
        for what, limit, watch in (("at 19 Hz", 1.5, False),
                                   ("watched at 99 Hz", 3, True)):
            if watch:
                watcher = Watcher(serve)
                until(lambda: watcher.bytes > 0, "no live events")
            shares = windows(serve, number, seconds)
            print("  " + what + ": " +
                  ", ".join(f"{share:.2f}" for share in shares) + " % of a core")
            bench.bar(f"% of one core, {what}", statistics.median(shares), limit,
                      at_least=False)
        pids = serve.pids()
        print(f"  of its own alone (PSS): {resident(pids, 'Pss'):.1f} MB")
        bench.bar("MB resident, all processes", resident(pids), 80,
                  at_least=False)


def answers(bench):
    tool = pathlib.Path(bench.wick).parent / "simulate_day"
    if not tool.exists():
        print(f"\nnot measured: there is no {tool}")
        return
    state = bench.inputs.resolve() / "serve-day"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(mode=0o700)
    begin = int(time.time()) - 86400 + 1800
    subprocess.run([tool, state / "store.db", str(begin)], check=True,
                   stdout=subprocess.DEVNULL)
    size = sum(file.stat().st_size for file in state.glob("store.db*")
               if not file.name.endswith("-ballast"))
    print("\na simulated day of a busy host with 8 CPUs")
    bench.bar("MB on disk", size / 1e6, 60, at_least=False)
    with Serve(bench.wick, state, "--no-record") as serve:
        [pid] = [pid for pid in serve.pids() if is_listening(pid)]
        hours = [timed(serve, pid, begin + 3600 * hour, 3600)
                 for hour in range(24)]
        wall, cpu = max(hours)
        print(f"  CPU time of that: {cpu:.0f} ms")
        bench.bar("ms for the slowest hour as a flame graph", wall, 100,
                  at_least=False)
        wall, cpu = timed(serve, pid, begin, 86400)
        print(f"  CPU time of that: {cpu:.0f} ms")
        bench.bar("ms for the whole day", wall, 500, at_least=False)


def timed(serve, pid, begin, seconds, tries=5):
    """Milliseconds on the clock, the best of some, and of CPU time, the mean."""
    walls, before = [], cpu_seconds([pid])
    for _ in range(tries):
        start = time.monotonic()
        answer = serve.get(f"/api/v1/profile?from={begin}&to={begin + seconds}"
                           "&format=svg")
        walls.append(1000 * (time.monotonic() - start))
        if answer.status != 200 or b"<svg" not in answer.body:
            sys.exit(f"FAIL {answer.status}: {answer.body[:300]}")
    return min(walls), 1000 * (cpu_seconds([pid]) - before) / tries


def run(bench, number, seconds):
    answers(bench)
    reason = recordings.possible()
    if reason:
        print(f"\nnot measured: {reason}")
        return
    cost(bench, number, seconds)
