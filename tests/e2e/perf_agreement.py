#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the programs in tests/e2e/programs, records them, and compares what wick
makes of the recordings with perf script, addr2line and llvm-symbolizer.

usage: perf_agreement.py DUMP_STACKS [-v] [PROGRAM...]

Works in the current folder. docs/perf-data.md explains every difference.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import compare_perf
import lines

SOURCES = pathlib.Path(__file__).resolve().parent / "programs"
MILLISECONDS = "250"
# The least share of frames that must have the same function.
SAME = 0.999

CXX = ["g++", "-g", "-O2", "-I", SOURCES]
C = ["gcc", "-g", "-O2", "-I", SOURCES]
# How a program is built, and how much of its stack is copied.
Program = collections.namedtuple("Program", "command stack", defaults=[16384])
PROGRAMS = {
    "language": Program([*CXX, SOURCES / "language.cc"]),
    "not-pie": Program([*CXX, "-fno-pie", "-no-pie", SOURCES / "language.cc"]),
    "static": Program([*CXX, "-static", SOURCES / "language.cc"]),
    "static-pie": Program([*CXX, "-static-pie", SOURCES / "language.cc"]),
    "stripped": Program([*CXX, "-s", SOURCES / "language.cc"]),
    "recursion": Program([*CXX, SOURCES / "recursion.cc"], stack=65528),
    "plugins": Program([*C, SOURCES / "plugins.c", "-ldl"]),
    "signals": Program([*C, SOURCES / "signals.c"]),
    "processes": Program([*C, SOURCES / "processes.c"]),
    "threads": Program([*CXX, "-pthread", SOURCES / "threads.cc"]),
    "rust": Program(["rustc", "-g", "-O", SOURCES / "rusty.rs"]),
}
PLUGINS = {"plugin_a": [], "plugin_b": [], "plugin_c": ["-DPADDING=1000"]}
# The two builds: with frame pointers and DWARF 4, which addr2line 2.40 reads
# better, and without and DWARF 5.
FRAME_POINTERS = {
    "rustc": ["-C", "force-frame-pointers=yes", "-C", "dwarf-version=4"]}

failures = []


def check(good, sentence):
    print(("ok     " if good else "not ok ") + sentence, flush=True)
    if not good:
        failures.append(sentence)


def build(folder, name, frame_pointers):
    """False if there is no such compiler, or no static library."""
    program = PROGRAMS[name]
    options = (FRAME_POINTERS.get(program.command[0],
                                  ["-fno-omit-frame-pointer", "-gdwarf-4"])
               if frame_pointers else [])
    folder.mkdir(exist_ok=True)
    if name == "plugins":
        for plugin, more in PLUGINS.items():
            if not lines.build([*C, *options, *more, "-fPIC", "-shared",
                                f"-DNAME={plugin}", SOURCES / "plugin.c", "-o",
                                folder / f"{plugin}.so"]):
                return False
    return lines.build([*program.command, *options, "-o", folder / name])


def record(folder, name, options):
    subprocess.run(
        ["perf", "record", "-q", "-e", "cpu-clock", *options, "-o",
         f"{name}.data", "--", f"./{name}", MILLISECONDS],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        check=True)
    return str(folder / f"{name}.data")


def compare_frames(dump, name, file, verbose):
    """Frame pointers: every frame is perf's, but for those where perf is known
    to be wrong."""
    perf = compare_perf.of_perf(file)
    wick, _ = compare_perf.of_wick(dump, file, "--no-inline")
    frames, same, differences = compare_perf.compare(wick, perf)
    explained = sum(d.kind in compare_perf.EXPLAINED for d in differences)
    others = [d for d in differences if d.kind not in compare_perf.EXPLAINED]
    comms = sum(wick[key].comm != perf[key].comm for key in wick & perf.keys())
    check(wick.keys() == perf.keys() and comms == 0 and len(perf) > 10 and
          same + explained >= SAME * frames,
          f"{name}, frame pointers: {len(wick)} samples, {frames} frames, "
          f"{100 * same / max(frames, 1):.3f} % of the same function; with "
          f"{explained} explained ones "
          f"{100 * (same + explained) / max(frames, 1):.3f} %")
    for each in others if verbose else others[:3]:
        print(each)
    return frames, same, explained


def compare_roots(dump, name, file, entries, verbose):
    """Stack copies: at least as many stacks reach their root."""
    perf = compare_perf.of_perf(file)
    wick, _ = compare_perf.of_wick(dump, file, "--no-inline")
    mine, its = (sum(compare_perf.is_whole(sample, entries)
                     for sample in samples.values())
                 for samples in (wick, perf))
    both = [key for key in wick.keys() & perf.keys()
            if compare_perf.is_whole(wick[key], entries)
            and compare_perf.is_whole(perf[key], entries)]
    frames, same, differences = compare_perf.compare(
        {key: wick[key] for key in both}, {key: perf[key] for key in both})
    check(wick.keys() == perf.keys() and len(perf) > 10 and mine >= its,
          f"{name}, stack copies: {len(wick)} samples, {mine} reach their root, "
          f"with perf {its}; of {len(both)} that do with both "
          f"{100 * same / max(frames, 1):.3f} % of {frames} frames are the same")
    if verbose:
        for each in differences:
            print(each)
        for key in sorted(wick):
            if not compare_perf.is_whole(wick[key], entries):
                print("ends early:", key, wick[key].root())
    return mine, its


def collect_chains(dump, file, chains):
    """Adds {module: {address: [(function, file, line), ...]}} of user code."""
    wick, _ = compare_perf.of_wick(dump, file)
    for sample in wick.values():
        inlined = []
        for frame in sample.frames:
            if frame.kind not in "ui":
                continue
            inlined.append((frame.function or "??", frame.file or "??",
                            frame.line))
            if frame.kind == "u":
                if frame.module.startswith("/"):
                    chains[frame.module][frame.address] = inlined
                inlined = []


# What tells apart functions of the same name in Rust; wick does not show it.
RUST_HASH = re.compile(r"::h[0-9a-f]{16}$|\[[0-9a-f]{14,16}\]")
# addr2line and llvm-symbolizer put the folder of a unit in front of its files'
# folder, also where the latter is that very folder and relative.
TWICE = re.compile(r"^((?:[^/]+/)+)\1")


def aliases(module):
    """{name: the first name of the same address}: which one is shown is a
    matter of taste, and wick's is perf's."""
    text = subprocess.run(["readelf", "-sW", debug_file(module)], check=True,
                          capture_output=True, text=True).stdout
    symbols = re.findall(
        r"^ +\d+: ([0-9a-f]+) +\S+ (?:FUNC|IFUNC) +\S+ +\S+ +\d+ (\S+)", text,
        re.M)
    names = subprocess.run(
        ["c++filt", "-p"], check=True, capture_output=True, text=True,
        input="".join(symbol[1] + "\n" for symbol in symbols)).stdout
    first, known = {}, {}
    for (address, _), name in zip(symbols, names.splitlines()):
        name = bare(name)
        known.setdefault(name, first.setdefault(address, name))
    return known


def bare(name):
    return RUST_HASH.sub("", name).split("@")[0]


def debug_file(module):
    text = subprocess.run(["readelf", "-n", module], check=True,
                          capture_output=True, text=True).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", text)
    if build_id:
        path = pathlib.Path(f"/usr/lib/debug/.build-id/{build_id[1][:2]}/"
                            f"{build_id[1][2:]}.debug")
        if path.exists():
            return path
    return module


def plain(chains_by_address, known):
    return {address: [(known.get(bare(name), bare(name)),
                       TWICE.sub(r"\1", file), line)
                      for name, file, line in chain]
            for address, chain in chains_by_address.items()}


def scoped(gnu, wick):
    """addr2line shows a function that has no linkage name without the namespace
    or class that it is in."""
    def name(its, mine):
        return mine if mine.endswith("::" + its) else its
    return {address: [(name(its[0], mine[0]), *its[1:]) for its, mine in
                      zip(chain, wick[address])] + chain[len(wick[address]):]
            for address, chain in gnu.items()}


def compare_lines(chains, verbose):
    """Every distinct user address: the chain of inlined calls, file and line."""
    sums = [0, 0, 0, 0]
    for module, found in sorted(chains.items()):
        if not pathlib.Path(module).exists():
            continue
        addresses = sorted(found)
        wick = {address: [lines.clean(name, f"{file}:{line}")
                          for name, file, line in chain]
                for address, chain in found.items()}
        oracles = [lines.by_addr2line(module, addresses) if lines.ADDR2LINE else {},
                   lines.by_llvm(module, addresses) if lines.LLVM else {}]
        gnu, llvm = lines.demangled(*oracles, options=["-p"])
        known = aliases(module)
        wick, gnu, llvm = (plain(each, known) for each in (wick, gnu, llvm))
        counts = lines.count_equal(wick, scoped(gnu, wick), llvm, verbose)
        if verbose:
            lines.report(module, counts)
        sums = [a + b for a, b in zip(sums, counts)]
    total = max(sums[0], 1)
    check(sums[0] > 0 and sums[3] >= SAME * total,
          f"lines: {sums[0]} distinct addresses of {len(chains)} files; the same "
          f"inlined calls, files and lines as addr2line "
          f"{100 * sums[1] / total:.2f} %, as llvm-symbolizer "
          f"{100 * sums[2] / total:.2f} %, as one of them "
          f"{100 * sums[3] / total:.2f} %")


def main():
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    dump = arguments.pop(0)
    verbose = "-v" in arguments
    wanted = [each for each in arguments if each != "-v"] or list(PROGRAMS)
    for name in ("RUSTUP_HOME", "CARGO_HOME"):
        os.environ.setdefault(name, os.path.expanduser(
            f"~/.{name.split('_')[0].lower()}"))
    os.environ["HOME"] = os.getcwd()  # where perf and wick keep things
    folders = {kind: pathlib.Path(kind).resolve() for kind in ("fp", "dwarf")}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        built = {(kind, name): pool.submit(build, folder, name, kind == "fp")
                 for name in wanted for kind, folder in folders.items()}
        sums = [0, 0, 0]
        roots = [0, 0]
        chains = collections.defaultdict(dict)
        for name in wanted:
            if not (built["fp", name].result() and built["dwarf", name].result()):
                print(f"skipped {name}: {PROGRAMS[name].command[0]} cannot build it")
                continue
            file = record(folders["fp"], name, ["-F", "2999", "-g"])
            counts = compare_frames(dump, name, file, verbose)
            sums = [a + b for a, b in zip(sums, counts)]
            collect_chains(dump, file, chains)
            stack = PROGRAMS[name].stack
            file = record(folders["dwarf"], name,
                          ["-F", "999", "--call-graph", f"dwarf,{stack}"])
            entries = compare_perf.entry_points(
                [folders["dwarf"] / name, shutil.which("sh")])
            counts = compare_roots(dump, name, file, entries, verbose)
            roots = [a + b for a, b in zip(roots, counts)]
            collect_chains(dump, file, chains)
    frames = max(sums[0], 1)
    check((sums[1] + sums[2]) >= SAME * frames,
          f"all, frame pointers: {frames} frames, {100 * sums[1] / frames:.3f} % "
          f"of the same function, {100 * (sums[1] + sums[2]) / frames:.3f} % with "
          f"those that are explained")
    check(roots[0] >= roots[1], f"all, stack copies: {roots[0]} stacks reach "
          f"their root, with perf {roots[1]}")
    compare_lines(chains, verbose)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
