# SPDX-License-Identifier: Apache-2.0
"""Whether the API says what happened."""
import math
import os
import shutil
import subprocess
import threading
import time

from serving import Serve, check, until


def shares(wick, load, folder, seconds=60, rate=99):
    """60, 30 and 10 % of a program's time are that in the API, within 3 points (or
    four standard errors, if it had little time), and all of it is the CPU time
    that the program had."""
    program = shutil.copy(load, folder / "shares-of-time")  # known by its name
    with Serve(wick, folder / "shares", "--freq", str(rate)) as serve:
        until(lambda: serve.folded(**{"from": "-10s"}), "nothing is recorded")
        # Where a stored sum begins: one that begins before a span is not in it.
        begin = time.time() // 10 * 10
        done = subprocess.run([program, "shares", str(seconds)], text=True,
                              capture_output=True, check=True)
        spent = float(done.stdout)
        time.sleep(2)
        weights = serve.folded(comm="shares-of-time", **{"from": begin})
        total = sum(weights.values())
        found = {}
        for name, wanted in (("sixty_percent", 60), ("thirty_percent", 30),
                             ("ten_percent", 10)):
            percent = 100 * sum(weight for stack, weight in weights.items()
                                if name in stack) / max(total, 1)
            found[name] = percent
            error = math.sqrt(wanted * (100 - wanted) / (spent * rate))
            check(abs(percent - wanted) <= max(3, 4 * error),
                  f"{name} has {percent:.1f} %")
        print("  " + ", ".join(f"{name} {percent:.1f} %"
                               for name, percent in found.items()) +
              f"; {total / 1e9:.2f} s of {spent:.2f} s")
        check(abs(total / 1e9 / spent - 1) <= 0.1,
              f"{total / 1e9:.2f} s instead of {spent:.2f} s")


class Watch(threading.Thread):
    """The counters of /proc, a hundred times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.rows, self.ends = [], False
        self.start()

    def run(self):
        while not self.ends:
            self.rows.append((time.time(), counters()))
            time.sleep(0.01)

    def at(self, moment, name):
        """Its value then, between the two nearest readings."""
        for (t0, a), (t1, b) in zip(self.rows, self.rows[1:]):
            if t0 <= moment <= t1:
                return a[name] + (b[name] - a[name]) * (moment - t0) / (t1 - t0)
        raise ValueError(f"{moment} was not watched")


def counters():
    found = {}
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "ctxt":
                found["context_switches"] = int(words[1])
            elif words[0] == "processes":
                found["forks"] = int(words[1])
            elif words[0] == "cpu":
                names = ("cpu.user", "cpu.nice", "cpu.system", "cpu.idle")
                found.update(zip(names, map(int, words[1:5])))
    return found


# The names of the API, and what one of /proc is.
TICK = 1e9 / os.sysconf("SC_CLK_TCK")
COUNTERS = {"context_switches": 1, "forks": 1, "cpu.user": TICK, "cpu.nice": TICK,
            "cpu.system": TICK, "cpu.idle": TICK}


def host_counters(wick, load, folder, seconds=60):
    """What a counter grew by between two moments of the API is what /proc says,
    to 1 %."""
    with Serve(wick, folder / "counters") as serve:
        until(lambda: serve.folded(**{"from": "-10s"}), "nothing is recorded")
        watch = Watch()
        storm = subprocess.Popen([load, "storm", "1000000", "100"])
        try:
            time.sleep(seconds + 5)
            shown = serve.api("metrics", name=",".join(COUNTERS), step="1s",
                              **{"from": f"-{seconds}s", "to": "-1s"})
        finally:
            storm.terminate()
            storm.wait()
            watch.ends = True
            watch.join()
    for name, unit in COUNTERS.items():
        compare(name, unit, shown, watch)


def compare(name, unit, shown, watch):
    series = [one["mean"] for one in shown["series"] if one["name"] == name]
    check(series, f"there is no {name}")
    times, step = [float(at) for at in shown["times"]], float(shown["step"])
    check(all(None not in means for means in series), f"{name} has gaps")
    counted = step * float(sum(map(sum, series))) / unit
    wanted = watch.at(times[-1] + step, name) - watch.at(times[0], name)
    off = 100 * (counted - wanted) / max(wanted, 1)
    print(f"  {name}: {counted:.0f} in the API, {wanted:.0f} in /proc")
    # Few ticks cannot be as near as that.
    check(abs(off) <= 1 or abs(counted - wanted) <= 3 * len(series),
          f"{name}: {counted:.0f} in the API, {wanted:.0f} in /proc")
