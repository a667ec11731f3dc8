# JavaScript and WebAssembly in node: compiled while it runs, named by the map
# that node writes, called by each other in one stack.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v node >/dev/null || skip 'there is no node'

# (module (func $three_quarters (param i32) loop … end) (func $one_quarter …)
#         (func (export "run") call $three_quarters call $one_quarter))
cat >wasm.js <<'J'
const text = (s) => [s.length, ...Buffer.from(s)];
const list = (items) => [items.length, ...items.flat()];
const sized = (bytes) => {
  const size = [];  // LEB128
  for (let n = bytes.length; ; n >>>= 7) {
    size.push((n & 127) | (n > 127 ? 128 : 0));
    if (n <= 127) return [...size, ...bytes];
  }
};
const section = (id, bytes) => [id, ...sized(bytes)];
// Counts local 0 down to 0, with some arithmetic on local 1.
const count_down = [
  1, 1, 0x7f,  // one more local, an i32
  0x03, 0x40,  // loop
  0x20, 1, 0x41, 31, 0x6c, 0x20, 0, 0x73, 0x21, 1,  // b = b * 31 ^ a
  0x20, 0, 0x41, 1, 0x6b, 0x22, 0,                  // a -= 1
  0x0d, 0, 0x0b, 0x20, 1, 0x24, 0, 0x0b];           // while a; global = b
const times = (n) => {  // i32.const, signed LEB128 of five bytes
  const bytes = [0x41];
  for (let i = 0; i < 4; ++i, n >>>= 7) bytes.push((n & 127) | 128);
  return [...bytes, 0];
};
const N = 6000000;
const run = [0, ...times(3 * N), 0x10, 0, ...times(N), 0x10, 1, 0x0b];
const module_bytes = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, list([[0x60, 1, 0x7f, 0], [0x60, 0, 0]])),
  ...section(3, list([[0], [0], [1]])),
  ...section(6, list([[0x7f, 1, 0x41, 0, 0x0b]])),
  ...section(7, list([[...text('run'), 0, 2]])),
  ...section(10, list([sized(count_down), sized(count_down), sized(run)])),
  ...section(0, [...text('name'), ...section(1, list([
    [0, ...text('three_quarters')], [1, ...text('one_quarter')],
    [2, ...text('run_both')]]))]),
]);
const instance = new WebAssembly.Instance(new WebAssembly.Module(module_bytes));
function callsWasm() { instance.exports.run(); }
console.log(process.pid);
const end = Date.now() + 1200;
while (Date.now() < end) callsWasm();
J
# The second option gives interpreted JavaScript its names.
"$WICK" flame -q -o wasm.folded -- \
  node --perf-basic-prof --interpreted-frames-native-stack wasm.js >pid.txt
same 'exit status' $? 0
rm -f "/tmp/perf-$(cat pid.txt).map"
awk 'function near(x, y) { return x - y < 3 && y - x < 3 }
     /callsWasm/ { all += $NF
       if (/run_both[^;]*;[^;]*three_quarters/) a += $NF
       if (/run_both[^;]*;[^;]*one_quarter/) b += $NF
       if (/^[^;]*;_start;/) rooted += $NF }
     END { if (!all) { print "FAIL no stack has callsWasm"; exit }
           a *= 100 / all; b *= 100 / all
           if (!near(a, 75) || !near(b, 25)) print "FAIL the shares are", a, b
           if (rooted < 0.99 * all) print "FAIL only", rooted / all, "rooted" }' \
  wasm.folded >wrong.txt
same 'shares and roots' "$(cat wrong.txt)" ''
awk '{ all += $NF; if (/^[^;]*;(_start|clone3?)[; ]/) rooted += $NF }
     END { if (rooted < 0.99 * all) print rooted / all }' wasm.folded >wrong.txt
same 'roots of everything' "$(cat wrong.txt)" ''
finish
