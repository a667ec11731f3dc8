// SPDX-License-Identifier: Apache-2.0
// Changes to a fuzzer's input that know its format. libFuzzer's own changes
// break a length, a count or an offset almost every time, so that a reader
// refuses the input before its deeper code is reached. A mutator takes the
// input apart, changes a part of it and makes the rest fit again, most of the
// time: the lies are for the code that checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// One change: its random choices, and changes that need no format.
class Mutation {
 public:
  // libFuzzer's own change of up to `max_size` bytes; returns the new size.
  using Blind = std::size_t (*)(std::uint8_t* data, std::size_t size,
                                std::size_t max_size);
  // Without `blind`, single bytes are changed.
  explicit Mutation(std::uint32_t seed, Blind blind = nullptr)
      : random_(seed), blind_(blind) {}

  // A number less than `limit`; 0 if that is 0.
  std::size_t below(std::size_t limit);
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  const T& one_of(std::span<const T> choices) {
    return choices[below(choices.size())];
  }

  // A number near a limit of some integer type, a power of two or `near`.
  std::uint64_t odd_number(std::uint64_t near);
  // Replaces the integer of `size` bytes at `offset`, if it is there.
  void change_integer(std::string& bytes, std::size_t offset, std::size_t size,
                      bool swap);
  // Changes some bytes and perhaps their number.
  void change_bytes(std::string& bytes);
  // Inserts `part` somewhere, or replaces what is there.
  void put_somewhere(std::string& bytes, std::string_view part);
  // Removes, repeats or swaps some of the parts; never removes all.
  void rearrange(std::vector<std::string>& parts);

 private:
  std::minstd_rand random_;
  Blind blind_;
};

// An integer of `size` bytes, and 0 if the bytes end before it.
std::uint64_t integer_at(std::string_view bytes, std::size_t offset,
                         std::size_t size, bool swap);
// Does nothing if the bytes end before it.
void put_integer(std::string& bytes, std::size_t offset, std::size_t size,
                 std::uint64_t value, bool swap);

// Records that say how long they are.
struct RecordLayout {
  std::size_t header_size = 0;
  std::size_t length_at = 0, length_size = 4;
  bool counts_header = false;  // in the length
  bool swap = false;
};
// The last part is whatever is not a whole record.
std::vector<std::string> split_records(std::string_view bytes,
                                       const RecordLayout& layout);
void set_length(std::string& record, const RecordLayout& layout);

// Parts of a fixed size; the last one may be shorter.
std::vector<std::string> split_every(std::string_view bytes, std::size_t size);
// Parts that end with `end`.
std::vector<std::string> split_after(std::string_view bytes, char end);
std::string join(const std::vector<std::string>& parts);

// Rearranges records, or changes the inside of one; `part` is a piece that
// means something there, or "".
void mutate_records(std::string& bytes, const RecordLayout& layout,
                    Mutation& mutation, std::string_view part = {});

// A change of one input of a reader.
using Mutator = void (*)(std::string& bytes, Mutation& mutation);
// For the reader of this name, as in tests/corpus; null if its inputs have no
// structure that libFuzzer would not find.
Mutator mutator_of(std::string_view reader);

void mutate_elf(std::string& bytes, Mutation& mutation);
void mutate_unwind_input(std::string& bytes, Mutation& mutation);
void mutate_perf_data(std::string& bytes, Mutation& mutation);
void mutate_jitdump(std::string& bytes, Mutation& mutation);
void mutate_tracerv(std::string& bytes, Mutation& mutation);
void mutate_wick_trace(std::string& bytes, Mutation& mutation);
// Text of one record per line, made of numbers and words.
void mutate_lines(std::string& bytes, Mutation& mutation);

}  // namespace wick
