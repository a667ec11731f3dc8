#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kallsyms.py IMAGE > System.map: the symbols embedded in a Linux kernel.

Debian ships System.map only in a package of 1 GB. The kernel's own table, shown
by /proc/kallsyms, has the same text symbols: names as sequences of 256 frequent
tokens, and 32-bit offsets. Its parts follow each other (Linux 6.4 and later,
scripts/kallsyms.c): number of symbols, names, markers (where every 256th name
begins), tokens, where each token begins, offsets.
"""
import re
import struct
import sys

LINKED_AT = 0xFFFFFFFF80000000  # KERNEL_LINK_ADDR of 64-bit RISC-V


def aligned(at):
    return (at + 7) // 8 * 8


def find_tokens(image):
    """Start and end of the table of tokens, and the tokens."""
    digits = b"".join(b"%d\0" % digit for digit in range(10))
    for match in re.finditer(re.escape(digits), image):
        end = match.start()
        for _ in range(256 - ord("0")):
            end = image.index(b"\0", end) + 1
        index = struct.unpack_from("<256H", image, aligned(end))
        start = match.start() - index[ord("0")]
        if index[0] == 0 and start >= 0:
            tokens = image[start:end].split(b"\0")[:256]
            if list(index) == [sum(map(len, tokens[:i])) + i for i in range(256)]:
                return start, end, tokens
    sys.exit("kallsyms.py: no symbol table in this image; is it compressed?")


def read_markers(image, end):
    """Where every 256th name begins, and where that table begins."""
    at = end - 4
    if struct.unpack_from("<I", image, at)[0] == 0:
        at -= 4  # alignment
    markers = []
    while not markers or markers[-1] != 0:
        markers.append(struct.unpack_from("<I", image, at)[0])
        at -= 4
    return markers[::-1], at + 4


def read_name(image, at):
    """The numbers of a name's tokens, and where the next name begins."""
    size = image[at]
    at += 1
    if size & 0x80:
        size = size & 0x7F | image[at] << 7
        at += 1
    return image[at : at + size], at + size


def find_names(image, markers, end):
    """Number of symbols, and where their names begin."""
    least, most = (len(markers) - 1) * 256 + 1, len(markers) * 256
    at = (end - markers[-1]) // 8 * 8
    while at > 8:
        at -= 8
        count = struct.unpack_from("<I", image, at)[0]
        if not least <= count <= most:
            continue
        name = at + 8
        for _ in range(256):
            name = read_name(image, name)[1]
        if name - (at + 8) == markers[1]:
            return count, at + 8
    sys.exit("kallsyms.py: the symbol names are not where expected")


def main():
    with open(sys.argv[1], "rb") as file:
        image = file.read()
    tokens_at, tokens_end, tokens = find_tokens(image)
    markers, markers_at = read_markers(image, tokens_at)
    count, at = find_names(image, markers, markers_at)
    offsets = struct.unpack_from(
        "<%dI" % count, image, aligned(aligned(tokens_end) + 512))
    symbols = []
    for offset in offsets:
        numbers, at = read_name(image, at)
        text = b"".join(tokens[number] for number in numbers).decode()
        symbols.append((offset, text[0], text[1:]))
    # The base is filled in when the kernel is loaded.
    start = {name: offset for offset, _, name in symbols}.get("_start")
    if start is None:
        sys.exit("kallsyms.py: the kernel has no symbol _start")
    for offset, kind, name in sorted(symbols):
        print("%016x %s %s" % (LINKED_AT + offset - start, kind, name))


main()
