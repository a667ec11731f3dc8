// SPDX-License-Identifier: Apache-2.0
#include "mutators/mutation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"

namespace wick {

std::size_t Mutation::below(std::size_t limit) {
  return limit == 0 ? 0 : random_() % limit;
}

std::uint64_t Mutation::odd_number(std::uint64_t near) {
  switch (below(6)) {
    case 0:
      return below(17);
    case 1:
      return (std::uint64_t{1} << below(64)) - below(2);
    case 2:
      return UINT64_MAX - below(16);
    case 3:
      return near / (2 + below(7));
    case 4:
      return near * (2 + below(7));
    default:
      return near + below(17) - 8;
  }
}

void Mutation::change_integer(std::string& bytes, std::size_t offset,
                              std::size_t size, bool swap) {
  const std::uint64_t before = integer_at(bytes, offset, size, swap);
  const std::uint64_t after = one_in(3)
                                  ? before ^ std::uint64_t{1} << below(8 * size)
                                  : odd_number(before);
  put_integer(bytes, offset, size, after, swap);
}

void Mutation::change_bytes(std::string& bytes) {
  if (blind_ == nullptr || bytes.empty()) {
    if (!bytes.empty())
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    return;
  }
  const std::size_t size = bytes.size(), room = size + size / 4 + 16;
  bytes.resize(room);
  bytes.resize(
      blind_(reinterpret_cast<std::uint8_t*>(bytes.data()), size, room));
}

void Mutation::put_somewhere(std::string& bytes, std::string_view part) {
  const std::size_t at = below(bytes.size() + 1);
  bytes.replace(at, one_in(2) ? 0 : part.size(), part);
}

void Mutation::rearrange(std::vector<std::string>& parts) {
  if (parts.empty()) return;
  const std::size_t at = below(parts.size()), other = below(parts.size());
  switch (below(4)) {
    case 0:
      if (parts.size() > 1)
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1: {
      const std::string copy = parts[at];
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(other),
                   1 + below(3), copy);
      break;
    }
    case 2:
      std::swap(parts[at], parts[other]);
      break;
    default:
      std::rotate(
          parts.begin() + static_cast<std::ptrdiff_t>(std::min(at, other)),
          parts.begin() + static_cast<std::ptrdiff_t>(std::max(at, other)),
          parts.end());
  }
}

std::uint64_t integer_at(std::string_view bytes, std::size_t offset,
                         std::size_t size, bool swap) {
  if (offset > bytes.size() || bytes.size() - offset < size) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = swap ? i : size - 1 - i;
    value = value << 8 | static_cast<unsigned char>(bytes[offset + at]);
  }
  return value;
}

void put_integer(std::string& bytes, std::size_t offset, std::size_t size,
                 std::uint64_t value, bool swap) {
  if (offset > bytes.size() || bytes.size() - offset < size) return;
  for (std::size_t i = 0; i < size; ++i, value >>= 8)
    bytes[offset + (swap ? size - 1 - i : i)] = static_cast<char>(value);
}

std::vector<std::string> split_records(std::string_view bytes,
                                       const RecordLayout& layout) {
  std::vector<std::string> records;
  while (bytes.size() >= layout.header_size) {
    const std::uint64_t length =
        integer_at(bytes, layout.length_at, layout.length_size, layout.swap);
    const std::size_t header = layout.counts_header ? 0 : layout.header_size;
    const std::size_t left = bytes.size() - header;
    if (length > left || header + length < layout.header_size) break;
    records.emplace_back(bytes.substr(0, header + length));
    bytes.remove_prefix(records.back().size());
  }
  records.emplace_back(bytes);
  return records;
}

void set_length(std::string& record, const RecordLayout& layout) {
  if (record.size() < layout.header_size) return;
  put_integer(record, layout.length_at, layout.length_size,
              record.size() - (layout.counts_header ? 0 : layout.header_size),
              layout.swap);
}

std::vector<std::string> split_every(std::string_view bytes, std::size_t size) {
  std::vector<std::string> parts;
  for (; !bytes.empty(); bytes.remove_prefix(parts.back().size()))
    parts.emplace_back(bytes.substr(0, std::max<std::size_t>(size, 1)));
  return parts;
}

std::vector<std::string> split_after(std::string_view bytes, char end) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    const std::size_t at = bytes.find(end);
    parts.emplace_back(
        bytes.substr(0, at == bytes.npos ? bytes.size() : at + 1));
    bytes.remove_prefix(parts.back().size());
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

void mutate_records(std::string& bytes, const RecordLayout& layout,
                    Mutation& mutation, std::string_view part) {
  std::vector<std::string> records = split_records(bytes, layout);
  if (mutation.one_in(3)) {
    mutation.rearrange(records);
  } else {
    std::string& record = records[mutation.below(records.size())];
    if (record.size() > layout.header_size) {
      std::string inside = record.substr(layout.header_size);
      if (!part.empty() && mutation.one_in(2))
        mutation.put_somewhere(inside, part);
      else
        mutation.change_bytes(inside);
      record.replace(layout.header_size, record.npos, inside);
    } else {
      mutation.change_bytes(record);
    }
    if (!mutation.one_in(8)) set_length(record, layout);
  }
  bytes = join(records);
}

Mutator mutator_of(std::string_view reader) {
  struct Row {
    std::string_view reader;
    Mutator mutator;
  };
  constexpr auto kRows = std::to_array<Row>({
      {"cospike", mutate_lines},
      {"dwarf", mutate_elf},
      {"elf", mutate_elf},
      {"execlog", mutate_lines},
      {"go-rules", mutate_elf},
      {"jitdump", mutate_jitdump},
      {"kallsyms", mutate_lines},
      {"perf-data", mutate_perf_data},
      {"perf-map", mutate_lines},
      {"perf-records", mutate_perf_data},
      {"riscv-csv", mutate_lines},
      {"rocket", mutate_lines},
      {"rvfi-csv", mutate_lines},
      {"spike", mutate_lines},
      {"tracedoctor", mutate_lines},
      {"tracerv", mutate_tracerv},
      {"tracerv-labels", mutate_lines},
      {"tracerv-text", mutate_lines},
      {"unwind", mutate_unwind_input},
      {"wick-trace", mutate_wick_trace},
      {"wick-trace-chunks", mutate_wick_trace},
  });
  // The readers of trace formats are tried without their stacks, too.
  if (reader.starts_with("trace-")) reader.remove_prefix(6);
  for (const Row& row : kRows)
    if (row.reader == reader) return row.mutator;
  return nullptr;
}

}  // namespace wick
