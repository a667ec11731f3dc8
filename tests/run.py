#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every suite of tests and ends with `N passed, N failed, N skipped`.

usage: run.py WICK UNIT-TESTS [SUITE...]

WICK is the program, UNIT-TESTS the GoogleTest program. The suites:
  layers       which directory may include which
  docs         README lists every format, architecture.md every room; links and
               paths of source files lead somewhere
  unit         src/**/*_test.cc
  golden       tests/golden: inputs and what `wick fold` prints for them
  hostile      tests/hostile: files that cost more than their size, given to
               every command under limits of memory and time
  e2e          tests/e2e/*.sh: exit status 0 is a pass, 77 a skip with the last
               line of output as the reason. WICK and SOURCE are set; the
               current folder and TMPDIR are two empty ones. Scripts that say
               so run in parallel, then the others one by one.
  conformance  cases of other projects, if they are beside this one
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

import run_golden
from hostile import run as run_hostile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77


def layers(_wick, _unit):
    bad = subprocess.run([SOURCE / "tools/check_layers.py"], check=False)
    return (1, 0, 0) if bad.returncode == 0 else (0, 1, 0)


# `profile/fold.h`, `tests/e2e/*.sh`: files that a page names.
SOURCE_PATH = r"`((?:[a-z_-]+/)+[\w.*-]+\.(?:cc|css|h|js|md|mjs|py|sh))`"


def docs(wick, _unit):
    wrong = []
    readme = (SOURCE / "README.md").read_text()
    names = subprocess.run([wick, "formats", "--names"], text=True,
                           capture_output=True, check=True).stdout
    wrong += [f"README.md does not name the format {name}"
              for name in {line.split()[1] for line in names.splitlines()}
              if f"`{name}`" not in readme]
    for page in [*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text()):
            if not (page.parent / link).exists():
                wrong.append(f"{page.name}: {link} does not exist")
        for path in re.findall(SOURCE_PATH, page.read_text()):
            if not any(any((SOURCE / root).glob(path)) for root in ("", "src")):
                wrong.append(f"{page.name}: there is no {path}")
    rooms = re.search(r'ROOMS = """(.*?)"""',
                      (SOURCE / "tools/check_layers.py").read_text(), re.S)[1]
    architecture = (SOURCE / "docs/architecture.md").read_text()
    wrong += [f"architecture.md does not list {room}" for room in rooms.split()
              if f"`{room}`" not in architecture
              and f"`{room}/`" not in architecture]
    for line in sorted(wrong):
        print(f"FAIL {line}")
    return (0, len(wrong), 0) if wrong else (1, 0, 0)


def unit(_wick, unit_tests):
    """GoogleTest shards the tests over one process per core."""
    shards = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        started = []
        for shard in range(shards):
            report = pathlib.Path(folder, f"{shard}.xml")
            started.append((report, subprocess.Popen(
                [unit_tests, "--gtest_brief=1",
                 f"--gtest_output=xml:{report}"],
                env={**os.environ, "GTEST_TOTAL_SHARDS": str(shards),
                     "GTEST_SHARD_INDEX": str(shard)})))
        counts = [unit_counts(report, process.wait())
                  for report, process in started]
    return tuple(map(sum, zip(*counts)))


def unit_counts(report, status):
    passed = failed = skipped = 0
    # The JSON report lacks the reasons of skipped tests.
    tests = ElementTree.parse(report).iter("testcase") if report.exists() else []
    for test in tests:
        skip = test.find("skipped")
        if test.find("failure") is not None:
            failed += 1
        elif skip is not None:
            skipped += 1
            reason = (skip.get("message") or "no reason").splitlines()[-1]
            print(f"skipped {test.get('classname')}.{test.get('name')}: {reason}")
        elif test.get("status") == "run":
            passed += 1
    if status != 0 and failed == 0:
        print(f"FAIL the unit tests ended with status {status}")
        failed += 1
    return passed, failed, skipped


def golden(wick, _unit):
    passed, failed = run_golden.run(wick)
    return passed, failed, 0


def hostile(wick, _unit):
    passed, failed = run_hostile.run(wick)
    return passed, failed, 0


# The line in a script that neither records nor changes kernel settings.
BESIDE_OTHERS = "# It may run beside others."


def run_script(wick, script):
    """Returns its exit status, the lines it printed and how long it took."""
    begin = time.monotonic()
    with (tempfile.TemporaryDirectory() as folder,
          tempfile.TemporaryDirectory() as scratch):
        try:
            done = subprocess.run(
                ["bash", script], cwd=folder, check=False, timeout=900,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "WICK": wick, "SOURCE": str(SOURCE),
                     "TMPDIR": scratch})
        except subprocess.TimeoutExpired as late:
            return (1, [*text_lines(late.stdout or b""), str(late)],
                    time.monotonic() - begin)
    return done.returncode, text_lines(done.stdout), time.monotonic() - begin


def text_lines(output):
    return output.decode("utf-8", "replace").splitlines()


def e2e(wick, _unit):
    passed = failed = skipped = 0
    beside, alone = [], []
    for script in sorted((SOURCE / "tests/e2e").glob("*.sh")):
        quiet = BESIDE_OTHERS in script.read_text().splitlines()
        (beside if quiet else alone).append(script)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(functools.partial(run_script, wick), beside))
    results += [run_script(wick, script) for script in alone]
    slowest = sorted(zip((seconds for _, _, seconds in results),
                         (script.name for script in beside + alone)))[:-6:-1]
    print("slowest scripts: " + ", ".join(
        f"{name} {seconds:.0f} s" for seconds, name in slowest))
    for script, (status, lines, _) in zip(beside + alone, results):
        if status == 0:
            passed += 1
        elif status == SKIPPED:
            skipped += 1
            print(f"skipped {script.name}: {lines[-1] if lines else ''}")
        else:
            failed += 1
            print_failure(script, status, lines)
    return passed, failed, skipped


def print_failure(script, status, lines):
    print(f"FAIL {script.name}: exit status {status}")
    said = [line for line in lines[:-20] if line.startswith(("not ok", "FAIL"))]
    print("\n".join("  " + line for line in said + lines[-20:]))


def conformance(wick, _unit):
    cases = SOURCE.parent / "shared/conformance/run"
    if not cases.exists():
        print("skipped conformance: no cases beside this project")
        return 0, 0, 1
    done = subprocess.run([cases, wick], capture_output=True, text=True,
                          check=False)
    counts = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    if counts is None or done.returncode != 0:
        print(done.stdout + done.stderr, end="")
    if counts is None:
        return 0, 1, 0
    return int(counts[1]), int(counts[2]), 0


SUITES = {f.__name__: f for f in (layers, docs, unit, golden, hostile, e2e,
                                    conformance)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    wick, unit_tests = (os.path.abspath(path) for path in sys.argv[1:3])
    totals = [0, 0, 0]
    for name in sys.argv[3:] or SUITES:
        begin = time.monotonic()
        counts = SUITES[name](wick, unit_tests)
        totals = [a + b for a, b in zip(totals, counts)]
        print(f"{name}: {counts[0]} passed, {counts[1]} failed, "
              f"{counts[2]} skipped ({time.monotonic() - begin:.0f} s)",
              flush=True)
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    sys.exit(totals[1] > 0)


if __name__ == "__main__":
    main()
