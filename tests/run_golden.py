#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what `wick fold` prints for each golden input with what is expected.

usage: run_golden.py WICK [--bless] [PART-OF-PATH...]

tests/golden/<format>/<case> is an input for the reader of that name, and
<case>.folded beside it what must be printed. --bless writes what is printed now
into those files: read the difference before you commit it.
Instruction traces are of the code in tests/golden-code, whose script wrote them.
"""
import difflib
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).parent / "golden"
CODE = pathlib.Path(__file__).parent / "golden-code"
TRACES = {"cospike", "execlog", "riscv-csv", "rocket", "rvfi-csv", "spike",
          "tracedoctor", "tracerv", "tracerv-text", "wick-trace"}


def inputs():
    """Every file that is not itself the expectation for another one."""
    return [path for path in sorted(GOLDEN.glob("*/*"))
            if path.is_file() and not (path.suffix == ".folded" and
                                       path.with_suffix("").is_file())]


def folded(wick, path):
    command = [wick, "fold", "--format", path.parent.name, str(path)]
    if path.parent.name in TRACES:
        command += ["--elf", str(CODE / "program"),
                    "--elf", str(CODE / "System.map")]
    done = subprocess.run(command, timeout=60, capture_output=True, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}: ".encode() + done.stderr
    return done.stdout


def show_difference(expected, got, name):
    lines = [text.decode("utf-8", "backslashreplace").splitlines(keepends=True)
             for text in (expected, got)]
    for line in difflib.unified_diff(*lines, f"{name} (expected)",
                                     f"{name} (printed)"):
        print("  " + line.rstrip("\n"))


def run(wick, bless=False, parts=()):
    """How many passed and failed."""
    passed = failed = 0
    for path in inputs():
        if parts and not any(part in str(path) for part in parts):
            continue
        want = path.with_name(path.name + ".folded")
        expected = want.read_bytes() if want.exists() else b""
        got = folded(wick, path)
        if got == expected and want.exists():
            passed += 1
        elif bless and not got.startswith(b"exit status"):
            want.write_bytes(got)
            print(f"wrote {want}")
            passed += 1
        else:
            failed += 1
            name = path.relative_to(GOLDEN)
            print(f"FAIL {name}")
            show_difference(expected, got, name)
            print(f"  if this is right: tests/run_golden.py"
                  f" {wick} --bless {name}")
    return passed, failed


def main():
    arguments = [a for a in sys.argv[1:] if a != "--bless"]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    passed, failed = run(arguments[0], "--bless" in sys.argv, arguments[1:])
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
