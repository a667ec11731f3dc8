# An output exists whole or not at all, and an old one stays until the new one
# is complete.
. "$(dirname "$0")/lib.bash"

for i in $(seq 5000); do echo "main;function_$i 1"; done >in.folded
: >empty

echo old >out.svg
"$WICK" flame empty -o out.svg 2>/dev/null && complain 'an empty input is drawn'
same 'the old file after a failure' "$(cat out.svg)" old
# As if the disk were full: no file may grow beyond 4 kB.
(
  trap '' XFSZ
  ulimit -f 4
  "$WICK" flame --minwidth 0 in.folded -o out.svg
) 2>said.txt && complain 'a full disk is not noticed'
has 'full disk' "$(cat said.txt)" 'out.svg: cannot write: File too large'
same 'the old file after a full disk' "$(cat out.svg)" old
same 'what is left' "$(ls -A)" $'empty\nin.folded\nout.svg\nsaid.txt\ntmp'
"$WICK" flame in.folded -o out.svg || complain 'cannot overwrite'
has 'the new file' "$(head -c 300 out.svg)" '<svg'

sort in.folded >sorted
"$WICK" fold in.folded -o in.folded || complain 'cannot write over the input'
cmp sorted in.folded || complain 'written over its input, it is not the same'
"$WICK" fold in.folded -o /dev/stdout >piped.txt
cmp sorted piped.txt || complain '/dev/stdout as the output'
ln -s sorted link
"$WICK" fold in.folded -o link || complain 'cannot write through a link'
[ -L link ] || complain 'a symbolic link was replaced'
finish
