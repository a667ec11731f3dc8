#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes every reader and says what broke it, or how much of the readers the
inputs reach.

Seeds are the inputs in tests/golden and tests/corpus, and for perf.data the
recordings of the first version. What is found on the way
is kept in BUILD/corpus/READER for the next run, and an input that breaks a reader
in BUILD/crashes; make it small (-minimize_crash=1), put it into tests/corpus/READER
and mend the reader. More than 10 s or 2 GB for one input breaks a reader, too.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src"
MAX_SIZE = 32768  # of an input
# What reads untrusted bytes.
ROOMS = ["format", "integration", "io", "itrace", "object", "perf/file",
         "perf/records", "perf/session", "server/http", "sysroot"]
NOT_READERS = re.compile(r"(_fuzz|_write|_writer|_encoder|_encoding)\.cc$|\.h$")


def reader_of(program):
    return program.name.removeprefix("fuzz_")


def inputs_of(program, build):
    """The folder that grows, then the seeds."""
    corpus = build / "corpus" / reader_of(program)
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = [TESTS / kind / reader_of(program) for kind in ("golden", "corpus")]
    if reader_of(program) in ("perf-data", "perf-records"):
        seeds.append(TESTS / "recordings-0.1.0")
    return [corpus] + [folder for folder in seeds if folder.is_dir()]


def fuzz(program, seconds, build):
    """What libFuzzer said if it broke the reader, else nothing."""
    crashes = build / "crashes"
    crashes.mkdir(exist_ok=True)
    done = subprocess.run(
        [program, f"-max_total_time={seconds}", "-rss_limit_mb=2048",
         "-timeout=10", f"-max_len={MAX_SIZE}", "-print_final_stats=1",
         f"-artifact_prefix={crashes}/{reader_of(program)}-",
         *inputs_of(program, build)],
        capture_output=True, text=True, errors="replace", check=False,
        env=os.environ | {"LLVM_PROFILE_FILE": "/dev/null"})
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    edges = re.findall(r"cov: (\d+)", done.stderr) or ["?"]
    print(f"{reader_of(program)}: {executed[1] if executed else '?'} inputs, "
          f"{edges[0]} edges at first, {edges[-1]} at last"
          f"{'' if done.returncode == 0 else ', BROKEN'}", flush=True)
    return "" if done.returncode == 0 else done.stderr


def fuzz_all(programs, args):
    seconds = args.seconds
    if args.total:
        seconds = max(1, args.total * args.jobs // len(programs))
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for said in pool.map(lambda p: fuzz(p, seconds, args.build), programs):
            if said:
                broken += 1
                print("\n".join("  " + line for line in said.splitlines()[-40:]))
    print(f"{broken} readers broken" if broken else "no reader was broken")
    return broken > 0


def count_lines(programs, build):
    """Runs all inputs once; what llvm-cov counted, by file."""
    folder = build / "coverage"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.profraw"):
        old.unlink()
    for program in programs:
        raw = folder / f"{reader_of(program)}.profraw"
        done = subprocess.run(
            [program, "-runs=0", f"-max_len={MAX_SIZE}",
             f"-artifact_prefix={build}/crashes/",
             *inputs_of(program, build)],
            capture_output=True, check=False,
            env=os.environ | {"LLVM_PROFILE_FILE": str(raw)})
        if done.returncode != 0:
            print(f"{reader_of(program)}: an input breaks it, so its lines do "
                  "not count")
    merged = folder / "all.profdata"
    subprocess.run(["llvm-profdata-16", "merge", "-o", merged,
                    *folder.glob("*.profraw")], check=True)
    binary = build / "wick_fuzz"
    subprocess.run(["llvm-cov-16", "show", "-format=html",
                    f"-output-dir={folder}", f"-instr-profile={merged}", binary,
                    SOURCE], check=True, stdout=subprocess.DEVNULL)
    export = subprocess.run(
        ["llvm-cov-16", "export", "-summary-only", f"-instr-profile={merged}",
         binary, SOURCE], check=True, capture_output=True)
    return json.loads(export.stdout)["data"][0]["files"]


def report_coverage(programs, build):
    rooms = {}
    for file in count_lines(programs, build):
        path = pathlib.Path(file["filename"]).relative_to(SOURCE)
        if (NOT_READERS.search(path.name) or
                not any(str(path).startswith(room + "/") for room in ROOMS)):
            continue
        lines = file["summary"]["lines"]
        rooms.setdefault(str(path.parent), []).append(
            (path.name, lines["count"], lines["covered"]))
    print("  lines  covered")
    for room, files in sorted(rooms.items()):
        row(f"{room}/", sum(f[1] for f in files), sum(f[2] for f in files))
        for name, count, covered in sorted(files):
            row("  " + name, count, covered)
    everything = [file for files in rooms.values() for file in files]
    row("all", sum(f[1] for f in everything), sum(f[2] for f in everything))
    print(f"line by line: {build / 'coverage' / 'index.html'}")


def row(name, count, covered):
    print(f"{count:7} {100 * covered / max(count, 1):7.1f}%  {name}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=int, default=60, help="per reader")
    parser.add_argument("--total", type=int,
                        help="seconds for all readers together")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="readers at a time (default: one per CPU)")
    parser.add_argument("--coverage", action="store_true",
                        help="do not fuzz; run what was found so far and print\n"
                        "the share of the readers' lines that it reaches")
    parser.add_argument("readers", nargs="*", help="default: all")
    args = parser.parse_intermixed_args()
    programs = [program for program in sorted(args.build.glob("fuzz_*"))
                if not args.readers or reader_of(program) in args.readers]
    if not programs:
        sys.exit("no such reader")
    if args.coverage:
        report_coverage(programs, args.build)
    else:
        sys.exit(fuzz_all(programs, args))


if __name__ == "__main__":
    main()
