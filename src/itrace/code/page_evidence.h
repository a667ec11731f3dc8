// SPDX-License-Identifier: Apache-2.0
// What a trace shows about the code on one page of memory, and whether the code
// of a file agrees with it.
//
// Even without instruction words, a trace shows where instructions begin and
// where control went after each, which is a lot: a run of ten instructions
// fixes ten lengths, and a taken jump must have exactly that distance in the
// file. Twenty or thirty distinct steps single out one page of a whole Debian.
// With instruction words, five do.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "itrace/code/riscv.h"

namespace wick {

inline constexpr std::uint64_t kTextPageSize = 4096;
inline constexpr std::uint64_t kTextPageMask = kTextPageSize - 1;

// One instruction on a page and where control went after it.
struct CodeStep {
  // Values of `next`: kFar if no direct jump reaches that far (a trap or an
  // indirect jump), kNotSeen if the trace does not show what followed.
  static constexpr std::int32_t kFar = INT32_MIN;
  static constexpr std::int32_t kNotSeen = INT32_MIN + 1;
  // jal reaches 1 MiB.
  static constexpr std::int64_t kReach = 1 << 20;

  std::uint16_t offset = 0;  // on the page
  bool has_bits = false;
  std::uint32_t bits = 0;        // the instruction word, if has_bits
  std::int32_t next = kNotSeen;  // the next pc minus this one

  // `distance` is the next pc minus this one, sign-extended from pc_bits.
  static std::int32_t next_of(std::int64_t distance) {
    return distance >= -kReach && distance < kReach
               ? static_cast<std::int32_t>(distance)
               : kFar;
  }
};

// A page of code in a file: `text` is executable code, and the page begins at
// text[start]. It may begin before the first byte or end after the last one.
struct TextPageView {
  std::string_view text;
  std::int64_t start = 0;
  // The file's: the same encoding is c.jal in RV32 and c.addiw in RV64.
  Xlen xlen = Xlen::k64;

  // The instruction word at this offset of the page, 16-bit ones zero-extended;
  // nothing outside the text.
  std::optional<std::uint32_t> instruction(std::uint32_t offset) const {
    const std::int64_t at = start + offset;
    const auto size = static_cast<std::int64_t>(text.size());
    if (at < 0 || at + 2 > size) return {};
    const std::uint32_t low = halfword(at);
    if ((low & 3) != 3) return low;
    if (at + 4 > size) return {};
    return low | halfword(at + 2) << 16;
  }

 private:
  std::uint32_t halfword(std::int64_t at) const {
    const auto i = static_cast<std::size_t>(at);
    return static_cast<std::uint8_t>(text[i]) |
           static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[i + 1]))
               << 8;
  }
};

// How well a page of a file agrees with the evidence.
struct Fit {
  std::uint32_t contradictions = 0;
  // How unlikely it is that other code would agree as well, in bits, roughly.
  std::uint32_t score = 0;
};

// Checks whether the step is possible on this page; adds to `fit`.
void check_step(const CodeStep& step, const TextPageView& page, Fit& fit);

// The distinct steps seen on one page, the most telling ones first.
class PageEvidence {
 public:
  // Enough to single out a page.
  static constexpr std::size_t kMaxSteps = 192;

  // Returns whether the step was new.
  bool add(const CodeStep& step);
  std::size_t size() const { return telling_.size() + plain_.size(); }
  bool full() const { return size() >= kMaxSteps; }

  // Stops when there are more contradictions than `tolerated`.
  Fit fit(const TextPageView& page, std::uint32_t tolerated) const;
  // How many contradictions are accepted: code may be patched at run time, and
  // a trace may report an address space a few instructions late.
  std::uint32_t tolerated() const {
    return static_cast<std::uint32_t>(size() / 32);
  }

 private:
  // By offset / 2: whether a step that went on, or one that jumped, was seen.
  std::bitset<kTextPageSize / 2> went_on_, jumped_;
  std::vector<CodeStep> telling_, plain_;
};

}  // namespace wick
