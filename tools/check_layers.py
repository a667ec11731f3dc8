#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says which #include breaks the order of the directories of src/: a file may
include its own directory and those before it, and a library only where it is at
home (docs/architecture.md has the table). Also says which class two headers
define: the linker takes either of them, and says nothing."""
import pathlib
import re
import sys

ORDER = "base profile object perf itrace render format server cli".split()
STRANGERS = {("itrace", "perf")}  # do not know each other, whatever the order
HOMES = {"zstd.h": "base", "zlib.h": "base", "libdeflate.h": "base",
         "lzma.h": "base", "tbb/": "base", "oneapi/": "base",
         "re2/": "base", "google/protobuf": "format", "simdjson": "format",
         "CLI/": "cli", "elfutils/": "object", "libelf": "object",
         "gelf.h": "object", "bpf/": "perf", "sqlite3": "server",
         "httplib": "server"}

src, wrong = pathlib.Path(__file__).parents[1] / "src", 0
defined = {}
for path in sorted([*src.rglob("*.h"), *src.rglob("*.cc")]):
    home = path.relative_to(src).parts[0]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r"(?:class|struct|enum class) (\w+)\b[^;]*\{", line)
        if found and path.suffix == ".h":
            other = defined.setdefault(found[1], path)
            if other != path:
                print(f"{path}:{number}: {other} defines {found[1]}, too")
                wrong += 1
        found = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        name, module = found[2], found[2].split("/")[0]
        own = found[1] == '"' and module in ORDER
        high = own and ORDER.index(module) > ORDER.index(home)
        foreign = [h for prefix, h in HOMES.items()
                   if name.startswith(prefix) and h != home]
        if high or (home, module) in STRANGERS or (foreign and not own):
            print(f"{path}:{number}: {home}/ may not include {name}")
            wrong += 1
sys.exit(wrong > 0)
