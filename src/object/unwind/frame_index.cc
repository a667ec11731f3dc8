// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/frame_index.h"

#include <algorithm>
#include <numeric>

namespace wick {
namespace {

constexpr std::uint64_t kMax32 = 0xffffffff;
constexpr std::uint8_t kOmitted = 0xff;
// datarel | sdata4: pairs of 32-bit offsets from the header. Linkers write
// nothing else, and not every other encoding could be searched.
constexpr std::uint8_t kPairs = 0x3b;

struct HeaderStart {
  std::uint64_t eh_frame = 0, count = 0;
  std::string_view pairs;
};

bool read_header(std::string_view header, std::uint64_t address,
                 CfiSection like, HeaderStart& start) {
  ByteReader reader(header, like.swap);
  const auto version = reader.read<std::uint8_t>();
  const auto frame_encoding = reader.read<std::uint8_t>();
  const auto count_encoding = reader.read<std::uint8_t>();
  const auto table_encoding = reader.read<std::uint8_t>();
  if (version != 1 || frame_encoding == kOmitted) return false;
  like.data_address = address;
  const auto at = [&] {
    return address + header.size() - reader.rest().size();
  };
  start.eh_frame = read_encoded(reader, frame_encoding, like, at());
  if (reader.failed()) return false;
  if (count_encoding == kOmitted || table_encoding != kPairs) return true;
  const std::uint64_t count = read_encoded(reader, count_encoding, like, at());
  if (reader.failed() || !reader.fits(count, 8)) return true;
  start.count = count;
  start.pairs = reader.rest();
  return true;
}

// Sorts by start; keeps the first of two functions with the same start.
void sort_functions(FrameIndex& index) {
  std::vector<std::uint32_t> order(index.starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return index.starts[a] < index.starts[b];
  });
  FrameIndex sorted{.damaged = index.damaged};
  for (const std::uint32_t i : order) {
    if (!sorted.starts.empty() && sorted.starts.back() == index.starts[i])
      continue;
    sorted.starts.push_back(index.starts[i]);
    sorted.offsets.push_back(index.offsets[i]);
  }
  index = std::move(sorted);
}

}  // namespace

std::uint64_t eh_frame_address(std::string_view header, std::uint64_t address,
                               const CfiSection& like) {
  HeaderStart start;
  return read_header(header, address, like, start) ? start.eh_frame : 0;
}

FrameIndex index_from_header(std::string_view header, std::uint64_t address,
                             const CfiSection& section, std::uint64_t base) {
  HeaderStart start;
  if (!read_header(header, address, section, start) || start.count == 0)
    return {};
  FrameIndex index;
  index.starts.reserve(start.count);
  index.offsets.reserve(start.count);
  ByteReader reader(start.pairs, section.swap);
  for (std::uint64_t i = 0; i < start.count; ++i) {
    const auto pc = static_cast<std::uint64_t>(reader.read<std::int32_t>());
    const auto fde = static_cast<std::uint64_t>(reader.read<std::int32_t>());
    const std::uint64_t at = address + pc - base;
    const std::uint64_t offset = address + fde - section.address;
    if (at > kMax32 || offset >= section.bytes.size() || offset > kMax32)
      return {};
    if (!index.starts.empty() && at <= index.starts.back()) {
      if (at < index.starts.back()) return {};
      continue;
    }
    index.starts.push_back(static_cast<std::uint32_t>(at));
    index.offsets.push_back(static_cast<std::uint32_t>(offset));
  }
  return index;
}

FrameIndex index_from_section(const CfiSection& section, std::uint64_t base,
                              std::uint64_t most) {
  FrameIndex index;
  CfiEntry entry;
  Cie cie;
  std::uint64_t cie_offset = ~std::uint64_t{0};
  bool cie_sane = false;
  for (std::uint64_t offset = 0;
       offset < section.bytes.size() && offset <= kMax32; offset = entry.next) {
    if (!read_entry(section, offset, entry)) {
      ++index.damaged;  // where the next one begins is unknown
      break;
    }
    if (entry.is_cie || entry.body.empty()) continue;
    if (entry.cie_offset != cie_offset) {
      cie_offset = entry.cie_offset;
      cie_sane = read_cie(section, cie_offset, cie);
    }
    Fde fde;
    if (!cie_sane || !read_fde(section, entry, cie, fde)) {
      ++index.damaged;
      continue;
    }
    // Functions that the linker discarded start at 0 or have no size.
    if (fde.start == 0 || fde.start >= fde.end || fde.start < base) continue;
    if (fde.start - base > kMax32) {
      ++index.damaged;
      continue;
    }
    if (index.starts.size() == most) return {};
    index.starts.push_back(static_cast<std::uint32_t>(fde.start - base));
    index.offsets.push_back(static_cast<std::uint32_t>(offset));
  }
  if (!std::is_sorted(index.starts.begin(), index.starts.end(),
                      [](auto a, auto b) { return a <= b; }))
    sort_functions(index);
  return index;
}

}  // namespace wick
