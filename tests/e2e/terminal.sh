# What goes to standard output, what to a file, and what a terminal gets.
. "$(dirname "$0")/lib.bash"

command -v script >/dev/null || skip 'there is no `script` to make a terminal'
on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
printf 'a;b 3\na;c 4\n' >in.folded

has 'flame into a pipe' "$("$WICK" flame in.folded | head -c 300)" '<svg'
[ ! -e flame.svg ] || complain 'flame into a pipe wrote a file'
said=$(on_terminal "$WICK flame in.folded")
has 'flame on a terminal' "$said" '^wick: wrote flame.svg: 3 functions'
has 'its file' "$(head -c 300 flame.svg)" '<svg'
same 'fold on a terminal' "$(on_terminal "$WICK fold in.folded")" \
  $'a;b 3\na;c 4'
said=$(on_terminal "$WICK convert --to wick in.folded; echo status \$?")
has 'binary on a terminal' "$said" 'is not written to a terminal; give a file'
has 'binary on a terminal' "$said" 'status 2'
"$WICK" convert --to wick in.folded >piped.wick || complain 'binary into a pipe'
same 'binary into a pipe' "$("$WICK" fold piped.wick)" $'a;b 3\na;c 4'

"$WICK" fold in.folded -o out.svg
has 'the extension gives the format' "$(head -c 300 out.svg)" '<svg'
"$WICK" flame in.folded -o out.folded
same 'the extension gives the format' "$(cat out.folded)" $'a;b 3\na;c 4'
"$WICK" flame --to folded in.folded -o out.svg
same '--to overrides it' "$(cat out.svg)" $'a;b 3\na;c 4'
"$WICK" fold in.folded -o out.txt
same 'another extension' "$(cat out.txt)" $'a;b 3\na;c 4'
has '--total' "$("$WICK" flame --total 14 in.folded)" 'c \(4 samples, 28.57%\)'
finish
