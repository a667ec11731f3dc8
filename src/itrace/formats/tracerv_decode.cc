// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/tracerv_decode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;

constexpr std::size_t kRunRecords = 256;
constexpr int kLookAhead = 4;  // records that must fit to resynchronise

}  // namespace

TracervDecoder::TracervDecoder(const TracervLayout& layout, std::uint32_t hart,
                               Diagnostics& diagnostics)
    : layout_(layout), hart_(hart), diagnostics_(diagnostics) {
  const std::uint64_t valid = std::uint64_t{1} << layout.valid_bit;
  pc_mask_ = valid - 1;
  const int address_bits = std::min(layout.valid_bit, 58);
  wrong_mask_ = ~(((std::uint64_t{1} << address_bits) - 1) | valid);
}

template <int kSlots>
TracervDecoder::Run TracervDecoder::decode_run(const char* records,
                                               std::size_t count, Retired* out,
                                               Run run) const {
  const int slots = kSlots != 0 ? kSlots : layout_.slots;
  const std::size_t size = kSlots != 0 && !layout_.cycle_last
                               ? std::size_t{8} * (kSlots + 1)
                               : layout_.record_size();
  const int cycle_at =
      kSlots == 0 && layout_.cycle_last ? layout_.words - 1 : 0;
  const int first_slot = cycle_at == 0 ? 1 : 0;
  const int valid_bit = layout_.valid_bit;
  const std::uint64_t pc_mask = pc_mask_, wrong_mask = wrong_mask_;
  // Records shorter than a beat contain at least one instruction.
  const std::uint64_t must_be_valid = layout_.words < 8 ? 1 : 0;
  Retired* const begin = out;
  out += run.filled;
  for (const char* end = records + count * size; records != end;
       records += size) {
    const std::uint64_t cycle = word_at(records, cycle_at);
    run.wrong |= (cycle - run.last) / kMaxPause;
    run.last = cycle;
    std::uint64_t all = 0;
    for (int i = 0; i < slots; ++i) {
      const std::uint64_t word = word_at(records, first_slot + i);
      all |= word;
      *out = {cycle, word & pc_mask};
      out += word >> valid_bit & 1;
    }
    run.wrong |= (all & wrong_mask) | (~(all >> valid_bit) & must_be_valid);
    run.seen |= all;
  }
  run.filled = static_cast<std::size_t>(out - begin);
  run.not_later = ~std::uint64_t{0};  // not checked
  return run;
}

// Records of a cycle and one pc have the layout of Retired, except for the bits
// above the pc. Both words are handled at once.
TracervDecoder::Run TracervDecoder::copy_run(const char* records,
                                             std::size_t count, Retired* out,
                                             Run run) const {
  using Pair = std::uint64_t __attribute__((vector_size(16)));
  const Pair kept = {~std::uint64_t{0}, pc_mask_};
  Pair any = {}, every = ~any, later = {}, later_less_one = {};
  Pair last = {run.last, 0};
  out += run.filled;
  for (std::size_t i = 0; i < count; ++i) {
    Pair record;
    std::memcpy(&record, records + i * sizeof record, sizeof record);
    out[i] = std::bit_cast<Retired>(record & kept);
    any |= record;
    every &= record;
    later |= record - last;
    later_less_one |= record - last - 1;
    last = record;
  }
  run.filled += count;
  run.last = last[0];
  run.seen |= any[1];
  run.wrong |= later[0] / kMaxPause | (any[1] & wrong_mask_) |
               (~(every[1] >> layout_.valid_bit) & 1);
  run.not_later |= later_less_one[0];
  return run;
}

TracervDecoder::Run TracervDecoder::decode_run(const char* records,
                                               std::size_t count, Retired* out,
                                               Run run) const {
  const bool dense = !layout_.cycle_last && layout_.slots + 1 == layout_.words;
  if (std::endian::native == std::endian::little && dense && layout_.slots == 1)
    return copy_run(records, count, out, run);
  switch (dense ? layout_.slots : 0) {
    case 2:
      return decode_run<2>(records, count, out, run);
    case 3:
      return decode_run<3>(records, count, out, run);
    case 4:
      return decode_run<4>(records, count, out, run);
    case 7:
      return decode_run<7>(records, count, out, run);
    default:
      return decode_run<0>(records, count, out, run);
  }
}

void TracervDecoder::start_block(TraceBlock& block, std::size_t bytes) {
  block.bits.clear();
  block.contexts.clear();
  block.traps.clear();
  block.facts.clear();
  block.after_gap = false;
  block.hart = hart_;
  not_later_ = 0;
  const std::size_t slots =
      bytes / layout_.record_size() * static_cast<std::size_t>(layout_.slots);
  room_ = std::min(TraceReader::kBlockSize, slots);
  // One more than may be filled: an invalid slot is written but not kept.
  block.instructions.resize(room_ + 1);
  filled_ = 0;
}

void TracervDecoder::finish_block(TraceBlock& block) {
  block.instructions.resize(filled_);
  block.cycles_rise = not_later_ >> 63 == 0;
}

std::size_t TracervDecoder::decode(std::string_view bytes, TraceBlock& block) {
  const std::size_t size = layout_.record_size();
  Retired* const out = block.instructions.data();
  const std::string_view all = bytes;
  while (bytes.size() >= size) {
    if (gap_ && filled_ > 0) break;
    if (gap_) block.after_gap = true;
    gap_ = false;
    const std::size_t room =
        (room_ - filled_) / static_cast<std::size_t>(layout_.slots);
    const std::size_t count =
        std::min({bytes.size() / size, room, kRunRecords});
    if (count == 0) break;
    if (!started_) last_ = look_at(layout_, bytes.data()).cycle;
    const Run run = decode_run(bytes.data(), count, out,
                               {.filled = filled_, .last = last_});
    if (run.wrong == 0) {
      started_ = true;
      filled_ = run.filled;
      last_ = run.last;
      seen_ |= run.seen;
      not_later_ |= run.not_later;
      bytes.remove_prefix(count * size);
      continue;
    }
    not_later_ = ~std::uint64_t{0};
    const auto visit = [&](const char* record, std::uint64_t cycle) {
      const std::size_t before = filled_;
      const Run one = decode_run(record, 1, out, {.filled = before});
      for (std::size_t i = before; i < one.filled; ++i) out[i].cycle = cycle;
      filled_ = one.filled;
      seen_ |= one.seen;
    };
    const auto correct_last = [&](std::uint64_t next) {
      return filled_ > 0 && out[filled_ - 1].cycle == last_ &&
             correct_last_cycle(std::span(out, filled_), next);
    };
    bytes.remove_prefix(decode_carefully(bytes, visit, correct_last));
  }
  return all.size() - bytes.size();
}

std::size_t TracervDecoder::decode(std::string_view bytes, HartBlocks& harts) {
  const std::size_t size = layout_.record_size();
  const std::string_view all = bytes;
  while (bytes.size() >= size && !harts.full()) {
    const std::size_t used = decode_carefully(
        bytes,
        [&](const char* record, std::uint64_t cycle) {
          add_record(record, cycle, harts);
        },
        [&](std::uint64_t next) {
          return harts.correct_last_cycles(last_, next);
        });
    if (gap_) harts.restart();
    gap_ = false;
    bytes.remove_prefix(used);
  }
  return all.size() - bytes.size();
}

// Whether `bytes` begin with whole records, judging by the next few.
bool TracervDecoder::continues(std::string_view bytes,
                               std::uint64_t after) const {
  const std::size_t size = layout_.record_size();
  for (int i = 0; i < kLookAhead && bytes.size() >= size; ++i) {
    const RecordLook look = look_at(layout_, bytes.data());
    if (!look.fits || !in_order(look.cycle, after)) return false;
    after = look.cycle;
    bytes.remove_prefix(size);
  }
  return true;
}

template <class Visit, class CorrectLast>
std::size_t TracervDecoder::decode_carefully(std::string_view bytes,
                                             Visit visit,
                                             CorrectLast correct_last) {
  const std::size_t size = layout_.record_size();
  const RecordLook look = look_at(layout_, bytes.data());
  const auto take = [&](std::uint64_t cycle) {
    started_ = true;
    last_ = cycle;
    visit(bytes.data(), cycle);
    return size;
  };
  if (look.fits && in_order(look.cycle, last_)) return take(look.cycle);
  const std::string_view next = bytes.substr(size);
  if (look.fits) {
    diagnostics_.note(Problem::kTimeDisorder);
    // A single wrong cycle is corrected, this one or the one before.
    if (!next.empty() && continues(next, last_)) return take(last_);
    if (continues(next, look.cycle) && correct_last(look.cycle))
      return take(look.cycle);
    gap_ = true;
    if (continues(next, look.cycle)) {
      started_ = false;  // time starts again: the next call accepts it
      return 0;
    }
  } else {
    diagnostics_.note(Problem::kBadRecord);
    gap_ = true;
    if (continues(next, last_)) return size;
  }
  if (searches_left_ == 0) return size;
  for (std::size_t shift = 1; shift < size; ++shift)
    if (bytes.size() >= shift + size && continues(bytes.substr(shift), last_))
      return shift;
  --searches_left_;
  return size;
}

void TracervDecoder::add_record(const char* record, std::uint64_t cycle,
                                HartBlocks& harts) {
  const bool reversed = layout_.streams == Streams::kHartsReversed;
  const bool are_harts = layout_.streams != Streams::kSlots;
  if (layout_.kind == Kind::kTokens) {
    const std::uint64_t word = word_at(record, 1);
    if ((word >> layout_.valid_bit & 1) == 0) return;
    HartBlocks::Hart* hart = harts.hart(hart_);
    if (hart == nullptr) return;
    harts.set_context(*hart, {.privilege = privilege_of(word_at(record, 4)),
                              .has_satp = true,
                              .satp = word_at(record, 3)});
    harts.add(*hart, cycle, word & pc_mask_,
              static_cast<std::uint32_t>(word_at(record, 2)));
    return;
  }
  if (layout_.kind == Kind::kPacked) cycle = beats_++;
  for (int i = 0; i < layout_.slots; ++i) {
    const int stream = reversed ? layout_.slots - 1 - i : i;
    HartBlocks::Hart* hart =
        harts.hart(are_harts ? static_cast<std::uint32_t>(stream) : hart_);
    if (hart == nullptr) continue;
    if (layout_.kind == Kind::kSlots) {
      const std::uint64_t word =
          word_at(record, layout_.cycle_last ? i : i + 1);
      if ((word >> layout_.valid_bit & 1) != 0)
        harts.add(*hart, cycle, word & pc_mask_);
      continue;
    }
    // Stream 0 is the most significant bundle.
    const PackedInstruction in = packed_at(record, layout_.slots - 1 - i);
    if (!in.valid) continue;
    harts.set_context(*hart, {.privilege = privilege_of(in.privilege)});
    harts.add(*hart, cycle, in.pc, in.bits);
    if (in.exception) harts.mark_trap(*hart, in.interrupt, in.cause & 0x7f);
  }
}

}  // namespace wick
