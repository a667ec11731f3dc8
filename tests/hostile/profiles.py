#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hostile profiles: small files that would make large work.

    profiles.py OUTDIR [BYTES]

Every file has about BYTES bytes (default: one million) and is named KIND.FORMAT,
where FORMAT is as `wick formats` lists it; ".gz" follows if it is compressed.
The same arguments write the same bytes.

Kinds:
  chain     one stack that grows by a frame, with a sample at every depth
  broom     one deep stack with many different leaves
  comb      two deep stacks in turn that differ at the root
  deep      one sample with as many frames as fit
  wide      as many distinct names as fit
  name      one name that fills the file
  longnames a few long names in deep stacks
  line      one line that fills the file
  empty     as many samples as fit, all without a stack
  threads   as many threads as fit, each with a sample
  events    as many events as fit
  inlined   one location with many inlined frames, in every sample
  numbers   the largest numbers that the format can hold
  nested    JSON or XML as deeply nested as fits
  bomb…     a compressed file that expands a thousandfold
"""

import itertools
import json
import struct
import sys
import zlib
from pathlib import Path

from elf import uleb

DEEP = 20_000  # frames: more than are kept


def field(number, value):
    if isinstance(value, int):
        return uleb(number << 3) + uleb(value & (1 << 64) - 1)
    if isinstance(value, str):
        value = value.encode()
    return uleb(number << 3 | 2) + uleb(len(value)) + value


class Pprof:
    """profile.proto, with one function for each location unless lines say otherwise."""

    def __init__(self, names, events=1):
        self.strings = ["", "samples", "count", *names]
        self.out = bytearray()
        for _ in range(events):
            self.out += field(1, field(1, 1) + field(2, 2))
        for i in range(len(names)):
            self.out += field(5, field(1, i + 1) + field(2, i + 3))

    def location(self, number, functions):
        lines = b"".join(field(4, field(1, f)) for f in functions)
        self.out += field(4, field(1, number) + lines)

    def sample(self, leaf_first, values=(1,)):
        self.out += field(2, field(1, b"".join(map(uleb, leaf_first)))
                          + field(2, b"".join(map(uleb, values))))

    def bytes(self):
        return bytes(self.out) + b"".join(field(6, s) for s in self.strings)


def one_function(names, **options):
    profile = Pprof(names, **options)
    for i in range(len(names)):
        profile.location(i + 1, [i + 1])
    return profile


def text(lines):
    return "".join(lines).encode()


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


# --- trees of callers, which are small however deep their stacks are ---------


def tree(kind, size, bytes_per_node):
    """Rows (parent, name, has a sample) of a tree; row 0 has no parent."""
    count = max(size // bytes_per_node, 10)
    depth = count if kind == "chain" else min(DEEP, count // 2)
    rows = [(-1, 0, kind == "chain")]
    rows += [(i - 1, i % 7, kind == "chain") for i in range(1, depth)]
    rows += [(depth - 1, 7 + i, True) for i in range(count - depth)]
    return rows


def cpuprofile(kind, size):
    rows = tree(kind, size, 95)
    nodes = []
    for i, (parent, name, _) in enumerate(rows):
        nodes.append({"id": i + 1, "callFrame": {"functionName": f"f{name}"},
                      "parent": parent + 1})
        if parent < 0:
            del nodes[-1]["parent"]
    samples = [i + 1 for i, row in enumerate(rows) if row[2]]
    return compact({"nodes": nodes, "startTime": 0, "endTime": len(samples),
                    "samples": samples, "timeDeltas": [1] * len(samples)})


def firefox(kind, size):
    rows = tree(kind, size, 40)
    names = 1 + max(row[1] for row in rows)
    samples = [[i, float(n), 0] for n, i in
               enumerate(i for i, row in enumerate(rows) if row[2])]
    return compact({
        "meta": {"version": 33, "startTime": 1000, "interval": 1, "stackwalk": 1,
                 "categories": [{"name": "Other", "color": "grey"}]},
        "libs": [], "processes": [],
        "threads": [{
            "name": "GeckoMain", "processType": "default", "pid": 1, "tid": 1,
            "stringTable": [f"f{i}" for i in range(names)],
            "frameTable": {"schema": {"location": 0}, "data": [[i] for i in range(names)]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1},
                           "data": [[None if p < 0 else p, name] for p, name, _ in rows]},
            "samples": {"schema": {"stack": 0, "time": 1, "eventDelay": 2}, "data": samples},
            "markers": {"schema": {}, "data": []}}]})


def chrome_trace(kind, size):
    rows = tree(kind, size, 110)
    frames = {str(i): {"name": f"f{name}", **({"parent": str(parent)} if parent >= 0 else {})}
              for i, (parent, name, _) in enumerate(rows)}
    samples = [{"cpu": 0, "tid": 1, "ts": i, "name": "s", "sf": str(i), "weight": 1}
               for i, row in enumerate(rows) if row[2]]
    return compact({"traceEvents": [], "stackFrames": frames, "samples": samples})


def chrome_trace_slices(kind, size):
    events = []
    time = itertools.count()
    rows = tree(kind, size, 50)

    def add(phase, name):
        events.append('{"ph":"%s","pid":1,"tid":1,"ts":%d,"name":"f%d"}'
                      % (phase, next(time), name))

    for parent, name, _ in rows:
        if kind == "broom" and name > 6:
            add("B", name)
            add("E", name)
        else:
            add("B", name)
    return ('{"traceEvents":[' + ",\n".join(events) + "]}").encode()


def speedscope_evented(kind, size):
    events = []
    names = set()
    for time, (_, name, _) in enumerate(tree(kind, size, 32)):
        names.add(name)
        events.append({"type": "O", "frame": name, "at": 2 * time})
        if kind == "broom" and name > 6:
            events.append({"type": "C", "frame": name, "at": 2 * time + 1})
    end = events[-1]["at"] + 1
    return compact({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": f"f{i}"} for i in range(max(names) + 1)]},
        "profiles": [{"type": "evented", "name": "p", "unit": "none", "startValue": 0,
                      "endValue": end, "events": events}]})


def xdebug(kind, size):
    lines = ["Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-15 03:49:36.175450]\n"]
    level = 0
    for i, (_, name, _) in enumerate(tree(kind, size, 40)):
        leaf = kind == "broom" and name > 6
        lines.append(f"{level + 1}\t{i}\t0\t{i / 1e6:.6f}\t1\tf{name}\t1\t/x\t0\t0\n")
        if leaf:
            lines.append(f"{level + 1}\t{i}\t1\t{i / 1e6 + 5e-7:.7f}\t1\n")
        else:
            level += 1
    return text(lines)


def vsprof(kind, size):
    lines = ["Level,Function Name,Inclusive Samples,Exclusive Samples,Inclusive Samples %,"
             "Exclusive Samples %,Module Name,\n"]
    level = 0
    for _, name, sampled in tree(kind, size, 30):
        lines.append(f'{level},"f{name}",{9 if sampled else 9},{1 if sampled else 0},'
                     '1.00,1.00,"m",\n')
        level += not (kind == "broom" and name > 6)
    return text(lines)


def tracerv_labels(kind, size):
    lines = ["# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"]
    cycle, level = 0, 1
    for _, name, _ in tree(kind, size, 60):
        cycle += 1
        lines.append(f"Indent: {level}, Start label: f{name}, At cycle: {cycle}\n")
        if kind == "broom" and name > 6:
            cycle += 1
            lines.append(f"Indent: {level}, End label: f{name}, End cycle: {cycle}\n")
        else:
            level += 1
    return text(lines)


def d3(kind, size):
    head, tail = [], []
    for _, name, _ in tree(kind, size, 40):
        if kind == "broom" and name > 6:
            head.append('{"name":"f%d","value":1},' % name)
        else:
            head.append('{"name":"f%d","value":9000000,"children":[' % name)
            tail.append("]}")
    return ("".join(head).rstrip(",") + "".join(tail)).encode()


def xctrace(kind, size):
    backtraces = '<backtrace id="1">' + "".join(
        f'<frame id="{i + 10}" name="f{i % 7}" addr="0x{i:x}"/>' for i in range(size // 120)
    ) + "</backtrace>"
    rows = [f'<row><sample-time>{i}</sample-time><weight fmt="1 ms">1000000</weight>'
            '<backtrace ref="1"/></row>' for i in range(size // 2 // 100)]
    first = ('<row><sample-time>0</sample-time><weight fmt="1 ms">1000000</weight>'
             f"{backtraces}</row>")
    columns = "".join(
        f"<col><mnemonic>{m}</mnemonic><name>{m}</name>"
        f"<engineering-type>{t}</engineering-type></col>"
        for m, t in (("time", "sample-time"), ("weight", "weight"), ("stack", "backtrace")))
    return ('<?xml version="1.0"?>\n<trace-query-result>\n<node xpath="x">'
            f'<schema name="time-profile">{columns}</schema>{first}{"".join(rows)}'
            "</node></trace-query-result>\n").encode()


TREES = {
    "cpuprofile": cpuprofile,
    "firefox": firefox,
    "chrome-trace": chrome_trace,
    "slices.chrome-trace": chrome_trace_slices,
    "evented.speedscope": speedscope_evented,
    "xdebug": xdebug,
    "vsprof": vsprof,
    "tracerv-labels": tracerv_labels,
    "d3": d3,
}

# --- formats that spell every stack ------------------------------------------


def go_raw(samples, locations):
    return text(["PeriodType: cpu nanoseconds\nPeriod: 1\n"
                 "Time: 2026-11-15 03:49:34.850637979 +0000 UTC\n"
                 "Samples:\nsamples/count cpu/nanoseconds\n",
                 *(f"1 1: {s}\n" for s in samples), "Locations\n", *locations,
                 "Mappings\n1: 0x400000/0x500000/0x0 /bin/x\n"])


def inlined_go_raw(size):
    chain = ["     1: 0x477f55 M=1 f0 /x.go:1 s=0\n"]
    chain += [f"             f{i % 7} /x.go:{i} s=0\n" for i in range(size // 2 // 30)]
    return go_raw(["1 " * 200] * (size // 2 // 405), chain)


def inlined_pprof(size):
    profile = Pprof([f"f{i}" for i in range(50)])
    profile.location(1, [1 + i % 50 for i in range(256)])
    for i in range(2, 100):
        profile.location(i, [1 + i % 50] * 200)
    turns = itertools.cycle(range(1, 100))
    while len(profile.out) < size:
        profile.sample([1 + (next(turns) * 7 + i * i) % 99 for i in range(100)])
    return profile.bytes()


def long_line_pprof(size):
    profile = Pprof(["f", "g"])
    profile.location(1, [1 + i % 2 for i in range(size // 2 // 4)])
    while len(profile.out) < size:
        profile.sample([1] * 100)
    return profile.bytes()


def deep_pprof(size):
    profile = one_function(["f", "g"])
    profile.sample([1 + i % 2 for i in range(size)])
    return profile.bytes()


def long_names_pprof(size):
    profile = one_function([c * (size // 8) for c in "abcd"])
    for depth in range(1, min(DEEP, size // 200)):
        profile.sample([1 + (depth + i) % 4 for i in range(100)])
    return profile.bytes()


def events_pprof(size):
    profile = one_function(["f"], events=size // 3 // 6)
    while len(profile.out) < size:
        profile.sample([1], [1] * 1000)
    return profile.bytes()


def comb(size):
    return [("a;" if i % 2 else "b;") + "f;g;" * 8000 + "h" for i in range(size // 32_000)]


def speedscope(frames, samples):
    return compact({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": frames},
        "profiles": [{"type": "sampled", "name": "p", "unit": "none", "startValue": 0,
                      "endValue": len(samples), "samples": samples,
                      "weights": [1] * len(samples)}]})


def perf_script(stacks):
    lines = []
    for i, (comm, frames) in enumerate(stacks):
        lines.append(f"{comm} {i + 1} [000] {i}.000001: 1 cycles:\n")
        lines += [f"\t{0x1000 + j:x} {name}+0x1 (/bin/x)\n" for j, name in enumerate(frames)]
        lines.append("\n")
    return text(lines)


def gzip_of(piece, count, end=b""):
    """`count` times `piece`, then `end`; compressed once and repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    last = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed * count + last.compress(end) + last.flush()
    crc = 0
    for _ in range(count):
        crc = zlib.crc32(piece, crc)
    size = len(piece) * count + len(end)
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + body
            + struct.pack("<II", zlib.crc32(end, crc), size & 0xFFFFFFFF))


def zstd_zeros(size):
    """A frame of run-length blocks: 128 KiB of "a" in four bytes each."""
    blocks = size // 4
    out = bytearray(struct.pack("<IBB", 0xFD2FB528, 0, 0x50))
    for i in range(blocks):
        header = (i == blocks - 1) | 1 << 1 | (128 << 10) << 3
        out += struct.pack("<I", header)[:3] + b"a"
    return bytes(out)


def spelled(size):
    """(name, content) of the kinds that are not trees."""
    yield "deep.folded", text(["f;" * (size // 2), "g 1\n"])
    yield "deep.pprof", deep_pprof(size)
    yield "deep.speedscope", speedscope([{"name": "f"}, {"name": "g"}],
                                        [[i % 2 for i in range(size // 2)]])
    yield "deep.perf-script", perf_script([("x", ["f"] * (size // 24))])
    yield "deep.bpftrace", text(["Attaching 1 probe...\n\n@[\n", *["    f+1\n"] * (size // 8),
                                 "]: 1\n"])
    yield "deep.go-raw", go_raw(["1 " * (size // 2)], ["     1: 0x477f55 M=1 f0 /x.go:1 s=0\n"])
    yield "deep.gdb", text(["Thread 1 (Thread 0x7f (LWP 1)):\n", *(
        f"#{i}  0x0000000000401136 in f () at x.c:1\n" for i in range(size // 48))])
    yield "deep.jstack", text([
        "2026-11-15 03:45:01\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"
        '"main" #1 prio=5 os_prio=0 tid=0x01 nid=0x1 runnable  [0x01]\n'
        "   java.lang.Thread.State: RUNNABLE\n", *["\tat S.f(S.java:5)\n"] * (size // 18)])
    yield "deep.dtrace", text(["dtrace: description 'profile-997 ' matched 1 probe\n\n",
                               *["              x`f+0x1\n"] * (size // 22), "                1\n"])
    yield "comb.folded", text(line + " 1\n" for line in comb(size))
    yield "comb.speedscope", speedscope(
        [{"name": name} for name in "abfg"],
        [[i % 2, *[2, 3] * 8000] for i in range(size // 32_000)])
    yield "wide.folded", text(f"n{i:x} 1\n" for i in range(size // 8))
    yield "name.folded", b"f;" + b"x" * size + b" 1\n"
    yield "name.pprof", (lambda p: (p.sample([1, 1]), p.bytes())[1])(one_function(["x" * size]))
    yield "name.perf-script", perf_script([("x", ["f" * size])])
    yield "longnames.pprof", long_names_pprof(size)
    yield "line.folded", b"x" * size
    yield "line.perf-script", perf_script([("x", ["f"])]) + b"y" * size
    yield "empty.folded", b" 1\n" * (size // 3)
    yield "empty.perf-script", perf_script([("x", [])] * (size // 40))
    yield "empty.pprof", (lambda p: ([p.sample([]) for _ in range(size // 6)],
                                     p.bytes())[1])(Pprof([]))
    yield "threads.perf-script", perf_script([(f"t{i}", ["f"]) for i in range(size // 70)])
    yield "events.perf-script", text(
        f"x 1 [000] {i}.000001: 1 e{i}:\n\t1000 f+0x1 (/bin/m{i})\n\n" for i in range(size // 60))
    yield "events.pprof", events_pprof(size)
    yield "inlined.pprof", inlined_pprof(size)
    yield "longline.pprof", long_line_pprof(size)
    yield "inlined.go-raw", inlined_go_raw(size)
    yield "chain.xctrace", xctrace("chain", size)
    yield "numbers.folded", text(f"f;g{i} 9{'0' * 17}.{'9' * (i % 30)}\n"
                                 for i in range(size // 45))
    yield "numbers.speedscope", speedscope([{"name": "f"}], [[2**53]] * (size // 22))
    yield "nested.chrome-trace", b'{"traceEvents":' + b"[" * (size // 2) + b"]" * (size // 2)
    yield "nested.d3", b'{"name":"f","value":1,"children":[' * (size // 34)
    yield "nested.xctrace", (b'<?xml version="1.0"?>\n<trace-query-result>'
                             + b"<row>" * (size // 5))
    # 60 MB of text for each MB of `size`, in a thousandth of that.
    yield "bomb.folded.gz", gzip_of(b"f;" * (1 << 19), size // 16_500, b"g 1\n")
    yield "bombname.folded.gz", gzip_of(b"f" * (1 << 20), size // 16_500, b" 1\n")
    yield "bomblines.folded.gz", gzip_of(b"f;g 1\n" * (1 << 17), size // 16_500)
    yield "bomb.pprof.gz", gzip_of(field(2, field(1, b"\1" * 1000)) * 1000, size // 16_500)
    yield "bomb.folded.zst", zstd_zeros(size // 500)


def main(out_dir, size=1_000_000):
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    for name, make in TREES.items():
        for kind in ("chain", "broom"):
            (out / f"{kind}.{name}").write_bytes(make(kind, int(size)))
    for name, content in spelled(int(size)):
        (out / name).write_bytes(content)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
