// SPDX-License-Identifier: Apache-2.0
// The reader. Definitions become rows of two columns, the offsets and words of
// instructions; executing a block copies its rows. A chunk depends only on
// definitions, so damage is confined to the chunk it is in.
#include "itrace/formats/wick_trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "itrace/formats/wick_trace_format.h"

namespace wick {
namespace {

using namespace wick_trace;

struct Block {
  std::uint64_t pc = 0;
  std::uint32_t first = 0;  // row of its first instruction
  std::uint32_t count = 0;  // 0: not defined
};

// Rows for 2^27 instructions would be code of half a gigabyte.
constexpr std::size_t kMaxRows = std::size_t{1} << 27;
// The most bytes in chunks with wrong checksums: a fixed number plus a multiple
// of the file's size. Without a limit, nested chunks could be summed over and
// over.
constexpr std::size_t kFreeWrongBytes = std::size_t{1} << 26;
constexpr std::size_t kWrongBytesPerByte = 4;

// A block has few instructions. They are copied so many at a time, and what is
// too much is overwritten by the next block: a loop of five steps costs more,
// because where it ends cannot be predicted.
constexpr std::uint32_t kAtOnce = 4;

constexpr char kGapBytes[] = {1, static_cast<char>(Special::kGap)};
constexpr std::string_view kGapOperation(kGapBytes, sizeof(kGapBytes));

bool sniff_wick_trace(std::string_view head) {
  return head.starts_with(kMagic);
}

class WickTraceReader : public TraceReader {
 public:
  WickTraceReader(InputFile& file, const TraceOptions& options);
  bool next(TraceBlock& block) override;

 private:
  bool next_chunk();
  const char* search(const char*& known, std::string_view name);
  void resynchronise();
  void read_info(std::string_view payload);
  void read_definitions(std::uint32_t first, std::string_view payload);
  void begin_chunk(std::uint32_t hart, std::string_view payload);
  bool define(std::uint32_t id, std::uint64_t pc, std::string_view code,
              std::uint64_t count);

  // Reads one operation of the chunk. False if it must wait for the next
  // TraceBlock; a damaged operation ends the chunk.
  bool step(TraceBlock& out);
  void special(TraceBlock& out);
  bool execute(TraceBlock& out, std::uint32_t id);
  void begin_block(TraceBlock& out);
  void keep_for_next(TraceBlock& out);
  void damaged(std::string_view what);
  std::uint64_t next_cycle();
  bool chunk_ended() const { return run_ == 0 && ops_.at_end(); }

  std::string_view rest_;
  std::size_t size_;  // of the file
  // The last results of search().
  const char *next_exec_ = nullptr, *next_defs_ = nullptr;
  std::size_t wrong_bytes_ = 0;
  std::uint32_t flags_ = 0;
  int only_hart_ = -1;

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> words_;    // by row
  std::vector<std::uint16_t> offsets_;  // by row, from the block's pc
  std::uint32_t code_bytes_ = 0;        // of the block defined last

  // The current chunk.
  std::uint32_t hart_ = 0;
  ByteReader ops_{{}}, times_{{}};
  std::uint64_t run_ = 0;
  std::uint32_t last_ = 0;  // id + 1; 0: none yet
  std::uint32_t left_early_ = 0;
  bool is_left_early_ = false;
  std::optional<TrapMark> trap_;  // of the next block
  bool has_cycle_ = false;
  std::uint64_t cycle_ = 0, unit_steps_ = 0;
  std::uint64_t allowed_ = 0;  // instructions
  // By id + 1: the id + 1 of the block that followed it last, with the number
  // of the chunk in the upper half.
  std::vector<std::uint64_t> followers_;
  std::uint64_t epoch_ = 0;

  std::map<std::uint32_t, TraceBlock> waiting_;  // rows, by hart
  std::size_t filled_ = 0;  // instructions in the block that next() fills
  // Its highest bit is set if cycles of that block do not rise.
  std::uint64_t not_later_ = 0;
  bool block_ends_ = false;  // at a gap
};

WickTraceReader::WickTraceReader(InputFile& file, const TraceOptions& options)
    : rest_(file.bytes()), size_(rest_.size()), only_hart_(options.hart) {
  if (rest_.size() < kHeaderSize)
    fail("this wick trace is cut off in its header, after {} bytes",
         rest_.size());
  ByteReader header(rest_.substr(kMagic.size(), kHeaderSize - kMagic.size()));
  const auto major = header.read<std::uint16_t>();
  header.read<std::uint16_t>();
  flags_ = header.read<std::uint32_t>();
  const auto pc_bits = header.read<std::uint32_t>();
  header.read<std::uint64_t>();
  if (header.read<std::uint32_t>() !=
      checksum(0, 0, rest_.substr(0, kHeaderSize - 4)))
    fail("the header of this wick trace is damaged (wrong checksum)");
  if (major != kMajor)
    fail("this wick trace has version {}, but only version {} can be read",
         major, kMajor);
  rest_.remove_prefix(kHeaderSize);
  info_.pc_bits =
      pc_bits >= 32 && pc_bits <= 64 ? static_cast<int>(pc_bits) : 64;
  info_.has_bits = flags_ & kHasBits;
  info_.has_privilege = flags_ & kHasPrivilege;
  info_.has_satp = flags_ & kHasSatp;
  info_.has_traps = flags_ & kHasTraps;
  info_.unit = flags_ & kInCycles ? "cycles" : "instructions";
  info_.layout = "wick trace";
  followers_.resize(1);
  // An INFO chunk at the start is read when the trace is opened.
  ByteReader chunk(rest_);
  if (chunk.read<std::uint32_t>() == kInfoChunk) next_chunk();
}

void WickTraceReader::damaged(std::string_view what) {
  diagnostics_.note_at(Problem::kBadRecord, what);
  run_ = 0;
  ops_ = ByteReader({});
}

// The next occurrence of `name` after the first byte of what is left, or the
// end. No byte is searched twice.
const char* WickTraceReader::search(const char*& known, std::string_view name) {
  if (known == nullptr || known <= rest_.data())
    known = rest_.data() + std::min(rest_.find(name, 1), rest_.size());
  return known;
}

void WickTraceReader::resynchronise() {
  damaged("a chunk of a wick trace");
  const char* next =
      std::min(search(next_exec_, "EXEC"), search(next_defs_, "DEFS"));
  rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
}

// False at the end; true for any chunk, even one without instructions.
bool WickTraceReader::next_chunk() {
  if (rest_.empty()) return false;
  ByteReader header(rest_);
  const auto type = header.read<std::uint32_t>();
  const auto size = header.read<std::uint32_t>();
  const auto argument = header.read<std::uint32_t>();
  const auto sum = header.read<std::uint32_t>();
  if (header.failed() ||
      (size <= kMaxPayload && size > rest_.size() - kChunkHeaderSize)) {
    // The end of a file that is still being written or was cut off, unless
    // another chunk follows: then the size is wrong.
    if (header.failed() ||
        search(next_exec_, "EXEC") == rest_.data() + rest_.size()) {
      diagnostics_.note(Problem::kTruncated);
      rest_ = {};
      return false;
    }
  }
  if (size > kMaxPayload || size > rest_.size() - kChunkHeaderSize) {
    resynchronise();
    return true;
  }
  const std::string_view payload = rest_.substr(kChunkHeaderSize, size);
  if (sum != checksum(type, argument, payload)) {
    wrong_bytes_ += size;
    if (wrong_bytes_ <= kFreeWrongBytes + kWrongBytesPerByte * size_) {
      resynchronise();
    } else {
      damaged("the rest of a wick trace with too much damage");
      rest_ = {};
    }
    return true;
  }
  rest_.remove_prefix(kChunkHeaderSize + size);
  if (type == kInfoChunk) read_info(payload);
  if (type == kDefsChunk) {
    read_definitions(argument, payload);
    words_.resize(words_.size() + kAtOnce);
    offsets_.resize(offsets_.size() + kAtOnce);
  }
  if (type == kExecChunk &&
      (only_hart_ < 0 || argument == static_cast<std::uint32_t>(only_hart_)))
    begin_chunk(argument, payload);
  return true;  // other types of chunks are for later versions
}

void WickTraceReader::read_info(std::string_view payload) {
  while (!payload.empty()) {
    const std::size_t end = std::min(payload.find('\n'), payload.size());
    const std::string_view line = payload.substr(0, end);
    payload.remove_prefix(std::min(end + 1, payload.size()));
    if (line.starts_with("clock=")) info_.clock_domain = line.substr(6);
    if (line.starts_with("source="))
      info_.layout = "wick trace of " + std::string(line.substr(7));
  }
}

void WickTraceReader::read_definitions(std::uint32_t first,
                                       std::string_view payload) {
  ByteReader in(payload);
  std::uint64_t pc = 0;
  // Ids count from 0, and every definition takes bytes, so a larger id is
  // damage. Damaged chunks leave gaps.
  std::uint64_t id = first;
  if (id > size_) return damaged("definitions of a wick trace");
  for (; !in.at_end(); ++id) {
    pc += static_cast<std::uint64_t>(unzigzag(in.read_varint()));
    const std::uint64_t size = in.read_varint();
    const bool has_bits = flags_ & kHasBits;
    const std::string_view code =
        in.read_bytes(has_bits ? size : size / 8 + (size % 8 != 0));
    if (in.failed() || !define(static_cast<std::uint32_t>(id), pc, code, size))
      return damaged("definitions of a wick trace");
    pc += code_bytes_;  // the next one is expected right after this one
  }
}

bool WickTraceReader::define(std::uint32_t id, std::uint64_t pc,
                             std::string_view code, std::uint64_t size) {
  const std::size_t first = words_.size();
  if (size == 0 || size > std::uint64_t{kMaxBlock} * 4 || first > kMaxRows)
    return false;
  // A trace converted on the fly may have wider pcs than its header says.
  info_.pc_bits = std::max(info_.pc_bits, static_cast<int>(std::bit_width(pc)));
  std::uint32_t offset = 0;
  if (flags_ & kHasBits) {
    while (offset < size) {
      if (size - offset < 2) break;
      std::uint32_t word = 0;
      std::memcpy(&word, code.data() + offset, 2);
      const std::uint32_t bytes = riscv_size(word);
      if (size - offset < bytes) break;
      std::memcpy(&word, code.data() + offset, bytes);
      words_.push_back(word);
      offsets_.push_back(static_cast<std::uint16_t>(offset));
      offset += bytes;
    }
    if (offset != size || words_.size() - first > kMaxBlock) {
      words_.resize(first);
      offsets_.resize(first);
      return false;
    }
  } else {
    if (size > kMaxBlock) return false;
    for (std::uint64_t i = 0; i < size; ++i) {
      words_.push_back(0);
      offsets_.push_back(static_cast<std::uint16_t>(offset));
      offset += static_cast<unsigned char>(code[i / 8]) >> (i % 8) & 1 ? 4 : 2;
    }
  }
  if (id >= blocks_.size()) {
    blocks_.resize(std::size_t{id} + 1);
    followers_.resize(std::size_t{id} + 2);
  }
  code_bytes_ = offset;
  blocks_[id] = {pc, static_cast<std::uint32_t>(first),
                 static_cast<std::uint32_t>(words_.size() - first)};
  return true;
}

void WickTraceReader::begin_chunk(std::uint32_t hart,
                                  std::string_view payload) {
  ByteReader in(payload);
  cycle_ = in.read_varint();
  const std::uint64_t size = in.read_varint();
  const std::string_view ops = in.read_bytes(size);
  if (in.failed() || hart >= kMaxHarts)
    return damaged("an EXEC chunk of a wick trace");
  hart_ = hart;
  ops_ = ByteReader(ops);
  times_ = in;
  run_ = 0;
  last_ = 0;
  is_left_early_ = false;
  trap_.reset();
  has_cycle_ = false;
  unit_steps_ = 0;
  allowed_ = kFreeInstructions + kInstructionsPerByte * payload.size();
  epoch_ += std::uint64_t{1} << 32;
}

std::uint64_t WickTraceReader::next_cycle() {
  if (!has_cycle_) {
    has_cycle_ = true;
    unit_steps_ = times_.read_varint();
    return cycle_;
  }
  if (unit_steps_ != 0) {
    --unit_steps_;
    return ++cycle_;
  }
  cycle_ += static_cast<std::uint64_t>(unzigzag(times_.read_varint()));
  unit_steps_ = times_.read_varint();
  return cycle_;
}

bool WickTraceReader::execute(TraceBlock& out, std::uint32_t id) {
  if (id >= blocks_.size() || blocks_[id].count == 0) {
    damaged("a block of a wick trace that is not defined");
    return true;
  }
  const Block& block = blocks_[id];
  const std::uint32_t count =
      is_left_early_ ? std::min(left_early_, block.count) : block.count;
  if (count > allowed_) {
    damaged("a chunk with more instructions than allowed");
    return true;
  }
  if (kBlockSize - filled_ < count) return false;
  if (out.instructions.size() < filled_ + count + kAtOnce) {
    // Grown step by step and not shrunk between blocks, because vectors zero
    // what they grow by. Small at first, because every hart may have a block.
    const std::size_t room =
        std::min(kBlockSize + kAtOnce,
                 std::max(out.instructions.size() * 2, filled_ + count + 64));
    out.instructions.resize(room);
    if (flags_ & kHasBits) out.bits.resize(room);
  }
  is_left_early_ = false;
  allowed_ -= count;
  Retired* to = out.instructions.data() + filled_;
  const std::uint16_t* offsets = offsets_.data() + block.first;
  if (flags_ & kTimed) {
    for (std::uint32_t i = 0; i < count; ++i)
      to[i] = {next_cycle(), block.pc + offsets[i]};
  } else {
    if (filled_ != 0) not_later_ |= cycle_ - to[-1].cycle - 1;
    for (std::uint32_t i = 0; i < count; i += kAtOnce)
      for (std::uint32_t k = i; k < i + kAtOnce; ++k)
        to[k] = {cycle_ + k, block.pc + offsets[k]};
    cycle_ += count;
  }
  if (flags_ & kHasBits) {
    const std::uint32_t* words = words_.data() + block.first;
    std::uint32_t* bits = out.bits.data() + filled_;
    for (std::uint32_t i = 0; i < count; i += kAtOnce)
      std::memcpy(bits + i, words + i, kAtOnce * sizeof(*bits));
  }
  filled_ += count;
  if (trap_) {
    trap_->at = static_cast<std::uint32_t>(filled_ - 1);
    if (count != 0) out.traps.push_back(*trap_);
    trap_.reset();
  }
  followers_[last_] = epoch_ | (id + 1);
  last_ = id + 1;
  return true;
}

bool WickTraceReader::step(TraceBlock& out) {
  if (run_ != 0) {
    const std::uint64_t follower = followers_[last_];
    if ((follower & ~std::uint64_t{0xffffffff}) != epoch_ || last_ == 0) {
      damaged("a repeated block of a wick trace without a predecessor");
      return true;
    }
    if (!execute(out, static_cast<std::uint32_t>(follower) - 1)) return false;
    if (run_ != 0) --run_;  // 0: it was damaged
    return true;
  }
  const ByteReader before = ops_;
  if (filled_ != 0 && ops_.rest().starts_with(kGapOperation)) return false;
  const std::uint64_t op = ops_.read_varint();
  if (op == 1) {
    special(out);
  } else if ((op & 1) == 0) {
    run_ = op >> 1;
  } else if ((op >> 1) - 1 > std::numeric_limits<std::uint32_t>::max() - 1) {
    damaged("a block of a wick trace that is not defined");
  } else if (!execute(out, static_cast<std::uint32_t>((op >> 1) - 1))) {
    ops_ = before;
    return false;
  }
  if (ops_.failed()) damaged("an EXEC chunk of a wick trace");
  return true;
}

void WickTraceReader::special(TraceBlock& out) {
  const auto kind = static_cast<Special>(ops_.read<std::uint8_t>());
  const auto from = static_cast<std::uint32_t>(filled_);
  const auto fact_of = [&](SideBandFact::Kind kind) {
    SideBandFact fact;
    fact.from = from;
    fact.kind = kind;
    return fact;
  };
  const auto read_pid = [&] {
    return static_cast<std::int32_t>(unzigzag(ops_.read_varint()));
  };
  const auto read_text = [&] {
    return std::string(ops_.read_bytes(ops_.read_varint()));
  };
  switch (kind) {
    case Special::kLeftEarly:
      left_early_ = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(ops_.read_varint(), kMaxBlock));
      is_left_early_ = true;
      return;
    case Special::kContext: {
      ContextChange context{.from = from};
      const auto mask = ops_.read<std::uint8_t>();
      if (mask & kKnowsPrivilege)
        context.privilege = static_cast<Privilege>(ops_.read<std::uint8_t>());
      context.has_satp = mask & kKnowsSatp;
      if (context.has_satp) context.satp = ops_.read_varint();
      context.has_thread_pointer = mask & kKnowsThreadPointer;
      if (context.has_thread_pointer)
        context.thread_pointer = ops_.read_varint();
      if (ops_.failed()) return;
      // Of several at the same place, the last one counts.
      if (!out.contexts.empty() && out.contexts.back().from == from)
        out.contexts.pop_back();
      out.contexts.push_back(context);
      return;
    }
    case Special::kTrap: {
      const bool interrupt = ops_.read<std::uint8_t>() & 1;
      trap_ = TrapMark{.interrupt = interrupt, .cause = ops_.read_varint()};
      return;
    }
    case Special::kTrapBetween: {
      const bool interrupt = ops_.read<std::uint8_t>() & 1;
      const std::uint64_t cause = ops_.read_varint();
      if (!ops_.failed())
        out.traps.push_back({.at = from,
                             .interrupt = interrupt,
                             .cause = cause,
                             .is_before = true});
      return;
    }
    case Special::kThread: {
      SideBandFact fact = fact_of(SideBandFact::Kind::kThread);
      fact.satp = ops_.read_varint();
      fact.pid = read_pid();
      fact.tid = read_pid();
      fact.name = read_text();
      if (!ops_.failed()) out.facts.push_back(std::move(fact));
      return;
    }
    case Special::kMapping: {
      SideBandFact fact = fact_of(SideBandFact::Kind::kMapping);
      fact.satp = ops_.read_varint();
      fact.pid = read_pid();
      fact.start = ops_.read_varint();
      fact.end = fact.start + ops_.read_varint();
      fact.file_off = ops_.read_varint();
      fact.name = read_text();
      if (fact.end < fact.start) return damaged("a mapping of a wick trace");
      if (!ops_.failed()) out.facts.push_back(std::move(fact));
      return;
    }
    case Special::kUnmapAll: {
      SideBandFact fact = fact_of(SideBandFact::Kind::kUnmapAll);
      fact.satp = ops_.read_varint();
      fact.pid = read_pid();
      if (!ops_.failed()) out.facts.push_back(std::move(fact));
      return;
    }
    case Special::kGap:
      if (filled_ == 0) {
        out.after_gap = true;
      } else {
        waiting_[hart_].after_gap = true;
        block_ends_ = true;
      }
      return;
  }
  damaged("an unknown operation of a wick trace");
}

// Rows after the last instruction apply to the next one.
void WickTraceReader::keep_for_next(TraceBlock& out) {
  const auto move_end = [&](auto& rows, auto& waiting, auto at) {
    auto first = rows.end();
    while (first != rows.begin() && (*std::prev(first)).*at == filled_) --first;
    for (auto it = first; it != rows.end(); ++it) {
      (*it).*at = 0;
      waiting.push_back(std::move(*it));
    }
    rows.erase(first, rows.end());
  };
  TraceBlock& waiting = waiting_[out.hart];
  move_end(out.contexts, waiting.contexts, &ContextChange::from);
  move_end(out.facts, waiting.facts, &SideBandFact::from);
  move_end(out.traps, waiting.traps, &TrapMark::at);
  if (filled_ == 0 && std::exchange(out.after_gap, false))
    waiting.after_gap = true;
}

void WickTraceReader::begin_block(TraceBlock& out) {
  out.hart = hart_;
  const auto waiting = waiting_.find(hart_);
  if (waiting == waiting_.end()) return;
  std::swap(out.contexts, waiting->second.contexts);
  std::swap(out.facts, waiting->second.facts);
  std::swap(out.traps, waiting->second.traps);
  out.after_gap = waiting->second.after_gap;
  waiting_.erase(waiting);
}

bool WickTraceReader::next(TraceBlock& out) {
  out.contexts.clear();
  out.facts.clear();
  out.traps.clear();
  out.after_gap = block_ends_ = false;
  filled_ = 0;
  not_later_ = 0;
  out.bits.resize(flags_ & kHasBits ? out.instructions.size() : 0);
  bool full = false, begun = false;
  while (!full && !block_ends_) {
    if (chunk_ended()) {
      if (!next_chunk()) break;
      if (chunk_ended()) continue;
    }
    if (!begun || hart_ != out.hart) {
      if (filled_ != 0) break;
      if (begun) keep_for_next(out);
      begin_block(out);
      begun = true;
    }
    while (!chunk_ended() && !full && !block_ends_) full = !step(out);
  }
  out.instructions.resize(filled_);
  out.bits.resize(flags_ & kHasBits ? filled_ : 0);
  out.cycles_rise = (flags_ & kTimed) == 0 && not_later_ >> 63 == 0;
  if (begun) keep_for_next(out);
  return filled_ != 0;
}

std::unique_ptr<TraceReader> open(InputFile& file,
                                  const TraceOptions& options) {
  return std::make_unique<WickTraceReader>(file, options);
}

}  // namespace

extern const TraceFormat wick_trace_format = {
    .name = "wick-trace",
    .description = "wick's own instruction trace, as the QEMU plugin writes it",
    .evidence = TraceFormat::Evidence::kMagic,
    .sniff = sniff_wick_trace,
    .open = open};

}  // namespace wick
