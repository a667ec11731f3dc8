// SPDX-License-Identifier: Apache-2.0
// How TracerV's binary records are laid out. The files say nothing about it:
// FireSim changed the record six times without a number of the version, and the
// commit width of the core is not written down. So every layout is tried on
// the first records, and the one that they are consistent with is taken.
//
// docs/formats/instruction-traces.md draws each of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace wick {

struct TracervLayout {
  enum class Kind : std::uint8_t {
    kSlots,   // a word for the cycle, and one for each commit slot
    kTokens,  // cycle, pc, instruction, satp, privilege
    kPacked,  // FireSim 1.4 to 1.7: bundles of 126 bits, no cycle
  };
  // What the slots, or the bundles, of a record are.
  enum class Streams : std::uint8_t {
    kSlots,          // of one hart, oldest first
    kHarts,          // harts
    kHartsReversed,  // harts, the last one first
  };
  Kind kind = Kind::kSlots;
  int words = 2;            // of 8 bytes in a record
  int slots = 1;            // instructions in a record
  bool cycle_last = false;  // kSlots: the last word, not the first
  int valid_bit = 63;       // 40 or 63; the pc is below
  int pc_bits = 40;
  Streams streams = Streams::kSlots;

  std::size_t record_size() const { return std::size_t{8} * words; }
  friend bool operator==(const TracervLayout&, const TracervLayout&) = default;
};

// In words: "16-byte records: cycle, 1 slot; valid bit 63; 40-bit pc".
std::string describe(const TracervLayout& layout);

// What holds where the text of a layout says neither width nor record, or no
// pc.
struct WidthAndBits {
  int width = 1, pc_bits = 40;
};
// From the text of --trace-layout: "tracerv:width=3,valid=63,cycle=first". A
// UsageError says what may be given.
TracervLayout parse_layout(std::string_view text,
                           const WidthAndBits& unsaid = {});

// What `bytes`, the first records of a trace, are consistent with.
struct FoundLayout {
  TracervLayout layout;
  double share = 0;  // of the records that fit
  std::size_t records = 0;
};
// With `words`, only records of so many are tried.
std::optional<FoundLayout> find_layout(std::string_view bytes, int words = 0);

// One word of a record.
inline std::uint64_t word_at(const char* record, int index) {
  std::uint64_t word;
  std::memcpy(&word, record + std::size_t{8} * index, 8);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

// A cycle that is further from the one before than any pause of tracing.
inline constexpr std::uint64_t kMaxPause = std::uint64_t{1} << 48;

struct RecordLook {
  bool fits = false;  // what must be 0 is 0, addresses are even …
  std::uint64_t cycle = 0;
  int valid = 0;  // instructions
  // A slot that is not valid has no address of an instruction, or a token no
  // instruction: either may be, but rarely.
  bool odd = false;
};
// `record` has layout.record_size() bytes.
RecordLook look_at(const TracervLayout& layout, const char* record);

// "# Clock Domain: …": FireSim 1.10 and later put one line before the records
// of every output format.
struct TracervHeader {
  std::size_t size = 0;      // with its line end; 0: there is none
  std::string clock_domain;  // "baseClock, 1/1 of Base Clock"
};
TracervHeader tracerv_header(std::string_view head);

// The hart of a file that is named TRACEFILE-C3, as FireSim names one for each
// core; else 0, and 0 where no machine has such a number.
std::uint32_t hart_of_name(std::string_view path);

// An instruction of the packed layout.
struct PackedInstruction {
  bool valid = false, exception = false, interrupt = false;
  std::uint64_t pc = 0, trap_value = 0;
  std::uint32_t bits = 0;
  std::uint8_t privilege = 0, cause = 0;
};
// Bundle `index`, counted from the least significant end of the beat.
PackedInstruction packed_at(const char* record, int index);

}  // namespace wick
