#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wick report: tables, callers, losses, hostile names. The binary is $1 or $WICK.
# It may run beside others.
set -eu
wick=$(realpath "${1:-$WICK}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

bad() { echo "report.sh: $*" >&2; exit 1; }
has() { grep -q -- "$1" out || bad "no '$1' in: $(cat out)"; }

printf 'main;parse;read 30\nmain;write 60\nmain 10\nbroken line\n' >in
"$wick" report in >out
has '^    60  60.00%     60   60.00%  write$'
has '^    10  10.00%    100  100.00%  main$'
has '1 line could not be read'
"$wick" report --sort total --top 1 in >out
has '100.00%  main$'
has "… 3 more functions; see --top 0"
"$wick" report --top 3 in >out
has "… 1 more function; see --top 0"
"$wick" report --callers read --callees main in >out
has '^callers of read: 30, 30.00% of the whole$'
has '100.00%  parse$'
has '^callees of main: 100, 100.00% of the whole$'
has '60.00%  60.00%  write$'
has '\[self\]$'

# Numbers for people, and for scripts.
cat >clock.txt <<'T'
a 1/1 1.000: 1234567 cpu-clock:
	1 f (/bin/a)

a 1/1 2.500: 2000000 cpu-clock:
	1 f (/bin/a)

T
"$wick" report clock.txt >out
has '^  3.23 ms  time        2  cpu-clock$'
"$wick" report --raw clock.txt >out
has '^  3234567  nanoseconds        2  cpu-clock$'
has '^  from the first sample to the last: 1500000000 nanoseconds$'
has '^  3234567  100.00%  3234567  100.00%  f$'
"$wick" diff --raw --runs 1000,2000 clock.txt clock.txt >out
has '^before: clock.txt, 3234567 nanoseconds worth 2 samples in 1000 runs, 3235 per run$'
if grep -q '[0-9],[0-9]' out; then bad "commas in raw numbers: $(cat out)"; fi

# From standard input, into a file.
"$wick" report -o report.txt - <in
grep -q 'write$' report.txt || bad "no report in the file"

# Names are escaped before they reach the terminal.
printf 'a\033[2J\007b 1\n' | "$wick" report --format folded - >out
if tr -d '\n -~' <out | grep -q '[[:cntrl:]]'; then bad "control characters"; fi
has 'a?\[2J?b$'

# A sample with event, thread, module and time.
cat >perf.txt <<'END'
make 10/11 1.000000: 250000 cycles:
	    4004f0 spin+0x10 (/bin/spin)
	    400600 main+0x20 (/bin/spin)

make 10/12 1.500000: 750000 cycles:
	    7f0010 memcpy+0x1 (/lib/libc.so.6)
	    400600 main+0x20 (/bin/spin)

END
"$wick" report perf.txt >out
has 'first sample to the last: 0.500 s'
has '75.00%  libc.so.6$'
has '25.00%  make-10/11$'
"$wick" report --by module perf.txt >out
has '100.00%  spin$'

status=0
"$wick" report --by nothing in 2>/dev/null || status=$?
[ "$status" = 2 ] || bad "--by nothing ended with $status"
status=0
"$wick" report --callers nosuchname in >/dev/null 2>&1 || status=$?
[ "$status" = 1 ] || bad "--callers of nobody ended with $status"
