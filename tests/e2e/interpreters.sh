# Processes that run an interpreter or a virtual machine: wick says so if they show
# none of their functions, and the map that .NET writes gives them their names. The
# virtual machine here has nothing but the name of .NET's.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v gcc >/dev/null || skip 'there is no gcc'
[ "$(uname -m)" = x86_64 ] || skip 'the generated code is for x86-64'

cat >coreclr.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
// push rbp; mov rbp, rsp; again: dec rdi; jnz again; pop rbp; ret
static const char code[] = "\x55\x48\x89\xe5\x48\xff\xcf\x75\xfb\x5d\xc3";
// .NET's code is in a memfd of this name, mapped twice.
int run_managed(int with_map) {
  int file = memfd_create("doublemapper", 0);
  ftruncate(file, 4096);
  char* writable = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* managed = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  if (writable == MAP_FAILED || managed == MAP_FAILED) return 1;
  memcpy(writable, code, sizeof code);
  char path[50];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE* map = with_map ? fopen(path, "w") : NULL;
  if (map) {
    fprintf(map, "%016lX %lx void [app] App.Program::Work(int64)[Tier1]\n",
            (unsigned long)managed, sizeof code - 1);
    fclose(map);
  }
  puts(path);
  for (int i = 0; i < 10; i++) ((void (*)(long))managed)(30000000);
  return 0;
}
C
cat >app.c <<'C'
int run_managed(int with_map);
int main(int argc, char** argv) { (void)argv; return run_managed(argc > 1); }
C
gcc -O1 -shared -fPIC -o libcoreclr.so coreclr.c 2>/dev/null
gcc -O1 -o app app.c -L. -l:libcoreclr.so -Wl,-rpath,"$PWD"

"$WICK" record -q -o hidden.data -- ./app >/dev/null
"$WICK" fold hidden.data 2>said >/dev/null
has '.NET without a map' "$(cat said)" "samples are in .NET's runtime, without the names .*DOTNET_PerfMapEnabled=1"
"$WICK" report hidden.data >report.txt 2>/dev/null
has 'the report' "$(cat report.txt)" 'DOTNET_PerfMapEnabled=1'
"$WICK" flame -q -o hidden.svg hidden.data
grep -q 'DOTNET_PerfMapEnabled=1' hidden.svg || complain 'the picture does not say it'

"$WICK" flame -o shown.folded -- ./app with-map >path.txt 2>said
rm -f "$(cat path.txt)"
has '.NET with a map' "$(cat shown.folded)" \
  ';main;run_managed;void \[app\] App\.Program::Work\(int64\)\[Tier1\] [0-9]'
[[ $(cat said) != *"without the names"* ]] || complain "with a map: $(cat said)"

# Counts are of what is shown, also beside other processes and events.
cat >busy.c <<'C'
volatile unsigned long sum;
int main(void) { for (long i = 0; i < 100000000; i++) sum += i; }
C
gcc -O1 -o busy busy.c
"$WICK" record -q --off-cpu -e cpu-clock -o both.data -- sh -c './app >/dev/null; ./busy; sleep 0.1'
number_of() { sed -nE "s/^wick: ([0-9,]+) samples are in $1.*/\\1/p" | tr -d ,; }
for event in cpu-clock offcpu-time; do
  [[ $("$WICK" fold --comm busy --event "$event" both.data 2>&1 >/dev/null) != *'without the names'* ]] ||
    complain "busy is no .NET program ($event)"
done
said=$("$WICK" fold --comm app both.data 2>&1 >app.folded)
shown=$("$WICK" report --raw --comm app --by thread both.data |
  awk '/ app-/ { sum += $1 } END { print sum }')
samples=$(printf '%s\n' "$said" | number_of "\.NET's runtime")
# The weight of the process in samples of its clock, some of which are in others' code.
period=$("$WICK" report --raw both.data | awk '$4 == "cpu-clock" { print int($1 / $3) }')
[ "${samples:-0}" -gt 0 ] && [ $((samples * period)) -le $((shown + period)) ] ||
  complain "$samples samples of $period ns are more than the $shown ns shown: $said"
has 'a chosen event' "$("$WICK" fold --event cpu-clock both.data 2>&1 >/dev/null)" "NET's runtime"
[[ $("$WICK" fold --event cpu-clock both.data 2>&1 >/dev/null) != *'other events'* ]] ||
  complain 'an event that was asked for leaves others out'

# A real one.
command -v perl >/dev/null || skip_rest 'there is no perl'
"$WICK" flame -o perl.folded -- perl -e 'for (1 .. 3e6) { $s = ($s + $_) & 65535 }' 2>said
has 'Perl' "$(cat said)" \
  "samples are in Perl's interpreter, which does not tell.*perl -d:NYTProf.*see 'wick help languages'"
! grep -q 'docs/' said || complain "a path that users do not have: $(cat said)"
finish
