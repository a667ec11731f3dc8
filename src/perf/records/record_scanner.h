// SPDX-License-Identifier: Apache-2.0
// Iterates over records that are stored one after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"
#include "perf/records/abi.h"

namespace wick {

struct RecordHeader {
  RecordType type{};
  std::uint16_t misc = 0;
  std::uint16_t size = 0;  // including the header
};

inline RecordHeader read_record_header(const char* at, bool swap) {
  std::uint32_t type;
  RecordHeader header;
  std::memcpy(&type, at, 4);
  std::memcpy(&header.misc, at + 4, 2);
  std::memcpy(&header.size, at + 6, 2);
  if (swap) {
    type = byte_swap(type);
    header.misc = byte_swap(header.misc);
    header.size = byte_swap(header.size);
  }
  header.type = static_cast<RecordType>(type);
  return header;
}

class RecordScanner {
 public:
  struct Item {
    RecordHeader header;
    const char* start = nullptr;  // of the header
    std::string_view body;
    // Data after the record that its size does not include: of AUXTRACE and
    // TRACING_DATA.
    std::string_view payload;
  };

  RecordScanner(std::string_view bytes, bool swap)
      : rest_(bytes), swap_(swap) {}

  // False at the end, and at a record that is cut off there; see cut().
  bool next(Item& item) {
    if (rest_.size() < kRecordHeaderSize) {
      cut_ = cut_ || !rest_.empty();
      return false;
    }
    item.header = read_record_header(rest_.data(), swap_);
    if (item.header.size < kRecordHeaderSize) [[unlikely]] {
      ++bad_;
      if (!find_next_record()) return false;
      item.header = read_record_header(rest_.data(), swap_);
    }
    const std::size_t size = item.header.size;
    if (size > rest_.size()) {
      cut_ = true;
      return false;
    }
    item.start = rest_.data();
    item.body = rest_.substr(kRecordHeaderSize, size - kRecordHeaderSize);
    item.payload = {};
    rest_.remove_prefix(size);
    if (item.header.type == RecordType::kAuxtrace)
      take_payload(item, ByteReader(item.body, swap_).read<std::uint64_t>());
    else if (item.header.type == RecordType::kTracingData)
      take_payload(item, ByteReader(item.body, swap_).read<std::uint32_t>());
    return true;
  }

  std::string_view rest() const { return rest_; }
  // Whether the bytes end within a record.
  bool cut() const { return cut_; }
  // Places without a valid record.
  std::uint64_t bad() const { return bad_; }

 private:
  void take_payload(Item& item, std::uint64_t size) {
    if (size > rest_.size()) {
      cut_ = true;
      size = rest_.size();
    }
    item.payload = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(item.payload.size());
  }

  bool is_plausible(std::string_view bytes) const {
    if (bytes.size() < kRecordHeaderSize) return bytes.empty();
    const RecordHeader header = read_record_header(bytes.data(), swap_);
    const auto type = static_cast<std::uint32_t>(header.type);
    const bool known = (type > 0 && header.type < RecordType::kKernelEnd) ||
                       (header.type >= RecordType::kUserStart &&
                        header.type < RecordType::kUserEnd);
    return known && header.size >= kRecordHeaderSize && header.size % 8 == 0 &&
           header.size <= bytes.size();
  }

  // After damage (a page of zeros, say): finds the next place where two valid
  // records may follow each other.
  bool find_next_record() {
    while (rest_.size() > kRecordHeaderSize) {
      rest_.remove_prefix(8);
      if (is_plausible(rest_) &&
          is_plausible(
              rest_.substr(read_record_header(rest_.data(), swap_).size)))
        return rest_.size() >= kRecordHeaderSize;
    }
    rest_ = {};
    return false;
  }

  std::string_view rest_;
  bool swap_;
  bool cut_ = false;
  std::uint64_t bad_ = 0;
};

}  // namespace wick
