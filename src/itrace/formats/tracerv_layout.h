// SPDX-License-Identifier: Apache-2.0
// How TracerV's binary records are laid out. The files do not say: FireSim
// changed the record six times without a version number, and does not write the
// core's commit width. So every layout is tried on the first records, and the
// one that fits them best is chosen.
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
  // What the slots or bundles of a record stand for.
  enum class Streams : std::uint8_t {
    kSlots,          // of one hart, oldest first
    kHarts,          // harts
    kHartsReversed,  // harts, last one first
  };
  Kind kind = Kind::kSlots;
  int words = 2;            // per record, 8 bytes each
  int slots = 1;            // instructions per record
  bool cycle_last = false;  // kSlots: the cycle is the last word
  int valid_bit = 63;       // 40 or 63; the pc is below
  int pc_bits = 40;
  Streams streams = Streams::kSlots;

  std::size_t record_size() const { return std::size_t{8} * words; }
  friend bool operator==(const TracervLayout&, const TracervLayout&) = default;
};

// In words: "16-byte records: cycle, 1 slot; valid bit 63; 40-bit pc".
std::string describe(const TracervLayout& layout);

// Defaults for a layout text without width and record, or without pc.
struct WidthAndBits {
  int width = 1, pc_bits = 40;
};
// From text such as "tracerv:width=3,valid=63,cycle=first"; a UsageError lists
// the choices.
TracervLayout parse_layout(std::string_view text,
                           const WidthAndBits& defaults = {});

// The layout that fits the first records of a trace.
struct FoundLayout {
  TracervLayout layout;
  double share = 0;  // of records that fit
  std::size_t records = 0;
};
// With `words`, only layouts with that many words are tried.
std::optional<FoundLayout> find_layout(std::string_view bytes, int words = 0);

// One word of a record.
inline std::uint64_t word_at(const char* record, int index) {
  std::uint64_t word;
  std::memcpy(&word, record + std::size_t{8} * index, 8);
  if constexpr (std::endian::native == std::endian::big)
    word = __builtin_bswap64(word);
  return word;
}

// Tracing never pauses for this many cycles: such a step is damage.
inline constexpr std::uint64_t kMaxPause = std::uint64_t{1} << 48;

struct RecordLook {
  bool fits = false;  // reserved bits are 0, addresses are even …
  std::uint64_t cycle = 0;
  int valid = 0;  // instructions
  // Unusual but possible: an invalid slot holds something other than an
  // address, or a token no instruction.
  bool odd = false;
};
// `record` has layout.record_size() bytes.
RecordLook look_at(const TracervLayout& layout, const char* record);

// "# Clock Domain: …": the first line that FireSim 1.10 and later write in
// every output format.
struct TracervHeader {
  std::size_t size = 0;      // with its newline; 0: no header
  std::string clock_domain;  // "baseClock, 1/1 of Base Clock"
};
TracervHeader tracerv_header(std::string_view head);

// The hart of a file named TRACEFILE-C3, as FireSim names one per core; 0 for
// other names and for implausible numbers.
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
