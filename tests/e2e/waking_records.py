#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what a recording of wick has of wakings, as it is stored: who wakes whom
by which event, on which CPU, how often, and what the kernel lost or throttled.

usage: waking_records.py RECORDING
"""
import collections
import struct
import sys

SAMPLE, COMM, EXIT, THROTTLE, LOST, FORK, LOST_SAMPLES = 9, 3, 4, 5, 2, 7, 13
CALLCHAIN, RAW, TRACEPOINT = 1 << 5, 1 << 10, 2

data = open(sys.argv[1], "rb").read()


def numbers(layout, at):
    return struct.unpack_from("<" + layout, data, at)


entry_size, attrs, attrs_size, begin, size = numbers("QQQQQ", 16)
events, event_of = [], {}
for at in range(attrs, attrs + attrs_size, entry_size):
    kind, _, config, _, fields = numbers("IIQQQ", at)
    ids_at, ids_size = numbers("QQ", at + entry_size - 16)
    for id_at in range(ids_at, ids_at + ids_size, 8):
        event_of[numbers("Q", id_at)[0]] = len(events)
    events.append((kind, config, fields))

samples, wakings = collections.Counter(), collections.Counter()
others, names = collections.Counter(), {0: "idle"}
at = begin
while at + 8 <= begin + size:
    kind, _, record_size = numbers("IHH", at)
    if record_size < 8:
        break
    if kind == SAMPLE:
        # Identifier, ip, pid, tid, time, CPU, period, callchain, raw.
        id_, _, _, tid, _, cpu, _, _ = numbers("QQIIQIIQ", at + 8)
        event = event_of.get(id_)
        samples[event] += 1
        if event is not None and events[event][0] == TRACEPOINT:
            raw = at + 8 + 48
            if events[event][2] & CALLCHAIN:
                raw += 8 + 8 * numbers("Q", raw)[0]
            raw_size = numbers("I", raw)[0] if events[event][2] & RAW else 0
            if raw_size in (36, 44):  # sched_waking: comm, pid, prio, CPU
                comm, pid = numbers("16si", raw + 12)
                names.setdefault(pid, comm.split(b"\0")[0].decode())
                wakings[event, tid, pid, cpu] += 1
    elif kind == COMM:
        names[numbers("I", at + 12)[0]] = (
            data[at + 16:at + record_size].split(b"\0")[0].decode())
    elif kind == LOST:
        others["lost"] += numbers("Q", at + 16)[0]
    elif kind == LOST_SAMPLES:
        others["lost at the end"] += numbers("Q", at + 8)[0]
    elif kind in (THROTTLE, FORK, EXIT):
        others[{THROTTLE: "throttled", FORK: "forks", EXIT: "exits"}[kind]] += 1
    at += record_size

print("samples of each event:", dict(samples), "; others:", dict(others))
for (event, waker, woken, cpu), count in sorted(wakings.items()):
    print(f"event {event}, CPU {cpu}: {names.get(waker, '?')} {waker} wakes "
          f"{names.get(woken, '?')} {woken}: {count}")
