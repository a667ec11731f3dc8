// SPDX-License-Identifier: Apache-2.0
// For tests: .eh_frame and .debug_frame in a few lines.
//
//   CfiBuilder cfi(0x2000);                             // .eh_frame at 0x2000
//   const auto cie = cfi.add_cie({.program = cfa::def_cfa(7, 8) +
//                                            cfa::offset(16, 1)});
//   cfi.add_fde(cie, 0x1000, 16, cfa::advance(1) + cfa::def_cfa_offset(16));
//   UnwindTable table = cfi.table();
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "object/unwind/cfi.h"
#include "object/unwind/unwind_rule.h"
#include "object/unwind/unwind_table.h"

namespace wick {

// "r7+8 r16=c-8": the CFA, what is saved, and what is special about it.
std::string rule_text(const UnwindRule& rule);

// The steps of a program, and the expressions in them.
namespace cfa {
inline std::string op(int code) {
  return std::string(1, static_cast<char>(code));
}
inline std::string uleb(std::uint64_t value) {
  std::string out;
  append_varint(out, value);
  return out;
}
std::string sleb(std::int64_t value);
template <class T>
std::string raw(T value) {
  std::string out;
  append_raw(out, value);
  return out;
}
inline std::string block(const std::string& bytes) {
  return uleb(bytes.size()) + bytes;
}

inline std::string advance(int delta) { return op(0x40 | delta); }
inline std::string offset(int reg, std::uint64_t factored) {
  return op(0x80 | reg) + uleb(factored);
}
inline std::string restore(int reg) { return op(0xc0 | reg); }
inline std::string undefined(int reg) {
  return op(0x07) + uleb(static_cast<std::uint64_t>(reg));
}
inline std::string remember_state() { return op(0x0a); }
inline std::string restore_state() { return op(0x0b); }
inline std::string def_cfa(int reg, std::uint64_t offset) {
  return op(0x0c) + uleb(static_cast<std::uint64_t>(reg)) + uleb(offset);
}
inline std::string def_cfa_register(int reg) {
  return op(0x0d) + uleb(static_cast<std::uint64_t>(reg));
}
inline std::string def_cfa_offset(std::uint64_t offset) {
  return op(0x0e) + uleb(offset);
}
inline std::string def_cfa_expression(const std::string& bytes) {
  return op(0x0f) + block(bytes);
}
inline std::string breg(int reg, std::int64_t offset) {
  return op(0x70 + reg) + sleb(offset);
}
inline std::string deref() { return op(0x06); }
}  // namespace cfa

class CfiBuilder {
 public:
  struct Options {
    bool eh = true;
    bool wide = false;  // lengths of 64 bits
    std::uint16_t machine = EM_X86_64;
  };
  explicit CfiBuilder(std::uint64_t address) : CfiBuilder(address, {}) {}
  CfiBuilder(std::uint64_t address, Options options)
      : address_(address), options_(options) {}

  struct CieSpec {
    int version = 1;
    std::string augmentation = "zR";
    std::string augmentation_data = std::string(1, '\x1b');  // pcrel sdata4
    std::uint64_t code_align = 1;
    std::int64_t data_align = -8;
    std::uint64_t ra_reg = 16;
    std::string program;
  };
  // Gives its offset.
  std::uint64_t add_cie(const CieSpec& spec);
  // `encoding` is that of the CIE.
  std::uint64_t add_fde(std::uint64_t cie, std::uint64_t start,
                        std::uint64_t size, const std::string& program,
                        int encoding = 0x1b);
  // Any entry, with the offset of its CIE or, for a CIE, nothing.
  std::uint64_t add_entry(std::uint64_t cie, bool is_cie,
                          const std::string& body);

  const std::string& bytes() const { return bytes_; }
  CfiSection section() const;
  // .eh_frame_hdr at `address`, with a table of these functions (start, FDE).
  std::string header(std::uint64_t address,
                     const std::vector<std::pair<std::uint64_t, std::uint64_t>>&
                         functions) const;

  // A file with 64 kB of code from 0x1000 on, and its table.
  std::shared_ptr<const ElfFile> file() const;
  UnwindTable table() const;

 private:
  void put_pointer(std::string& out, std::uint64_t value, int encoding,
                   std::uint64_t at) const;

  std::uint64_t address_;
  Options options_;
  std::string bytes_;
};

}  // namespace wick
