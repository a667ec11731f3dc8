# `wick serve`: one command records, stores and serves. A program with known shares
# shows them through the API; nobody gets in without the token; a second instance
# is refused; the recorder and its server have no more rights than they need, and
# both end when they are told to.
. "$(dirname "$0")/lib.bash"
command -v curl >/dev/null || skip 'there is no curl'
command -v g++ >/dev/null || skip 'there is no g++'
state=$PWD/state
trap 'kill $server $load 2>/dev/null' EXIT
server= load=

# start OPTION…: starts a server, as "${user[@]}" does, and sets url, origin and
# token.
user=()
start() {
  rm -f url.txt said.txt
  touch url.txt
  "${user[@]}" "$WICK" serve --listen 127.0.0.1:0 --state "$state" "$@" \
    >>url.txt 2>said.txt &
  server=$!
  for _ in $(seq 600); do
    url=$(head -1 url.txt)
    [ -n "$url" ] && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  origin=${url%%/\?*} token=${url##*token=}
  [ -n "$url" ] || { complain "no link is printed: $(cat said.txt)"; finish; }
}
get() { curl -sS --max-time 60 -H "Authorization: Bearer $token" "$origin$1"; }
status() { curl -sS --max-time 60 -o body.txt -w '%{http_code}' "${@:2}" "$origin$1"; }
# stop: SIGTERM, and how it ends.
stop() {
  kill $server
  wait $server
  same 'the exit status after SIGTERM' $? 0
  server=
}
child() { pgrep -P $server; }
field() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; }

cat >shares.cc <<'C'
#include <ctime>
volatile unsigned long sum;
int calls;
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
template <int N> __attribute__((noinline)) void spin(double seconds) {
  for (const double end = now() + seconds; now() < end;)
    for (int i = 0; i < 20000; ++i) sum = sum + i * N;
}
__attribute__((noinline)) void sixty() { spin<1>(0.006); ++calls; }
__attribute__((noinline)) void thirty() { spin<2>(0.003); ++calls; }
__attribute__((noinline)) void ten() { spin<3>(0.001); ++calls; }
int main() {
  for (int i = 0; i < 600; ++i) { sixty(); thirty(); ten(); }
}
C
g++ -O2 -fomit-frame-pointer -o shares shares.cc

# Waits of 200 ms in ten naps. Where threads leave the CPU, only frame pointers
# lead to callers, and the caller of libc's function is not among them.
cat >naps.cc <<'C'
#include <unistd.h>
volatile int calls;
__attribute__((noinline)) void nap() { usleep(20000); ++calls; }
__attribute__((noinline)) void rest() { nap(); ++calls; }
int main() {
  for (int i = 0; i < 10; ++i) rest();
}
C
g++ -O2 -fno-omit-frame-pointer -o naps naps.cc

start --freq 199 --off-cpu
same '--url' "$("$WICK" serve --url --state "$state")" "$url"
expect 1 "is used by another server, of pid $server" serve --listen 127.0.0.1:0 \
  --state "$state"

same 'without a token' "$(status /api/v1/hosts)" 401
same 'with a wrong token' "$(status /api/v1/hosts -H 'Authorization: Bearer x')" 401
same 'as another host' "$(status /api/v1/hosts -H 'Host: evil.example' \
  -H "Authorization: Bearer $token")" 421
same '/healthz' "$(status /healthz)" 200
for file in "$state"/*; do
  same "the mode of $file" "$(stat -c %a "$file")" 600
done

# Rights: CAP_DAC_READ_SEARCH 2, CAP_SYS_PTRACE 19, CAP_SYSLOG 34, CAP_PERFMON 38.
allowed=$((1 << 2 | 1 << 19 | 1 << 34 | 1 << 38))
held=$((16#$(field $server CapPrm)))
same 'rights of the recorder beside its four' $((held & ~allowed)) 0
same 'rights of the server' "$(field "$(child)" CapPrm)" 0000000000000000
for pid in $server $(child); do
  same "no_new_privs of $pid" "$(field "$pid" NoNewPrivs)" 1
  same "seccomp of $pid" "$(field "$pid" Seccomp)" 2
done

if ! grep -q 'no profiles are recorded' said.txt; then
  before=$(date +%s)
  ./shares
  sleep 3
  get "/api/v1/profile?comm=shares&from=$((before - 1))&to=now&format=folded" >shares.folded
  awk 'function near(x, y) { return x - y < 8 && y - x < 8 }
       { all += $NF; if (/;sixty/) a += $NF; if (/;thirty/) b += $NF
         if (/;ten/) c += $NF }
       END { if (!all) { print "there is no profile"; exit }
             a *= 100 / all; b *= 100 / all; c *= 100 / all
             if (!near(a, 60) || !near(b, 30) || !near(c, 10))
               print "the shares are", a, b, c }' shares.folded >wrong
  [ -s wrong ] && complain "$(cat wrong): $(head -c 500 shares.folded)"
fi
if grep -Eq 'no profiles are recorded|time off the CPU is not recorded' said.txt; then
  echo "waits are not tested: $(grep -Eo '(no profiles|time off the CPU).*' said.txt)"
else
  before=$(date +%s)
  ./naps
  sleep 3
  get "/api/v1/profile?comm=naps&event=offcpu-time&from=$((before - 1))&to=now&format=folded" \
    >naps.folded
  awk '/;rest;/ { sum += $NF }
       END { if (sum < 200e6) print "the naps have", sum + 0, "ns" }' naps.folded >wrong
  [ -s wrong ] && complain "$(cat wrong): $(head -c 500 naps.folded)"
fi
has 'the cost of wick' "$(get '/api/v1/metrics?name=wick.cpu&from=-60s&to=now')" recorder

# A server that is killed is replaced, and its clients wait.
first=$(child)
kill -9 "$first"
for _ in $(seq 300); do
  [ -n "$(child)" ] && [ "$(child)" != "$first" ] && break
  sleep 0.1
done
for _ in $(seq 300); do
  [ "$(status /healthz)" = 200 ] && break
  sleep 0.1
done
same '/healthz of the second server' "$(status /healthz)" 200
has 'what is said' "$(cat said.txt)" 'the server ended with signal 9'

# What is read again, and what is not.
stop
printf 'freq = 19\n' >serve.toml
start --config serve.toml
printf 'freq = 29\nhosts = ["another.example"]\n' >serve.toml
kill -HUP $server
printf 'frek = 5\n' >wrong.toml
expect 1 "wrong.toml: line 1: there is no 'frek' \(did you mean freq\?\)" serve \
  --config wrong.toml --state "$PWD/other"
for _ in $(seq 100); do
  grep -q 'when wick is started again' said.txt && break
  sleep 0.1
done
has 'after SIGHUP' "$(cat said.txt)" 'when wick is started again'
stop
expect 1 'no server runs' serve --url --state "$state"

# What was stored can be served without recording it.
start --no-record
has 'what was stored' "$(get /api/v1/hosts)" "$(uname -n)"
same 'children without a recorder' "$(child)" ''
same 'rights without a recorder' "$(field $server CapPrm)" 0000000000000000
stop

expect 2 "serve: --keep: '5' is not an age" serve --keep 5
expect 2 'unexpected argument' serve here
expect 1 'cannot listen on 192.0.2.1' serve --listen 192.0.2.1:1 --state "$PWD/other"

# Without rights, it serves and says what is missing.
let_nobody_in || skip_rest 'nobody may not run programs here'
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" -ge 1 ] || skip_rest 'everybody may record everything here'
state=$PWD/poor
user=("${nobody[@]}" --no-new-privs --bounding-set=-all --inh-caps=-all)
start
has 'without rights' "$(cat said.txt)" 'no profiles are recorded: '
sleep 3
has 'metrics without rights' "$(get '/api/v1/metrics?name=load.1&from=-60s&to=now')" load.1
stop
finish
