// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/tracerv_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;

constexpr int kBeatWords = 8;
constexpr int kPackedBits = 126;
constexpr std::uint64_t kMaxCycle = std::uint64_t{1} << 56;
// Tracing may pause for longer than this, but hardly among the first records.
constexpr std::uint64_t kLongPause = std::uint64_t{1} << 36;
// Nor for this many again and again. If a record does not begin where it seems
// to, its cycle is the upper half of a word.
constexpr std::uint64_t kPause = std::uint64_t{1} << 28;
constexpr std::size_t kManyRecords = 8;

constexpr std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// 64 bits of a beat, from bit `from` on.
std::uint64_t bits_at(const char* beat, int from) {
  const int word = from / 64, shift = from % 64;
  std::uint64_t bits = word_at(beat, word) >> shift;
  if (shift != 0 && word + 1 < kBeatWords)
    bits |= word_at(beat, word + 1) << (64 - shift);
  return bits;
}

RecordLook look_at_slots(const TracervLayout& layout, const char* record) {
  RecordLook look;
  const int cycle_at = layout.cycle_last ? layout.words - 1 : 0;
  look.cycle = word_at(record, cycle_at);
  // An address has at most 58 bits; the highest is the sign.
  const std::uint64_t address_bits = low_bits(std::min(layout.valid_bit, 58));
  const std::uint64_t valid_bit = std::uint64_t{1} << layout.valid_bit;
  bool odd_pc = false;
  look.fits = look.cycle < kMaxCycle;
  for (int i = 0; i < layout.words; ++i) {
    if (i == cycle_at) continue;
    const std::uint64_t word = word_at(record, i);
    const bool valid = (word & valid_bit) != 0;
    look.valid += valid;
    if (word % 2 != 0) (valid ? odd_pc : look.odd) = true;
    // This cycle or one shortly after it: another record, mistaken for a slot.
    if (!valid && word != 0 && word - look.cycle < 8) look.odd = true;
    if ((word & ~(address_bits | valid_bit)) != 0) look.fits = false;
  }
  if (odd_pc) look.fits = false;
  // When FireSim introduced short records, it already left out those without
  // an instruction.
  if (layout.words < kBeatWords && look.valid == 0) look.fits = false;
  return look;
}

RecordLook look_at_token(const TracervLayout& layout, const char* record) {
  RecordLook look{.fits = true, .cycle = word_at(record, 0)};
  const std::uint64_t pc = word_at(record, 1), bits = word_at(record, 2),
                      privilege = word_at(record, 4);
  const std::uint64_t valid_bit = std::uint64_t{1} << layout.valid_bit;
  look.valid = (pc & valid_bit) != 0;
  look.fits = look.cycle < kMaxCycle && (pc & ~(valid_bit * 2 - 1)) == 0;
  if (look.valid && (pc % 2 != 0 || bits == 0 || bits >> 32 != 0 ||
                     privilege > 7 || (privilege & 3) == 2))
    look.fits = false;
  // An address in place of the instruction: the low bits are those of a 16-bit
  // instruction, but higher ones are set.
  look.odd = look.valid && (bits & 3) != 3 && bits >> 16 != 0;
  for (int i = 5; i < layout.words; ++i)
    if (word_at(record, i) != 0) look.fits = false;
  return look;
}

RecordLook look_at_packed(const TracervLayout& layout, const char* record) {
  RecordLook look{.fits = true};
  const int used = layout.slots * kPackedBits;
  for (int bit = used; bit < 512; bit += 64)
    if (bits_at(record, bit) != 0) look.fits = false;
  for (int i = 0; i < layout.slots; ++i) {
    const PackedInstruction in = packed_at(record, i);
    if (!in.valid) continue;
    ++look.valid;
    if (in.pc % 2 != 0 || in.bits == 0 || (in.privilege & 3) == 2)
      look.fits = false;
  }
  return look;
}

// In order of preference if several fit: strict ones before loose ones. A
// record of three slots whose last two are never valid looks like two records
// of one slot, so narrow ones come first.
std::vector<TracervLayout> all_layouts() {
  std::vector<TracervLayout> all;
  for (const int words : {5, kBeatWords})
    all.push_back({.kind = Kind::kTokens, .words = words, .valid_bit = 40});
  for (int words = 2; words <= kBeatWords; ++words)
    for (const int valid_bit : {63, 40})
      all.push_back(
          {.words = words, .slots = words - 1, .valid_bit = valid_bit});
  all.push_back({.words = kBeatWords,
                 .slots = kBeatWords - 1,
                 .cycle_last = true,
                 .valid_bit = 40,
                 .streams = Streams::kHarts});
  for (int slots = 1; slots <= 4; ++slots)
    all.push_back({.kind = Kind::kPacked,
                   .words = kBeatWords,
                   .slots = slots,
                   .valid_bit = 40,
                   .streams = Streams::kHarts});
  return all;
}

bool all_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == bytes.npos;
}

// Whether instructions follow each other, as they mostly do in real code.
// Bundles have no cycle that must increase: without this check, one in thirty
// files of a system looks like a trace, programs most of all.
class FlowLook {
 public:
  void add(const TracervLayout& layout, const char* record) {
    std::uint64_t before = kNone;
    for (int i = 0; i < layout.slots; ++i) {
      const PackedInstruction in = packed_at(record, i);
      if (!in.valid) continue;
      if (last_[i] != kNone || before != kNone) ++steps_;
      // The bundles of one hart are its slots, in this order or reversed.
      following_ += follows(in.pc, last_[i]) || follows(in.pc, before) ||
                    follows(before, in.pc);
      last_[i] = before = in.pc;
    }
  }
  bool looks_like_code() const {
    return steps_ > 0 && following_ * 4 >= steps_;
  }

 private:
  static constexpr std::uint64_t kNone = 1;
  // kNone is odd, so it neither follows nor is followed.
  static bool follows(std::uint64_t pc, std::uint64_t last) {
    return pc % 2 == 0 && (pc == last + 2 || pc == last + 4);
  }
  std::uint64_t last_[4] = {kNone, kNone, kNone, kNone};
  std::size_t steps_ = 0, following_ = 0;
};

// While nothing is valid yet, a beat that holds a token and one that holds
// slots differ only in the privilege: 1 and 3 are not addresses, while 0 could
// be an unused slot.
bool has_privilege(const TracervLayout& layout, const char* record) {
  if (layout.kind != Kind::kTokens) return false;
  const std::uint64_t privilege = word_at(record, 4);
  return privilege == 1 || privilege == 3;
}

// Judges by the first records, up to `at_most` of them with an instruction: a
// core in reset, or one that waits, may write any number of empty ones before.
FoundLayout try_layout(const TracervLayout& layout, std::string_view bytes,
                       std::size_t at_most) {
  FoundLayout found{.layout = layout};
  const std::size_t size = layout.record_size();
  double fitting = 0;
  std::size_t count = 0, judged = 0, with_valid = 0, with_next_cycle = 0,
              with_privilege = 0, with_pause = 0;
  std::uint64_t last = 0;
  FlowLook flow;
  for (; bytes.size() >= size && judged < at_most; bytes.remove_prefix(size)) {
    const char* record = bytes.data();
    const RecordLook look = look_at(layout, record);
    judged += !look.fits || look.valid > 0;
    // Records of zeros prove nothing.
    if (look.fits && all_zero({record, size})) continue;
    const bool is_first = count++ == 0;
    // The first cycle may be any number.
    const bool in_order = is_first || look.cycle - last < kLongPause;
    // Only cores with more than seven slots write several records per cycle.
    const bool repeats =
        !is_first && look.cycle == last && layout.words < kBeatWords;
    // A beat that ends with its cycle covers all of that cycle.
    const bool stands = !is_first && look.cycle == last && layout.cycle_last;
    if (look.fits && in_order && !stands)
      fitting += repeats || look.odd ? 0.75 : 1;
    with_valid += look.valid > 0;
    with_next_cycle += !is_first && look.cycle == last + 1;
    with_privilege += has_privilege(layout, record);
    with_pause += !is_first && look.cycle - last >= kPause;
    last = look.cycle;
    if (layout.kind == Kind::kPacked) flow.add(layout, record);
  }
  // Beats of a core in reset have no instruction, but their cycles increase;
  // FireSim wrote those before the valid bit moved to 63.
  const bool says_something =
      with_valid > 0 ||
      (layout.valid_bit == 40 && count > 2 && with_next_cycle + 1 == count &&
       (layout.kind == Kind::kSlots || layout.words < kBeatWords ||
        with_privilege > 0));
  if (count == 0 || !says_something) return found;
  if (layout.kind == Kind::kPacked && !flow.looks_like_code()) return found;
  if (count >= kManyRecords && with_pause * 4 >= count) return found;
  found.records = count;
  found.share = fitting / static_cast<double>(count);
  return found;
}

// Cores with Sv48 or Sv57 have pcs of more than 40 bits.
int pc_bits_of(const TracervLayout& layout, std::string_view bytes) {
  if (layout.kind != Kind::kSlots || layout.valid_bit == 40) return 40;
  std::uint64_t seen = 0;
  const std::uint64_t valid_bit = std::uint64_t{1} << layout.valid_bit;
  const std::size_t size = layout.record_size();
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    for (int i = 1; i < layout.words; ++i) {
      const std::uint64_t word = word_at(bytes.data() + at, i);
      if ((word & valid_bit) != 0) seen |= word & (valid_bit - 1);
    }
  return std::max(40, static_cast<int>(std::bit_width(seen)));
}

}  // namespace

PackedInstruction packed_at(const char* record, int index) {
  const int from = index * kPackedBits;
  const std::uint64_t low = bits_at(record, from);
  const std::uint64_t high = bits_at(record, from + 64);
  // Bits of each field, from the most significant end: valid 1, pc 40,
  // instruction 32, privilege 3, exception 1, interrupt 1, cause 8, trap
  // value 40.
  PackedInstruction in;
  in.trap_value = low & low_bits(40);
  in.cause = static_cast<std::uint8_t>(low >> 40);
  in.interrupt = (low >> 48 & 1) != 0;
  in.exception = (low >> 49 & 1) != 0;
  in.privilege = static_cast<std::uint8_t>(low >> 50 & 7);
  in.bits = static_cast<std::uint32_t>(low >> 53 | high << 11);
  in.pc = high >> 21 & low_bits(40);
  in.valid = (high >> 61 & 1) != 0;
  return in;
}

RecordLook look_at(const TracervLayout& layout, const char* record) {
  switch (layout.kind) {
    case Kind::kSlots:
      return look_at_slots(layout, record);
    case Kind::kTokens:
      return look_at_token(layout, record);
    case Kind::kPacked:
      return look_at_packed(layout, record);
  }
  return {};
}

namespace {

FoundLayout best_layout(std::string_view bytes, int words,
                        std::size_t at_most) {
  FoundLayout best;
  double best_weight = 0;
  for (const TracervLayout& layout : all_layouts()) {
    if (words != 0 && layout.words != words) continue;
    const FoundLayout found = try_layout(layout, bytes, at_most);
    // In a short trace, one long record that fits proves less than four short
    // ones.
    const auto count = static_cast<double>(found.records);
    const double weight = found.share * count / (count + 1);
    if (weight <= best_weight) continue;
    best = found;
    best_weight = weight;
  }
  return best;
}

}  // namespace

std::optional<FoundLayout> find_layout(std::string_view bytes, int words) {
  FoundLayout best = best_layout(bytes, words, 512);
  // If bytes are missing among these, the records after the gap are misaligned.
  if (best.share < 0.9) {
    const FoundLayout first = best_layout(bytes, words, 32);
    if (first.share > best.share) best = first;
  }
  if (best.share < 0.5) return {};
  best.layout.pc_bits = pc_bits_of(best.layout, bytes);
  return best;
}

std::string describe(const TracervLayout& layout) {
  const std::size_t size = layout.record_size();
  const std::string_view of =
      layout.streams == Streams::kSlots ? "slot" : "hart";
  const std::string slots =
      fmt::format("{} {}{}", layout.slots, of, layout.slots == 1 ? "" : "s");
  const std::string_view order =
      layout.streams == Streams::kHartsReversed ? ", last first" : "";
  switch (layout.kind) {
    case Kind::kTokens:
      return fmt::format(
          "{}-byte records: cycle, pc, instruction, satp, privilege; valid bit "
          "{}",
          size, layout.valid_bit);
    case Kind::kPacked:
      return fmt::format("64-byte beats of 126-bit bundles: {}{}; no cycle",
                         slots, order);
    case Kind::kSlots:
      break;
  }
  const std::string what = layout.cycle_last
                               ? fmt::format("{}{}, cycle", slots, order)
                               : fmt::format("cycle, {}{}", slots, order);
  return fmt::format("{}-byte records: {}; valid bit {}; {}-bit pc", size, what,
                     layout.valid_bit, layout.pc_bits);
}

TracervHeader tracerv_header(std::string_view head) {
  constexpr std::string_view kBegin = "# Clock Domain: ";
  constexpr std::string_view kBetween = ", Relative Frequency: ";
  if (!head.starts_with(kBegin)) return {};
  const std::size_t end = head.substr(0, 4096).find('\n');
  if (end == head.npos) return {};
  TracervHeader header{.size = end + 1};
  std::string_view line = head.substr(kBegin.size(), end - kBegin.size());
  const std::size_t between = line.find(kBetween);
  header.clock_domain = line.substr(0, between);
  if (between != line.npos)
    append(header.clock_domain, ", {}",
           trim(line.substr(between + kBetween.size())));
  return header;
}

std::uint32_t hart_of_name(std::string_view path) {
  std::string_view name = base_name(path);
  const std::size_t mark = name.rfind("-C");
  if (mark == name.npos) return 0;
  name.remove_prefix(mark + 2);
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[digits])) ++digits;
  if (digits < name.size() && name[digits] != '.') return 0;
  const auto hart = to_number<std::uint32_t>(name.substr(0, digits));
  return hart && *hart < TraceReader::kMaxHarts ? *hart : 0;
}

namespace {

[[noreturn]] void fail_layout(std::string_view text, std::string_view part) {
  fail_usage(
      "unknown '{}' in the layout '{}'; a layout is tracerv, tokens or packed, "
      "optionally followed by a colon and any of width=1..7, record=16..64, "
      "valid=40|63, cycle=first|last, streams=slots|harts|reversed, pc=40..62, "
      "as in tracerv:width=3,valid=63",
      part, text);
}

}  // namespace

TracervLayout parse_layout(std::string_view text,
                           const WidthAndBits& defaults) {
  TracervLayout layout;
  std::string_view rest = text;
  const std::string_view kind = take_until(rest, ':');
  int width = 0, record = 0, valid = 0, pc = 0;
  if (kind == "tokens") {
    layout = {.kind = Kind::kTokens, .words = 5, .valid_bit = 40};
  } else if (kind == "packed") {
    layout = {.kind = Kind::kPacked,
              .words = kBeatWords,
              .valid_bit = 40,
              .streams = Streams::kHarts};
  } else if (kind != "tracerv") {
    fail_layout(text, kind);
  }
  while (!rest.empty()) {
    const std::string_view part = take_until(rest, ',');
    std::string_view value = part;
    const std::string_view key = take_until(value, '=');
    const auto number = [&](int low, int high) {
      const auto n = to_number<int>(value);
      if (!n || *n < low || *n > high) fail_layout(text, part);
      return *n;
    };
    if (key == "width") {
      width = number(1, layout.kind == Kind::kPacked ? 4 : kBeatWords - 1);
    } else if (key == "record") {
      record = number(16, 64);
      if (record % 8 != 0) fail_layout(text, part);
    } else if (key == "valid") {
      valid = number(40, 63);
      if (valid != 40 && valid != 63) fail_layout(text, part);
    } else if (key == "pc") {
      pc = number(40, 62);
    } else if (part == "cycle=first" || part == "cycle=last") {
      layout.cycle_last = value == "last";
    } else if (part == "streams=slots") {
      layout.streams = Streams::kSlots;
    } else if (part == "streams=harts") {
      layout.streams = Streams::kHarts;
    } else if (part == "streams=reversed") {
      layout.streams = Streams::kHartsReversed;
    } else {
      fail_layout(text, part);
    }
  }
  if (layout.kind == Kind::kSlots) {
    layout.words = record != 0                        ? record / 8
                   : width != 0 && !layout.cycle_last ? width + 1
                   : layout.cycle_last                ? kBeatWords
                                                      : defaults.width + 1;
    layout.slots = width != 0 ? width : layout.words - 1;
    if (layout.slots >= layout.words) fail_layout(text, "width");
  } else {
    if (layout.kind == Kind::kTokens && record != 0) layout.words = record / 8;
    if (layout.words < 5) fail_layout(text, "record");
    if (layout.kind == Kind::kPacked && width != 0) layout.slots = width;
  }
  if (valid != 0) layout.valid_bit = valid;
  if (pc == 0) pc = defaults.pc_bits;
  layout.pc_bits = std::min(pc, layout.valid_bit);
  return layout;
}

}  // namespace wick
