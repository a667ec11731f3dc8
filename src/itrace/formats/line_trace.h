// SPDX-License-Identifier: Apache-2.0
// What the readers of traces share that are texts, a line for each instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/line_reader.h"
#include "itrace/formats/hart_blocks.h"
#include "itrace/formats/trace_reader.h"

namespace wick {

// Reads a line from left to right. Each function takes what it names from the
// front and says whether it was there; traces have hundreds of millions of
// lines, so nothing is searched and nothing copied.
class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : rest_(line) {}

  bool text(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  void blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  // Digits of a number that fits into 64 bits; at least one.
  bool hex(std::uint64_t& value);
  bool decimal(std::uint64_t& value);
  // Exactly 16 hexadecimal digits: a shorter number is one that was cut.
  bool hex16(std::uint64_t& value);
  // "0x" and hexadecimal digits.
  bool prefixed_hex(std::uint64_t& value) { return text("0x") && hex(value); }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

class LineTraceReader : public TraceReader {
 public:
  explicit LineTraceReader(InputFile& file) : lines_(file) {}

  bool next(TraceBlock& block) final;

 protected:
  // Whether the line makes sense; one that does not is noted. Adds at most
  // HartBlocks::kSlack instructions.
  virtual bool read_line(std::string_view line) = 0;

  HartBlocks harts_{diagnostics_};
  // All bits of the pcs so far. TraceInfo::pc_bits grows with it where a reader
  // does not know from the beginning how wide they are; what it can see then
  // (visit_some_lines) it should say then, since files are placed by it.
  std::uint64_t pcs_seen_ = 0;
  void grow_pc_bits();

 private:
  LineReader lines_;
  bool ended_ = false;
};

// Calls visit(line) for the lines of the head of `file`, and for some from all
// over it where that costs nothing: what lies in a mapping. To be called before
// anything of it is read. A line may be cut, at either end of what is visited.
void visit_some_lines(InputFile& file,
                      const std::function<void(std::string_view)>& visit);

// The privilege of RISC-V's encoding; the bit above it says that a debugger has
// the hart.
Privilege privilege_of(std::uint64_t bits);

}  // namespace wick
