#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares wick's functions, files and lines with addr2line and llvm-symbolizer.

usage: lines.py RESOLVE_LINES [-v] [-n MOST] FILE...
       lines.py RESOLVE_LINES [-v] --programs

For sampled instruction addresses of each FILE, prints how many of wick's inline
chains (functions, files and lines of all levels) equal addr2line's,
llvm-symbolizer's, or one of them; -v shows the others. With --programs, builds
the programs in tests/e2e/lines with many compilers and options, in the current
folder, and fails if fewer than 99.9 % equal one of the two.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

CLONE = re.compile(r"\.(cold|part|constprop|isra|lto_priv|llvm|clone)(\.?\d+)*")
ADDR2LINE = shutil.which("addr2line")
LLVM = next((path for path in map(shutil.which, (
    "llvm-symbolizer", "llvm-symbolizer-16", "llvm-symbolizer-19")) if path),
    None)
CLANG = next((name for name in ("clang++", "clang++-16", "clang++-19")
              if shutil.which(name)), "clang++")
DWP = next((name for name in ("llvm-dwp", "llvm-dwp-16", "dwp")
            if shutil.which(name)), "dwp")
SOURCES = pathlib.Path(__file__).resolve().parent / "lines"


def sampled_addresses(path, most):
    listing = subprocess.run(
        ["objdump", "-d", "-j", ".text", "--no-show-raw-insn",
         path], capture_output=True,
        text=True, errors="replace", check=True).stdout
    found = re.findall(r"^ +([0-9a-f]+):\t(?!nop|data16|xchg   %ax,%ax|cs nop)",
                       listing, re.M)
    addresses = sorted({int(each, 16) for each in found})
    if len(addresses) > most:
        addresses = sorted(random.Random(1).sample(addresses, most))
    return addresses


def clean(function, place):
    function = CLONE.sub("", function)
    place = re.sub(r" \(discriminator \d+\)$", "", place)
    file, _, line = place.rpartition(":")
    if not file:  # llvm-symbolizer: ??:0:0 is taken apart by the caller
        file, line = place, "0"
    line = 0 if line in ("?", "") else int(line)
    if file in ("??", "<unknown>", "<invalid>") or line == 0:
        # addr2line says nothing of a file where the line is not known.
        return function, "??", 0
    return function, os.path.normpath(file), line


def chains(text):
    """{address: [(function, file, line), ...]}, the innermost first."""
    result, lines, current = {}, text.splitlines(), None
    i = 0
    while i < len(lines):
        if lines[i].startswith("0x"):
            current = result.setdefault(int(lines[i], 16), [])
            i += 1
        elif not lines[i]:
            i += 1
        else:
            current.append(clean(lines[i], lines[i + 1]))
            i += 2
    return result


def demangled(*results, options=()):
    """The same with names as in the source: constructors for complete objects
    and for bases (C1, C2) are mostly one, and which name it bears is chance."""
    names = sorted({level[0] for result in results
                    for chain in result.values() for level in chain})
    plain = subprocess.run(["c++filt", *options], input="\n".join(names) + "\n",
                           capture_output=True, text=True, errors="replace",
                           check=True).stdout.splitlines()
    known = dict(zip(names, plain))
    return [{address: [(known[level[0]], *level[1:]) for level in chain]
             for address, chain in result.items()} for result in results]


def run(command, addresses):
    return subprocess.run(
        command, input="".join(f"{a:#x}\n" for a in addresses),
        capture_output=True, text=True, errors="replace", check=True).stdout


def by_addr2line(path, addresses):
    return chains(run([ADDR2LINE, "-a", "-f", "-i", "-e", path], addresses))


def by_llvm(path, addresses):
    text = run([LLVM, "--inlines", "--functions=linkage", "--no-demangle",
                "-a", "-e", path], addresses)
    return chains(re.sub(r"^(.*):(\d+)$", r"\1", text, flags=re.M))


def by_wick(tool, path, addresses):
    return chains(run([tool, path], addresses))


def equal(wick, other):
    """Of functions without debug information there is the symbol only, and
    which of several at one address is chosen is another part's business."""
    def place(chain):
        return [level[1:] for level in chain or []]
    return wick == other or place(wick) == place(other) == [("??", 0)]


def compare(tool, path, most=3000, verbose=False, oracle=None):
    """(addresses, equal to addr2line, equal to llvm-symbolizer, to one); they
    read `oracle` instead where they cannot read `path`."""
    addresses = sampled_addresses(path, most)
    wick = by_wick(tool, path, addresses)
    gnu = by_addr2line(oracle or path, addresses) if ADDR2LINE else {}
    llvm = by_llvm(oracle or path, addresses) if LLVM else {}
    return count_equal(*demangled(wick, gnu, llvm), verbose)


def count_equal(wick, gnu, llvm, verbose=False):
    """As compare(), of results by address."""
    counts = [0, 0, 0, 0]
    for address in sorted(wick):
        same_gnu = equal(wick[address], gnu.get(address))
        same_llvm = equal(wick[address], llvm.get(address))
        counts[0] += 1
        counts[1] += same_gnu
        counts[2] += same_llvm
        counts[3] += same_gnu or same_llvm
        if verbose and not (same_gnu and same_llvm):
            kind = ("BOTH" if not same_gnu and not same_llvm
                    else "gnu" if not same_gnu else "llvm")
            print(f"{kind} {address:#x}\n  wick {wick[address]}"
                  f"\n  gnu  {gnu.get(address)}\n  llvm {llvm.get(address)}")
    return counts


def report(name, counts):
    total = max(counts[0], 1)
    print(f"{name}: {counts[0]} addresses, equal to addr2line "
          f"{100 * counts[1] / total:.2f} %, to llvm-symbolizer "
          f"{100 * counts[2] / total:.2f} %, to one of them "
          f"{100 * counts[3] / total:.2f} %", flush=True)


def build(command):
    """Whether it could be built: the compiler and its option are there."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def programs():
    """Builds all; (name, the file that the others read)."""
    cpp, c, rust = (str(SOURCES / f"sample.{kind}") for kind in
                    ("cc", "c", "rs"))
    variants = {}
    for version in "2345":
        for level in "02":
            variants[f"gcc-{version}-O{level}"] = [
                "g++", f"-gdwarf-{version}", f"-O{level}", cpp]
    for version in "45":
        variants[f"clang-{version}"] = [
            CLANG, f"-gdwarf-{version}", "-O2", cpp]
        variants[f"gcc-split-{version}"] = [
            "g++", f"-gdwarf-{version}", "-gsplit-dwarf", "-O2", cpp]
        variants[f"clang-split-{version}"] = [
            CLANG, f"-gdwarf-{version}", "-gsplit-dwarf", "-O2",
            "-fno-split-dwarf-inlining", cpp]
    variants |= {
        "gcc-64": ["g++", "-g", "-gdwarf64", "-O2", cpp],
        "gcc-z": ["g++", "-g", "-gz", "-O2", cpp],
        "gcc-types": ["g++", "-g", "-O2", "-fdebug-types-section", cpp],
        "gcc-lto": ["g++", "-g", "-O2", "-flto", cpp],
        "gcc-sections": ["g++", "-g", "-O3", "-ffunction-sections",
                         "-Wl,--gc-sections", cpp],
        "gcc-static": ["g++", "-g", "-O2", "-static", cpp],
        "gcc-c": ["gcc", "-g", "-O2", c],
        "gcc-c-m32": ["gcc", "-g", "-O2", "-m32", c],
        "rust": ["rustc", "-g", "-O", rust],
        "rust-debug": ["rustc", "-g", rust],
    }
    for name, command in variants.items():
        # A folder each: split units are found by the name of the source.
        folder = pathlib.Path(name)
        folder.mkdir()
        program = folder / "program"
        if build([*command, "-o", program]):
            yield str(program), None
    for version in "45":
        program = pathlib.Path(f"gcc-split-{version}/program")
        package = pathlib.Path(f"packaged-{version}")
        if program.exists() and build(
                [DWP, "-e", program, "-o", f"{package}.dwp"]):
            shutil.copy(program, package)
            for dwo in program.parent.glob("*.dwo"):
                dwo.unlink()  # so that it comes from the package
            yield str(package), f"gcc-{version}-O2/program"
    for version in "45":
        original = f"gcc-{version}-O2/program"
        pair = [f"dwz-{version}-{i}" for i in "ab"]
        for each in pair:
            shutil.copy(original, each)
        if build(["dwz", "-m", f"dwz-{version}-common", *pair]):
            yield pair[0], original


def check_programs(tool, verbose):
    sums = [0, 0, 0, 0]
    for path, oracle in programs():
        counts = compare(tool, path, 2000, verbose, oracle)
        report(path, counts)
        sums = [a + b for a, b in zip(sums, counts)]
    report("all", sums)
    return sums[0] > 0 and sums[3] / sums[0] >= 0.999


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    tool = arguments.pop(0)
    verbose = "-v" in arguments
    if verbose:
        arguments.remove("-v")
    most = 3000
    if arguments[0] == "-n":
        most = int(arguments[1])
        arguments = arguments[2:]
    if arguments == ["--programs"]:
        sys.exit(not check_programs(tool, verbose))
    for path in arguments:
        report(path, compare(tool, path, most, verbose))


if __name__ == "__main__":
    main()
