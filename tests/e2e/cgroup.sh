# wick record --cgroup: the processes of a group, and no others.
. "$(dirname "$0")/lib.bash"
expect 1 '^wick: (--cgroup: there is no control group nosuch.*; /.* has |this kernel cannot record a control group .* -p|no control groups are mounted)' \
  record --cgroup nosuch/group --duration 0.1
"$WICK" doctor | grep -q 'whole machine can be recorded' ||
  skip 'recording a group needs the rights to record the machine'
grep -q '^perf_event.*1$' /proc/cgroups ||
  skip 'the kernel has no control groups for perf events (CONFIG_CGROUP_PERF)'
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' \
  /proc/mounts)
[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$root" ] || skip 'no control groups are mounted'
group=wick-test-$$
mkdir "$root/$group" 2>/dev/null || skip "cannot create a cgroup in $root"
trap 'rmdir "$root/$group"' EXIT

burn='i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
cp "$(command -v dash || command -v bash)" inside
cp inside outside
(echo $BASHPID >"$root/$group/cgroup.procs" && exec ./inside -c "$burn") &
./outside -c "$burn" &
"$WICK" record -q --cgroup $group --duration 0.4 -o group.data
same 'exit status' $? 0
wait
folded=$("$WICK" fold -q group.data)
has 'the group' "$folded" '^inside;'
[[ ! $folded =~ outside ]] || complain 'others are recorded, too'

# A process that sleeps all the time is known only because it existed.
cp "$(command -v sleep)" asleep
(echo $BASHPID >"$root/$group/cgroup.procs" && exec ./asleep 60) &
sleeper=$!
until grep -q asleep /proc/$sleeper/comm; do sleep 0.01; done
"$WICK" record -q --cgroup $group --off-cpu --duration 0.1 -o asleep.data
folded=$("$WICK" fold -q --event wall-time asleep.data)
kill $sleeper
wait $sleeper 2>/dev/null
has 'who sleeps in the group' "$folded" '^asleep;'
others=$(grep -v '^asleep;' <<<"$folded")
same 'who sleeps elsewhere' "$others" ''
finish
