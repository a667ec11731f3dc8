// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of text traces with one line per instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "io/line_reader.h"
#include "itrace/formats/hart_blocks.h"
#include "itrace/formats/trace_reader.h"

namespace wick {

// Reads a line from left to right. Each function removes what it names from the
// front and returns whether it was found. Traces have hundreds of millions of
// lines, so nothing is searched for or copied.
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
  // Exactly 16 hexadecimal digits: a shorter number was cut off.
  bool hex16(std::uint64_t& value);
  // "0x" and hexadecimal digits.
  bool prefixed_hex(std::uint64_t& value) { return text("0x") && hex(value); }
  // A pc in hexadecimal digits, as many as its wires have bits. A core with
  // Sv39, Sv48 or Sv57 has 40, 49 or 58 of them, and the top one is the sign.
  bool wire_pc(std::uint64_t& pc);

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
  // False for a malformed line, which next() notes. Adds at most
  // HartBlocks::kSlack instructions.
  virtual bool read_line(std::string_view line) = 0;

  HartBlocks harts_{diagnostics_};
  // The bits set in any pc so far. TraceInfo::pc_bits grows with it where a
  // reader does not know the width in advance. Since files are placed by
  // pc_bits, a reader should find as many bits as it can when it opens the
  // trace (visit_some_lines).
  std::uint64_t pcs_seen_ = 0;
  void grow_pc_bits();

 private:
  LineReader lines_;
  bool ended_ = false;
};

// Calls visit(line) for the lines of the head of `file`, and for some lines
// from all over it if the file is mapped. Call it before anything is read. The
// first and the last line of each part may be cut.
void visit_some_lines(InputFile& file,
                      const std::function<void(std::string_view)>& visit);

// From RISC-V's encoding of the privilege; the bit above it is debug mode.
Privilege privilege_of(std::uint64_t bits);

}  // namespace wick
