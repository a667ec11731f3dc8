# SPDX-License-Identifier: Apache-2.0
# Java: the flags of docs/languages.md give compiled methods their names and whole
# stacks; without them wick says what is missing.
. "$SOURCE/tests/languages/lib.bash"
need javac
need_recording

cat >Busy.java <<'JAVA'
public class Busy {
  static long spin(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += i ^ (sum << 1);
    return sum;
  }
  static long three() { return spin(30_000) + spin(30_001) + spin(30_002); }
  static long one() { return spin(30_003) + 1; }
  public static void main(String[] arguments) {
    long sum = 0;
    for (int i = 0; i < 12_000; i++) sum += three() + one();
    System.out.println(sum);
    // Until somebody asked for its map.
    try { while (arguments.length > 0) sum += three() + one(); }
    finally { System.out.println(sum); }
  }
}
JAVA
javac Busy.java || complain 'javac failed'

flame 'without flags' java -cp . Busy
hidden 'Java'
has 'what works while it runs' "$(cat said)" 'jcmd PID Compiler.perfmap'

# Inlining would merge the two.
readable=(-XX:+PreserveFramePointer)
apart=(-XX:CompileCommand=quiet -XX:CompileCommand='dontinline,Busy.*')
flame 'with flags' java "${readable[@]}" -XX:+UnlockDiagnosticVMOptions \
  -XX:+DumpPerfMapAtExit "${apart[@]}" -cp . Busy
shown 'Java'
grep 'Busy\.spin' folded >spinning
between 'Java, stacks to the thread' 95 100 \
  "$(share spinning ';start_thread;.*;JavaMain;')"
three_to_one 'Java' 'Busy\.three\(\);long Busy\.spin' 'Busy\.one\(\);long Busy\.spin'

# A server that runs already: jcmd writes the map.
java "${readable[@]}" "${apart[@]}" -cp . Busy forever >printed &
server=$!
while [ ! -s printed ]; do sleep 0.1; done
jcmd "$server" Compiler.perfmap >/dev/null || complain 'jcmd failed'
"$WICK" record -q -o server.data -p "$server" --duration 1 2>said ||
  complain "attaching: $(cat said)"
"$WICK" fold server.data >folded 2>said
kill "$server"
shown 'a server in Java'
three_to_one 'a server in Java' 'Busy\.three\(\);long Busy\.spin' \
  'Busy\.one\(\);long Busy\.spin'
finish
