# Recording as a user without rights: what works, what is less and says so, and
# how a refusal by the kernel is reported.
. "$(dirname "$0")/lib.bash"
command -v g++ >/dev/null || skip 'there is no g++'
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
paranoid=/proc/sys/kernel/perf_event_paranoid
before=$(cat $paranoid)
trap 'echo "$before" 2>/dev/null >$paranoid' EXIT
echo 2 2>/dev/null >$paranoid || skip 'kernel.perf_event_paranoid cannot be set'

let_nobody_in || skip 'nobody may not run programs here'
nobody+=(--no-new-privs --bounding-set=-all --inh-caps=-all)
# as_nobody STATUS REGEX WORDS…: as `expect`, by nobody.
as_nobody() {
  local status=$1 regex=$2 got
  shift 2
  said=$("${nobody[@]}" "${denied[@]}" "$WICK" "$@" 2>&1 >stdout.txt </dev/null)
  got=$?
  same "wick $*: exit status" $got "$status"
  has "wick $*" "$said" "$regex"
}
denied=()

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
__attribute__((noinline)) void nap() {
  timespec t{0, 300000000};
  nanosleep(&t, nullptr);
  ++calls;
}
__attribute__((noinline)) void sixty() { spin<1>(0.006); ++calls; }
__attribute__((noinline)) void thirty() { spin<2>(0.003); ++calls; }
__attribute__((noinline)) void ten() { spin<3>(0.001); ++calls; }
int main() {
  for (int i = 0; i < 100; ++i) { sixty(); thirty(); ten(); }
  nap();
}
C
g++ -g -O2 -fomit-frame-pointer -o shares shares.cc

as_nobody 0 'not recorded: kernel code' record -o r.data -- ./shares
"$WICK" fold -q r.data >r.folded
awk 'function near(x, y) { return x - y < 3 && y - x < 3 }
     { all += $NF; if (/;_start[; ]/) rooted += $NF
       if (/;sixty/) a += $NF; if (/;thirty/) b += $NF; if (/;ten/) c += $NF }
     END { a *= 100 / all; b *= 100 / all; c *= 100 / all
           if (!near(a, 60) || !near(b, 30) || !near(c, 10))
             print "the shares are", a, b, c
           if (rooted < 0.99 * all) print rooted / all, "reach the root" }' \
  r.folded >wrong.txt
same 'shares and roots' "$(cat wrong.txt)" ''
same 'kernel code' "$("$WICK" report r.data 2>&1 | grep -c 'kernel.kallsyms')" 0

# How long a thread slept is exact; where is marked as rough.
as_nobody 0 'the places where threads left the CPU are approximate' \
  flame --off-cpu -o off.folded -- ./shares
slept=$(awk '/;\[off the CPU, near here\] [0-9]+$/ { sum += $NF / 1e6 }
             END { print sum + 0 }' off.folded)
awk -v ms="$slept" 'BEGIN { exit ms < 294 }' ||
  complain "it slept for 300 ms, and $slept are drawn"
same 'time that claims to be exact' \
  "$(grep -vc '\[off the CPU, near here\] [0-9]*$' off.folded)" 0

# Every refusal says what would help.
as_nobody 1 "recording all processes .*'sysctl kernel.perf_event_paranoid=0'.*'setcap cap_bpf,cap_perfmon" \
  record -a --duration 0.1 -o no.data
as_nobody 1 "process 1 belongs to another user; record it as that user or as root.*setcap" \
  record -p 1 -o no.data
has 'doctor' "$("${nobody[@]}" "$WICK" doctor)" \
  'less programs can be recorded, without kernel code: kernel.perf_event_paranoid is 2'
[ ! -e no.data ] || complain 'a file is left though nothing was recorded'

# One capability is enough for everything.
if setpriv --inh-caps=+perfmon --ambient-caps=+perfmon true 2>/dev/null; then
  said=$(setpriv --reuid=nobody --regid=nogroup --clear-groups \
    --inh-caps=-all,+perfmon --ambient-caps=+perfmon \
    "$WICK" record -o perfmon.data -- ./shares 2>&1)
  has 'with CAP_PERFMON' "$said" 'wrote perfmon.data'
  same 'with CAP_PERFMON' "$(grep -c 'not recorded' <<<"$said")" 0
fi

# Some distributions' kernels have levels above 2, which allow nothing;
# this one may not, so the call is refused as they do. Containers refuse it
# whatever the level is.
cat >deny.c <<'C'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char** argv) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[1])),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    return 77;
  execvp(argv[2], argv + 2);
  return 127;
}
C
gcc -o deny deny.c
EPERM=1 EACCES=13 ENOSYS=38
if ./deny $EPERM true; then
  denied=(./deny $EACCES)
  for level in 3 4; do
    echo $level >$paranoid
    as_nobody 1 "kernel.perf_event_paranoid is $level, so recording needs CAP_PERFMON; as root, .*'sysctl kernel.perf_event_paranoid=2', .*'setcap cap_bpf,cap_perfmon" \
      record -o no.data -- ./shares
    same "paranoid $level: lines" "$(wc -l <<<"$said")" 1
    has "doctor at $level" "$("${nobody[@]}" "${denied[@]}" "$WICK" doctor)" \
      "NO   programs cannot be recorded: kernel.perf_event_paranoid is $level"
  done
  echo 2 >$paranoid
  denied=(./deny $EPERM)
  as_nobody 1 "container's seccomp profile .*'--cap-add PERFMON --security-opt seccomp=unconfined'" \
    record -o no.data -- ./shares
  same 'seccomp: lines' "$(wc -l <<<"$said")" 1
  denied=(./deny $ENOSYS)
  as_nobody 1 'this kernel has no perf events' flame -- ./shares
  [ ! -e no.data ] || complain 'a file is left though nothing was recorded'
fi
finish
