# BPF programs that were loaded before a recording began have names in it.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q 'recorded, with kernel code' ||
  skip 'the kernel does not allow recording it'
"$WICK" doctor | grep -q 'kernel functions have names' ||
  skip 'the kernel hides its addresses'
command -v gcc >/dev/null || skip 'there is no gcc'

# Loads a program of many multiplications, waits for a line, and runs it.
cat >spins.c <<'C'
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
  struct bpf_insn code[202] = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1}};
  int size = 1;
  while (size < 200)
    code[size++] =
        (struct bpf_insn){.code = BPF_ALU64 | BPF_MUL | BPF_K, .imm = 3};
  code[size++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
  union bpf_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  attr.insns = (unsigned long)code;
  attr.insn_cnt = size;
  attr.license = (unsigned long)"GPL";
  strcpy(attr.prog_name, "wick_spins");
  const int program = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
  puts(program < 0 ? "refused" : "loaded");
  fflush(stdout);
  if (program < 0 || getchar() == EOF) return 1;
  char data[64] = {0};
  memset(&attr, 0, sizeof attr);
  attr.test.prog_fd = program;
  attr.test.data_in = (unsigned long)data;
  attr.test.data_size_in = sizeof data;
  attr.test.repeat = 3000000;
  return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof attr) < 0;
}
C
gcc -O1 -o spins spins.c || skip 'there are no headers of BPF'
mkfifo go loaded
./spins <go >loaded &
spins=$!
exec 3>go
read -r answer <loaded
[ "$answer" = loaded ] || skip 'BPF programs cannot be loaded here'
grep -q 'wick_spins.*\[bpf\]' /proc/kallsyms ||
  skip 'BPF programs are not compiled here'

"$WICK" record -q -p $spins -o bpf.data &
recorder=$!
for _ in $(seq 300); do
  readlink /proc/$recorder/fd/* | grep -q perf_event && break
  sleep 0.1
done
echo go >&3
wait
has 'the program by its name' "$("$WICK" fold -q bpf.data)" \
  ';bpf_prog_[0-9a-f]*_wick_spins'
finish
