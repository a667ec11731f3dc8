#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes every reader, one after the other, and says what broke it.

usage: run_fuzz.py BUILD SECONDS [FORMAT...]

Seeds are the inputs in tests/golden and tests/corpus. What is found on the way
is kept in BUILD/corpus/FORMAT for the next run, and an input that breaks a reader
in BUILD/crashes; make it small (-minimize_crash=1), put it into tests/corpus/FORMAT
and mend the reader.
"""
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent


def fuzz(program, seconds, build):
    """What libFuzzer said if it broke the reader, else nothing."""
    name = program.name.removeprefix("fuzz_")
    corpus, crashes = build / "corpus" / name, build / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    seeds = [str(folder) for folder in (TESTS / "golden" / name,
                                        TESTS / "corpus" / name)
             if folder.is_dir()]
    done = subprocess.run(
        [program, f"-max_total_time={seconds}", "-rss_limit_mb=2048",
         "-timeout=10", "-max_len=16384", "-print_final_stats=1",
         f"-artifact_prefix={crashes}/{name}-", corpus, *seeds],
        capture_output=True, text=True, errors="replace", check=False)
    stats = dict(line.removeprefix("stat::").split(":")
                 for line in done.stderr.splitlines()
                 if line.startswith("stat::"))
    print(f"{name}: {stats.get('number_of_executed_units', '?').strip()} inputs"
          f"{'' if done.returncode == 0 else ', BROKEN'}", flush=True)
    return "" if done.returncode == 0 else done.stderr


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, seconds = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    broken = 0
    for program in sorted(build.glob("fuzz_*")):
        if sys.argv[3:] and program.name.removeprefix("fuzz_") not in sys.argv[3:]:
            continue
        said = fuzz(program, seconds, build)
        if said:
            broken += 1
            print("\n".join("  " + line for line in said.splitlines()[-40:]))
    print(f"{broken} readers broken" if broken else "no reader was broken")
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
