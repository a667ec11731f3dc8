# Where inputs come from: files, standard input, compressed, several at once,
# or none at all.
# It may run beside others.
. "$(dirname "$0")/lib.bash"

printf 'a;b 3\na;c 4\n' >one.folded
printf 'a;b 10\nd 1\n' >two.folded
both=$'a;b 13\na;c 4\nd 1'
one=$'a;b 3\na;c 4'

same 'a file' "$("$WICK" fold one.folded)" "$one"
same 'two files' "$("$WICK" fold one.folded two.folded)" "$both"
same 'standard input, not named' "$("$WICK" fold <one.folded)" "$one"
same 'a pipe' "$(cat one.folded | "$WICK" fold)" "$one"
same 'a pipe and a file' "$(cat one.folded | "$WICK" fold - two.folded)" "$both"
same 'a FIFO' "$("$WICK" fold <(cat one.folded))" "$one"
same 'behind --' "$("$WICK" fold -- one.folded)" "$one"
gzip -k one.folded
same 'gzip' "$("$WICK" fold one.folded.gz)" "$one"
same 'gzip in a pipe' "$(cat one.folded.gz | "$WICK" fold)" "$one"
if command -v zstd >/dev/null; then
  zstd -q one.folded
  same 'zstd' "$("$WICK" fold one.folded.zst two.folded)" "$both"
fi
if command -v xz >/dev/null; then
  xz -k one.folded
  same 'xz' "$("$WICK" fold one.folded.xz two.folded)" "$both"
  same 'xz in a pipe' "$(cat one.folded.xz | "$WICK" fold)" "$one"
fi
if command -v bzip2 >/dev/null; then
  bzip2 -k one.folded
  expect 1 'one.folded.bz2: is compressed with bzip2; pass it through `bzip2 -dc`' \
    fold one.folded.bz2
fi
head -c 20 one.folded.gz >cut.gz
has 'a cut gzip' "$("$WICK" fold cut.gz 2>&1)" 'cut off|is empty'

# A text that is none of the format that was named is no success.
printf 'no such thing\nat all\n' >prose
for format in jstack ibmjava gdb dtrace stap go-raw eu-stack java-exceptions \
  faulthandler aix pmcstat bcc bpftrace perf-script folded; do
  expect 1 '^wick: prose: ' fold -q --format $format prose
done
printf 'a 1 1.0: 1 cycles:\n\t1 function (/bin' >cut.txt
has 'a cut line' "$("$WICK" fold cut.txt 2>&1 >/dev/null)" \
  'input ends in the middle .*the last line is cut'

# Nothing named and nothing piped in: wick.data, else perf.data.
same 'wick.data' "$(cp one.folded wick.data; cp two.folded perf.data
                    "$WICK" fold </dev/null)" "$one"
rm wick.data
same 'perf.data' "$("$WICK" fold </dev/null)" $'a;b 10\nd 1'

# Loss is reported unless --quiet is given.
printf 'a;b 3\nrubbish without a number\na;c 4\n' >odd.folded
has 'loss' "$("$WICK" fold odd.folded 2>&1 >/dev/null)" \
  '1 line could not be read \(first: line 2: rubbish'
same 'quiet' "$("$WICK" fold -q odd.folded 2>&1 >/dev/null)" ''
same 'no loss' "$("$WICK" fold one.folded 2>&1 >/dev/null)" ''
has 'stats' "$("$WICK" fold --stats one.folded 2>&1 >/dev/null)" 'peak memory'

# --total widens the picture; a total below the actual one has no effect.
"$WICK" flame --total 14 --to svg one.folded >wide.svg 2>wide.txt
same '--total' "$(cat wide.txt)" ''
has '--total' "$(cat wide.svg)" 'a \(7 samples, 50.00%\)'
"$WICK" flame --total 5.5 --to svg one.folded >wide.svg 2>wide.txt
same 'a small --total' "$(cat wide.txt)" \
  'wick: --total 5.5 is ignored: it is less than the sum of the weights, 7'
has 'a small --total' "$(cat wide.svg)" 'a \(7 samples, 100.00%\)'

# Selection.
printf 'main;parse;read 1\nmain;main;draw 2\n' >more.folded
same '--focus' "$("$WICK" fold -q --focus '^dr' more.folded)" 'main;main;draw 2'
same '--focus twice' \
  "$("$WICK" fold -q --focus read --focus=draw more.folded | wc -l)" 2
same '--hide' "$("$WICK" fold --hide 'parse|draw' more.folded)" \
  $'main;main 2\nmain;read 1'
same '--merge-recursion' "$("$WICK" fold --merge-recursion more.folded)" \
  $'main;draw 2\nmain;parse;read 1'
same '--skip-after' "$("$WICK" fold --skip-after parse more.folded)" \
  $'main;main;draw 2\nparse;read 1'
same '--base' "$("$WICK" fold -q --base parse more.folded)" 'parse;read 1'
finish
