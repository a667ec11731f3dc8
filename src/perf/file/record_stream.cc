// SPDX-License-Identifier: Apache-2.0
#include "perf/file/record_stream.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "io/compress.h"

namespace wick {

// Decompressed bytes, in blocks that do not move until their last record has
// been popped. A record's block is found by its address.
struct RecordStream::Inflated {
  static constexpr std::size_t kBlockSize = std::size_t{1} << 20;
  static constexpr std::size_t kMaxRecord = 0xffff;

  struct alignas(64) Block {
    std::size_t waiting = 0;  // records not popped yet
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };
  static constexpr std::size_t kRoom = kBlockSize - sizeof(Block);
  struct Free {
    void operator()(Block* block) const { std::free(block); }
  };

  Decompressor stream{Compression::kZstd};
  bool damaged = false;
  std::vector<std::unique_ptr<Block, Free>> blocks;
  std::vector<Block*> unused;
  Block* current = nullptr;
  std::size_t filled = 0, parsed = 0;  // of the current one
  std::uint64_t total = 0;             // bytes so far

  static Block* block_of(const char* record) {
    return reinterpret_cast<Block*>(reinterpret_cast<std::uintptr_t>(record) &
                                    ~(kBlockSize - 1));
  }

  std::size_t bytes_in_use() const {
    return (blocks.size() - unused.size()) * kBlockSize;
  }

  // Takes a new block and moves an incomplete record into it.
  void next_block() {
    if (unused.empty()) {
      void* memory = std::aligned_alloc(kBlockSize, kBlockSize);
      if (memory == nullptr) throw std::bad_alloc();
      blocks.emplace_back(new (memory) Block);
      unused.push_back(blocks.back().get());
    }
    Block* block = unused.back();
    unused.pop_back();
    const std::size_t left = filled - parsed;
    if (left > 0) std::memcpy(block->bytes(), current->bytes() + parsed, left);
    Block* old = std::exchange(current, block);
    filled = left;
    parsed = 0;
    if (old != nullptr && old->waiting == 0) unused.push_back(old);
  }
};

RecordStream::RecordStream(std::string_view data, const PerfHeader& header,
                           RecordLocator& locator, PerfCounts& counts,
                           Limits limits)
    : scanner_(data, header.swap),
      header_(header),
      locator_(locator),
      counts_(counts),
      limits_(limits) {}
RecordStream::~RecordStream() = default;
RecordStream::RecordStream(RecordStream&&) noexcept = default;

void RecordStream::add(const RecordHeader& header, const char* start,
                       std::string_view body, std::uint64_t tag) {
  const auto type = static_cast<std::uint32_t>(header.type);
  if (header.type >= RecordType::kKernelEnd || type == 0) {
    ++counts_.unknown_records;
    return;
  }
  sorter_.add(locator_.time(header, body),
              reinterpret_cast<std::uintptr_t>(start) | tag);
  if (tag != 0) ++inflated_->current->waiting;
}

void RecordStream::take(const RecordScanner::Item& item) {
  switch (item.header.type) {
    case RecordType::kFinishedRound:
      return sorter_.finish_round();
    case RecordType::kCompressed:
      return inflate(item.body);
    case RecordType::kCompressed2: {
      ByteReader in(item.body, header_.swap);
      const auto size = in.read<std::uint64_t>();
      const std::string_view bytes = in.read_bytes(size);
      if (in.failed()) ++counts_.bad_records;
      return inflate(bytes);
    }
    case RecordType::kAuxtrace:
      counts_.aux_bytes += item.payload.size();
      return;
    default:
      if (item.header.type < RecordType::kUserStart)
        return add(item.header, item.start, item.body, 0);
      if (item.header.type >= RecordType::kUserEnd) ++counts_.unknown_records;
  }
}

void RecordStream::inflate(std::string_view compressed) {
  if (!inflated_) inflated_ = std::make_unique<Inflated>();
  Inflated& s = *inflated_;
  while (!s.damaged) {
    if (s.current == nullptr || s.filled == Inflated::kRoom) s.next_block();
    const std::size_t room = Inflated::kRoom - s.filled;
    const std::size_t made =
        s.stream.step(compressed, s.current->bytes() + s.filled, room);
    s.filled += made;
    s.total += made;
    if (s.stream.damaged()) {
      s.damaged = true;
      ++counts_.damaged_streams;
    }
    take_inflated();
    keep_within_limits();
    if (compressed.empty() && made < room) break;
  }
}

void RecordStream::take_inflated() {
  Inflated& s = *inflated_;
  while (s.filled - s.parsed >= kRecordHeaderSize) {
    const char* start = s.current->bytes() + s.parsed;
    const RecordHeader header = read_record_header(start, header_.swap);
    if (header.size < kRecordHeaderSize) {
      ++counts_.bad_records;  // no way to find the next one
      s.damaged = true;
      ++counts_.damaged_streams;
      return;
    }
    if (header.size > s.filled - s.parsed) return;  // the rest is yet to come
    add(header, start,
        {start + kRecordHeaderSize, header.size - kRecordHeaderSize}, kInBlock);
    s.parsed += header.size;
  }
}

void RecordStream::release(std::uint64_t where) {
  Inflated& s = *inflated_;
  Inflated::Block* block = Inflated::block_of(start_of(where));
  if (--block->waiting == 0 && block != s.current) s.unused.push_back(block);
}

void RecordStream::keep_within_limits() {
  if (sorter_.peek() != nullptr) return;
  if (sorter_.size() > limits_.records) sorter_.release_half();
  if (inflated_ &&
      inflated_->bytes_in_use() > limits_.bytes + inflated_->total / 4)
    sorter_.release_half();
}

const EventSorter::Entry* RecordStream::read_on() {
  while (sorter_.peek() == nullptr && !at_end_) {
    RecordScanner::Item item;
    if (scanner_.next(item)) {
      take(item);
      keep_within_limits();
      continue;
    }
    at_end_ = true;
    sorter_.release_all();
    counts_.bad_records += scanner_.bad();
    if (scanner_.cut() || (inflated_ && inflated_->filled > inflated_->parsed))
      counts_.truncated = true;
  }
  return sorter_.peek();
}

}  // namespace wick
