# Ctrl-C ends the recording and the picture is still drawn; a second one ends
# wick and leaves nothing behind.
. "$(dirname "$0")/lib.bash"
need_perf
compile_burner burn

# A group of its own, as a shell gives it to a job; SIGINT is not ignored.
start() {
  python3 -c 'import os, signal, sys
os.setpgid(0, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$WICK" "$@" </dev/null 2>said.txt &
  wick=$!
  until_ran 20
}
# until_ran TICKS: waits until ./burn has run for so many hundredths of a second.
until_ran() {
  for _ in $(seq 300); do
    for process in $(processes); do
      set -- "$1" $(sed 's/.*) //' "$process/stat" 2>/dev/null)
      [ "${13:-0}" -lt "$1" ] || return
    done
    sleep 0.1
  done
}
# The ./burn processes of this script.
processes() {
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/cwd")" = "$PWD" ] || continue
    case $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") in
      ./burn*) echo "$process" ;;
    esac
  done
}
command -v python3 >/dev/null || skip 'python3 is not installed'

start flame -o one.folded -- ./burn 0 100000000000
kill -INT -$wick
wait $wick
same 'status after Ctrl-C' $? 0
has 'after Ctrl-C' "$(cat said.txt)" 'wrote one.folded'
has 'after Ctrl-C' "$(cat one.folded)" hot_function

start flame -o two.folded -- ./burn 0 100000000000
kill -INT $wick
wait $wick
same 'status after SIGINT to wick alone' $? 0
has 'after SIGINT to wick alone' "$(cat two.folded)" hot_function

# As `timeout -s INT` does it: to wick, and then to its group.
start flame -o group.folded -- ./burn 0 100000000000
kill -INT $wick
kill -INT -$wick
wait $wick
same 'status after SIGINT twice at once' $? 0
has 'after SIGINT twice at once' "$(cat group.folded)" hot_function

start flame -o three.folded -- ./burn 0 100000000000
kill -TERM $wick
wait $wick
same 'status after SIGTERM' $? 0
has 'after SIGTERM, as timeout sends it' "$(cat three.folded)" hot_function
for process in $(processes); do
  complain "the target outlived wick: $process"
done

# A program that ignores signals: the second one ends wick, and what was
# recorded until the first is kept.
start record -o four.data -- env --ignore-signal=INT --ignore-signal=TERM \
  ./burn 0 100000000000
kill -INT $wick
sleep 0.5
kill -INT $wick
wait $wick
same 'status after the second Ctrl-C' $? 130
has 'after the second Ctrl-C' "$("$WICK" fold -q four.data)" hot_function
for process in $(processes); do
  kill -KILL "${process#/proc/}"
done
same 'temporary files' "$(ls -A tmp)" ''
finish
