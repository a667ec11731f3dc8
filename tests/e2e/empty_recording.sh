# SPDX-License-Identifier: Apache-2.0
# An input without samples is one error in all commands and formats, and nothing is
# written.
. "$(dirname "$0")/lib.bash"
printf 'main;f 10\n' >some.folded
cat >none.json <<'J'
{"$schema": "https://www.speedscope.app/file-format-schema.json",
 "shared": {"frames": [{"name": "f"}]},
 "profiles": [{"type": "sampled", "name": "x", "unit": "none", "startValue": 0,
               "endValue": 0, "samples": [], "weights": []}]}
J
formats=$("$WICK" formats | sed -n '/^Output/,/^$/ s/^  \([a-z0-9-]\+\) .*/\1/p')
has 'the output formats' "$formats" 'folded.*svg.*text.*wick'

# is_refused FILE: in every command.
is_refused() {
  local file=$1 said="^wick: $1: there are no samples$"
  for format in $formats; do
    expect 1 "$said" convert --to "$format" -o out "$file"
    [ ! -e out ] || complain "$format: $file is written"
  done
  expect 1 "$said" fold "$file"
  expect 1 "$said" report "$file"
  for picture in out.svg out.html out.folded; do
    expect 1 "$said" flame -o "$picture" "$file"
    [ ! -e "$picture" ] || complain "flame writes $picture of $file"
  done
  expect 1 "$said" diff "$file" some.folded
  expect 1 "$said" diff --fail-on 'f>+2%' some.folded "$file"
  expect 1 "^wick: --diff: $file: there are no samples$" \
    flame --diff "$file" -o out.svg some.folded
}
is_refused none.json
same 'one of several' "$("$WICK" fold none.json some.folded)" 'main;f 10'
has 'standard input' "$("$WICK" fold - <none.json 2>&1)" \
  '^wick: standard input: there are no samples$'
expect 1 '^wick: none.json, none.json: there are no samples$' fold none.json none.json

# A command between the stacks and the picture that prints nothing.
expect 1 "^wick: --post-process 'true' printed no stacks$" \
  flame --post-process true -o out.svg some.folded

"$WICK" doctor | grep -q '^NO' && skip_rest 'the kernel does not allow recording'
"$WICK" record -q -e cpu-clock -c 1000000000000 -o none.data -- true
is_refused none.data
finish
