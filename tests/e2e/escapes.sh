# Escape sequences in names reach no terminal, by no command; files and pipes get
# them as they are. Names in suggested commands are quoted.
. "$(dirname "$0")/lib.bash"

command -v python3 >/dev/null || skip 'there is no python3 to make a terminal'
script=$(dirname "$(realpath "$0")")/escapes.py
# A title, a clearing of the screen, a return, a C1 character, a change of direction.
evil=$'\e]0;owned\a\e[2J\rx\xc2\x9b2J\xe2\x80\xae'

# harmless NEEDLE COMMAND…: NEEDLE, which the name is next to, reaches the terminal,
# and no control character does.
harmless() {
  local needle=$1 shown
  shift
  shown=$(python3 "$script" "$@") || complain "${*@Q}: sent '$shown'"
  has "${*@Q}" "$shown" "$needle"
}

printf 'main;needle%s;f 3\nmain;g 4\n' "$evil" >in.folded
printf 'main;needle%s;f 9\nmain;g 4\n' "$evil" >after.folded
harmless needle "$WICK" fold in.folded
harmless needle "$WICK" fold in.folded -o /dev/tty
harmless needle "$WICK" fold in.folded -o /dev/stdout
harmless needle "$WICK" report in.folded
harmless owned "$WICK" report --callers f in.folded
harmless needle "$WICK" diff in.folded after.folded
harmless needle "$WICK" diff --to folded in.folded after.folded
for format in $("$WICK" formats --names | sed -n 's/^write //p'); do
  case $format in
  html) continue ;; # compressed
  esac
  python3 "$script" "$WICK" convert --to "$format" in.folded >shown.txt
  [ $? != 1 ] || complain "convert --to $format: sent '$(head -c 300 shown.txt)'"
done
has 'fold into a pipe' "$("$WICK" fold in.folded)" $'needle\e\\]0;owned\a\e\\[2J'

# Names of files, in messages and in results.
file=needle$evil
harmless 'No such file' "$WICK" fold "$file"
harmless 'needle' "$WICK" "$file"
expect 1 'a\\nwick: b: cannot open' fold $'a\nwick: b'
harmless 'needle' "$WICK" fold "--$file"
harmless 'needle' "$WICK" fold --to "$file" in.folded
harmless 'needle' "$WICK" convert in.folded -o "$file.svg" -o "/none/$file.svg"
harmless 'needle' "$WICK" formats "$file"
harmless 'needle' "$WICK" help "$file"
elf=$(type -P true)
cp "$elf" "$file.program"
harmless 'needle.*has unwind rules' "$WICK" doctor "$file.program"
harmless 'needle' "$WICK" fold "$file.program"
mkdir -p "results$file/job"
printf 'no trace' >"results$file/job/TRACEFILE-C0"
harmless 'needle' "$WICK" firesim "results$file"
harmless 'needle' "$WICK" trace "results$file/job/TRACEFILE-C0"

# Suggested commands.
cp "$elf" 'a b;touch pasted'
expect 1 "wick flame -- './a b;touch pasted' records it" fold 'a b;touch pasted'
cp "$elf" '$(touch pasted)'
expect 1 "wick flame -- '\./\\\$\\(touch pasted\\)' records it" fold '$(touch pasted)'
cp "$elf" plain
expect 1 "'wick flame -- ./plain' records it" fold plain

"$WICK" record -q -o works.data -- true 2>/dev/null ||
  skip_rest 'nothing can be recorded here'
harmless 'wrote needle' "$WICK" record -o "$file.data" -- true
cp "$(type -P bash)" "$file.bash"
"$WICK" record -q -o comm.data -- "./$file.bash" -c 'for ((i = 0; i < 200000; ++i)); do :; done'
harmless 'needle' "$WICK" fold comm.data
harmless 'needle' "$WICK" report --by thread comm.data
said=$("$WICK" record -o './-rf $(x).data' -- true 2>&1)
has 'a file with a dash and blanks' "$said" "see wick report './-rf \\\$\\(x\\).data'"
said=$("$WICK" record -o plain.data -- true 2>&1)
has 'a plain file' "$said" "see 'wick report plain.data'"
finish
