# SPDX-License-Identifier: Apache-2.0
"""What strangers try: pages of other sites, guessers of tokens, clients that send
too much, too slowly or nothing at all. Each test takes a running Serve."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from serving import PATIENCE, check, until


def raw(serve, data, seconds=PATIENCE):
    """Everything the server says to these bytes, until it hangs up."""
    with serve.socket(seconds) as client:
        got = b""
        try:
            client.sendall(data)
            while True:
                piece = client.recv(65536)
                if not piece:
                    return got
                got += piece
        except (ConnectionResetError, BrokenPipeError):
            return got


def status_of(reply):
    words = reply.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


def other_names(serve):
    """A page of another site has pointed its own name at this address."""
    for host in ("evil.example", f"evil.example:{serve.port}", "127.0.0.1:1",
                 f"localhost.evil.example:{serve.port}", "", "0.0.0.0"):
        answer = serve.get("/api/v1/hosts", Host=host)
        check(answer.status == 421, f"Host: {host!r} is answered by {answer.status}")
    check(serve.get("/api/v1/hosts", Host=f"localhost:{serve.port}").status == 200,
          "its own name is refused")
    two = (b"GET /api/v1/hosts HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil\r\n"
           b"Authorization: Bearer %s\r\nConnection: close\r\n\r\n"
           % (serve.port, serve.token.encode()))
    check(status_of(raw(serve, two)) in (400, 421), "two names are accepted")


def other_sites(serve):
    for origin in ("http://evil.example", "null", "https://127.0.0.1",
                   f"http://127.0.0.1:{serve.port + 1}",
                   f"http://127.0.0.1:{serve.port}.evil.example"):
        answer = serve.get("/api/v1/hosts", Origin=origin)
        check(answer.status == 403, f"Origin {origin}: {answer.status}")
    answer = serve.get("/api/v1/hosts", Sec_Fetch_Site="cross-site",
                       Sec_Fetch_Mode="no-cors")
    check(answer.status == 403, f"what a page loads: {answer.status}")
    answer = serve.get("/api/v1/hosts", Origin=serve.address)
    check(answer.status == 200, f"its own page: {answer.status}")
    for name in answer.headers:
        check(not name.lower().startswith("access-control"),
              f"{name} lets other sites read")
    policy = answer.headers["Content-Security-Policy"] or ""
    check("default-src 'none'" in policy and "unsafe" not in policy, policy)


def without_token(serve):
    """Whatever it is, existing or not; except whether the server is well."""
    for path in ("/", "/metrics", "/api/v1/hosts", "/api/v1/profile",
                 "/api/v1/diff", "/api/v1/top", "/api/v1/metrics",
                 "/api/v1/losses", "/api/v1/live", "/nothing", "/healthz/..",
                 "//healthz", "/healthz/"):
        answer = serve.get(path, token=False)
        check(answer.status == 401, f"{path} without a token: {answer.status}")
        check(answer.is_an_error(), f"{path}: {answer.body[:200]}")
    check(serve.get("/healthz", token=False).status == 200, "/healthz")


def cookies(serve):
    answer = serve.get(f"/?token={serve.token}", token=False)
    check(answer.status == 303, f"the link: {answer.status}")
    cookie = answer.headers["Set-Cookie"]
    check("HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie)
    check(serve.token not in cookie, "the cookie shows the token")
    check(serve.token not in answer.headers["Location"], "the link is kept")
    pair = cookie.split(";")[0]
    get = lambda path, **more: serve.get(path, token=False, Cookie=pair, **more)
    check(get("/api/v1/hosts").status == 200, "the cookie is refused")
    check(get("/api/v1/hosts", method="POST").status in (401, 403, 404, 405),
          "a form of another site is taken for the page's")


def too_large(serve):
    own = b"Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n" % (
        serve.port, serve.token.encode())
    cases = {
        "a long header": (b"GET /healthz HTTP/1.1\r\n" + own + b"X: " +
                          b"x" * (1 << 20) + b"\r\n\r\n", (431, 0)),
        "many headers": (b"GET /healthz HTTP/1.1\r\n" + own +
                         b"X: y\r\n" * 100_000 + b"\r\n", (431, 0)),
        "a long address": (b"GET /" + b"x" * (1 << 20) + b" HTTP/1.1\r\n" + own +
                           b"\r\n", (431, 414, 0)),
        "a large body": (b"POST /api/v1/hosts HTTP/1.1\r\n" + own +
                         b"Content-Length: 1000000000000\r\n\r\n", (413,)),
        "endless chunks": (b"POST /api/v1/hosts HTTP/1.1\r\n" + own +
                           b"Transfer-Encoding: chunked\r\n\r\n" +
                           (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 1000,
                           (413, 0)),
        "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 99,
                    (400, 0)),
        "a negative length": (b"POST / HTTP/1.1\r\n" + own +
                              b"Content-Length: -1\r\n\r\n", (400, 413)),
        "two lengths": (b"POST / HTTP/1.1\r\n" + own +
                        b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
                        (400,)),
        "both framings": (b"POST / HTTP/1.1\r\n" + own +
                          b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"
                          b"\r\n0\r\n\r\n", (400,)),
        "a zero byte": (b"GET /\0 HTTP/1.1\r\n" + own + b"\r\n", (400,)),
        "an escaped line end": (b"GET /%0d%0aX:y HTTP/1.1\r\n" + own + b"\r\n",
                                (400,)),
    }
    for what, (data, wanted) in cases.items():
        status = status_of(raw(serve, data))
        check(status in wanted, f"{what}: {status}, wanted one of {wanted}")
    check(serve.get("/healthz").status == 200, "it does not answer any more")


def slow_loris(serve):
    """A byte now and then keeps no connection open."""
    clients = [serve.socket() for _ in range(20)]
    for client in clients:
        client.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
    open_ones = list(clients)
    end = time.monotonic() + PATIENCE
    while open_ones and time.monotonic() < end:
        for client in list(open_ones):
            try:
                client.sendall(b"x")
                client.setblocking(False)
                if client.recv(4096) == b"":
                    open_ones.remove(client)
            except BlockingIOError:
                pass
            except OSError:
                open_ones.remove(client)
            finally:
                client.setblocking(True)
        time.sleep(0.5)
    for client in clients:
        client.close()
    check(not open_ones, f"{len(open_ones)} slow clients are still connected")


def odd_queries(serve):
    """Each is a sentence with a status of the client's fault, or an answer."""
    paths = [
        "/api/v1/profile?from=yesterday", "/api/v1/profile?format=exe",
        "/api/v1/profile?pid=-1", "/api/v1/profile?pid=99999999999999999999",
        "/api/v1/profile?from=now&to=-60s", "/api/v1/profile?host=../../etc",
        "/api/v1/top?by=magic", "/api/v1/top?by=function&limit=-5",
        "/api/v1/metrics?name=*&step=0", "/api/v1/metrics?name=*&step=1e-9",
        "/api/v1/metrics?name=*&from=0&to=99999999999&step=1",
        "/api/v1/metrics?name=x%27%3B%20DROP%20TABLE%20buckets%3B--",
        "/api/v1/profile?comm=%27%20OR%201%3D1--&from=-1h",
        "/api/v1/profile?from=" + "9" * 400, "/api/v1/profile?from=nan",
        "/api/v1/profile?from=1e308&to=-1e308", "/api/v1/diff",
        "/api/v1/profile?" + "a=b&" * 1000, "/api/v2/profile", "/api/v1/",
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/hosts/../x",
        "/api/v1/profile?format=html&source-root=/etc",
        "/api/v1/profile?from=-60s&url=http://127.0.0.1:1/",
    ]
    for path in paths:
        answer = serve.get(path)
        check(answer.status < 500, f"{path}: {answer.status} {answer.body[:200]}")
        if answer.status >= 400:
            check(answer.is_an_error(), f"{path}: {answer.body[:200]}")
        check(b"root:" not in answer.body, f"{path} has a file in it")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X" * 30):
        answer = serve.get("/api/v1/hosts", method=method)
        check(400 <= answer.status < 500, f"{method}: {answer.status}")


def private_files(serve):
    check((os.stat(serve.state).st_mode & 0o077) == 0, "others can enter its state")
    for file in serve.state.iterdir():
        check((file.stat().st_mode & 0o077) == 0, f"others can read {file.name}")
    for pid in serve.pids():
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            continue
        check(serve.token.encode() not in words, "ps shows the token")


def hostile_names(serve, load, folder):
    """Programs choose their names; they are text, whatever they look like."""
    program = folder / "<script>alert(1)<"
    program.unlink(missing_ok=True)
    shutil.copy(load, program)
    process = subprocess.Popen(
        ["sh", "-c", 'exec "$0" shares 60', program], stdout=subprocess.DEVNULL)
    try:
        comm = program.name[:15]
        def shown():
            text = "\n".join(serve.folded(**{"from": "-60s"}))
            return comm in text
        until(shown, "a program with a strange name is not recorded")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    page = serve.get("/api/v1/profile?from=-60s&format=html")
    check(page.status == 200, f"the page: {page.status}")
    check(b"<script>alert(1" not in page.body, "the page runs a program's name")
    picture = serve.get("/api/v1/profile?from=-60s&format=svg")
    check(b"<script>alert(1" not in picture.body,
          "the picture runs a program's name")
    for what in ("top?by=process", "top?by=function", "losses", "hosts"):
        separator = "&" if "?" in what else "?"
        json.loads(serve.get(f"/api/v1/{what}{separator}from=-60s").body)
    lines = serve.get("/metrics").body.decode().splitlines()
    for line in lines:
        check(line.startswith("#") or line == "" or
              line.rsplit(" ", 1)[-1].lower() in ("nan", "+inf", "-inf") or
              is_number(line.rsplit(" ", 1)[-1]), f"/metrics: {line!r}")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def guessed_tokens(serve):
    """Last of all: afterwards, wrong tokens are refused for a minute."""
    statuses = [serve.get("/api/v1/hosts", token=False,
                          Authorization=f"Bearer wrong{i}").status
                for i in range(30)]
    check(statuses[0] == 401, f"a wrong token: {statuses[0]}")
    check(statuses[-1] == 429, f"the thirtieth wrong token: {statuses[-1]}")
    check(serve.get("/api/v1/hosts").status == 200,
          "a guesser locks the right token out")


def crowd(serve, clients):
    """Idle, slow and watching clients at once; a normal one is answered."""
    crowd_of = {"idle": [], "slow": [], "watching": []}
    request = (f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{serve.port}\r\n"
               f"Authorization: Bearer {serve.token}\r\n\r\n").encode()
    try:
        for _ in range(clients):
            crowd_of["idle"].append(serve.socket())
            crowd_of["slow"].append(serve.socket())
            crowd_of["slow"][-1].sendall(b"GET /")
            crowd_of["watching"].append(serve.socket())
            crowd_of["watching"][-1].sendall(request)
        begin = time.monotonic()
        for _ in range(20):
            for slow in crowd_of["slow"]:
                try:
                    slow.sendall(b"x")
                except OSError:
                    pass  # it had its time
            check(serve.get("/api/v1/hosts").status == 200, "hosts")
            check(serve.get("/healthz").status == 200, "healthz")
        took = (time.monotonic() - begin) / 40
        check(took < 5, f"a normal client waits {took:.1f} s in a crowd")
        for client in crowd_of["watching"]:
            client.settimeout(PATIENCE)
            check(b"text/event-stream" in read_events(client),
                  "a watching client has no events")
        print(f"  {3 * clients} clients beside: {1000 * took:.0f} ms a request")
    finally:
        for some in crowd_of.values():
            for client in some:
                client.close()
    until(lambda: serve.get("/healthz").status == 200, "it does not answer")


def read_events(client):
    got = b""
    while b"event:" not in got:
        piece = client.recv(65536)
        check(piece, f"a stream of events ended: {got[-200:]!r}")
        got += piece
    return got


def all_of(serve, load, folder, clients=100):
    for test in (other_names, other_sites, without_token, cookies, too_large,
                 slow_loris, odd_queries, private_files):
        test(serve)
        print(f"  {test.__name__.replace('_', ' ')}: as it must be")
    hostile_names(serve, load, folder)
    crowd(serve, clients)
    guessed_tokens(serve)


socket.setdefaulttimeout(PATIENCE)
