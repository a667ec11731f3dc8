// SPDX-License-Identifier: Apache-2.0
#include "profile/tables.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/metrics.h"

namespace wick {

std::string_view StringTable::keep(std::string_view text) {
  constexpr std::size_t kChunk = 64 << 10;
  if (text.size() > room_) {
    chunk_size_ = std::max(text.size(), kChunk);
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_size_));
    room_ = chunk_size_;
  }
  char* to = chunks_.back().get() + (chunk_size_ - room_);
  std::memcpy(to, text.data(), text.size());
  room_ -= text.size();
  return {to, text.size()};
}

// A text that is too long, up to its last whole character that fits.
StringId StringTable::intern_cut(std::string_view text) {
  constexpr std::string_view kMark = "…";
  std::size_t end = kMaxSize - kMark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  const std::size_t before = size();
  const StringId id = intern(std::string(text.substr(0, end)) += kMark);
  cut_count_ += size() - before;
  return id;
}

StringId StringTable::intern(std::string_view text) {
  if (text.size() > kMaxSize) [[unlikely]]
    return intern_cut(text);
  return StringId{index_.find_or_add(
      hash_bytes(text), [&](std::uint32_t row) { return views_[row] == text; },
      [&] {
        views_.push_back(text.empty() ? std::string_view("") : keep(text));
        return static_cast<std::uint32_t>(views_.size() - 1);
      })};
}

FrameId FrameTable::intern(const Frame& f) {
  const std::uint64_t hash = hash_pair(
      hash_pair(index(f.function) | std::uint64_t{index(f.file)} << 32,
                index(f.module) | std::uint64_t{f.line} << 32),
      f.address ^ f.function_start << 16 ^
          (std::uint64_t{static_cast<std::uint8_t>(f.kind)} << 56));
  return FrameId{index_.find_or_add(
      hash, [&](std::uint32_t row) { return rows_[FrameId{row}] == f; },
      [&] { return index(rows_.push_back(f)); })};
}

StackId StackTable::push(StackId caller, FrameId frame) {
  const auto hash = [](const Row& row) {
    return hash_pair(index(row.parent), index(row.frame));
  };
  const auto never = [](std::uint32_t) { return false; };
  if (depth(caller) == kMaxDepth) return cut(caller);
  for (; indexed_ < rows_.size(); ++indexed_) {
    const auto row = static_cast<std::uint32_t>(indexed_);
    index_.find_or_add(hash(rows_[StackId{row}]), never, [&] { return row; });
  }
  const std::uint32_t row = index_.find_or_add(
      hash({caller, frame}),
      [&](std::uint32_t candidate) {
        const Row& r = rows_[StackId{candidate}];
        return r.parent == caller && r.frame == frame;
      },
      [&] { return index(append(caller, frame)); });
  indexed_ = rows_.size();
  return StackId{row};
}

void StackTable::frames_of(StackId id, std::vector<FrameId>& out) const {
  out.clear();
  for (; id != StackId::kRoot; id = parent(id)) out.push_back(frame(id));
  std::ranges::reverse(out);
  count_steps(out.size());
}

}  // namespace wick
