# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder. Each runs in an empty folder, with the
# binary in WICK or as its first argument. Status 0 is a pass; 77 is a skip, with the
# reason as the last line of output.
set -u
WICK=${WICK:-$1}
failures=0
export TMPDIR=$PWD/tmp
mkdir -p tmp

complain() {
  echo "FAIL $*"
  failures=$((failures + 1))
}

skip() {
  echo "$*"
  exit 77
}

# The same in the middle of a script: earlier failures count.
skip_rest() {
  [ "$failures" = 0 ] || exit 1
  skip "$@"
}

finish() {
  [ "$failures" = 0 ]
  exit
}

# expect STATUS REGEX WORDS…: runs `wick WORDS…`; its exit status must be
# STATUS, and its standard error one line that matches REGEX.
expect() {
  local status=$1 regex=$2 got said
  shift 2
  said=$("$WICK" "$@" 2>&1 >stdout.txt </dev/null)
  got=$?
  [ "$got" = "$status" ] || complain "wick $*: exit status $got, not $status"
  [[ $said =~ $regex ]] || complain "wick $*: said '$said', not '$regex'"
  [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] ||
    complain "wick $*: said more than one line: $said"
}

# same WHAT GOT WANTED
same() {
  [ "$2" = "$3" ] || complain "$1: got '$2', wanted '$3'"
}

# has WHAT TEXT REGEX
has() {
  [[ $2 =~ $3 ]] || complain "$1: '$2' does not have '$3'"
}

# timed COMMAND…: sets elapsed to its milliseconds.
timed() {
  local begin status
  begin=$(date +%s%N)
  "$@"
  status=$?
  elapsed=$((($(date +%s%N) - begin) / 1000000))
  return $status
}

# let_nobody_in: lets the user nobody, as whom "${nobody[@]}" runs a command, into
# the test's folder and to a copy of wick. False if nobody still cannot run it.
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
let_nobody_in() {
  [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return 1
  chmod 777 "$PWD" tmp
  cp "$WICK" ./wick
  WICK=$PWD/wick
  "${nobody[@]}" "$WICK" --version >/dev/null 2>&1
}

# Skips unless perf can record here.
need_perf() {
  command -v "${PERF:-perf}" >/dev/null || skip "there is no perf"
  "${PERF:-perf}" record -q -o perf-works.data -- true >/dev/null 2>&1 ||
    skip "the kernel does not allow perf to record"
  rm -f perf-works.data
  command -v gcc >/dev/null || skip "there is no gcc"
}

# compile_burner FILE: a program with a hot function. FILE STATUS ROUNDS runs for
# ROUNDS and ends with STATUS.
compile_burner() {
  cat >burn.c <<'C'
#include <stdio.h>
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) void hot_function(long n) {
  for (long i = 0; i < n; i++) sum += i * i;
}
__attribute__((noinline)) void cold_function(long n) {
  for (long i = 0; i < n; i++) sum += i;
}
int main(int argc, char** argv) {
  char line[100];
  fprintf(stderr, "to stderr\n");
  if (fgets(line, sizeof line, stdin)) printf("read %s", line);
  fflush(stdout);
  hot_function(argc > 2 ? atol(argv[2]) : 200000000);
  cold_function(10000000);
  return argc > 1 ? atoi(argv[1]) : 0;
}
C
  gcc -O1 -fno-omit-frame-pointer -o "$1" burn.c
}
