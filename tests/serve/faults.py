# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a machine that runs for years: processes are killed, the disk
is full, the clock is set, programs come by the thousand, the database is
damaged. Each test starts its own Serve."""
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import time

from serving import (PATIENCE, Failure, Serve, check, memory_of,
                     until)

STEP = 10  # seconds that the server stores as one


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def stored_until_ns(serve):
    """Since 1970, as the server reports it; 0 for nothing."""
    hosts = serve.api("hosts")["hosts"]
    return max((int(host.get("stored_until", 0) * 10 ** 9) for host in hosts),
               default=0)


def stored_until(serve):
    """In seconds."""
    return stored_until_ns(serve) / 1e9


def total(serve, **query):
    return sum(serve.folded(**query).values())


# --- kill -9 ------------------------------------------------------------------


class Victim:
    """A Serve that is killed again and again; it keeps its port."""

    def __init__(self, wick, state, seed):
        self.wick, self.state, self.port = wick, state, free_port()
        self.random = random.Random(seed)
        self.begin = time.time()
        self.kills = {"recorder": 0, "server": 0}
        self.start()

    def start(self):
        self.serve = Serve(self.wick, self.state, port=self.port)

    def wait_for_a_moment(self):
        """Any; but mostly while ten seconds are stored, or a little later."""
        if self.random.random() < 0.7:
            edge = STEP - time.time() % STEP
            time.sleep((edge + self.random.uniform(-0.2, 2.5)) % STEP)
        else:
            time.sleep(self.random.uniform(0, 3))

    def observed(self):
        """What is stored, and how much of it there is."""
        stored = stored_until_ns(self.serve)
        if stored == 0:
            return 0, 0
        return stored, total(self.serve, **{"from": self.begin - 60,
                                            "to": stored})

    def kill(self, who):
        before = self.observed()
        self.kills[who] += 1
        server = until(self.serve.server, "there is no server")
        if who == "recorder":
            os.kill(self.serve.recorder(), signal.SIGKILL)
            self.serve.process.wait()
            until(lambda: not os.path.exists(f"/proc/{server}"),
                  "the server does not end after its recorder")
            self.start()
        else:
            os.kill(server, signal.SIGKILL)
            until(lambda: self.serve.server() not in (None, server),
                  "the recorder does not start the server again")
            until(self.answers, "the server does not answer again")
            check(self.serve.process.poll() is None, "the recorder ended, too")
        self.compare(before)

    def answers(self):
        try:
            return self.serve.get("/healthz").status == 200
        except OSError:
            return False

    def compare(self, before):
        stored, weight = before
        check(stored_until_ns(self.serve) >= stored, "stored_until went back")
        if stored == 0:
            return
        now = total(self.serve, **{"from": self.begin - 60, "to": stored})
        check(now == weight,
              f"up to {stored}: {weight} before the kill, {now} after it")

    def run(self, kills):
        try:
            for i in range(kills):
                self.wait_for_a_moment()
                self.kill(self.random.choice(["recorder", "server"]))
            self.wait_for_a_moment()
        finally:
            self.serve.close()
        intact(self.state)
        return self.kills


def intact(state):
    for file in pathlib.Path(state).glob("*.db"):
        with sqlite3.connect(file) as database:
            result = database.execute("PRAGMA integrity_check").fetchone()[0]
        check(result == "ok", f"{file.name}: {result}")


def kills(wick, load, folder, number=200, at_once=5):
    """Nothing that was reported as stored is lost."""
    seed = random.randrange(1 << 30)
    print(f"  seed {seed}")
    storm = subprocess.Popen([load, "storm", "1000000", "50"])
    try:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            victims = [pool.submit(
                lambda i=i: Victim(wick, folder / f"kills-{i}", seed + i).run(
                    number // at_once)) for i in range(at_once)]
            done = [victim.result() for victim in victims]
    finally:
        storm.terminate()
        storm.wait()
    print(f"  killed: {sum(d['recorder'] for d in done)} recorders, "
          f"{sum(d['server'] for d in done)} servers")


# --- A full disk --------------------------------------------------------------


def full_disk(wick, load, folder, megabytes=48):
    """It records on into memory, says so, and stores that when there is room."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o",
                              f"size={megabytes}m,mode=700", "none", disk],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        print("  skipped: no right to mount a small disk")
        return
    try:
        fill_and_free(wick, disk)
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


def fill_and_free(wick, disk):
    with Serve(wick, disk / "state") as serve:
        until(lambda: stored_until(serve) > 0, "nothing is stored")
        filler = disk / "filler"
        try:
            fill(filler)
            said = len(serve.last_words())
            full_at = stored_until(serve)
            until(lambda: serve.last_words()[said:] != "" or
                  "full" in serve.last_words(), "a full disk is not told")
            # The ballast may have let a few more in.
            until(lambda: fill(filler) or is_behind(serve, 2 * STEP),
                  "it still stores on a full disk", 3 * PATIENCE)
            recent = total(serve, **{"from": "-15s"})
            check(recent > 0, "nothing of the last seconds while it is full")
            check(serve.get("/healthz").status in (200, 503), "/healthz")
        finally:
            filler.unlink(missing_ok=True)
        now = time.time()
        until(lambda: stored_until(serve) >= now, "it does not recover")
        missing = [at for at in range(int(full_at), int(now) - STEP, STEP)
                      if total(serve, **{"from": at, "to": at + STEP}) == 0]
        check(not missing, f"nothing is stored of {missing}")
    intact(disk / "state")


def fill(path):
    try:
        with open(path, "ab") as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        os.write(file.fileno(), b"x" * size)
                except OSError:
                    pass
    except OSError:
        pass
    return False


def is_behind(serve, seconds):
    return time.time() - stored_until(serve) > seconds + STEP


# --- The clock ----------------------------------------------------------------


class Clock:
    """The wall clock of processes that are started with `environment`."""

    def __init__(self, folder):
        library = folder / "clock.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library,
                        pathlib.Path(__file__).parent / "clock.c"], check=True)
        self.file = folder / "clock"
        self.file.write_bytes(struct.pack("q", 0))
        self.environment = {
            "LD_PRELOAD": str(library), "WICK_TEST_CLOCK": str(self.file),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") +
                            ":verify_asan_link_order=0"}

    def set(self, seconds):
        with open(self.file, "r+b") as file:
            file.write(struct.pack("q", seconds))


def clock(wick, load, folder):
    """Set forward by an hour, then back by two; nothing is lost or doubled."""
    own = Clock(folder)
    begin = time.time()
    with Serve(wick, folder / "clock-state",
               environment=own.environment) as serve:
        until(lambda: stored_until(serve) > begin, "nothing is stored")
        for offset in (3600, -3600, 0):
            own.set(offset)
            here = time.time() + offset
            until(lambda: total(serve, **{"from": here - 5, "to": here + 60}) > 0,
                  f"nothing is recorded {offset} s from now")
            until(lambda: total(serve, **{"from": "-10s"}) > 0,
                  "'now' is not where the clock is")
            until(lambda: total(serve, **{"from": here, "to": here + 60}) > 0 and
                  stored_until(serve) >= min(here, begin + 3600),
                  f"nothing is stored {offset} s from now")
        spent = total(serve, **{"from": begin - 7200, "to": begin + 7200})
        elapsed = time.time() - begin
    cpus = os.cpu_count() or 1
    check(0 < spent <= 1.2e9 * cpus * elapsed,
          f"{spent / 1e9:.0f} CPU-seconds in {elapsed:.0f} s of {cpus} CPUs")
    with Serve(wick, folder / "clock-state", "--no-record") as serve:
        again = total(serve, **{"from": begin - 7200, "to": begin + 7200})
        check(again >= 0.8 * spent, f"{again} of {spent} are stored")
    intact(folder / "clock-state")


def thinning(wick, load, folder):
    """Detail that has become minutes and hours has the same sums."""
    # What is recorded must neither begin an hour nor be in two.
    until(lambda: 60 < time.time() % 3600 < 3400, "the hour", 300)
    own = Clock(folder)
    state = folder / "thin-state"
    begin = time.time()
    with Serve(wick, state, environment=own.environment) as serve:
        until(lambda: stored_until(serve) > begin + 3 * STEP, "nothing is stored",
              2 * PATIENCE)
    span = {"from": begin - 2 * 3600, "to": begin + 2 * 3600}
    with Serve(wick, state, "--no-record") as serve:
        detail = serve.folded(**span)
        first = next(at for at in range(int(begin) // STEP * STEP, int(begin) + 60,
                                        STEP)
                     if at % 60 != 0 and
                     total(serve, **{"from": at, "to": at + STEP}) > 0)
    check(detail, "nothing is stored")
    # A bucket belongs to a span in which it begins.
    for days, gone in ((2, {"from": first, "to": first + STEP}),
                       (8, {"from": first // 60 * 60, "to": first + 60})):
        own.set(days * 24 * 3600)
        with Serve(wick, state, environment=own.environment) as serve:
            until(lambda: total(serve, **gone) == 0, f"after {days} days, the "
                  "detail is not thinned", 3 * PATIENCE)
            thin = serve.folded(**span)
            check(thin == detail, f"after {days} days: {sum(thin.values())} "
                  f"instead of {sum(detail.values())}")


# --- Many processes -----------------------------------------------------------


def processes(wick, load, folder, number=10_000):
    """Memory is bounded however many come and go."""
    with Serve(wick, folder / "processes") as serve:
        begin = time.time()
        until(lambda: total(serve, **{"from": "-10s"}) > 0, "nothing is recorded")
        subprocess.run([load, "storm", str(number), "1000"], check=True)
        grown = {pid: memory_of(pid) // 1024 for pid in serve.pids()}
        until(lambda: stored_until(serve) > time.time() - 2 * STEP,
              "it does not store any more", 2 * PATIENCE)
        check(serve.get("/api/v1/top?by=process&from=-60s").status == 200, "top")
        check(total(serve, comm="leaf", **{"from": begin}) > 0 or
              total(serve, comm="load", **{"from": begin}) > 0,
              "none of them is seen")
        print(f"  MB after {number} processes: "
              f"{', '.join(map(str, grown.values()))}")
        return grown


# --- Damage -------------------------------------------------------------------


def damaged_pages(wick, load, folder, most=10_000):
    """A sentence or a part of what is stored, whichever page it is."""
    state = folder / "pages"
    begin = time.time()
    with Serve(wick, state) as serve:
        until(lambda: stored_until(serve) > begin, "nothing is stored")
    [database] = state.glob("*.db")
    content = database.read_bytes()
    size = struct.unpack_from(">H", content, 16)[0] or 65536
    pages = list(range(len(content) // size))
    random.shuffle(pages)
    counts = {"answered": 0, "refused": 0}
    for page in sorted(pages[:most]):
        for way in ("noise", "zeros"):
            damaged = bytearray(content)
            damaged[page * size:(page + 1) * size] = (
                random.randbytes(size) if way == "noise" else bytes(size))
            with tempfile.TemporaryDirectory(dir=folder) as copy:
                shutil.copytree(state, copy, dirs_exist_ok=True)
                os.chmod(copy, 0o700)
                (pathlib.Path(copy) / database.name).write_bytes(damaged)
                counts[outcome(wick, copy, f"page {page}, {way}")] += 1
    print(f"  {len(pages)} pages, damaged one at a time: "
          f"{counts['answered']} servers answer, {counts['refused']} refuse")


def outcome(wick, state, what):
    try:
        serve = Serve(wick, state, "--no-record")
    except Failure as failure:
        check("ended with 1: " in str(failure) and "Sanitizer" not in
              str(failure), f"{what}: {failure}")
        return "refused"
    with serve:
        for path in ("hosts", "profile?from=-1h", "top?from=-1h&by=function",
                     "metrics?from=-1h&name=*", "losses?from=-1h"):
            answer = serve.get(f"/api/v1/{path}")
            check(answer.status < 600 and (answer.status == 200 or
                                           answer.is_an_error()),
                  f"{what}: {path}: {answer.status} {answer.body[:200]}")
        status, _ = serve.close()
        check(status == 0 and "Sanitizer" not in serve.last_words(),
              f"{what}: ended with {status}: {serve.last_words()}")
    return "answered"
