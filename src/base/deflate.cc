// SPDX-License-Identifier: Apache-2.0
// Greedy matching against the last place where the same four bytes stood, then
// blocks with Huffman codes made for them.
#include "base/deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace wick {
namespace {

constexpr std::size_t kWindow = 32 << 10, kMinMatch = 4, kMaxMatch = 258;
constexpr std::size_t kBlockTokens = 32 << 10;
constexpr int kEndOfBlock = 256;
constexpr int kLengthCodes = 29, kDistanceCodes = 30;
constexpr int kLiterals = 257 + kLengthCodes;

// Where the codes of RFC 1951, 3.2.5, begin, and their numbers of extra bits.
constexpr std::array<std::uint16_t, kLengthCodes> kLengthBase = {
    3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, kLengthCodes> kLengthBits = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, kDistanceCodes> kDistanceBase = {
    1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
    33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
    1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

constexpr std::array<std::uint8_t, kMaxMatch + 1> make_length_codes() {
  std::array<std::uint8_t, kMaxMatch + 1> codes{};
  for (int code = 0; code < kLengthCodes; ++code)
    for (std::size_t n = kLengthBase[static_cast<std::size_t>(code)];
         n <= kMaxMatch; ++n)
      codes[n] = static_cast<std::uint8_t>(code);
  return codes;
}
constexpr auto kLengthCode = make_length_codes();

struct Code {
  int code;
  int extra_bits;
};
Code distance_code(std::uint32_t distance) {
  if (distance <= 2) return {static_cast<int>(distance) - 1, 0};
  const int log = std::bit_width(distance - 1) - 1;
  return {2 * log + static_cast<int>((distance - 1) >> (log - 1) & 1), log - 1};
}

std::uint32_t load32(const char* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
std::uint64_t load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// Appends bits, the lowest first, to a string that must have been given room.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out), size_(out.size()) {}
  ~BitWriter() { out_.resize(size_); }
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;

  // For `bytes` bytes more, and the eight that every put() touches.
  void make_room(std::size_t bytes) { out_.resize(size_ + bytes + 8); }

  // At most 56 bits.
  void put(std::uint64_t value, int count) {
    bits_ |= value << used_;
    used_ += count;
    std::memcpy(out_.data() + size_, &bits_, sizeof bits_);
    size_ += static_cast<std::size_t>(used_) / 8;
    bits_ >>= used_ & ~7;
    used_ &= 7;
  }
  void align() {
    if (used_ > 0) put(0, 8 - used_);
  }

 private:
  std::string& out_;
  std::size_t size_;
  std::uint64_t bits_ = 0;
  int used_ = 0;
};

// A prefix code: for each symbol the bits, first bit lowest, and their number.
struct PrefixCode {
  std::vector<std::uint8_t> length;
  std::vector<std::uint16_t> bits;
};

// The lengths of Huffman's code for these counts. A code that is too long for
// `limit` is made shorter by halving the counts, which is rare and costs
// little.
std::vector<std::uint8_t> huffman_lengths(std::vector<std::uint32_t> counts,
                                          int limit) {
  std::vector<std::uint8_t> lengths(counts.size());
  std::vector<std::uint32_t> symbols;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) symbols.push_back(i);
  if (symbols.size() < 2) {
    // A decoder wants a code of at least one bit.
    for (const std::uint32_t symbol : symbols) lengths[symbol] = 1;
    return lengths;
  }
  while (true) {
    std::ranges::sort(symbols, {}, [&](std::uint32_t s) { return counts[s]; });
    // Nodes 0 … n-1 are the symbols in order, the others their parents, made
    // in the order of their weight: the two lightest are always at the front
    // of one of the two lists.
    const std::size_t n = symbols.size();
    std::vector<std::uint64_t> weight(2 * n - 1);
    std::vector<std::uint32_t> parent(2 * n - 1);
    for (std::size_t i = 0; i < n; ++i) weight[i] = counts[symbols[i]];
    std::size_t leaf = 0, inner = n;
    for (std::size_t made = n; made < 2 * n - 1; ++made)
      for (int side = 0; side < 2; ++side) {
        const bool take_leaf =
            leaf < n && (inner == made || weight[leaf] <= weight[inner]);
        const std::size_t child = take_leaf ? leaf++ : inner++;
        weight[made] += weight[child];
        parent[child] = static_cast<std::uint32_t>(made);
      }
    std::vector<std::uint32_t> depth(2 * n - 1);
    for (std::size_t i = 2 * n - 2; i-- > 0;) depth[i] = depth[parent[i]] + 1;
    if (depth[0] <= static_cast<std::uint32_t>(limit)) {
      for (std::size_t i = 0; i < n; ++i)
        lengths[symbols[i]] = static_cast<std::uint8_t>(depth[i]);
      return lengths;
    }
    for (const std::uint32_t symbol : symbols)
      counts[symbol] = (counts[symbol] + 1) / 2;
  }
}

PrefixCode prefix_code(std::vector<std::uint8_t> lengths) {
  PrefixCode code{std::move(lengths), {}};
  code.bits.resize(code.length.size());
  std::array<std::uint32_t, 16> next{};
  for (const std::uint8_t length : code.length) ++next[length];
  next[0] = 0;
  std::uint32_t first = 0;
  for (std::size_t length = 1; length < next.size(); ++length) {
    const std::uint32_t count = next[length];
    next[length] = first;
    first = (first + count) << 1;
  }
  for (std::size_t symbol = 0; symbol < code.length.size(); ++symbol) {
    const int length = code.length[symbol];
    if (length == 0) continue;
    std::uint32_t value = next[static_cast<std::size_t>(length)]++;
    std::uint32_t reversed = 0;
    for (int i = 0; i < length; ++i, value >>= 1)
      reversed = reversed << 1 | (value & 1);
    code.bits[symbol] = static_cast<std::uint16_t>(reversed);
  }
  return code;
}

// A literal byte (distance 0) or a match.
struct Token {
  std::uint16_t value;
  std::uint16_t distance;  // 32,768 does not fit and is not used
};

// The code lengths as they stand in front of a block, without run lengths for
// anything but zeros (RFC 1951, 3.2.7).
void write_code_lengths(BitWriter& out, const PrefixCode& literals,
                        const PrefixCode& distances) {
  constexpr std::array<std::uint8_t, 19> kOrder = {
      16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  struct Item {
    std::uint8_t symbol, extra, extra_bits;
  };
  std::vector<Item> items;
  std::vector<std::uint8_t> all = literals.length;
  all.insert(all.end(), distances.length.begin(), distances.length.end());
  std::vector<std::uint32_t> counts(19);
  for (std::size_t i = 0; i < all.size();) {
    std::size_t zeros = 0;
    while (zeros < 138 && i + zeros < all.size() && all[i + zeros] == 0)
      ++zeros;
    Item item{all[i], 0, 0};
    if (zeros >= 11)
      item = {18, static_cast<std::uint8_t>(zeros - 11), 7};
    else if (zeros >= 3)
      item = {17, static_cast<std::uint8_t>(zeros - 3), 3};
    items.push_back(item);
    ++counts[item.symbol];
    i += zeros >= 3 ? zeros : 1;
  }
  const PrefixCode code = prefix_code(huffman_lengths(counts, 7));
  out.put(static_cast<std::uint32_t>(literals.length.size() - 257), 5);
  out.put(static_cast<std::uint32_t>(distances.length.size() - 1), 5);
  out.put(19 - 4, 4);
  for (const std::uint8_t symbol : kOrder) out.put(code.length[symbol], 3);
  for (const Item& item : items) {
    out.put(code.bits[item.symbol], code.length[item.symbol]);
    out.put(item.extra, item.extra_bits);
  }
}

void write_block(BitWriter& out, const std::vector<Token>& tokens, bool last) {
  std::vector<std::uint32_t> literal_counts(kLiterals),
      distance_counts(kDistanceCodes);
  for (const Token& token : tokens) {
    if (token.distance == 0) {
      ++literal_counts[token.value];
      continue;
    }
    ++literal_counts[257u + kLengthCode[token.value]];
    ++distance_counts[static_cast<std::size_t>(
        distance_code(token.distance).code)];
  }
  ++literal_counts[kEndOfBlock];
  const PrefixCode literals =
      prefix_code(huffman_lengths(std::move(literal_counts), 15));
  const PrefixCode distances =
      prefix_code(huffman_lengths(std::move(distance_counts), 15));
  // A token takes 48 bits at most, the code lengths in front less than 400
  // bytes.
  out.make_room(tokens.size() * 6 + 400);
  out.put(last ? 1 : 0, 1);
  out.put(2, 2);
  write_code_lengths(out, literals, distances);
  for (const Token& token : tokens) {
    if (token.distance == 0) {
      out.put(literals.bits[token.value], literals.length[token.value]);
      continue;
    }
    const std::size_t length = kLengthCode[token.value];
    std::uint64_t bits = literals.bits[257 + length];
    int count = literals.length[257 + length];
    const auto add = [&](std::uint64_t more, int more_bits) {
      bits |= more << count;
      count += more_bits;
    };
    add(token.value - std::uint64_t{kLengthBase[length]}, kLengthBits[length]);
    const auto [code, extra_bits] = distance_code(token.distance);
    const auto distance = static_cast<std::size_t>(code);
    add(distances.bits[distance], distances.length[distance]);
    add(token.distance - std::uint64_t{kDistanceBase[distance]}, extra_bits);
    out.put(bits, count);
  }
  out.put(literals.bits[kEndOfBlock], literals.length[kEndOfBlock]);
}

// How many bytes at `a` and `b`, which is the later one, are equal.
std::size_t match_length(const char* a, const char* b, const char* end) {
  const auto limit = std::min(static_cast<std::size_t>(end - b), kMaxMatch);
  std::size_t n = 0;
  while (n + 8 <= limit) {
    const std::uint64_t difference = load64(a + n) ^ load64(b + n);
    if (difference != 0)
      return n + static_cast<std::size_t>(std::countr_zero(difference)) / 8;
    n += 8;
  }
  while (n < limit && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

void append_deflated(std::string& out, std::string_view bytes,
                     std::size_t begin, bool last) {
  static_assert(std::endian::native == std::endian::little);
  constexpr int kHashBits = 15;
  const auto hash = [](std::uint32_t four) {
    return four * 0x9e3779b1u >> (32 - kHashBits);
  };
  // Offset + 1 of the last place with this hash.
  std::vector<std::uint32_t> table(std::size_t{1} << kHashBits);
  const std::size_t start = begin - std::min(begin, kWindow);
  const char* base = bytes.data() + start;
  const std::size_t size = bytes.size() - start;
  std::size_t at = begin - start;
  for (std::size_t i = 0; i + kMinMatch <= at; i += 2)
    table[hash(load32(base + i))] = static_cast<std::uint32_t>(i + 1);

  BitWriter writer(out);
  std::vector<Token> tokens;
  tokens.reserve(std::min(size - at, kBlockTokens) + 1);
  while (at < size) {
    std::size_t length = 0, distance = 0;
    if (at + kMinMatch <= size) {
      const std::uint32_t four = load32(base + at);
      std::uint32_t& slot = table[hash(four)];
      if (slot != 0 && at - (slot - 1) < kWindow &&
          load32(base + slot - 1) == four) {
        distance = at - (slot - 1);
        length = match_length(base + slot - 1, base + at, base + size);
      }
      slot = static_cast<std::uint32_t>(at + 1);
    }
    if (length >= kMinMatch) {
      tokens.push_back({static_cast<std::uint16_t>(length),
                        static_cast<std::uint16_t>(distance)});
      // The end of a match is a good place to find the next one.
      if (at + length + 2 <= size)
        table[hash(load32(base + at + length - 2))] =
            static_cast<std::uint32_t>(at + length - 1);
      at += length;
    } else {
      tokens.push_back({static_cast<unsigned char>(base[at]), 0});
      ++at;
    }
    if (tokens.size() >= kBlockTokens) {
      write_block(writer, tokens, false);
      tokens.clear();
    }
  }
  write_block(writer, tokens, last);
  writer.make_room(8);
  // An empty stored block brings the stream to a byte.
  if (!last) writer.put(0, 3);
  writer.align();
  if (!last) writer.put(0xffff0000, 32);
}

}  // namespace wick
