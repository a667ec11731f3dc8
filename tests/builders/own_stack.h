// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: this process as a recording would show it. The
// registers and the stack of the running thread, and the code around them.
#pragma once

#include <link.h>
#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "object/elf/elf_file.h"
#include "object/unwind/unwind_table.h"
#include "object/unwind/unwinder.h"

namespace wick {

// All modules of this process.
class OwnCode : public UnwindMap {
 public:
  OwnCode() {
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
          static_cast<OwnCode*>(self)->add(*info);
          return 0;
        },
        this);
  }

  CodeRange find(std::uint64_t address, CodePlace) const override {
    for (const CodeRange& range : ranges_)
      if (address >= range.start && address < range.end) return range;
    return {};
  }

 private:
  void add(const dl_phdr_info& info) {
    std::string path = info.dlpi_name;
    if (path.empty()) path = "/proc/self/exe";
    try {
      tables_.push_back(std::make_unique<UnwindTable>(
          UnwindTable::build(ElfFile::open(path), nullptr)));
    } catch (const Error&) {
      return;  // the vDSO is no file
    }
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const std::uint64_t start = info.dlpi_addr + segment.p_vaddr;
      ranges_.push_back({.start = start,
                         .end = start + segment.p_memsz,
                         .bias = info.dlpi_addr,
                         .table = tables_.back().get()});
    }
  }

  std::vector<std::unique_ptr<UnwindTable>> tables_;
  std::vector<CodeRange> ranges_;
};

#ifdef __x86_64__
struct OwnStack {
  Registers registers;
  std::string stack;

  // What getcontext or a signal handler saw, with up to `limit` bytes of the
  // stack. The function that called getcontext must not have returned.
  static OwnStack from(const ucontext_t& context, std::size_t limit) {
    OwnStack own = {.registers = registers_of(context)};
    const std::uint64_t sp = own.registers.sp;
    own.stack.resize(std::min<std::uint64_t>(limit, end_of_stack() - sp));
    copy(sp, own.stack.data(), own.stack.size());
    return own;
  }

  // This and copy() may be called in a signal handler.
  static Registers registers_of(const ucontext_t& context) {
    // By DWARF number.
    constexpr int kOrder[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI,
                                REG_RDI, REG_RBP, REG_RSP, REG_R8,  REG_R9,
                                REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
                                REG_R15, REG_RIP};
    Registers registers;
    for (int i = 0; i < 17; ++i)
      registers.value[i] =
          static_cast<std::uint64_t>(context.uc_mcontext.gregs[kOrder[i]]);
    registers.known = 0x1ffff;
    registers.sp = registers.value[7];
    registers.pc = registers.value[16];
    return registers;
  }

  // Word by word, since AddressSanitizer would object to memcpy.
  [[gnu::no_sanitize_address]] static void copy(std::uint64_t address, char* to,
                                                std::size_t size) {
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      const std::uint64_t word =
          *reinterpret_cast<const volatile std::uint64_t*>(address + i);
      std::memcpy(to + i, &word, 8);
    }
  }

  // Where the running thread's stack begins, far from its stack pointer.
  static std::uint64_t end_of_stack() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uint64_t>(low) + size;
  }
};
#endif

}  // namespace wick
