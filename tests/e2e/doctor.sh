# wick doctor: a line for everything that a recording depends on.
. "$(dirname "$0")/lib.bash"
said=$("$WICK" doctor)
for about in 'programs can' 'kernel.perf_event_paranoid is .*kernel.kptr_restrict' \
  'capabilit|CAP_' 'whole machine can' 'control groups can' 'counters' \
  'tracepoints can' 'kernel functions have' 'buffers may' 'files may be open' \
  'BPF' 'perf maps|JIT' 'container|namespace'; do
  has 'what is looked at' "$said" "$about"
done
# Each line begins with a verdict; hints follow an arrow.
same 'other lines' "$(grep -Ev '^(ok|less|NO) |^ +→ ' <<<"$said")" ''

command -v gcc >/dev/null && command -v strip >/dev/null || skip 'there is no gcc'
echo 'int main() { return 0; }' >x.c
gcc -g -o whole x.c && gcc -o bare x.c && strip bare
has 'a program' "$("$WICK" doctor ./whole)" 'ok   ./whole has debug information'
has 'a stripped one' "$("$WICK" doctor ./bare)" \
  'less ./bare is stripped .*less ./bare has no debug information'

# As another user, what is missing and how to get it.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
  let_nobody_in || skip_rest 'nobody may not run programs here'
  said=$("${nobody[@]}" "$WICK" doctor)
  has 'as nobody' "$said" 'you have no relevant capabilities.*→ sudo setcap'
  has 'as nobody' "$said" 'control groups cannot be recorded'
fi
finish
