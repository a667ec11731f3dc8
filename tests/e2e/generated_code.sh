# Code that programs generate: stacks lead through it, and its names come from
# perf maps and jitdumps as the program sees them.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]] || skip 'for x86-64 and AArch64 only'
programs=$(dirname "$0")/programs
gcc -O1 -fomit-frame-pointer -o trampolines "$programs/trampolines.c" ||
  skip 'trampolines.c does not compile here'

# whole WHAT FOLDED REGEX: nine samples in ten have the whole stack.
whole() {
  regex=$3 awk '{ all += $NF } $0 ~ ENVIRON["regex"] { good += $NF }
    END { exit all == 0 || good < 0.9 * all }' <<<"$2" ||
    complain "$1: $(sort -nr -k2 <<<"$2" | head -3)"
}
# By trampolines with and without names.
anonymous='^trampolines;.*;main;through;\[anon\];call_middle;through;\[anon\];call_inner;through;\[anon\];burn'
named='^trampolines;.*;main;through;py::outer:x.py;call_middle;through;py::middle:x.py;call_inner;through;py::inner:x.py;burn'

# No description at all: the instructions tell.
"$WICK" record -q -F 997 -o none.data -- ./trampolines none 0.3
whole 'by instructions' "$("$WICK" fold -q none.data)" "$anonymous"

# Whatever the form of a call, it is not taken for other instructions.
if [ "$(uname -m)" = x86_64 ]; then
  gcc -O1 -fomit-frame-pointer -o decoys "$programs/decoys.c" || complain 'decoys.c does not compile'
  "$WICK" record -q -F 997 -o decoys.data -- ./decoys 0.3
  whole 'a call through a table' "$("$WICK" fold -q decoys.data)" \
    ';main;\[anon\];\[anon\];burn'
fi

# A perf map has names.
"$WICK" record -q -F 997 -o map.data -- bash -c \
  'echo $$ >map.pid; exec ./trampolines map 0.3'
map=/tmp/perf-$(cat map.pid).map
whole 'with a perf map' "$("$WICK" fold -q map.data)" "$named"
rm -f "$map"

# A jitdump has rules. Here instructions alone do not tell: they jump.
if [ "$(uname -m)" = x86_64 ]; then
  "$WICK" record -q -F 997 -o dump.data -- ./trampolines jitdump 0.3
  whole 'with a jitdump' "$("$WICK" fold -q dump.data)" "$named"
  # The same in a recording that has copies of stacks.
  "$WICK" record -q -F 997 --keep-stacks -o copies.data -- ./trampolines jitdump 0.3
  whole 'with a jitdump, later' "$("$WICK" fold -q copies.data)" "$named"
fi

# A map that is older than its process was an earlier one's.
"$WICK" record -q -F 997 --no-names -o later.data -- bash -c \
  'echo $$ >map.pid; exec ./trampolines none 0.3'
map=/tmp/perf-$(cat map.pid).map
trap 'rm -f "$map"' EXIT
echo '1000 7fffffff0000 of_another' >"$map"
has 'a map of its time' "$("$WICK" fold -q later.data)" ';of_another;'
touch -d '1 hour ago' "$map"
whole 'a stale map' "$("$WICK" fold -q later.data)" "$anonymous"
rm -f "$map"
./trampolines none 100 &
running=$! map=/tmp/perf-$!.map
trap 'kill $running; rm -f "$map"' EXIT
echo '1000 7fffffff0000 of_another' >"$map"
touch -d '1 hour ago' "$map"
"$WICK" record -q -F 997 --duration 0.3 -p $running -o stale.data
whole 'a stale map of what runs' "$("$WICK" fold -q stale.data)" "$anonymous"
kill $running
wait $running 2>/dev/null
trap 'rm -f "$map"' EXIT
rm -f "$map"

# In namespaces of its own a process has another pid and another /tmp.
unshare -p -f -m true 2>/dev/null || skip_rest 'namespaces cannot be made'
cat >inside.sh <<'S'
exec 3<trampolines
mount -t tmpfs none /tmp && cp /proc/self/fd/3 /tmp/trampolines &&
  chmod +x /tmp/trampolines && exec /tmp/trampolines map "$1"
S
"$WICK" record -q -F 997 -o inside.data -- \
  unshare -p -f -m --propagation private bash inside.sh 0.3
whole 'a map in a namespace' \
  "$("$WICK" fold -q inside.data | grep '^trampolines;')" "$named"
unshare -p -f -m --propagation private bash inside.sh 100 &
outer=$! inner=
# Only this ends the first process of a namespace.
trap 'kill -KILL $inner' EXIT
until ! kill -0 $outer || inner=$(cat /proc/$outer/task/$outer/children) && [ -n "$inner" ] &&
  inner=${inner% } && grep -q trampolines "/proc/$inner/comm"; do
  sleep 0.01
done 2>/dev/null
"$WICK" record -q -F 997 --duration 0.3 -p "$inner" -o attached.data
whole 'attached in a namespace' "$("$WICK" fold -q attached.data)" "$named"
finish
