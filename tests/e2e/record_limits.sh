# Recording with few open files and little lockable memory: wick raises the soft
# limit, uses less, or says in one line what it needs.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v python3 >/dev/null || skip 'python3 is not installed'

# The soft limit is only a default.
(
  ulimit -Sn 12
  "$WICK" record -q -o soft.data -- true
) || complain 'the soft limit of open files was not raised'

# Names that cannot be looked up are missing; the recording is complete.
(
  ulimit -n 24
  "$WICK" record -q -o few.data -- python3 -c 'import json, decimal' 2>/dev/null
) || complain 'not recorded with few open files'
[ "$("$WICK" fold few.data 2>&1 >/dev/null | grep -c 'ends in the middle')" = 0 ] ||
  complain 'the recording with few open files is incomplete'

# More threads than files: the message names a command that helps.
python3 -c 'import threading, time
for i in range(100): threading.Thread(target=time.sleep, args=(60,)).start()' &
many=$!
for _ in $(seq 50); do
  [ "$(ls /proc/$many/task | wc -l)" = 101 ] && break
  sleep 0.1
done
said=$(
  ulimit -n 64
  "$WICK" record -p $many --duration 0.1 -o many.data 2>&1
)
same 'exit status' $? 1
has 'what is said' "$said" \
  "^wick: 101 threads on [0-9]+ CPUs? by 1 event need [0-9]+ open files, and 64 are allowed; 'sudo prlimit --pid .* --nofile=[0-9]+'"
kill $many
wait 2>/dev/null

# No lockable memory beyond what the kernel grants everybody.
let_nobody_in || skip_rest 'nobody may not run programs here'
(
  ulimit -l 0
  "${nobody[@]}" "$WICK" record -q -o small.data -- true 2>said.txt
) || [[ $(cat said.txt) =~ perf_event_paranoid|mlock|not\ allow ]] ||
  complain "with little memory: $(cat said.txt)"
finish
