#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports each #include that breaks the order of the directories of src/: a file
may include its own directory and those before it in ROOMS, and a library only
in the directory that owns it (docs/architecture.md has the table). Files directly
in a directory with rooms, such as object/symbolize.cc, are its front doors: they
come after its rooms, and files of other directories may include rooms and front
doors alike. Tests, benchmarks and fuzz targets may use all of their own
directory. Also reports a class that two headers define: the linker would silently
take either."""
import pathlib
import re
import sys

ROOMS = """
base
io
profile
sysroot
transform
object/elf object/dwarf object/unwind object/demangle object/kernel object/jit object
host
perf/records perf/file perf/session perf/events perf/recording perf
itrace/formats itrace/code itrace/stacks itrace/trigger itrace
render
format/common format/text format/java format/tables format/json format/binary format
integration
server/batch server/store server/history server/http server/api server
agent
cli/options cli
""".split()
STRANGERS = {("itrace", "perf")}  # must not include each other in any order
OWNERS = {"zstd.h": "io", "zlib.h": "io", "libdeflate.h": "io",
          "lzma.h": "io", "ext2fs/": "sysroot", "tbb/": "base", "oneapi/": "base", "re2/": "base",
          "simdjson": "format", "CLI/": "cli", "bpf/": "perf",
          "sqlite3": "server", "boost/": "server", "openssl/": "server", "toml": "server"}

src, wrong = pathlib.Path(__file__).parents[1] / "src", 0


def report(path, number, message):
    global wrong
    wrong += 1
    print(f"{path.relative_to(src.parent)}:{number}: {message}")


def may_include(path, room, kind, name):
    """`room` is the directory of `path`; `kind` is the quote of the #include."""
    top = room.split("/")[0]
    if kind == "<":
        return all(owner == top for prefix, owner in OWNERS.items()
                   if name.startswith(prefix))
    other = str(pathlib.PurePosixPath(name).parent)
    if other not in ROOMS:  # a test's builders, or a generated file
        return True
    if re.search(r"_(test|bench|fuzz)$", path.stem) and other.split("/")[0] == top:
        return True
    return (ROOMS.index(other) <= ROOMS.index(room)
            and (top, other.split("/")[0]) not in STRANGERS)


defined = {}
for path in sorted([*src.rglob("*.h"), *src.rglob("*.cc")]):
    room = path.relative_to(src).parent.as_posix()
    if room not in ROOMS:
        report(path, 1, f"{room}/ has no place in the order (ROOMS in {__file__})")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r"(?:class|struct|enum class) (\w+)\b[^;]*\{", line)
        if found and path.suffix == ".h":
            other = defined.setdefault(found[1], path)
            if other != path:
                report(path, number, f"{other} defines {found[1]} too")
        found = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
        if found and not may_include(path, room, *found.groups()):
            report(path, number, f"{room}/ may not include {found[2]}")
sys.exit(wrong > 0)
