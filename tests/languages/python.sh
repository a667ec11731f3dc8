# SPDX-License-Identifier: Apache-2.0
# Python: without -X perf wick says that it shows the interpreter only.
. "$SOURCE/tests/languages/lib.bash"
need python3
need_recording
flame 'Python' python3 -c '
s = 0
for i in range(5_000_000): s = (s + (i ^ s)) & 65535'
hidden 'Python'
finish
