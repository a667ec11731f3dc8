# SPDX-License-Identifier: Apache-2.0
"""A `wick serve` that a test starts, asks, disturbs and ends."""
import decimal
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse

PATIENCE = 60  # seconds; what a busy machine may take for what takes one


class Failure(Exception):
    """What a test found to be wrong."""


def check(true, what):
    if not true:
        raise Failure(what)


def until(condition, what, seconds=PATIENCE):
    """The first true value of `condition()`, asked for again and again."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.05)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        """Times are exact: floats of nanoseconds are not."""
        try:
            return json.loads(self.body, parse_float=decimal.Decimal)
        except ValueError as error:
            raise Failure(f"not JSON: {self.body[:200]}") from error

    def is_an_error(self):
        """JSON with a sentence."""
        error = self.json().get("error", {})
        return error.get("status") == self.status and bool(error.get("message"))


class Serve:
    """The processes, until close(). `state` is kept."""

    def __init__(self, wick, state, *options, port=0, environment=None):
        self.state = pathlib.Path(state)
        self.records = "--no-record" not in options
        self.said = self.state.with_suffix(".said")
        self.login = self.state / "login"
        self.login.unlink(missing_ok=True)
        with open(self.said, "ab") as said:
            self.process = subprocess.Popen(
                [wick, "serve", "--listen", f"127.0.0.1:{port}",
                 "--state", self.state, *options], stdin=subprocess.DEVNULL,
                stdout=said, stderr=said,
                env={**os.environ, **(environment or {})})
        try:
            until(self.is_ready, "wick serve does not begin")
        except Failure:
            self.process.kill()
            raise
        link = urllib.parse.urlsplit(self.login.read_text().strip())
        self.port = link.port
        self.token = urllib.parse.parse_qs(link.query)["token"][0]
        self.address = f"http://127.0.0.1:{self.port}"

    def is_ready(self):
        if self.process.poll() is not None:
            raise Failure(f"wick serve ended with {self.process.returncode}: "
                          f"{self.last_words()}")
        return self.login.exists() and self.login.read_text().endswith("\n")

    def last_words(self):
        return self.said.read_text(errors="replace")[-2000:].strip()

    # --- Processes -----------------------------------------------------------

    def recorder(self):
        return self.process.pid

    def server(self):
        """The pid of the process with the sockets; None while there is none."""
        # The recorder has the socket, too, for the next server.
        pids = (children_of(self.process.pid) if self.records
                else [self.process.pid])
        return next((pid for pid in pids if is_listening(pid)), None)

    def pids(self):
        return [self.process.pid, *children_of(self.process.pid)]

    def close(self, signal_number=signal.SIGTERM):
        """Ends it; gives the exit status and how long it took."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("SIGTERM does not end it") from None
        return status, time.monotonic() - begin

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if self.process.poll() is not None:
            return
        status, _ = self.close()
        if failure is None:
            check(status == 0 and "Sanitizer" not in self.last_words(),
                  f"it ended with {status}: {self.last_words()}")

    # --- Requests ------------------------------------------------------------

    def connect(self, seconds=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=seconds)

    def socket(self, seconds=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def get(self, path, method="GET", body=None, token=True, **headers):
        headers = {name.replace("_", "-"): value
                   for name, value in headers.items()}
        if token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        connection = self.connect()
        try:
            connection.request(method, path, body=body, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def api(self, what, **query):
        """The JSON of an endpoint that must answer."""
        answer = self.get(f"/api/v1/{what}?{urllib.parse.urlencode(query)}")
        check(answer.status == 200,
              f"{what} {query}: {answer.status} {answer.body[:300]}")
        return answer.json()

    def folded(self, **query):
        """Weights by stack, as text."""
        answer = self.get("/api/v1/profile?" + urllib.parse.urlencode(
            {"format": "folded", **query}))
        if answer.status == 404:
            return {}
        check(answer.status == 200,
              f"profile {query}: {answer.status} {answer.body[:300]}")
        weights = {}
        for line in answer.body.decode().splitlines():
            stack, weight = line.rsplit(" ", 1)
            weights[stack] = weights.get(stack, 0) + int(weight)
        return weights


def children_of(pid):
    """Those of all its threads."""
    children = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children += [int(word) for word in path.read_text().split()]
        except OSError:
            pass  # the thread has ended
    return children


def is_listening(pid):
    """Whether one of its descriptors is a socket that listens."""
    try:
        links = [link_to(f"/proc/{pid}/fd/{fd}")
                 for fd in os.listdir(f"/proc/{pid}/fd")]
        sockets = {link[8:-1] for link in links if link.startswith("socket:[")}
        tables = [pathlib.Path(f"/proc/{pid}/net/{name}").read_text()
                  for name in ("tcp", "tcp6")]
    except OSError:
        return False
    rows = [row.split() for table in tables for row in table.splitlines()[1:]]
    return any(row[3] == "0A" and row[9] in sockets for row in rows)


def link_to(path):
    """Empty for a descriptor that was closed meanwhile."""
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return ""


def memory_of(pid):
    """RssAnon in kB; 0 once it has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines()
                 if line.startswith("RssAnon:")), 0)
