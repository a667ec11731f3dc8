#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own and reports the control characters
that reached it, apart from those that wick itself writes.

    escapes.py COMMAND…

Prints what the terminal got, with control characters made visible; status 1 if
there were any, 2 if the terminal got nothing.
"""

import os
import pty
import sys
import unicodedata


def output_of(words):
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(words[0], words)
    got = b''
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the last process on the terminal has ended
            break
        if not piece:
            break
        got += piece
    os.waitpid(child, 0)
    return got


def is_control(c):
    return unicodedata.category(c) in ('Cc', 'Cs') or 0x202a <= ord(c) <= 0x202e


got = output_of(sys.argv[1:])
# The terminal's own line ends, and lines that wick overwrites in place.
text = got.replace(b'\r\n', b'\n').replace(b'\r\x1b[K', b'')
text = text.decode('utf-8', 'surrogateescape')
bad = [c for c in text if is_control(c) and c not in '\n\t']
print(text.encode('unicode_escape').decode().replace('\\n', '\n'))
sys.exit(1 if bad else 0 if text else 2)
