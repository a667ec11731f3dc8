# SPDX-License-Identifier: Apache-2.0
# Node.js: the flags of docs/languages.md give JavaScript functions their names;
# without them wick says what is missing.
. "$SOURCE/tests/languages/lib.bash"
need node
need_recording

cat >busy.js <<'JS'
function spin(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum + (i ^ (sum << 1))) | 0;
  return sum;
}
function three() { let sum = 0; for (let i = 0; i < 300; i++) sum += spin(1e6); return sum; }
function one() { let sum = 0; for (let i = 0; i < 100; i++) sum += spin(1e6); return sum; }
console.log(three() + one());
JS
flame 'without flags' node busy.js
hidden 'Node.js'

flame 'with flags' node --perf-basic-prof --interpreted-frames-native-stack \
  --no-turbo-inlining --max-inlined-bytecode-size=0 busy.js
shown 'Node.js'
three_to_one 'Node.js' 'three .*;.*spin ' 'one .*;.*spin '
grep 'spin ' folded >spinning
between 'Node.js, stacks to main' 95 100 "$(share spinning '^[^;]*;_start;')"
finish
