#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wick diff: outputs, gates, exit statuses. The binary is $1 or $WICK.
# It may run beside others.
set -eu
wick=$(realpath "${1:-$WICK}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

bad() { echo "diff.sh: $*" >&2; exit 1; }
# expect_status STATUS COMMAND…
expect_status() {
  want=$1; shift
  got=0
  "$@" >out 2>err || got=$?
  [ "$got" = "$want" ] || bad "'$*' ended with $got instead of $want: $(cat err)"
}

printf 'main;parse 1000\nmain;old 500\nmain;0x12ab 8500\n' >before
printf 'main;parse 2000\nmain;new 500\nmain;0x77 7500\n' >after

# Folded pairs: both sides are there.
expect_status 0 "$wick" diff --to folded before after
printf 'main;0x12ab 8500 0\nmain;0x77 0 7500\nmain;new 0 500\nmain;old 500 0\nmain;parse 1000 2000\n' >want
cmp out want || bad "folded pairs differ"
expect_status 0 "$wick" diff -s --to folded before after
grep -qx 'main;0x... 8500 7500' out || bad "--strip-hex did not join addresses"

# Twice as long after: -n doubles what was before.
sed 's/$/0/' after >longer
expect_status 0 "$wick" diff -n --to folded before longer
grep -qx 'main;parse 10000 20000' out || bad "-n did not scale"

# The table, and the same from the pairs.
expect_status 0 "$wick" diff before after
grep -q 'gone  old$' out || bad "no row for what is gone"
grep -q 'new   new$' out || bad "no row for what is new"
"$wick" diff --to folded before after >pairs
"$wick" diff pairs | tail -n +4 >table_of_pairs
tail -n +4 out >table
cmp table table_of_pairs || bad "the pairs give another table"
expect_status 0 "$wick" diff --by stack --top 1 before after
grep -q 'main;0x12ab$' out || bad "no table of stacks"

# Gates.
expect_status 3 "$wick" diff --fail-on '^parse$>+2%' before after
grep -q 'parse grew from 10.00% to 20.00%' err || bad "no reason: $(cat err)"
expect_status 0 "$wick" diff --fail-on '^parse$>+20%' before after
expect_status 3 "$wick" diff --fail-on 'x>+2%' --fail-on 'old<-1%' before after
expect_status 0 "$wick" diff --fail-on 'nosuchname>+2%' before after
grep -q 'no function matches' err || bad "a gate for nobody is silent"
expect_status 0 "$wick" diff --fail-on 'parse>+0%' before before
# Large, but not significant.
printf 'f 1\ng 9\n' >few
printf 'f 3\ng 7\n' >few_after
expect_status 0 "$wick" diff --fail-on 'f>+2%' few few_after
grep -q 'f grew from 10.00% to 30.00%.*, but that may be chance' err ||
  bad "nothing says why the gate is open: $(cat err)"
expect_status 0 "$wick" diff -q --fail-on 'f>+2%' few few_after
[ ! -s err ] || bad "-q does not silence doubts: $(cat err)"
expect_status 3 "$wick" diff --fail-on 'f>+2%' --confidence 50 few few_after
# The gate closes whatever is written, and the output is written all the same.
expect_status 3 "$wick" diff --fail-on 'parse>+2%' -n -o x.folded before after
grep -qx 'main;parse 1000 2000' x.folded || bad "no output beside the gate"

# Wrong use and bad inputs.
expect_status 2 "$wick" diff --fail-on 'parse' before after
expect_status 2 "$wick" diff --fail-on '(>+2%' before after
expect_status 2 "$wick" diff --confidence 100 before after
expect_status 2 "$wick" diff before
expect_status 2 "$wick" diff before after after
expect_status 1 "$wick" diff before missing
expect_status 1 "$wick" diff pairs after
printf '# nothing\n' >nothing
expect_status 1 "$wick" diff --format folded nothing after
