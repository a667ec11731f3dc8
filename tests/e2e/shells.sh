# Completions load in their shells, man pages are clean roff, and help names
# every command.
# It may run beside others.
. "$(dirname "$0")/lib.bash"

"$WICK" completions bash >wick.bash
bash -n wick.bash || complain 'bash: syntax'
complete_words() {
  bash -c '. ./wick.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wick
    echo "${COMPREPLY[*]}"' bash "$@"
}
has 'bash: commands' "$(complete_words wick f)" 'flame fold firesim formats'
has 'bash: options' "$(complete_words wick fold --mer)" '^--merge-recursion$'
has 'bash: palettes' "$(complete_words wick flame --colors ja)" '^java$'
has 'bash: formats' "$(complete_words wick fold --format = fol)" '^folded$'
has 'bash: shells' "$(complete_words wick completions '')" 'bash'
"$WICK" completions zsh >_wick
"$WICK" completions fish >wick.fish
! command -v zsh >/dev/null || zsh -n _wick || complain 'zsh: syntax'
! command -v fish >/dev/null || fish -n wick.fish || complain 'fish: syntax'
has 'fish' "$(cat wick.fish)" "from fold' -l to -x -a '[^']*folded"

overview=$("$WICK" --help)
for command in flame cargo fold report diff convert formats completions man; do
  has overview "$overview" "  $command "
  has "help of $command" "$("$WICK" $command --help | head -3)" 'Examples:'
  if command -v groff >/dev/null; then
    same "man page of $command" \
      "$("$WICK" man $command | groff -man -ww -Tutf8 2>&1 >page.txt)" ''
    has "man page of $command" "$(cat page.txt)" 'wick.*'"$command"
  fi
done
has 'the page that hints refer to' "$("$WICK" help languages)" '## Python.*-X perf'
has 'help of a command' "$("$WICK" help fold)" '^wick fold|wick fold'
has version "$("$WICK" --version)" '^wick [0-9]+\.[0-9]+\.[0-9]+$'
has 'default values in help' "$("$WICK" flame --help)" '\[997\]'
"$WICK" >no_arguments.txt 2>&1
same 'status without arguments' $? 2
finish
