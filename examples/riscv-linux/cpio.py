#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cpio.py DIR > FILE: DIR as an initramfs (cpio, "newc"), owned by root.

Links stay links; /dev/console is added, since init prints nothing without it.
"""
import os
import stat
import sys


def entry(number, name, mode, content=b"", device=(0, 0)):
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, *device,
              len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields)
    head += name.encode() + b"\0"
    head += b"\0" * (-len(head) % 4)
    return head + content + b"\0" * (-len(content) % 4)


def main():
    root = sys.argv[1]
    out = sys.stdout.buffer
    paths = [os.path.relpath(os.path.join(directory, name), root)
             for directory, directories, files in os.walk(root)
             for name in directories + files]
    for number, path in enumerate(sorted(paths)):
        full = os.path.join(root, path)
        mode = os.lstat(full).st_mode
        content = b""
        if stat.S_ISLNK(mode):
            content = os.readlink(full).encode()
        elif stat.S_ISREG(mode):
            with open(full, "rb") as file:
                content = file.read()
        out.write(entry(number + 1, path, mode, content))
    out.write(entry(0, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    out.write(entry(0, "TRAILER!!!", 0))


main()
