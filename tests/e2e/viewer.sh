#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The pages of the viewer hold what they should; what a page does in a browser is
# tested in tests/browser.
source "$SOURCE/tests/e2e/lib.bash"

# check WHAT COMMAND…
check() {
  local what=$1
  shift
  "$@" || complain "$what"
}

# data PAGE: what is packed in it.
data() {
  python3 - "$1" <<'PY'
import base64, gzip, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
block = re.search(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>', page)[1]
sys.stdout.buffer.write(gzip.decompress(base64.b64decode(block, validate=True)))
PY
}

printf 'main;parse;read 30\nmain;draw 40\n</script><script>alert(1)</script> 1\n' >a.folded
printf 'main;parse;read 10\nmain;fresh 40\n' >b.folded

"$WICK" flame a.folded -o a.html
data a.html >a.data
check "a page begins with its magic" test "$(head -c 8 a.data)" = wickpage
check "a page has the names" grep -qa 'parse' a.data
check "names are not in the page itself" test "$(grep -c 'alert(1)' a.html)" = 0
check "the page has two scripts: data and code" test "$(grep -c '<script' a.html)" = 2

hashes=$(python3 - a.html <<'PY'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
def sha(text): return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
print(f"script-src 'sha256-{sha(script)}'" in policy, f"style-src 'sha256-{sha(style)}'" in policy,
      policy.startswith("default-src 'none'"))
PY
)
check "the policy allows this script and this style alone" test "$hashes" = "True True True"

"$WICK" flame --diff a.folded b.folded -o d.html
data d.html >d.data
check "--diff puts both sides into the page" grep -qa '"role":"before"' d.data
check "and how many samples each is worth" grep -qa '"side_samples":\[71,50\]' d.data
"$WICK" flame --diff a.folded b.folded -o d.svg
check "--diff draws SVG as well" grep -q 'class="difference"' d.svg

# A profile may name any file; only those in the directories for sources are embedded.
mkdir -p project elsewhere
echo 'the secret text' >elsewhere/key
echo 'the project text' >project/a.c
ln -s ../elsewhere/key project/link.c
# embedded NAME OPTION…: the data of a page of a profile that names this file, made in
# project/; what wick says is in said.txt.
embedded() {
  local name=$1
  shift
  cat >project/in.json <<JSON
{"\$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f","file":"$name","line":1}]},
"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}
JSON
  (cd project && "$WICK" flame --embed-source "$@" in.json -o page.html) 2>said.txt
  data project/page.html
}
for name in a.c "$PWD/project/a.c"; do
  embedded "$name" >page.data
  check "$name is embedded" grep -qa 'the project text' page.data
done
for name in "$PWD/elsewhere/key" ../elsewhere/key link.c; do
  embedded "$name" >page.data
  check "$name is not embedded" test "$(grep -ca 'the secret text' page.data)" = 0
  has "$name" "$(cat said.txt)" '1 source file is not embedded: .*; see --source-root'
  check "the page does not say that $name exists" test "$(grep -ca 'source-outside' page.data)" = 0
done
embedded "$PWD/elsewhere/key" --source-root ../elsewhere >page.data
check 'a file in a directory given is embedded' grep -qa 'the secret text' page.data
expect 2 'none: is not a directory' flame --embed-source --source-root none a.folded -o page.html
expect 2 'embed-source' flame --source-root . a.folded -o page.html

if command -v cc >/dev/null; then
  printf 'int main(void) {\n  volatile long n = 0; /* the hot line */\n  while (n < 400000000) ++n;\n  return 0;\n}\n' >hot.c
  cc -g -O0 -o hot hot.c
  "$WICK" flame -q --embed-source -o hot.html -- ./hot ||
    skip "nothing can be recorded here; the other checks: $failures failed"
  data hot.html >hot.data
  check "--embed-source puts the text into the page" grep -qa 'the hot line' hot.data
  check "a page of a recording has times" grep -qa '"has_time":true' hot.data
  check "and says how it was recorded" grep -qaE '\["rate","[0-9]+ Hz of' hot.data
fi
finish
