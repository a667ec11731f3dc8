# SPDX-License-Identifier: Apache-2.0
# Python: without -X perf wick says that it shows the interpreter only.
. "$SOURCE/tests/languages/lib.bash"
need python3
need_recording
flame 'Python' python3 -c '
s = 0
for i in range(5_000_000): s = (s + (i ^ s)) & 65535'
hidden 'Python'
case $(python3 -c 'import sys; print(sys.version_info >= (3, 12))') in
  True) has 'Python' "$(cat said)" 'start it with `python3 -X perf`' ;;
  *) has 'Python' "$(cat said)" 'in a Python before 3\.12' ;;
esac
finish
