#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command and prints how many wakings by interrupts of threads with one name
the kernel counted meanwhile, and how many of them it sampled. It should sample all, but
some kernels sample no interrupt of some threads: the idle one of a CPU, for example.

usage: sampled_wakings.py NAME COMMAND…
"""
import ctypes
import fcntl
import mmap
import os
import struct
import subprocess
import sys

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
ENABLE, DISABLE, SET_FILTER = 0x2400, 0x2401, 0x40082406
EVENT = ("/sys/kernel/tracing/events/sched/sched_waking/id",
         "/sys/kernel/debug/tracing/events/sched/sched_waking/id")
TRACEPOINT, SAMPLE_TID, DISABLED, CLOSE_ON_EXEC = 2, 2, 1, 8
IN_INTERRUPT = 8 | 16  # of common_flags: a device's, or work that it left
SAMPLE = 9
PAGES = 16

libc = ctypes.CDLL(None, use_errno=True)


def wakings_on(cpu, name):
    with open(next(filter(os.path.exists, EVENT))) as file:
        event = int(file.read())
    attr = struct.pack("=IIQQQQQ", TRACEPOINT, 64, event, 1, SAMPLE_TID, 0,
                       DISABLED).ljust(64, b"\0")
    fd = libc.syscall(PERF_EVENT_OPEN[os.uname().machine], attr, -1, cpu, -1,
                      CLOSE_ON_EXEC)
    if fd < 0:
        sys.exit(f"cannot open the event: {os.strerror(ctypes.get_errno())}")
    text = f'comm == "{name}" && common_flags & {IN_INTERRUPT}'.encode()
    if libc.ioctl(fd, SET_FILTER, ctypes.c_char_p(text)) != 0:
        sys.exit(f"cannot set the filter: {os.strerror(ctypes.get_errno())}")
    return fd, mmap.mmap(fd, (1 + PAGES) * mmap.PAGESIZE)


def samples_in(buffer):
    end, at, count = struct.unpack_from("=Q", buffer, 1024)[0], 0, 0
    while at < end:
        kind, _, size = struct.unpack_from("=IHH", buffer, mmap.PAGESIZE + at)
        count += kind == SAMPLE
        at += size
    return count


cpus = os.sysconf("SC_NPROCESSORS_ONLN")
events = [wakings_on(cpu, sys.argv[1]) for cpu in range(cpus)]
for fd, _ in events:
    fcntl.ioctl(fd, ENABLE, 0)
status = subprocess.run(sys.argv[2:]).returncode
for fd, _ in events:
    fcntl.ioctl(fd, DISABLE, 0)
print(sum(struct.unpack("=Q", os.read(fd, 8))[0] for fd, _ in events),
      sum(samples_in(buffer) for _, buffer in events))
sys.exit(status)
