# Wrong use and impossible work get one clear line and the right exit status.
# It may run beside others.
. "$(dirname "$0")/lib.bash"

printf 'a;b 3\na;c 4\n' >good.folded
: >empty
head -c 4096 /dev/urandom >rubbish
printf '\0\1\2\3' | cat - rubbish >binary
mkdir folder

expect 2 "unknown command 'nosuch'" nosuch
expect 2 'record: --freq excludes --count' record -F 99 -c 1000 -- true
expect 2 "unknown option '--nosuch'" --nosuch
expect 2 'unknown option --titel \(did you mean --title\?\)' flame --titel x
expect 2 '--only-pid: expected a value' fold --only-pid
expect 2 "--only-pid: 'x' is not a whole number" fold --only-pid x good.folded
expect 2 "--format: 'x' is not one of .*folded" fold --format x good.folded
expect 2 "--to: 'x' is not one of .*folded" fold --to x good.folded
expect 2 "--colors: 'x' is not one of .*hot" flame --colors x good.folded
expect 2 "--compat: 'x' is not one of" fold --compat x good.folded
expect 2 "'\[' is not a valid regular expression" fold --focus '[' good.folded
expect 2 '--time: the end is before the start in .3..2.' fold --time 3..2 good.folded
expect 2 "--minwidth: 'wide' is not a number" flame --minwidth wide good.folded
expect 2 '--height: 0 is not between' flame --height 0 good.folded
expect 2 'excludes' fold --kernel-only --user-only
expect 2 'excludes' flame --flamechart --reverse
expect 2 'nothing to read' fold
expect 2 'give an output file with -o, or a format with --to' convert good.folded
expect 2 'out.nosuch: unknown extension' convert good.folded -o out.nosuch
expect 2 'expected a program after --' flame --
expect 2 'give either an input .* or something to record, not both' flame good.folded -- true
expect 2 '-p or -t, -a and --cgroup exclude each other' flame -p 1 -a
expect 2 'is drawn to a file' flame -o - -- true
expect 2 'goes to a file' record -o - -- true
expect 2 '--freq needs something to record' \
  flame -F 99 good.folded
expect 2 '--keep needs something to record' \
  flame --keep x good.folded
expect 2 '--compression-level needs something to record' \
  flame -z -o x.svg good.folded
expect 2 "-z: 'x' is not a level from 1 to 22" flame -z x -- true
expect 2 "-z: '23' is not a level from 1 to 22" \
  flame --compression-level=23 -- true
expect 2 "--call-graph: fp takes no size \('100'\); dwarf does" \
  record --call-graph fp,100 -- true
expect 2 '--keep-stacks: --call-graph none copies no stacks' \
  record --keep-stacks --call-graph none -- true
expect 2 '--time: expected FROM..TO in seconds, as in 1.5..2, not .foo.' fold --time foo good.folded
expect 2 "a report is text; 'wick flame' writes svg" \
  report -o r.svg good.folded
expect 2 "-c 'stat -a': perf's arguments must begin" flame -c 'stat -a' -- true
expect 2 "missing closing '" flame -c "record 'x" -- true
expect 2 'bash, zsh or fish' completions
expect 2 "'tcsh' is not one of" completions tcsh
expect 2 "unknown command 'nosuch'" man nosuch

expect 1 'missing.txt: cannot open: No such file' fold missing.txt
expect 1 'missing.txt: cannot open: No such file' fold good.folded missing.txt
expect 1 'empty: is empty' fold empty
expect 1 'folder: is a directory' fold folder
expect 1 "not a profile; 'wick flame -- .*' records it" fold "$WICK"
expect 1 "binary: unknown format; the input begins with .*; see 'wick formats' or --format" \
  fold binary
# The name of a file comes once, in front.
printf PERFILE2 >cut.data
expect 1 '^wick: cut.data: is a perf.data file that is truncated' fold cut.data
printf '\211wick' >cut.wick
for command in fold flame report; do
  expect 1 '^wick: missing: cannot open: No such file' $command missing
  expect 1 '^wick: cut.wick: [^:]*$' $command cut.wick
done
expect 1 '^wick: missing: cannot open: No such file' diff good.folded missing
expect 1 '^wick: missing: cannot open: No such file' trace missing
expect 1 '^wick: missing: no such file or directory' firesim missing
expect 1 '^wick: folder: has no TRACEFILE' firesim folder
expect 1 'folder: is a directory' fold good.folded -o folder
expect 1 'nosuch/x: cannot write' fold good.folded -o nosuch/x
expect 1 'nosuch/x.svg: cannot write' flame good.folded -o nosuch/x.svg
expect 1 'there is no event .nosuch.; the input has samples' \
  fold --event nosuch good.folded
expect 1 'this input has no times' fold --time 1..2 good.folded

# What was probably meant.
expect 2 "unknown command 'flam' \(did you mean flame\?\)" flam x.data
expect 2 "unknown command 'recrod' \(did you mean record\?\)" recrod -- true
expect 2 "unknown command 'x'; see" x
expect 2 "unknown command 'version' \(did you mean --version\?\)" version
expect 2 "'2' is not a percentage, a time or a ratio; expected .*'REGEX>1.05x'" \
  diff --fail-on 'hot>2' x y
expect 2 '--kernel takes no value, got .3.' fold --kernel=3 good.folded
expect 2 '--clockid: .x. is not one of' flame --clockid x -- true
expect 2 '--clockid: .x. is not one of' record -k x -- true
expect 2 '- is given more than once' fold - -
expect 2 'only one of the inputs can be standard input' diff - -
# Paths that are misspelt are not ignored.
for option in --vmlinux --kallsyms --symfs --sysroot --elf --uartlog; do
  expect 1 "^wick: $option: nosuch/x: No such file or directory" \
    fold $option nosuch/x good.folded
done
expect 1 '--symfs: good.folded: is not a directory' \
  fold --symfs good.folded good.folded
expect 1 '--kallsyms: folder: is a directory' \
  fold --kallsyms folder good.folded
# Nothing runs only to find that its result cannot be drawn.
expect 1 '^wick: --diff: missing: cannot open' \
  flame --diff missing -o x.svg -- touch ran
expect 2 "--event 'nosuch' is not among the events that are recorded" \
  flame --event nosuch -o x.svg -- touch ran
[ ! -e ran ] || complain 'a program ran although its result cannot be drawn'
! "$WICK" cargo --help | grep -q 'nstruction trace' ||
  complain 'wick cargo has options of instruction traces'

if [ -e /dev/full ]; then
  # The result is written even if standard error cannot be.
  same 'standard error is full' "$("$WICK" fold good.folded 2>/dev/full)" \
    "$("$WICK" fold good.folded)"
  "$WICK" nosuch 2> >(exec true)
  same 'wrong use, and standard error is a closed pipe' $? 2
  "$WICK" nosuch 2>/dev/full
  same 'wrong use, and standard error is full' $? 2
  said=$("$WICK" fold good.folded 2>&1 >/dev/full)
  same 'status of a full disk' $? 1
  has 'full disk' "$said" 'standard output: cannot write: No space left'
  for words in doctor 'doctor --events' --help formats; do
    "$WICK" $words >/dev/full 2>&1
    same "status of wick $words on a full disk" $? 1
  done
fi
finish
