# Programs that try to exhaust whoever records them: the recorder stays small, says
# what it gave up, and the stacks of a program beside them are right.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
command -v python3 >/dev/null || skip 'python3 is not installed'
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] ||
  skip 'programs are changed for 64-bit little-endian machines only'

# Memory that was freed is not to count.
export ASAN_OPTIONS=quarantine_size_mb=4:thread_local_quarantine_size_kb=64

program=$SOURCE/tests/e2e/programs/hostile.c
make_hostile=$SOURCE/tests/hostile/programs.py
gcc -O1 -g -fomit-frame-pointer -o hostile "$program" -ldl || exit
cp hostile victim

# measured COMMAND…: sets peak to the megabytes of its largest process and said to
# its standard error.
measured() {
  python3 - "$@" >peak.txt 2>said.txt <<'PYTHON'
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(status)
PYTHON
  local status=$?
  peak=$(cat peak.txt) said=$(cat said.txt)
  return $status
}

# stays_small WHAT MOST: peak is at most MOST megabytes above that of an honest
# program.
stays_small() {
  [ "$peak" -le $((usual + $2)) ] ||
    complain "$1: $peak MB, and $usual MB for an honest program"
}

# victim_is_right FILE: nearly all samples of the victim have their whole stack.
victim_is_right() {
  "$WICK" fold "$1" 2>/dev/null >folded.txt
  awk -v file="$1" '/^victim/ { all += $NF }
    /^victim;.*main;outer;inner;busy/ { good += $NF }
    END { if (all == 0 || good < 0.8 * all) {
      print "FAIL " file ": " good + 0 " of " all + 0 " are right"; exit 1 } }' \
    folded.txt || failures=$((failures + 1))
}

# beside COMMAND…: it and the victim, at the same time.
beside() {
  printf '#!/bin/sh\n./victim run 400 &\n%s\nwait\n' "$*" >both
  chmod +x both
}

measured "$WICK" record -o usual.data -- ./victim run 400
usual=$peak
victim_is_right usual.data

expect 2 '^wick: --memory: 1M is too little; the least is 16M' record --memory 1M -- true
expect 2 "^wick: --memory: 'much' is not a size" record --memory much -- true

# 6,000 sections of notes that span a file of 1.4 MB.
python3 "$make_hostile" notes hostile notes || exit
beside ./notes run 400
measured "$WICK" record --memory 32M -o notes.data -- ./both
stays_small 'overlapping notes' 100
victim_is_right notes.data
measured "$WICK" fold notes.data
stays_small 'reading overlapping notes' 150

# An .eh_frame of 3 GB that takes no space.
python3 "$make_hostile" sparse hostile sparse || exit
beside ./sparse run 400
measured "$WICK" record --memory 32M -o sparse.data -- ./both
stays_small 'a sparse .eh_frame' 100
has 'a sparse .eh_frame' "$said" \
  "1 file needs more memory than .*; stacks end in it; see 'wick record --memory'"
victim_is_right sparse.data
has 'the recording' "$("$WICK" fold sparse.data 2>&1 >/dev/null)" \
  '1 file needs more memory than'

# Jitdumps of 4 GB that take no space.
beside ./hostile dumps 8 400
measured "$WICK" record --memory 32M -o dumps.data -- ./both
stays_small 'sparse jitdumps' 100
victim_is_right dumps.data
measured "$WICK" fold dumps.data
stays_small 'reading sparse jitdumps' 150

# 60 MB of names, one mapped after the other. About 50 MB are due to symbols of
# the kernel and libc and to budgets that are used up, however many there are.
mkdir paths
beside 'cd paths && ../hostile paths 20000'
measured "$WICK" record --memory 16M -o paths.data -- ./both
stays_small 'many paths' 75
victim_is_right paths.data
rm -rf paths paths.data

# A perf map of a million lines; its first one has the name that matters.
measured "$WICK" record -o map.data -- ./hostile map 6000000 200
measured "$WICK" fold map.data
stays_small 'a large perf map' 150
has 'generated code' "$("$WICK" fold map.data 2>/dev/null)" generated_code
rm -f "$(cat map-path)"

# More libraries than files may be open.
mkdir libraries
gcc -O1 -g -shared -fPIC -fomit-frame-pointer -o library.so "$program" -ldl || exit
for i in $(seq 150); do cp library.so "libraries/$i.so"; done
cp hostile call
(
  ulimit -n 64
  "$WICK" record -q -o libraries.data -- ./call libraries libraries 300
) || complain 'many libraries: not recorded'
"$WICK" fold libraries.data 2>/dev/null |
  awk '{ all += $NF } /main;.*outer;inner;busy/ { good += $NF }
    END { if (good < 0.8 * all) { print "FAIL many libraries: " good " of " all; exit 1 } }' ||
  failures=$((failures + 1))
finish
