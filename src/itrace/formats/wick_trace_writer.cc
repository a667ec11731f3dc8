// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/wick_trace_writer.h"

#include <algorithm>

#include "base/bytes.h"

namespace wick {
namespace {

using namespace wick_trace;

// The sink gets pieces of about this size; chunks of operations are smaller.
constexpr std::size_t kFlushAt = 1 << 17;
constexpr std::size_t kChunkAt = 1 << 16;
// Longer paths and names are cut; the reader has no use for more.
constexpr std::size_t kMaxText = 4096;

std::uint64_t hash_of(std::uint64_t pc, std::string_view code) {
  return std::hash<std::string_view>()(code) ^ pc * 0x9e3779b97f4a7c15;
}

}  // namespace

WickTraceWriter::WickTraceWriter(Sink sink, const WickTraceHeader& header)
    : sink_(std::move(sink)), header_(header) {
  write_header();
}

void WickTraceWriter::write_header() {
  std::string head(kMagic);
  append_raw(head, kMajor);
  append_raw(head, kMinor);
  append_raw(head, header_.flags);
  append_raw(head, static_cast<std::uint32_t>(header_.pc_bits));
  append_raw(head, std::uint64_t{0});
  append_raw(head, checksum(0, 0, head));
  out_ += head;
  write_chunk(kInfoChunk, 0, header_.info);
}

std::uint32_t WickTraceWriter::define(std::uint64_t pc, std::string_view code) {
  const std::uint64_t hash = hash_of(pc, code);
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Block& block = blocks_[it->second];
    if (block.pc == pc && block.code == code) return it->second;
  }
  const auto id = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back({pc, code_.emplace_back(code)});
  by_hash_.emplace(hash, id);
  return id;
}

void WickTraceWriter::write_definitions() {
  const bool has_bits = header_.flags & kHasBits;
  std::string payload;
  std::uint64_t expected = 0;
  auto first = static_cast<std::uint32_t>(written_blocks_);
  for (; written_blocks_ < blocks_.size(); ++written_blocks_) {
    const auto& [pc, code] = blocks_[written_blocks_];
    append_varint(payload, zigzag(static_cast<std::int64_t>(pc - expected)));
    append_varint(payload, code.size());
    expected = pc;
    if (has_bits) {
      payload += code;
      expected += code.size();
    } else {
      for (std::size_t i = 0; i < code.size(); i += 8) {
        unsigned char large = 0;
        for (std::size_t j = i; j < std::min(i + 8, code.size()); ++j)
          large = static_cast<unsigned char>(large | (code[j] == 4) << (j - i));
        payload.push_back(static_cast<char>(large));
      }
      for (const char size : code) expected += static_cast<unsigned char>(size);
    }
    if (payload.size() < kChunkAt) continue;
    write_chunk(kDefsChunk, first, payload);
    payload.clear();
    expected = 0;
    first = static_cast<std::uint32_t>(written_blocks_ + 1);
  }
  if (!payload.empty()) write_chunk(kDefsChunk, first, payload);
}

void WickTraceWriter::write_chunk(std::uint32_t type, std::uint32_t argument,
                                  std::string_view payload) {
  append_raw(out_, type);
  append_raw(out_, static_cast<std::uint32_t>(payload.size()));
  append_raw(out_, argument);
  append_raw(out_, checksum(type, argument, payload));
  out_ += payload;
}

void WickTraceWriter::write_exec(std::uint32_t hart, std::string_view payload) {
  const std::lock_guard lock(mutex_);
  write_definitions();
  write_chunk(kExecChunk, hart, payload);
  if (out_.size() < kFlushAt) return;
  sink_(out_);
  out_.clear();
}

void WickTraceWriter::flush() {
  const std::lock_guard lock(mutex_);
  if (!out_.empty()) sink_(out_);
  out_.clear();
}

void WickTraceWriter::begin_again(Sink sink) {
  sink_ = std::move(sink);
  out_.clear();
  written_blocks_ = 0;
  write_header();
}

WickTraceHart::WickTraceHart(WickTraceWriter& writer, std::uint32_t hart,
                             std::uint64_t tick)
    : writer_(writer), hart_(hart), tick_(tick), start_tick_(tick) {
  drop();
}

void WickTraceHart::drop() {
  ops_.clear();
  times_.clear();
  timed_ = false;
  run_ = 0;
  unit_steps_ = 0;
  start_tick_ = tick_;
  prefix_ = 0;
  set_limit();
  epoch_ += std::uint64_t{1} << 32;
  last_ = 0;
  if (followers_.empty()) followers_.resize(1024);
}

void WickTraceHart::put(std::uint64_t value) { append_varint(ops_, value); }

void WickTraceHart::put(std::string_view text) {
  text = text.substr(0, kMaxText);
  put(text.size());
  ops_ += text;
}

void WickTraceHart::flush_run() {
  if (run_ != 0) put(run_ << 1);
  run_ = 0;
}

void WickTraceHart::special(Special kind) {
  flush_run();
  put(1);
  ops_.push_back(static_cast<char>(kind));
}

void WickTraceHart::miss(std::uint32_t id) {
  flush_run();
  put((static_cast<std::uint64_t>(id) + 1) << 1 | 1);
  if (std::size_t{id} + 1 >= followers_.size())
    followers_.resize(id + std::size_t{id} / 2 + 1024);
  set_limit();
}

void WickTraceHart::set_limit() {
  limit_ = start_tick_ + kFreeInstructions - kMaxBlock +
           kInstructionsPerByte * ops_.size();
  // The chunk is full and ends with this block.
  if (ops_.size() >= kChunkAt || times_.size() >= kChunkAt) limit_ = 0;
}

void WickTraceHart::block_left_early(std::uint32_t id, std::uint32_t executed) {
  special(Special::kLeftEarly);
  put(executed);
  block(id, executed);
}

void WickTraceHart::put_context() {
  special(Special::kContext);
  const bool has_privilege = context_.privilege != Privilege::kUnknown;
  ops_.push_back(static_cast<char>(
      (has_privilege ? kKnowsPrivilege : 0) |
      (context_.has_satp ? kKnowsSatp : 0) |
      (context_.has_thread_pointer ? kKnowsThreadPointer : 0)));
  if (has_privilege) ops_.push_back(static_cast<char>(context_.privilege));
  if (context_.has_satp) put(context_.satp);
  if (context_.has_thread_pointer) put(context_.thread_pointer);
}

void WickTraceHart::context(const ContextChange& context) {
  context_ = context;
  put_context();
}

void WickTraceHart::trap(bool interrupt, std::uint64_t cause) {
  special(Special::kTrap);
  ops_.push_back(interrupt ? 1 : 0);
  put(cause);
}

void WickTraceHart::trap_between(bool interrupt, std::uint64_t cause) {
  special(Special::kTrapBetween);
  ops_.push_back(interrupt ? 1 : 0);
  put(cause);
}

void WickTraceHart::gap() { special(Special::kGap); }

void WickTraceHart::fact(const SideBandFact& fact) {
  switch (fact.kind) {
    case SideBandFact::Kind::kThread:
      special(Special::kThread);
      put(fact.satp);
      put(zigzag(fact.pid));
      put(zigzag(fact.tid));
      put(fact.name);
      break;
    case SideBandFact::Kind::kMapping:
      special(Special::kMapping);
      put(fact.satp);
      put(zigzag(fact.pid));
      put(fact.start);
      put(fact.end - fact.start);
      put(fact.file_off);
      put(fact.name);
      break;
    case SideBandFact::Kind::kUnmapAll:
      special(Special::kUnmapAll);
      put(fact.satp);
      put(zigzag(fact.pid));
      break;
  }
}

void WickTraceHart::cycle(std::uint64_t cycle) {
  if (!timed_) {
    timed_ = true;
    first_cycle_ = last_cycle_ = cycle;
    return;
  }
  const std::uint64_t step = cycle - last_cycle_;
  last_cycle_ = cycle;
  if (step == 1) {
    ++unit_steps_;
    return;
  }
  append_varint(times_, unit_steps_);
  append_varint(times_, zigzag(static_cast<std::int64_t>(step)));
  unit_steps_ = 0;
  set_limit();
}

void WickTraceHart::end_chunk() {
  flush_run();
  if (ops_.size() > prefix_) {
    std::string payload;
    append_varint(payload, timed_ ? first_cycle_ : start_tick_);
    append_varint(payload, ops_.size());
    payload += ops_;
    if (timed_) {
      append_varint(times_, unit_steps_);
      payload += times_;
    }
    writer_.write_exec(hart_, payload);
  }
  drop();
  if (context_.privilege != Privilege::kUnknown || context_.has_satp ||
      context_.has_thread_pointer)
    put_context();
  prefix_ = ops_.size();
}

}  // namespace wick
