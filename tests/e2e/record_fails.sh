# When there is nothing to record with, nothing to record, or no permission.
. "$(dirname "$0")/lib.bash"

export PERF=/nonexistent/perf
expect 1 'cannot find this program; install perf.*apt install' \
  flame -- true
unset PERF
need_perf
expect 1 'nosuchprogram: program not found in PATH' flame -- nosuchprogram
expect 1 './nosuchprogram: program not found' flame -- ./nosuchprogram
expect 1 './tmp: is a directory, not a program' flame -- ./tmp
printf '#!/bin/sh\n' >plain
expect 1 "./plain: is not executable; 'chmod \\+x'" flame -- ./plain
echo text >plain
expect 1 "./plain: is not a program or script that can be executed\$" flame -- ./plain
printf '#!/nosuch/interpreter\n' >script
chmod +x script
expect 1 './script: cannot be run: its interpreter does not exist' \
  record -o script.data -- ./script
rm -f plain script script.data
expect 1 '--keep: nosuch/x: cannot write' flame --keep nosuch/x -- true
expect 1 'there is no process 4194305' flame -p 4194305
expect 2 "-p: '12x' is not a process id" flame -p 12x
expect 1 "perf record failed .*nosuchevent" \
  flame -c 'record -e nosuchevent' -- true
expect 1 'no samples were taken' flame -F 1 -- true
expect 1 'nosuch/x.svg: cannot write' flame -o nosuch/x.svg -- touch ran
[ ! -e ran ] || complain 'the program ran though the output cannot be written'
same 'what is left' "$(ls -A . tmp)" $'.:\nstdout.txt\ntmp\n\ntmp:'

# Options that cannot be passed to perf are not dropped silently.
expect 2 'flame: pass perf.s equivalent of --freq' \
  flame -F 99 -c 'record -g' -- true
export PERF=perf
expect 2 'flame: --off-cpu does not work with a real perf, which PERF' \
  flame --off-cpu -- true
unset PERF
command -v sudo >/dev/null ||
  expect 1 '--root: cannot find sudo' flame --root -- true

# A kernel that forbids it, as perf says it.
cat >perf-forbidden <<'P'
#!/bin/sh
echo 'Error:' >&2
echo 'perf_event_paranoid setting is 4:' >&2
exit 255
P
chmod +x perf-forbidden
export PERF=./perf-forbidden
expect 1 'the kernel does not allow recording .*sudo sysctl kernel.perf_event' \
  flame -- true
finish
