#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time to find functions, inlined calls, files and lines of addresses, beside
addr2line, eu-addr2line and llvm-symbolizer in the same run.

usage: resolve.py RESOLVE_LINES FILE [COUNT...]

FILE has debug information; COUNT addresses of it (500 and 20000) are asked for
in one go, cold: each time in a new process, the file being in the page cache.
The best of three is printed, and for wick what resolving them once more costs.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests/e2e"))
import lines  # pylint: disable=wrong-import-position


def best(command, text):
    times, said = [], ""
    for _ in range(3):
        begin = time.monotonic()
        done = subprocess.run(command, input=text, text=True,
                              check=False, capture_output=True,
                              errors="replace")
        if done.returncode != 0:
            return None, done.stderr
        times.append(time.monotonic() - begin)
        said = done.stderr
    return min(times), said


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tool, path = sys.argv[1:3]
    peers = {
        "addr2line": ["addr2line", "-a", "-f", "-i", "-e", path],
        "eu-addr2line": ["eu-addr2line", "-a", "-f", "-i", "-e", path],
        "llvm-symbolizer": [lines.LLVM, "--inlines", "--no-demangle", "-a",
                            "-e", path] if lines.LLVM else None,
    }
    for count in map(int, sys.argv[3:] or ["500", "20000"]):
        addresses = lines.sampled_addresses(path, count)
        text = "".join(f"{address:#x}\n" for address in addresses)
        own, said = best([tool, path, "2"], text)
        again = float(re.search(r"again ([0-9.]+) s", said)[1])
        print(f"{len(addresses)} addresses: wick {own:.3f} s, again "
              f"{again / len(addresses) * 1e9:.0f} ns each")
        for name, command in peers.items():
            if command and shutil.which(command[0]):
                seconds, _ = best(command, text)
                print(f"  {name} {seconds:.3f} s, {seconds / own:.1f} times"
                      if seconds else f"  {name} cannot read it", flush=True)


if __name__ == "__main__":
    main()
