# What `wick serve` promises, in a minute: it says what happened, keeps what it
# reported as stored when its processes are killed, and bears strangers and damage.
# `make test-serve` is the long form.
. "$(dirname "$0")/lib.bash"
command -v python3 >/dev/null || skip 'there is no python3'
command -v gcc >/dev/null || skip 'there is no gcc'
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'

python3 "$SOURCE/tests/serve/run.py" "$WICK" --short --folder "$PWD/serve" \
  >said.txt 2>&1 || complain "$(cat said.txt)"
finish
