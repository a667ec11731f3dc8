// SPDX-License-Identifier: Apache-2.0
// Generated code without any description, for x86-64. outer() pushes the
// address of a call in decoy(), which never runs, three times, and calls
// middle(). That one calls burn() through a table: the last byte of its call,
// 0x58, would be a pop.
//
//   decoys SECONDS
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double seconds;
static volatile unsigned long work;

static double cpu_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}
__attribute__((noinline)) static void burn(void) {
  while (cpu_time() < seconds)
    for (int i = 0; i < 100000; i++) work += i * i;
}

// decoy: sub $8, %rsp; call burn; add $8, %rsp; ret
void decoy(void);
extern const char after_call_in_decoy[];
__asm__(
    ".text\n.type decoy, @function\ndecoy:\n.cfi_startproc\nsub $8, %rsp\n"
    ".cfi_adjust_cfa_offset 8\ncall *%rax\nafter_call_in_decoy:\n"
    "add $8, %rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
    ".size decoy, . - decoy");

static void (*table[12])(void);

// mov $ADDRESS, %rax; push %rax (three times); mov $MIDDLE, %rax; call *%rax;
// add $24, %rsp; ret
static unsigned char outer[] =
    "\x48\xb8........\x50\x50\x50\x48\xb8........\xff\xd0\x48\x83\xc4\x18\xc3";
// sub $8, %rsp; mov $TABLE, %rax; call *0x58(%rax); add $8, %rsp; ret
static unsigned char middle[] =
    "\x48\x83\xec\x08\x48\xb8........\xff\x50\x58\x48\x83\xc4\x08\xc3";

static void put_address(unsigned char* at, const void* value) {
  memcpy(at, &value, sizeof value);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  seconds = atof(argv[1]);
  unsigned char* code =
      mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  table[0x58 / sizeof *table] = burn;
  put_address(outer + 2, after_call_in_decoy);
  put_address(outer + 15, code + 64);
  put_address(middle + 6, table);
  memcpy(code, outer, sizeof outer);
  memcpy(code + 64, middle, sizeof middle);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  ((void (*)(void))(void*)code)();
  return 0;
}
