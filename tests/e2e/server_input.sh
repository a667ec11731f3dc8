# Profiles that are read from a server like from a file.
# It may run beside others.
. "$(dirname "$0")/lib.bash"
command -v python3 >/dev/null || skip 'there is no python3'

# Answers like `wick serve`: profiles to those who know the token. The profile is
# of the process in the query, so that what was asked for is seen in the answer.
cat >server.py <<'PY'
import http.server, json, urllib.parse

class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if self.headers.get("Authorization") != "Bearer s3cret":
            self.answer(401, "the token is wrong")
        elif url.path != "/api/v1/profile":
            self.answer(404, "there is no " + url.path)
        elif query.get("pid") == "0":
            self.answer(404, "no samples of process 0\x1b[31m")
        else:
            self.send(200, "text/plain", "main;%s;%s %s\n" % (
                query["format"], query.get("from"), query.get("pid", 1)))
    def answer(self, status, message):
        self.send(status, "application/json",
                  json.dumps({"error": {"status": status, "message": message}}))
    def send(self, status, kind, text):  # in chunks of three bytes
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body = text.encode()
        for i in range(0, len(body), 3):
            piece = body[i:i + 3]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
print(server.server_port, flush=True)
server.serve_forever()
PY
python3 server.py >port.txt &
trap "kill $!" EXIT
for _ in $(seq 100); do
  [ -s port.txt ] && break
  sleep 0.1
done
at=http://127.0.0.1:$(cat port.txt)
echo s3cret >token
echo wr0ng >wrong

same 'the last minute' "$("$WICK" fold --token-file token "$at")" \
  'main;wick;-60s 1'
same 'a query' "$("$WICK" fold --token-file token "$at/?pid=7&from=-1h")" \
  'main;wick;-1h 7'
same 'a path of the API' \
  "$("$WICK" fold --token-file token "$at/api/v1/profile?pid=7&format=folded")" \
  'main;folded;None 7'
export WICK_TOKEN=s3cret
same 'WICK_TOKEN' "$("$WICK" fold "$at/")" 'main;wick;-60s 1'
same 'a server and a file' \
  "$(echo 'main;wick;-60s 2' | "$WICK" fold "$at" -)" 'main;wick;-60s 3'
has 'a table' "$("$WICK" report "$at")" '100.00%  -60s'
has 'a difference' "$("$WICK" diff "$at" "$at/?pid=2")" \
  'pid=2, 2 samples.*-60s'
has 'a picture' "$("$WICK" flame "$at")" '<svg .*-60s'
"$WICK" convert "$at" -o out.wick
same 'a file' "$("$WICK" fold out.wick)" 'main;wick;-60s 1'

# What goes wrong is one sentence.
expect 1 "^wick: $at: the token is wrong$" fold --token-file wrong "$at"
expect 1 "^wick: $at/api/v2: there is no /api/v2$" fold "$at/api/v2"
expect 1 'no samples of process 0.x1b.31m$' fold "$at?pid=0"
expect 2 'a token in an address is visible to other users.*WICK_TOKEN' \
  fold "$at/?token=s3cret"
expect 2 'expected http://HOST:PORT' fold "$at/index.html"
expect 1 'server.py: expected a token, a word without spaces' \
  fold --token-file server.py "$at"
expect 1 'cannot connect: Connection refused' fold http://127.0.0.1:1
expect 1 'cannot encrypt the connection' fold "https${at#http}"
export WICK_FINGERPRINT=AB:CD
expect 1 'WICK_FINGERPRINT: expected the SHA-256' fold "$at"
unset WICK_TOKEN WICK_FINGERPRINT
expect 1 'the server asks for its token; put it into WICK_TOKEN' fold "$at"
finish
