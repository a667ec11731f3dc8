// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/tracerv_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/append.h"
#include "base/bytes.h"
#include "base/error.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;

constexpr std::size_t kBufferSize = 1 << 16;
constexpr int kSlotsOfABeat = 7;

// Whether `bits` low bits determine the pc. If the source has all 64, the
// highest one kept is the sign and the others must equal it: user and kernel
// code may differ in nothing else. Other sources have no bits above theirs.
bool is_kept(std::uint64_t pc, int bits, int source_bits) {
  if (bits >= 64) return true;
  if (source_bits < 64) return pc >> bits == 0;
  const auto as_signed =
      static_cast<std::int64_t>(pc << (64 - bits)) >> (64 - bits);
  return static_cast<std::uint64_t>(as_signed) == pc;
}

void put_word(std::string& out, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = byte_swap(word);
  append_raw(out, word);
}

}  // namespace

WidthAndBits needs_of(const TraceBlock& first) {
  WidthAndBits needs{.pc_bits = 57};
  int width = 0;
  std::uint64_t cycle = 0;
  for (const Retired& instruction : first.instructions) {
    width = instruction.cycle == cycle ? width + 1 : 1;
    cycle = instruction.cycle;
    needs.width = std::max(needs.width, width);
    if (needs.width >= kSlotsOfABeat) break;
  }
  return needs;
}

TracervWriter::TracervWriter(std::ostream& out,
                             const TracervWriteOptions& options)
    : out_(out), options_(options) {
  const TracervLayout& layout = options.layout;
  if (!options.text &&
      (layout.kind == Kind::kPacked || layout.streams != Streams::kSlots))
    fail_usage("records with '{}' can only be read; write tracerv:… or tokens",
               describe(layout));
  pc_bits_ = options.text ? std::min(layout.pc_bits, 64)
                          : std::min(layout.pc_bits, layout.valid_bit);
  if (!options.header) return;
  const std::string& clock = options.clock_domain;
  const std::size_t comma = clock.find(", ");
  append(buffer_, "# Clock Domain: {}, Relative Frequency: {}\n",
         clock.substr(0, comma),
         comma == clock.npos ? "1/1 of Base Clock" : clock.substr(comma + 2));
}

std::uint64_t TracervWriter::kept_of(std::uint64_t pc) {
  cut_pcs_ += !is_kept(pc, pc_bits_, options_.source_pc_bits);
  return pc_bits_ >= 64 ? pc : pc & ((std::uint64_t{1} << pc_bits_) - 1);
}

void TracervWriter::add(const TraceBlock& block) {
  if (options_.text)
    add_text(block);
  else if (options_.layout.kind == Kind::kTokens)
    add_tokens(block);
  else
    add_slots(block);
}

void TracervWriter::add_text(const TraceBlock& block) {
  for (const Retired& instruction : block.instructions) {
    const bool same = slot_ >= 0 && instruction.cycle == cycle_;
    slot_ = same ? (slot_ + 1) % kSlotsOfABeat : 0;
    cycle_ = instruction.cycle;
    append(buffer_, "Cycle: {:016} I{}: {:016x}\n", cycle_, slot_,
           kept_of(instruction.pc));
    if (buffer_.size() >= kBufferSize) put_buffer();
  }
}

void TracervWriter::add_slots(const TraceBlock& block) {
  const TracervLayout& layout = options_.layout;
  for (const Retired& instruction : block.instructions) {
    if (filled_ > 0 && (instruction.cycle != cycle_ || filled_ == layout.slots))
      put_record();
    cycle_ = instruction.cycle;
    words_[layout.cycle_last ? filled_ : filled_ + 1] =
        kept_of(instruction.pc) | std::uint64_t{1} << layout.valid_bit;
    ++filled_;
  }
}

void TracervWriter::put_record() {
  const int words = options_.layout.words;
  words_[options_.layout.cycle_last ? words - 1 : 0] = cycle_;
  for (int i = 0; i < words; ++i) put_word(buffer_, words_[i]);
  std::ranges::fill(words_, 0);
  filled_ = 0;
  if (buffer_.size() >= kBufferSize) put_buffer();
}

void TracervWriter::add_tokens(const TraceBlock& block) {
  auto context = block.contexts.begin();
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    for (; context != block.contexts.end() && context->from <= i; ++context)
      context_ = *context;
    words_[0] = block.instructions[i].cycle;
    words_[1] = kept_of(block.instructions[i].pc) |
                std::uint64_t{1} << options_.layout.valid_bit;
    words_[2] = i < block.bits.size() ? block.bits[i] : 0;
    words_[3] = context_.satp;
    words_[4] = context_.privilege == Privilege::kUnknown
                    ? 0
                    : static_cast<std::uint64_t>(context_.privilege);
    for (int word = 0; word < options_.layout.words; ++word)
      put_word(buffer_, words_[word]);
    if (buffer_.size() >= kBufferSize) put_buffer();
  }
}

void TracervWriter::put_buffer() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void TracervWriter::finish() {
  if (filled_ > 0) put_record();
  put_buffer();
}

}  // namespace wick
