#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives hostile files to every command, under limits of memory and time.

usage: run.py WICK [PART-OF-NAME...]

The generators beside this script write the files: small ones, each of which would
cost a careless reader or writer gigabytes or minutes. Their names are KIND.FORMAT;
`.data` is a recording that refers to a hostile ELF file, jitdump or perf map. A
case passes if wick ends by itself within the limits, with a result or an error.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What is written, and which arguments follow the folder.
GENERATORS = {"profiles.py": [], "elf.py": [], "jit.py": [],
              "traces.py": ["100000"]}
TRACES = {"cospike", "execlog", "riscv-csv", "rocket", "rvfi-csv", "spike",
          "tracedoctor", "tracerv", "tracerv-text", "wick-trace"}
MEMORY, SECONDS = 1 << 30, 10
# Sanitizers make wick that much slower, and keep freed memory for a while.
SLOWER = 4
SANITIZER = {"ASAN_OPTIONS": "quarantine_size_mb=16:allocator_may_return_null=1"}
OUTPUTS = ("chrome-trace", "d3", "firefox", "folded", "html", "pprof",
           "speedscope", "svg", "text", "wick")


def writing_commands(path, options):
    """Every writer, and what changes a profile before."""
    read = [*options, str(path)]
    for output in OUTPUTS:
        yield ["convert", "--to", output, "-o", "/dev/null", *read]
    yield ["report", *read]
    yield ["flame", "--reverse", "--merge-recursion", "-o", "/dev/null", *read]
    yield ["flame", "--flamechart", "-o", "/dev/null", *read]
    yield ["diff", "--to", "html", "-o", "/dev/null", *options, str(path),
           str(path)]


def trace_commands(path, options):
    yield ["trace", *options, str(path)]
    yield ["trace", "--count", "function", *options, str(path)]
    yield ["convert", "--to", "wick", "-o", "/dev/null", *options, str(path)]
    yield ["fold", *options, str(path)]


def commands(path, seen):
    """`seen` holds the kinds that came before in another format. Whatever
    follows the reader then sees the same again, and is left out; so is what
    follows decompression."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    kind, form = name.partition(".")[0], name.rpartition(".")[2]
    if form == "data":
        return [["report", "--no-cache", str(path)]]
    options = ["--no-cache", "--format", form]
    every = writing_commands
    if form in TRACES:
        kind, every = f"{kind} trace", trace_commands
        options += ["--elf", str(path.parent / "code.elf")]
    if kind in seen or path.suffix in (".gz", ".zst"):
        return [["convert", "--to", "wick", "-o", "/dev/null", *options,
                 str(path)]]
    seen.add(kind)
    return every(path, options)


class Limits:
    def __init__(self, wick):
        self.sanitized = b"__asan_init" in pathlib.Path(wick).read_bytes()
        self.seconds = SECONDS * (SLOWER if self.sanitized else 1)

    def apply(self):
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not self.sanitized:  # they reserve terabytes of addresses
            resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY,) * 2)


def what_went_wrong(wick, arguments, limits):
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [wick, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=said, preexec_fn=limits.apply,
            env={**os.environ, **SANITIZER})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    if process.returncode < 0:
        return f"killed by {signal.Signals(-process.returncode).name}\n{text}"
    if process.returncode > 3 or "Sanitizer" in text:
        return f"exit status {process.returncode}\n{text}"
    if usage.ru_maxrss << 10 > MEMORY:
        return f"took {usage.ru_maxrss >> 10} MB"
    return ""


@contextlib.contextmanager
def hostile_files():
    """The files that commands are given. Perf maps are in /tmp meanwhile."""
    maps = []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in GENERATORS.items():
            subprocess.run([sys.executable, HERE / name,
                            f"{folder}/{name}", *arguments], check=True)
        try:
            for path in pathlib.Path(folder).glob("jit.py/*.map"):
                maps.append(pathlib.Path("/tmp", path.name))
                maps[-1].unlink(missing_ok=True)
                shutil.copyfile(path, maps[-1], follow_symlinks=False)
            yield [path for path in sorted(pathlib.Path(folder).glob("*/*"))
                   if path.is_file() and path.suffix not in (".elf", ".map")]
        finally:
            for path in maps:
                path.unlink(missing_ok=True)


def run(wick, parts=()):
    """How many passed and failed."""
    limits, seen = Limits(wick), set()
    with (hostile_files() as paths,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        cases = [command for path in paths
                 if not parts or any(part in path.name for part in parts)
                 for command in commands(path, seen)]
        results = list(pool.map(
            lambda case: what_went_wrong(wick, case, limits), cases))
    for case, wrong in zip(cases, results):
        if wrong:
            print(f"FAIL wick {' '.join(case)}")
            print("\n".join("  " + line for line in wrong.splitlines()[-20:]))
    failed = sum(map(bool, results))
    return len(results) - failed, failed


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    passed, failed = run(os.path.abspath(sys.argv[1]), sys.argv[2:])
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
