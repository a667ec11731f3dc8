# SPDX-License-Identifier: Apache-2.0
# Functions, files and lines of addresses are those of addr2line and
# llvm-symbolizer.
# It may run beside others.
tool=$(dirname "$WICK")/resolve_lines
[ -x "$tool" ] || { echo "resolve_lines is not built"; exit 77; }
command -v addr2line objdump g++ python3 >/dev/null ||
  { echo "binutils, g++ or python3 is missing"; exit 77; }
command -v llvm-symbolizer-16 llvm-symbolizer llvm-symbolizer-19 >/dev/null ||
  { echo "llvm-symbolizer is not installed; it decides where addr2line is" \
         "wrong (apt install llvm-16)"; exit 77; }
exec python3 "$SOURCE/tests/e2e/lines.py" "$tool" --programs
