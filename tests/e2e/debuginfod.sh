# --debuginfod asks a server for what is missing, and nothing else does.
. "$(dirname "$0")/lib.bash"
need_perf
ldconfig -p | grep -q libdebuginfod.so.1 || skip 'there is no libdebuginfod'
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD

compile_burner whole
gcc -g -O1 -fno-omit-frame-pointer -o whole burn.c
objcopy --only-keep-debug whole whole.debug
strip -o burn whole
id=$(readelf -n burn | sed -n 's/ *Build ID: //p')
perf record -q -g -o r.data -- ./burn </dev/null >/dev/null 2>&1
rm -rf .debug # perf keeps a copy

mkdir -p "www/buildid/$id"
cp whole.debug "www/buildid/$id/debuginfo"
python3 -u - >port.txt 2>requests.txt <<'PY' &
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="www")
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
PY
server=$!
trap 'kill $server' EXIT
for _ in $(seq 50); do [ -s port.txt ] && break; sleep 0.1; done
export DEBUGINFOD_URLS="http://127.0.0.1:$(cat port.txt)"

"$WICK" fold -q r.data >without.folded
[[ $(cat without.folded) != *hot_function* ]] ||
  complain 'a stripped program has names without being asked for'
same 'requests without --debuginfod' "$(grep -c GET requests.txt)" 0

"$WICK" fold -q --debuginfod r.data >with.folded
has 'with --debuginfod' "$(cat with.folded)" ';hot_function [0-9]'
[ "$(grep -c GET requests.txt)" -gt 0 ] || complain 'no server was asked'

unset DEBUGINFOD_URLS
expect 1 'set DEBUGINFOD_URLS' fold --debuginfod r.data
finish
