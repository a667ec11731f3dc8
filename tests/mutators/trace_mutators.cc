// SPDX-License-Identifier: Apache-2.0
// Instruction traces, binary and text, and other files of records that stand
// one after the other.
#include <array>

#include "base/bytes.h"
#include "itrace/formats/wick_trace_format.h"
#include "mutators/mutation.h"

namespace wick {
namespace {

constexpr std::size_t kWord = 8;

// The words of a record of TracerV: a cycle, a pc with its valid bit, an
// instruction, satp.
void change_word(std::string& record, Mutation& mutation) {
  const std::size_t at = kWord * mutation.below(record.size() / kWord);
  const std::uint64_t word = integer_at(record, at, kWord, false);
  constexpr std::uint64_t kBit = 1;
  const auto kChoices = std::to_array<std::uint64_t>({
      word ^ kBit << 63,
      word ^ kBit << 40,
      word ^ kBit << mutation.below(64),
      word + 4 * mutation.below(64),
      word - 4 * mutation.below(64),
      0xffffffff80000000 + 4 * mutation.below(4096),
      kBit << 63 | (0x80000000 + 4 * mutation.below(4096)),
      mutation.odd_number(word),
  });
  put_integer(record, at, kWord,
              mutation.one_of(std::span<const std::uint64_t>(kChoices)), false);
}

// Inserts a varint into the payload of a chunk, as most of it is.
void put_varint_somewhere(std::string& payload, Mutation& mutation) {
  std::string part;
  if (mutation.one_in(2))  // a special operation
    part = {'\x01', static_cast<char>(1 + mutation.below(9))};
  for (std::size_t i = 0; i <= mutation.below(4); ++i)
    append_varint(part, mutation.odd_number(2 * mutation.below(1024)));
  mutation.put_somewhere(payload, part);
}

void correct_checksum(std::string& chunk) {
  using namespace wick_trace;
  if (chunk.size() < kChunkHeaderSize) return;
  const auto type = static_cast<std::uint32_t>(integer_at(chunk, 0, 4, false));
  const auto argument =
      static_cast<std::uint32_t>(integer_at(chunk, 8, 4, false));
  put_integer(chunk, 12, 4,
              checksum(type, argument,
                       std::string_view(chunk).substr(kChunkHeaderSize)),
              false);
}

void change_chunk(std::string& chunk, Mutation& mutation) {
  using namespace wick_trace;
  if (chunk.size() < kChunkHeaderSize) return mutation.change_bytes(chunk);
  if (mutation.one_in(6))  // type or argument
    return mutation.change_integer(chunk, mutation.one_in(2) ? 0 : 8, 4, false);
  std::string payload = chunk.substr(kChunkHeaderSize);
  if (mutation.one_in(2))
    put_varint_somewhere(payload, mutation);
  else
    mutation.change_bytes(payload);
  chunk.replace(kChunkHeaderSize, chunk.npos, payload);
}

bool is_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

// Replaces a number by another in as many digits or more.
void change_number(std::string& line, Mutation& mutation) {
  std::size_t begin = mutation.below(line.size());
  while (begin < line.size() && !is_digit(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && is_digit(line[end])) ++end;
  while (begin > 0 && is_digit(line[begin - 1])) --begin;
  if (begin == end) return mutation.change_bytes(line);
  constexpr std::string_view kDigits = "0123456789abcdef";
  const bool hexadecimal = mutation.one_in(2);
  std::string number;
  for (std::uint64_t value = mutation.odd_number(0x80000000); value != 0;
       value /= hexadecimal ? 16 : 10)
    number.insert(0, 1, kDigits[value % (hexadecimal ? 16 : 10)]);
  if (number.size() < end - begin)
    number.insert(0, end - begin - number.size(), '0');
  line.replace(begin, end - begin, number);
}

}  // namespace

void mutate_tracerv(std::string& bytes, Mutation& mutation) {
  const std::size_t header = bytes.starts_with("# ") ? bytes.find('\n') + 1 : 0;
  constexpr std::array<std::size_t, 6> kSizes = {16, 24, 32, 40, 64, 128};
  std::vector<std::string> records =
      split_every(std::string_view(bytes).substr(header),
                  mutation.one_of(std::span<const std::size_t>(kSizes)));
  if (records.empty()) return mutation.change_bytes(bytes);
  if (mutation.one_in(2))
    mutation.rearrange(records);
  else
    change_word(records[mutation.below(records.size())], mutation);
  bytes.replace(header, bytes.npos, join(records));
}

void mutate_wick_trace(std::string& bytes, Mutation& mutation) {
  using namespace wick_trace;
  if (bytes.size() < kHeaderSize) return mutation.change_bytes(bytes);
  std::string header = bytes.substr(0, kHeaderSize);
  if (mutation.one_in(10))
    mutation.change_integer(header, 4 * mutation.below(7), 4, false);
  put_integer(
      header, kHeaderSize - 4, 4,
      checksum(0, 0, std::string_view(header).substr(0, kHeaderSize - 4)),
      false);
  const RecordLayout layout = {.header_size = kChunkHeaderSize, .length_at = 4};
  std::vector<std::string> chunks =
      split_records(std::string_view(bytes).substr(kHeaderSize), layout);
  if (mutation.one_in(3))
    mutation.rearrange(chunks);
  else
    change_chunk(chunks[mutation.below(chunks.size())], mutation);
  for (std::string& chunk : chunks) {
    set_length(chunk, layout);
    correct_checksum(chunk);
  }
  bytes = header + join(chunks);
}

void mutate_jitdump(std::string& bytes, Mutation& mutation) {
  constexpr std::size_t kFileHeader = 40;
  const bool swap = bytes.starts_with("JiTD");  // "DTiJ" as written here
  if (bytes.size() < kFileHeader || mutation.one_in(20))
    return mutation.change_integer(bytes, 4 * mutation.below(10), 4, swap);
  std::string records = bytes.substr(kFileHeader);
  const RecordLayout layout = {
      .header_size = 16, .length_at = 4, .counts_header = true, .swap = swap};
  if (mutation.one_in(2)) {
    mutate_records(records, layout, mutation);
  } else {  // a field: all are integers of four or eight bytes
    std::vector<std::string> parts = split_records(records, layout);
    std::string& part = parts[mutation.below(parts.size())];
    mutation.change_integer(part, 4 * mutation.below(14),
                            mutation.one_in(2) ? 4 : 8, swap);
    records = join(parts);
  }
  bytes.replace(kFileHeader, bytes.npos, records);
}

void mutate_lines(std::string& bytes, Mutation& mutation) {
  std::vector<std::string> lines = split_after(bytes, '\n');
  if (lines.empty()) return mutation.change_bytes(bytes);
  std::string& line = lines[mutation.below(lines.size())];
  if (mutation.one_in(3))
    mutation.rearrange(lines);
  else if (mutation.one_in(4))
    mutation.change_bytes(line);
  else
    change_number(line, mutation);
  bytes = join(lines);
}

}  // namespace wick
