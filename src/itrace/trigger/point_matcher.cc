// SPDX-License-Identifier: Apache-2.0
#include "itrace/trigger/point_matcher.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "itrace/code/code_map.h"
#include "object/demangle/demangle.h"

namespace wick {
namespace {

using Kind = TracePoint::Kind;

constexpr std::size_t kLowBits = 1 << 16;
// The most addresses that match an instruction; a mask with few bits matches
// half of all code.
constexpr std::size_t kMaxPcs = 1 << 22;

std::uint64_t mask_of(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint32_t half_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]) |
                                    static_cast<unsigned char>(text[at + 1])
                                        << 8);
}

std::optional<std::uint64_t> file_offset(const CodeImage& image,
                                         std::uint64_t elf_addr) {
  if (image.elf == nullptr) return {};
  for (const ElfFile::Segment& segment : image.elf->segments())
    if (segment.type == PT_LOAD && elf_addr >= segment.address &&
        elf_addr - segment.address < segment.file_size)
      return segment.offset + (elf_addr - segment.address);
  return {};
}

[[noreturn]] void fail_too_many() {
  fail(
      "more than {} instructions in the files match the trigger; use a mask "
      "with more bits",
      kMaxPcs);
}

}  // namespace

PointMatcher::PointMatcher(const TracePoint& point, const TraceOptions& options,
                           const TraceInfo& info, const SymbolOptions& symbols)
    : kind_(point.kind),
      value_(point.value),
      mask_(point.mask),
      pc_bits_(info.pc_bits) {
  switch (point.kind) {
    case Kind::kNone:
    case Kind::kPc:
      return;
    case Kind::kCycle:
      is_time_ = true;
      return;
    case Kind::kBaseCycle:
      is_time_ = true;
      if (value_ != UINT64_MAX)
        value_ = clock_ratio(info.clock_domain).to_local(value_);
      return;
    case Kind::kInstruction:
      value_ &= mask_;
      every_ = mask_ == 0;
      by_bits_ = info.has_bits;
      if (!by_bits_ && !every_)
        use_text(point, CodeMap(options, info, symbols));
      return;
    case Kind::kSymbol:
      use_symbol(point, CodeMap(options, info, symbols));
      return;
  }
}

void PointMatcher::add_pc(std::uint64_t address) {
  if (low_bits_.empty()) low_bits_.resize(kLowBits);
  low_bits_[address / 2 % kLowBits] = true;
  addresses_.insert(address);
  pcs_.insert(address & mask_of(pc_bits_));
  if (addresses_.size() > kMaxPcs) fail_too_many();
}

void PointMatcher::use_symbol(const TracePoint& point, const CodeMap& map) {
  for (std::size_t i = 0; i < map.function_count(); ++i) {
    const CodeFunction& function =
        map.function(FunctionId{static_cast<std::uint32_t>(i)});
    if (function.name.empty()) continue;
    if (function.name != point.symbol &&
        (!function.name.starts_with('_') ||
         demangle(function.name, Demangle::kShort) != point.symbol))
      continue;
    const CodeImage& image = map.image(function.image);
    if (image.fixed)
      add_pc(function.start + image.bias);
    else if (const auto off = file_offset(image, function.start))
      movable_.push_back({image.path, {*off}});
  }
  if (!pcs_.empty() || !movable_.empty()) return;
  if (map.image_count() <= 1)
    fail(Setting::kElf,
         "the function '{}' cannot be found: no file of code was given",
         excerpt(point.symbol));
  fail(Setting::kElf, "no file of code has a function '{}'",
       excerpt(point.symbol));
}

// For a trace of pcs alone: searches the text of the files for the instruction.
// It is also found in the middle of other instructions, which never execute.
void PointMatcher::use_text(const TracePoint& point, const CodeMap& map) {
  bool any_text = false;
  std::size_t movable = 0;
  for (std::size_t i = 1; i < map.image_count(); ++i) {
    const CodeImage& image =
        map.image(CodeImageId{static_cast<std::uint32_t>(i)});
    if (image.elf == nullptr) continue;
    Movable anywhere{.path = image.path};
    const std::string_view text =
        image.text(image.text_start, image.text_end - image.text_start);
    any_text = any_text || !text.empty();
    for (std::size_t at = 0; at + 2 <= text.size(); at += 2) {
      std::uint32_t bits = half_at(text, at);
      if ((bits & 3) == 3 && at + 4 <= text.size())
        bits |= half_at(text, at + 2) << 16;
      if ((bits & point.mask) != (point.value & point.mask)) continue;
      if (image.fixed)
        add_pc(image.text_start + at + image.bias);
      else if (const auto off = file_offset(image, image.text_start + at))
        anywhere.file_offs.push_back(*off);
    }
    movable += anywhere.file_offs.size();
    if (movable > kMaxPcs) fail_too_many();
    if (!anywhere.file_offs.empty()) movable_.push_back(std::move(anywhere));
  }
  if (!any_text)
    fail(Setting::kElf,
         "the trace has pcs but no instructions, so a trigger by instruction "
         "needs the program's file; a trigger by pc (pc:HEX) does not");
}

void PointMatcher::learn(const SideBandFact& fact) {
  if (fact.kind != SideBandFact::Kind::kMapping) return;
  for (Movable& one : movable_) {
    if (base_name(one.path) != base_name(fact.name)) continue;
    for (const std::uint64_t off : one.file_offs)
      if (off >= fact.file_off && off - fact.file_off < fact.end - fact.start) {
        add_pc(fact.start + (off - fact.file_off));
        one.is_placed = true;
      }
  }
}

std::string PointMatcher::unplaced() const {
  const auto found = std::ranges::find(movable_, false, &Movable::is_placed);
  return found == movable_.end() ? "" : found->path;
}

void PointMatcher::set_pc_bits(int pc_bits) {
  if (pc_bits == pc_bits_) return;
  pc_bits_ = pc_bits;
  pcs_.clear();
  for (const std::uint64_t address : addresses_)
    pcs_.insert(address & mask_of(pc_bits));
}

void PointMatcher::find(const TraceBlock& block, int pc_bits,
                        std::vector<std::uint32_t>& out) {
  set_pc_bits(pc_bits);
  const auto count = static_cast<std::uint32_t>(block.instructions.size());
  if (is_none() || is_time_) return;
  if (every_) {
    for (std::uint32_t i = 0; i < count; ++i) out.push_back(i);
  } else if (by_bits_) {
    const auto size = std::min<std::size_t>(count, block.bits.size());
    for (std::uint32_t i = 0; i < size; ++i)
      if ((block.bits[i] & mask_) == value_) out.push_back(i);
  } else if (kind_ == Kind::kPc) {
    const std::uint64_t wanted = value_ & mask_of(pc_bits);
    for (std::uint32_t i = 0; i < count; ++i)
      if (block.instructions[i].pc == wanted) out.push_back(i);
  } else if (!pcs_.empty()) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t pc = block.instructions[i].pc;
      if (low_bits_[pc / 2 % kLowBits] && pcs_.contains(pc)) out.push_back(i);
    }
  }
}

}  // namespace wick
