// SPDX-License-Identifier: Apache-2.0
#include "object/resolved_coding.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wick {
namespace {

std::optional<std::vector<std::uint32_t>> read_texts(ByteReader& in,
                                                     Resolved& resolved) {
  const std::uint64_t count = in.read_varint();
  if (!in.fits(count, 1)) return {};
  std::vector<std::uint32_t> ids;
  ids.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    ids.push_back(resolved.text(read_text(in)));
  return ids;
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

std::string_view read_text(ByteReader& in) {
  return in.read_bytes(in.read_varint());
}

void append_resolved(std::string& out, const Resolved& resolved) {
  append_varint(out, resolved.texts().size());
  for (const std::string& text : resolved.texts()) append_text(out, text);
  append_varint(out, resolved.rows().size());
  std::vector<Resolved::Row> by_address(resolved.rows().begin(),
                                        resolved.rows().end());
  std::ranges::sort(by_address, {}, &Resolved::Row::elf_addr);
  std::uint64_t before = 0;
  for (const Resolved::Row& row : by_address) {
    append_varint(out, row.elf_addr - before);
    before = row.elf_addr;
    append_varint(out, row.count);
    if (row.count == 0) append_varint(out, row.function_start);
    for (const ResolvedFrame& frame : resolved.frames(row)) {
      append_varint(
          out, std::uint64_t{frame.function} << 1 | (frame.inlined ? 1 : 0));
      append_varint(out, frame.file);
      append_varint(out, frame.line);
    }
  }
}

std::optional<Resolved> read_resolved(ByteReader& in) {
  Resolved resolved;
  const auto ids = read_texts(in, resolved);
  if (!ids) return {};
  const std::uint64_t rows = in.read_varint();
  std::uint64_t address = 0;
  std::vector<ResolvedFrame> frames;
  for (std::uint64_t i = 0; i < rows && !in.failed(); ++i) {
    address += in.read_varint();
    const std::uint64_t count = in.read_varint();
    if (!in.fits(count, 3)) return {};
    if (count == 0) {
      resolved.add(address, {}, in.read_varint());
      continue;
    }
    frames.clear();
    for (std::uint64_t j = 0; j < count; ++j) {
      const std::uint64_t function = in.read_varint(), file = in.read_varint(),
                          line = in.read_varint();
      if (function / 2 >= ids->size() || file >= ids->size()) return {};
      frames.push_back({.function = (*ids)[function / 2],
                        .file = (*ids)[file],
                        .line = static_cast<std::uint32_t>(line),
                        .inlined = function % 2 == 1});
    }
    resolved.add(address, frames);
  }
  if (in.failed()) return {};
  return resolved;
}

}  // namespace wick
