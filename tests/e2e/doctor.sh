# wick doctor: a line for everything that a recording depends on.
. "$(dirname "$0")/lib.bash"
said=$("$WICK" doctor)
for about in 'programs can' 'kernel.perf_event_paranoid is .*kernel.kptr_restrict' \
  'capabilit|CAP_' 'whole machine can' 'control groups can' 'counters' \
  'tracepoints can' 'kernel functions have' 'buffers may' 'files may be open' \
  'BPF' 'perf maps|JIT' 'container|namespace'; do
  has 'what is looked at' "$said" "$about"
done
# Each line begins with a verdict; hints follow an arrow.
same 'other lines' "$(grep -Ev '^(ok|less|NO) |^ +→ ' <<<"$said")" ''

command -v gcc >/dev/null && command -v strip >/dev/null || skip 'there is no gcc'
echo 'int main() { return 0; }' >x.c
gcc -g -o whole x.c && gcc -o bare x.c && strip bare
has 'a program' "$("$WICK" doctor ./whole)" 'ok   ./whole has debug information'
has 'a stripped one' "$("$WICK" doctor ./bare)" \
  'less ./bare is stripped .*less ./bare has no debug information'

has 'a program of no package' "$("$WICK" doctor ./bare)" 'no symbols.*→ build without -s'
# The start files of a small program are not its code.
has 'a small program' "$("$WICK" doctor ./whole)" 'ok   ./whole has unwind rules'
echo 'volatile int s; int main(int c, char** v) { for (int i = 0; i < 9; i++) { s += c; s *= s; s ^= i; s -= c; }
  for (int i = 0; i < c; i++) { s += i; s *= c; s ^= 9; s -= s / c; s += i * s % c; } return s; }' >small.c
for level in 0 2; do
  gcc -O$level -o small small.c
  has 'a small program' "$("$WICK" doctor ./small)" 'ok   ./small has unwind rules'
  gcc -O$level -fno-asynchronous-unwind-tables -fomit-frame-pointer -o small small.c
  has 'a small program without rules' "$("$WICK" doctor ./small)" \
    'less ./small has .*unwind rules.*→ build with -fasynchronous-unwind-tables'
done
# Go's linker has options of its own, and its programs always have names.
if command -v go >/dev/null; then
  export GOCACHE=$PWD/go-cache GO111MODULE=off
  printf 'package main\nfunc main() { println(1) }\n' >x.go
  go build -o go-whole x.go && go build -ldflags='-s -w' -o go-bare x.go
  said=$("$WICK" doctor ./go-bare)
  has 'a stripped Go program' "$said" \
    'ok   ./go-bare is stripped, but has the names.*less ./go-bare has no debug information.*→ build without -ldflags=-s or -w'
  hint=$("$WICK" doctor ./go-whole | sed -n 's/.*→ \(go build .*\)/\1/p')
  if [ -n "$hint" ]; then # newer linkers make a build id
    sh -c "$hint -o go-named x.go" || complain "a hint that does not work: $hint"
    ! "$WICK" doctor ./go-named | grep -q 'no build id' || complain "a hint without effect: $hint"
  fi
fi
# The rules of the C runtime alone are next to nothing.
{
  for i in $(seq 300); do echo "int f$i(int x) { return x * $i + $i; }"; done
  echo 'int main(int c, char** v) { return f1(c); }'
} >many.c
gcc -o ruled many.c
has 'unwind rules' "$("$WICK" doctor ./ruled)" \
  'ok   ./ruled has unwind rules for (100|9[5-9])\.[0-9]% of its code'
gcc -fno-asynchronous-unwind-tables -fno-exceptions -o ruleless many.c
has 'hardly any rules' "$("$WICK" doctor ./ruleless)" \
  'less ./ruleless has unwind rules for [0-4]?[0-9]\.[0-9]% of its code; elsewhere frame pointers'
# Found as a shell finds it, with its libraries.
has 'a program in PATH' "$(PATH=$PWD:$PATH "$WICK" doctor ruled)" \
  "ok   $PWD/ruled has unwind rules.*its libraries \\([1-9][0-9]*\\) have unwind rules for [0-9.]+% of their code"
expect 1 'no-such-program: program not found in PATH' doctor no-such-program
printf '#!/bin/sh\n' >script
expect 1 "script: is a script, which is run by '/bin/sh'" doctor ./script
mkdir lib
gcc -shared -fno-asynchronous-unwind-tables -fno-exceptions -fPIC -o lib/libruleless.so many.c
gcc -o linked x.c -Wl,--no-as-needed -Llib -lruleless -Wl,-rpath,'$ORIGIN/lib'
has 'a library without rules' "$("$WICK" doctor ./linked)" \
  'less [^ ]*/lib/libruleless.so has unwind rules for [0-4]?[0-9]\.[0-9]% of its code'
rm lib/libruleless.so
has 'a missing library' "$("$WICK" doctor ./linked)" 'libraries not found, and not looked at: libruleless.so'
if command -v dpkg >/dev/null && dpkg -S /bin/gzip >/dev/null 2>&1; then
  has 'a program of a package' "$("$WICK" doctor /usr/bin/gzip)" \
    'has symbols|→ install gzip-dbgsym'
fi

# Without /proc nothing else can be known.
if [ "$(id -u)" = 0 ] && chroot / true 2>/dev/null; then
  for file in "$WICK" $(ldd "$WICK" | grep -o '/[^ )]*'); do
    mkdir -p "jail$(dirname "$file")" && cp "$file" "jail$file"
  done
  same 'a chroot' "$(chroot jail "$WICK" doctor)" \
    $'NO   programs cannot be recorded: /proc is not mounted\n       → sudo mount -t proc proc /proc'
  # Without /proc, AddressSanitizer takes any exception for an error.
  ldd "$WICK" | grep -q libasan || has 'recording in a chroot' "$(chroot jail "$WICK" record -- "$WICK" --version 2>&1)" \
    '/proc is not mounted; `sudo mount -t proc proc /proc` mounts it'
  rm -r jail
fi

# As another user, what is missing and how to get it.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
  let_nobody_in || skip_rest 'nobody may not run programs here'
  said=$("${nobody[@]}" "$WICK" doctor)
  has 'as nobody' "$said" 'you have no relevant capabilities.*→ sudo setcap'
  has 'as nobody' "$said" 'control groups cannot be recorded'
  # The hint is a command that works, whatever wick's path is.
  mkdir 'a folder' && cp "$WICK" 'a folder/wick' && chmod 755 'a folder'
  hint=$("${nobody[@]}" 'a folder/wick' doctor | sed -n 's/.*→ sudo \(setcap .*\)/\1/p' | head -1)
  has 'the command' "$hint" "^setcap [a-z_,]*=ep '$PWD/a folder/wick'$"
  if command -v setcap >/dev/null && sh -c "$hint" 2>/dev/null; then
    said=$("${nobody[@]}" 'a folder/wick' doctor)
    has 'with capabilities' "$said" 'ok   programs can be recorded, with kernel code'
    has 'with capabilities' "$said" 'you have .*CAP_PERFMON.*CAP_SYS_PTRACE.*ok   the whole machine can'
    same 'a hint that was followed' "$(grep -c setcap <<<"$said")" 0
    sleep 20 &
    "${nobody[@]}" 'a folder/wick' record -q -o attached.data -p $! --duration 0.05 ||
      complain "attaching with capabilities"
    kill $!
  fi
fi
finish
